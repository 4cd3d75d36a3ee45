/** The field for the six digits that an authenticator app shows. */
import type { JSX } from 'react'
import { Field } from './field.tsx'
import { Input } from './input.tsx'

interface CodeFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

export function CodeField({ label, value, onChange }: CodeFieldProps): JSX.Element {
  return (
    <Field label={label}>
      <Input
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        autoFocus
        maxLength={10}
        className="tabular font-mono tracking-widest"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  )
}
