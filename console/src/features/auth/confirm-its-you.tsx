/**
 * Asks a signed-in person to confirm their identity before an operation that needs a recent login: by password,
 * authenticator code or passkey.
 */

import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { CodeField } from '@/components/code-field'
import { Dialog, DialogActions } from '@/components/dialog'
import { Fingerprint } from '@/components/icons'
import { Problem } from '@/components/problem'
import { confirmLogin } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { passkeyProblem, signInWithPasskey } from '@/lib/passkeys'
import { useSubmit } from '@/lib/use-submit'
import { PasswordField } from './credentials.tsx'

interface ConfirmItsYouProps {
  readonly onAnswer: (isProved: boolean) => void
}

export function ConfirmItsYou({ onAnswer }: ConfirmItsYouProps): JSX.Element {
  return (
    <Dialog
      open
      onOpenChange={() => onAnswer(false)}
      title="Confirm it's you"
      description="This changes what the server or your account can do, so it needs a recent sign-in."
      size="small"
    >
      <ProofForm onAnswer={onAnswer} />
    </Dialog>
  )
}

type Proof = 'password' | 'code'

function ProofForm({ onAnswer }: ConfirmItsYouProps): JSX.Element {
  const [proof, setProof] = useState<Proof>('password')
  const [text, setText] = useState('')
  const submit = useSubmit()
  const me = useOperation('me.show')
  const person = me.data?.person
  const turn = (): void => {
    setProof(proof === 'password' ? 'code' : 'password')
    setText('')
    submit.clear()
  }
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        void submit.run(
          () => confirmLogin(proof === 'password' ? { password: text } : { code: text.replace(/\s+/g, '') }),
          () => onAnswer(true),
        )
      }}
    >
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      {/* Password managers expect the username next to the password. */}
      <input type="hidden" name="email" autoComplete="username" value={person?.email ?? ''} />
      {proof === 'password' ? (
        <PasswordField kind="present" value={text} onChange={setText} focused />
      ) : (
        <CodeField label="Authenticator code" value={text} onChange={setText} />
      )}
      {person?.twoFactor === true ? (
        <Button variant="ghost" onClick={turn}>
          {proof === 'password' ? 'Use authenticator app' : 'Use password'}
        </Button>
      ) : null}
      <PasskeyButton onProved={() => onAnswer(true)} />
      <DialogActions>
        <Button onClick={() => onAnswer(false)}>Cancel</Button>
        <Button type="submit" variant="primary" pending={submit.isPending}>
          Confirm
        </Button>
      </DialogActions>
    </form>
  )
}

function PasskeyButton({ onProved }: { readonly onProved: () => void }): JSX.Element | null {
  const installation = useOperation('installation.show')
  const submit = useSubmit()
  if (installation.data === undefined || passkeyProblem(installation.data) !== null) return null
  return (
    <>
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      <Button pending={submit.isPending} onClick={() => void submit.run(signInWithPasskey, onProved)}>
        <Fingerprint aria-hidden="true" />
        Use a passkey
      </Button>
    </>
  )
}
