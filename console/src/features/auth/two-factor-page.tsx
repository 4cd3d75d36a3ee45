/** The second step of signing in. */
import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { useEnter, useNext } from '@/lib/where-next'
import { AuthFrame, textLink } from './auth-frame.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'

export function TwoFactorPage(): JSX.Element {
  const next = useNext()
  const enter = useEnter()
  return (
    <AuthFrame
      title="Second step"
      description="Your account asks for a second proof that it is you."
      footer={
        <Link to="/console/sign-in" search={{}} className={textLink}>
          Sign in as somebody else
        </Link>
      }
    >
      <SecondFactorForm onProved={() => enter(next)} />
    </AuthFrame>
  )
}
