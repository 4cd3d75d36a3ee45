/** What is shown a single time: a key, a code, a link. Closes by its own button alone. */
import type { JSX, ReactNode } from 'react'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { Dialog, DialogActions } from '@/components/dialog'

export interface ShownOnceProps {
  readonly title: string
  readonly children: ReactNode
  /** What it is called above its frame: "Code". */
  readonly label: string
  readonly text: string
  readonly onClose: () => void
}

export function ShownOnce({ title, children, label, text, onClose }: ShownOnceProps): JSX.Element {
  return (
    <Dialog open held onOpenChange={(open) => (open ? undefined : onClose())} title={title}>
      <div className="flex flex-col gap-4">
        <p className="text-ink-soft">{children}</p>
        <Code code={text} language={label} what={`the ${label.toLowerCase()}`} wrap />
      </div>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          I have it
        </Button>
      </DialogActions>
    </Dialog>
  )
}
