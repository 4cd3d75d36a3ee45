/**
 * Asks somebody who is signed in to prove again that it is them, before something that asks for a recent login: by
 * password with its second factor, or by passkey.
 */
import { Fingerprint } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Dialog, DialogActions } from '@/components/dialog'
import { Problem } from '@/components/problem'
import { signIn } from '@/lib/identity'
import { useOperation } from '@/lib/operations'
import { passkeyProblem, signInWithPasskey } from '@/lib/passkeys'
import { useSubmit } from '@/lib/use-submit'
import { PasswordField } from './credentials.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'

interface ConfirmItsYouProps {
  readonly onAnswer: (isProved: boolean) => void
}

export function ConfirmItsYou({ onAnswer }: ConfirmItsYouProps): JSX.Element {
  const [step, setStep] = useState<'first' | 'second'>('first')
  return (
    <Dialog
      open
      onOpenChange={() => onAnswer(false)}
      title="Confirm it is you"
      description="Your login is a while ago, and this can change a lot."
      size="small"
    >
      {step === 'first' ? (
        <FirstFactor onAnswer={onAnswer} onSecond={() => setStep('second')} />
      ) : (
        <SecondFactorForm onProved={() => onAnswer(true)} />
      )}
    </Dialog>
  )
}

interface FirstFactorProps extends ConfirmItsYouProps {
  readonly onSecond: () => void
}

function FirstFactor({ onAnswer, onSecond }: FirstFactorProps): JSX.Element {
  const [password, setPassword] = useState('')
  const submit = useSubmit()
  const me = useOperation('me.show')
  const installation = useOperation('installation.show')
  const email = me.data?.person.email ?? ''
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        void submit.run(
          () => signIn(email, password),
          ({ twoFactorRedirect }) => (twoFactorRedirect === true ? onSecond() : onAnswer(true)),
        )
      }}
    >
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      {/* Password managers look for the name beside the password. */}
      <input type="hidden" name="email" autoComplete="username" value={email} />
      <PasswordField kind="present" value={password} onChange={setPassword} focused />
      {installation.data !== undefined && passkeyProblem(installation.data) === null ? (
        <Button onClick={() => void submit.run(signInWithPasskey, () => onAnswer(true))}>
          <Fingerprint aria-hidden="true" />
          Use a passkey
        </Button>
      ) : null}
      <DialogActions>
        <Button onClick={() => onAnswer(false)}>Cancel</Button>
        <Button type="submit" variant="primary" pending={submit.isPending}>
          Confirm
        </Button>
      </DialogActions>
    </form>
  )
}
