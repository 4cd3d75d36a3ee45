/** A dialog with a form that runs one operation. */
import type { JSX, ReactNode } from 'react'
import { Button } from '@/components/button'
import { Dialog, DialogActions } from '@/components/dialog'
import { Problem } from '@/components/problem'
import type { ApiError } from '@/lib/api'

export interface FormDialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly description?: ReactNode
  /** The verb on the submit button. */
  readonly action: string
  readonly tone?: 'primary' | 'danger'
  readonly pending: boolean
  readonly disabled?: boolean
  /** The server's error; shown above the buttons unless a field shows it. */
  readonly problem?: ApiError | null
  /** Fields that show their own errors. */
  readonly fields?: readonly string[]
  readonly size?: 'small' | 'medium' | 'large'
  /** Starts at the top: users read the form first, so no field below the fold gets the focus. */
  readonly startsAtTop?: boolean
  /** Returns to the step before. */
  readonly onBack?: () => void
  readonly onSubmit: () => void
  readonly children: ReactNode
}

export function FormDialog(props: FormDialogProps): JSX.Element {
  const { open, onOpenChange, title, description, size = 'medium', startsAtTop = false } = props
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      size={size}
      startsAtTop={startsAtTop}
      {...(description === undefined ? {} : { description })}
    >
      <Form {...props} />
    </Dialog>
  )
}

function Form(props: FormDialogProps): JSX.Element {
  const { onOpenChange, action, tone = 'primary', pending, disabled = false } = props
  const { problem = null, fields = [], onBack, onSubmit, children } = props
  const isShownByField = problem?.param !== undefined && fields.includes(problem.param.split('.')[0] ?? '')
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        if (!pending && !disabled) onSubmit()
      }}
    >
      {children}
      {problem === null || isShownByField ? null : <Problem problem={problem} />}
      <DialogActions>
        {onBack === undefined ? null : (
          <Button className="sm:mr-auto" onClick={onBack}>
            Back
          </Button>
        )}
        <Button onClick={() => onOpenChange(false)}>Cancel</Button>
        <Button type="submit" variant={tone} pending={pending} disabled={disabled}>
          {action}
        </Button>
      </DialogActions>
    </form>
  )
}

/** The server's error for one field, as props of a `Field`. */
export function errorAt(problem: ApiError | null, field: string): { readonly error?: string } {
  const param = problem?.param
  if (problem === null || param === undefined || param.split('.')[0] !== field) return {}
  const text = problem.message.startsWith(`${param}: `)
    ? problem.message.slice(param.length + 2)
    : problem.message
  return { error: `${text.charAt(0).toUpperCase()}${text.slice(1)}` }
}
