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
      title="Two-factor authentication"
      description="Enter a code to finish signing in."
      footer={
        <Link to="/console/sign-in" search={{}} className={textLink}>
          Sign in as someone else
        </Link>
      }
    >
      <SecondFactorForm onProved={() => enter(next)} />
    </AuthFrame>
  )
}
