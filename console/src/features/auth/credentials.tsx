/** Shared fields: email, password, new password. */

import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Field } from '@/components/field'
import { Eye, EyeOff } from '@/components/icons'
import { Input } from '@/components/input'

const passwordLengthMin = 10

interface TextProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
  readonly focused?: boolean
}

interface EmailProps extends TextProps {
  readonly label?: string
  readonly hint?: string | undefined
}

export function EmailField(props: EmailProps): JSX.Element {
  const { label = 'Email', hint, value, onChange, error, focused } = props
  return (
    <Field label={label} error={error} hint={hint}>
      <Input
        type="email"
        name="email"
        autoComplete="username"
        required
        maxLength={254}
        autoFocus={focused}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  )
}

export function NameField({ value, onChange, error, focused }: TextProps): JSX.Element {
  return (
    <Field label="Your name" error={error}>
      <Input
        name="name"
        autoComplete="name"
        required
        maxLength={100}
        autoFocus={focused}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  )
}

interface PasswordProps extends TextProps {
  readonly label?: string
  /** `new`: password managers offer to generate one. */
  readonly kind: 'present' | 'new'
}

export function PasswordField(props: PasswordProps): JSX.Element {
  const { label = 'Password', kind, value, onChange, error, focused } = props
  const [isShown, setShown] = useState(false)
  return (
    <div className="relative">
      <Field
        label={label}
        error={error}
        {...(kind === 'new'
          ? { hint: `At least ${passwordLengthMin} characters. A passphrase works well.` }
          : {})}
      >
        <Input
          type={isShown ? 'text' : 'password'}
          name={kind === 'new' ? 'new-password' : 'password'}
          autoComplete={kind === 'new' ? 'new-password' : 'current-password'}
          required
          minLength={kind === 'new' ? passwordLengthMin : undefined}
          maxLength={200}
          autoFocus={focused}
          className="pr-11"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      <Button
        variant="ghost"
        size="icon"
        aria-label={isShown ? `Hide ${label.toLowerCase()}` : `Show ${label.toLowerCase()}`}
        aria-pressed={isShown}
        className="absolute top-7 right-0 max-sm:size-10"
        onClick={() => setShown(!isShown)}
      >
        {isShown ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
      </Button>
    </div>
  )
}
