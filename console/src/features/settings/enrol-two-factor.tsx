/** Turns the second factor on: password, QR code, a code to verify it, backup codes. */
import { useQueryClient } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { CodeField } from '@/components/code-field'
import { CopyButton } from '@/components/copy-button'
import { Dialog, DialogActions } from '@/components/dialog'
import { Problem } from '@/components/problem'
import { identity, proveSecondFactor } from '@/lib/identity'
import { refresh } from '@/lib/operations'
import { useSubmit } from '@/lib/use-submit'
import { BackupCodes } from './backup-codes.tsx'
import { QrCode } from './qr-code.tsx'
import { WithPassword } from './with-password.tsx'

interface Enrolment {
  readonly totpURI: string
  readonly backupCodes: readonly string[]
}

type Step =
  | { readonly kind: 'password' }
  | { readonly kind: 'scan'; readonly enrolment: Enrolment }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }

export function EnrolTwoFactor({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [step, setStep] = useState<Step>({ kind: 'password' })
  const client = useQueryClient()
  const proved = async (codes: readonly string[]): Promise<void> => {
    setStep({ kind: 'codes', codes })
    await refresh(client, ['people'])
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      held={step.kind === 'codes'}
      title="Turn on two-factor authentication"
      size="small"
    >
      {step.kind === 'password' ? (
        <WithPassword<Enrolment>
          action="Continue"
          exchange={(password) => identity('POST', '/two-factor/enable', { password, issuer: 'Tollgate' })}
          onDone={(enrolment) => setStep({ kind: 'scan', enrolment })}
          onClose={onClose}
        />
      ) : null}
      {step.kind === 'scan' ? <Scan enrolment={step.enrolment} onProved={proved} onClose={onClose} /> : null}
      {step.kind === 'codes' ? <BackupCodes codes={step.codes} onClose={onClose} /> : null}
    </Dialog>
  )
}

interface ScanProps {
  readonly enrolment: Enrolment
  readonly onProved: (codes: readonly string[]) => Promise<void>
  readonly onClose: () => void
}

function Scan({ enrolment, onProved, onClose }: ScanProps): JSX.Element {
  const [code, setCode] = useState('')
  const submit = useSubmit()
  const secret = new URL(enrolment.totpURI).searchParams.get('secret') ?? ''
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        void submit.run(
          () => proveSecondFactor('totp', code),
          () => onProved(enrolment.backupCodes),
        )
      }}
    >
      <p className="text-ink-soft">Scan this with an authenticator app, then enter the code it shows.</p>
      <QrCode text={enrolment.totpURI} label="Setup code for an authenticator app" className="self-center" />
      <div className="flex items-center justify-between gap-2 rounded-lg border border-line bg-sunken py-1 pr-1 pl-3">
        <p className="min-w-0 text-sm text-ink-soft">
          Or enter it manually: <code className="font-mono break-all text-ink">{secret}</code>
        </p>
        <CopyButton text={secret} what="the secret" variant="ghost" />
      </div>
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      <CodeField label="Authenticator code" value={code} onChange={setCode} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" pending={submit.isPending}>
          Turn on
        </Button>
      </DialogActions>
    </form>
  )
}
