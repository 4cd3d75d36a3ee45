/** Asks for the second factor: an authenticator code or a backup code. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { Problem } from '@/components/problem'
import { proveSecondFactor, type SecondFactor } from '@/lib/identity'
import { useSubmit } from '@/lib/use-submit'

interface Words {
  readonly label: string
  readonly hint: string
  readonly other: string
}

const words: Readonly<Record<SecondFactor, Words>> = {
  totp: {
    label: 'Authenticator code',
    hint: 'The 6-digit code from your authenticator app.',
    other: 'Use a backup code',
  },
  backup: {
    label: 'Backup code',
    hint: 'Each code works once.',
    other: 'Use authenticator app',
  },
}

export function SecondFactorForm({
  onProved,
}: {
  readonly onProved: () => void | Promise<void>
}): JSX.Element {
  const [factor, setFactor] = useState<SecondFactor>('totp')
  const [code, setCode] = useState('')
  const submit = useSubmit()
  const { label, hint, other } = words[factor]
  const turn = (): void => {
    setFactor(factor === 'totp' ? 'backup' : 'totp')
    setCode('')
    submit.clear()
  }
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        void submit.run(() => proveSecondFactor(factor, code), onProved)
      }}
    >
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      <Field key={factor} label={label} hint={hint}>
        <Input
          name="code"
          autoComplete="one-time-code"
          inputMode={factor === 'totp' ? 'numeric' : 'text'}
          autoCapitalize="none"
          spellCheck={false}
          required
          autoFocus
          maxLength={64}
          className="tabular font-mono tracking-widest"
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </Field>
      <Button type="submit" variant="primary" className="h-10 w-full" pending={submit.isPending}>
        Continue
      </Button>
      <Button variant="ghost" onClick={turn}>
        {other}
      </Button>
    </form>
  )
}
