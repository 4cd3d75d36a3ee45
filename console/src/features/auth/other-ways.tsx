/** Signing in without a password: by passkey, or with an identity provider. */

import type { JSX } from 'react'
import { Button } from '@/components/button'
import { Fingerprint } from '@/components/icons'
import { Problem } from '@/components/problem'
import type { OperationOutput } from '@/lib/api'
import { signInWith } from '@/lib/identity'
import { passkeyProblem, signInWithPasskey } from '@/lib/passkeys'
import { useSubmit } from '@/lib/use-submit'
import { useEnter } from '@/lib/where-next'

interface OtherWaysProps {
  readonly installation: OperationOutput<'installation.show'>
  readonly next: string
  /** New people have no passkey yet. */
  readonly passkeys: 'offered' | 'left out'
}

export function OtherWays({ installation, next, passkeys }: OtherWaysProps): JSX.Element | null {
  const submit = useSubmit()
  const enter = useEnter()
  const hasPasskeys = passkeys === 'offered' && passkeyProblem(installation) === null
  if (!hasPasskeys && installation.signInWith.length === 0) return null
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-3 text-sm text-ink-soft">
        <span className="h-px flex-1 bg-line" />
        or
        <span className="h-px flex-1 bg-line" />
      </div>
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      {installation.signInWith.map(({ id, name }) => (
        <Button
          key={id}
          className="h-10 w-full"
          onClick={() =>
            void submit.run(
              () => signInWith(id, next),
              ({ url }) => location.assign(url),
            )
          }
        >
          Continue with {name}
        </Button>
      ))}
      {hasPasskeys ? (
        <Button
          className="h-10 w-full"
          pending={submit.isPending}
          onClick={() => void submit.run(signInWithPasskey, () => enter(next))}
        >
          <Fingerprint aria-hidden="true" />
          Use a passkey
        </Button>
      ) : null}
    </div>
  )
}
