/** One question of a form: its label, what helps to answer it, what is wrong with the answer, and the input. */
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
  /** What is wrong, in words; read out when it appears. */
  readonly error?: string | undefined
  /** Says that it may stay empty. */
  readonly optional?: boolean
  readonly className?: string
  /** One input, text area or select; it is given id and descriptions. */
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
