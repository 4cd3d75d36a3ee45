/** A secret that is shown once: a key, a code, a link. Closes only by its own button. */
import type { JSX, ReactNode } from 'react'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { Dialog, DialogActions } from '@/components/dialog'

export interface ShownOnceProps {
  readonly title: string
  readonly children: ReactNode
  /** The label above the value: "Code". */
  readonly label: string
  readonly text: string
  readonly onClose: () => void
}

export function ShownOnce({ title, children, label, text, onClose }: ShownOnceProps): JSX.Element {
  return (
    <Dialog open held onOpenChange={(open) => (open ? undefined : onClose())} title={title}>
      <div className="flex flex-col gap-4">
        <p className="text-ink-soft">{children}</p>
        <Code code={text} language={label} what={`${label.toLowerCase()}`} wrap />
      </div>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
