/** A form field: label, hint, error and input. */
import { cloneElement, type JSX, type ReactElement, type ReactNode, useId } from 'react'
import { cn } from '@/lib/class-names'

interface Wired {
  readonly id?: string
  readonly 'aria-describedby'?: string | undefined
  readonly 'aria-invalid'?: boolean | undefined
  readonly required?: boolean | undefined
}

export interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** The error; announced when it appears. */
  readonly error?: string | undefined
  /** Marks the field as optional. */
  readonly optional?: boolean
  readonly className?: string
  /** One input, text area or select; it receives the id and descriptions. */
  readonly children: ReactElement<Wired>
}

export function Field({ label, hint, error, optional, className, children }: FieldProps): JSX.Element {
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
