/** What is added to the prices of all models without a markup of their own. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { toast } from '@/components/toaster'
import { useChange, useOperation } from '@/lib/operations'
import { errorAt, FormDialog } from './form-dialog.tsx'

export function Markup(): JSX.Element {
  const markup = useOperation('markup.show')
  const [isOpen, setOpen] = useState(false)
  return (
    <Card
      title="Markup"
      description="Added to all prices from the moment on at which it is set, also to those that are set here. Models with a markup of their own in the configuration keep that one."
      actions={
        <Button size="small" onClick={() => setOpen(true)} disabled={markup.data === undefined}>
          Change it
        </Button>
      }
    >
      {markup.isError ? (
        <Problem problem={markup.error} onRetry={() => void markup.refetch()} />
      ) : markup.data === undefined ? (
        <Skeleton className="h-8 w-24" />
      ) : (
        <p>
          <span className="tabular text-2xl leading-8 font-semibold">{markup.data.markup ?? 'None'}</span>
          <span className="ml-2 text-sm text-ink-soft">
            {markup.data.from === 'configuration' ? 'from the configuration' : 'set here'}
          </span>
        </p>
      )}
      {isOpen && markup.data !== undefined ? (
        <SetMarkup present={markup.data.markup} onClose={() => setOpen(false)} />
      ) : null}
    </Card>
  )
}

function SetMarkup({
  present,
  onClose,
}: {
  readonly present: string | null
  readonly onClose: () => void
}): JSX.Element {
  const [text, setText] = useState(present?.replace('%', '') ?? '')
  const set = useChange('markup.set', {
    changes: ['models'],
    onProblem: () => undefined,
    onDone({ markup }) {
      onClose()
      toast.good(markup === null ? 'Nothing is added to list prices.' : `${markup} is added to list prices.`)
    },
  })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title="Change the markup"
      description="Every list price changes at once. Requests that run keep theirs."
      action="Change the markup"
      size="small"
      pending={set.isPending}
      problem={set.error}
      fields={['markup']}
      onSubmit={() => set.mutate({ markup: text.trim() === '' ? null : `${text.trim()}%` })}
    >
      <Field label="Percent" hint="Left empty: none." {...errorAt(set.error, 'markup')}>
        <Input inputMode="decimal" value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
