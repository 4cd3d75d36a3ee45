/** A form field: label, hint, error and input. */
import {
  cloneElement,
  type FormEvent,
  type InvalidEvent,
  type JSX,
  type ReactElement,
  type ReactNode,
  useId,
  useState,
} from 'react'
import { cn } from '@/lib/class-names'

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

interface Wired {
  readonly id?: string
  readonly 'aria-describedby'?: string | undefined
  readonly 'aria-invalid'?: boolean | undefined
  readonly required?: boolean | undefined
  // `never`, because the element type varies.
  readonly onInvalid?: ((event: InvalidEvent<never>) => void) | undefined
  readonly onInput?: ((event: FormEvent<never>) => void) | undefined
}

export interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** The error; announced when it appears. */
  readonly error?: string | undefined
  /** Marks the field as optional. */
  readonly optional?: boolean
  readonly className?: string
  /** An input, text area or select; it receives the ID and descriptions. */
  readonly children: ReactElement<Wired>
}

export function Field(props: FieldProps): JSX.Element {
  const { label, hint, optional, className, children } = props
  // Browser validation messages appear where server errors do, not in the browser's bubble.
  const [found, setFound] = useState<string>()
  const error = props.error ?? found
  const made = useId()
  const id = children.props.id ?? made
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
    .filter((name) => name !== '')
    .join(' ')
  return (
    <div className={cn('flex flex-col gap-1.5', className)}>
      <label htmlFor={id} className="font-medium">
        {label}
        {optional === true ? <span className="font-normal text-ink-soft"> optional</span> : null}
      </label>
      {cloneElement(children, {
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error === undefined ? undefined : true,
        onInvalid: (event) => {
          event.preventDefault()
          const control = event.currentTarget as Control
          setFound(mistakeIn(control))
          if (control.form?.querySelector(':invalid:not(fieldset)') === control) control.focus()
        },
        onInput: () => setFound(undefined),
      })}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="text-sm text-ink-soft">
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p id={`${id}-error`} role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  )
}

/** Message for a field that fails its own rules: `required`, its type or its lengths. */
function mistakeIn(control: Control): string {
  const { type, validity } = control
  const isEmail = type === 'email'
  if (validity.valueMissing) return isEmail ? 'Enter an email address.' : 'This field is required.'
  if (validity.typeMismatch && isEmail) return 'Enter a full email address, such as ada@example.org.'
  if (validity.tooShort && 'minLength' in control) return `Enter at least ${control.minLength} characters.`
  return control.validationMessage
}
