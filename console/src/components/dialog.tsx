/** Modal dialogs. On phones they slide up from the bottom. */

import { Dialog as Radix } from 'radix-ui'
import { type JSX, type ReactNode, useState } from 'react'
import { X } from '@/components/icons'
import { cn } from '@/lib/class-names'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { Input } from './input.tsx'
import { useFocusReturn } from './use-focus-return.ts'

export interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: ReactNode
  readonly description?: ReactNode
  readonly size?: 'small' | 'medium' | 'large'
  /** The dialog gets the focus in place of its first field. */
  readonly startsAtTop?: boolean
  /** Closes only by its own buttons: for content that is shown only once. */
  readonly held?: boolean
  readonly children: ReactNode
}

const widths = { small: 'sm:max-w-md', medium: 'sm:max-w-lg', large: 'sm:max-w-2xl' }

export function Dialog({ open, onOpenChange, ...content }: DialogProps): JSX.Element {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="motion-fade fixed inset-0 z-50 bg-veil" />
        <Content {...content} />
      </Radix.Portal>
    </Radix.Root>
  )
}

function Content(props: Omit<DialogProps, 'open' | 'onOpenChange'>): JSX.Element {
  const { title, description, size = 'medium', startsAtTop = false, held = false, children } = props
  const returnFocus = useFocusReturn()
  const stay = (event: Event): void => {
    if (held) event.preventDefault()
  }
  return (
    <Radix.Content
      {...(description === undefined ? { 'aria-describedby': undefined } : {})}
      // The first field gets the focus rather than the close button.
      onOpenAutoFocus={startsAtTop ? focusContent : focusFirstField}
      onEscapeKeyDown={stay}
      onPointerDownOutside={stay}
      onInteractOutside={stay}
      onCloseAutoFocus={returnFocus}
      className={cn(
        'motion-appear fixed inset-x-0 bottom-0 z-50 mx-auto flex max-h-[92dvh] w-full flex-col overflow-hidden rounded-t-xl border border-line bg-raised sm:top-[8vh] sm:bottom-auto sm:max-h-[84vh] sm:w-[calc(100%-2rem)] sm:rounded-xl',
        widths[size],
      )}
    >
      <div className="flex items-start justify-between gap-4 border-b border-line px-6 py-4">
        <div className="min-w-0">
          <Radix.Title className="text-lg font-semibold tracking-tight">{title}</Radix.Title>
          {description === undefined ? null : (
            <Radix.Description className="mt-1 text-ink-soft">{description}</Radix.Description>
          )}
        </div>
        {held ? null : (
          <Radix.Close asChild>
            <Button variant="ghost" size="icon" aria-label="Close" className="-mt-1 -mr-2">
              <X aria-hidden="true" />
            </Button>
          </Radix.Close>
        )}
      </div>
      {/* What has the focus does not end up below the row of buttons. */}
      <div className="scroll-pb-40 overflow-y-auto px-6 py-5">{children}</div>
    </Radix.Content>
  )
}

function focusContent(event: Event): void {
  event.preventDefault()
  const content = event.currentTarget as HTMLElement | null
  content?.focus()
}

function focusFirstField(event: Event): void {
  const content = event.currentTarget as HTMLElement | null
  const field = content?.querySelector<HTMLElement>(
    'form :is(input:not([type=hidden]), select, textarea):not(:disabled)',
  )
  if (field == null) return
  event.preventDefault()
  field.focus()
}

/** The buttons at the end of a dialog; visible also where the dialog is taller than the window. */
export function DialogActions({ children }: { readonly children: ReactNode }): JSX.Element {
  return (
    <div className="tall:sticky -bottom-5 z-10 -mx-6 mt-6 -mb-5 flex flex-col-reverse gap-2 border-t border-line bg-raised px-6 py-4 sm:flex-row sm:justify-end">
      {children}
    </div>
  )
}

export interface ConfirmDialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: ReactNode
  /** The consequences, and what can't be undone. */
  readonly children: ReactNode
  /** The verb on the button: "Revoke key". */
  readonly action: string
  readonly pending?: boolean | undefined
  readonly onConfirm: () => void
  /** Text that must be typed first, for destructive actions. */
  readonly typed?: string
  /** Name of the typed text: "the account's name". */
  readonly typedLabel?: string
  readonly tone?: 'danger' | 'primary'
}

/** Asks before an action that is hard to undo. */
export function ConfirmDialog(props: ConfirmDialogProps): JSX.Element {
  return (
    <Dialog open={props.open} onOpenChange={props.onOpenChange} title={props.title} size="small">
      <Confirmation {...props} />
    </Dialog>
  )
}

function Confirmation(props: ConfirmDialogProps): JSX.Element {
  const { onOpenChange, children, action, pending, onConfirm, typed, typedLabel, tone = 'danger' } = props
  const [text, setText] = useState('')
  const isReady = typed === undefined || text.trim() === typed
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        if (isReady && pending !== true) onConfirm()
      }}
    >
      <div className="flex flex-col gap-3 text-ink-soft">{children}</div>
      {typed === undefined ? null : (
        <Field label={typedLabel ?? `Type “${typed}” to confirm`} className="mt-4">
          <Input
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
      )}
      <DialogActions>
        <Button onClick={() => onOpenChange(false)}>Cancel</Button>
        <Button type="submit" variant={tone} pending={pending} disabled={!isReady}>
          {action}
        </Button>
      </DialogActions>
    </form>
  )
}
