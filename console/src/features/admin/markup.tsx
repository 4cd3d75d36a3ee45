/** The markup on models without an individual one. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Explained } from '@/components/explained'
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
  if (markup.isError) return <Problem problem={markup.error} onRetry={() => void markup.refetch()} />
  return (
    <p className="flex items-center gap-2 text-ink-soft">
      <Explained text="Added to every list price from the moment you set it. Models with their own markup in the configuration keep it.">
        Markup
      </Explained>
      {markup.data === undefined ? (
        <Skeleton className="h-4 w-12" />
      ) : (
        <span className="tabular font-medium text-ink">{markup.data.markup ?? 'None'}</span>
      )}
      {markup.data?.from === 'configuration' && markup.data.markup !== null ? 'from configuration' : null}
      <Button
        size="small"
        aria-label="Edit markup"
        onClick={() => setOpen(true)}
        disabled={markup.data === undefined}
      >
        Edit
      </Button>
      {isOpen && markup.data !== undefined ? (
        <SetMarkup present={markup.data.markup} onClose={() => setOpen(false)} />
      ) : null}
    </p>
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
      toast.good(markup === null ? 'List prices have no markup.' : `${markup} is added to list prices.`)
    },
  })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title="Edit markup"
      description="All list prices change immediately. Running requests keep their price."
      action="Save"
      size="small"
      pending={set.isPending}
      problem={set.error}
      fields={['markup']}
      onSubmit={() => set.mutate({ markup: text.trim() === '' ? null : `${text.trim()}%` })}
    >
      <Field label="Percent" hint="Leave empty for no markup." {...errorAt(set.error, 'markup')}>
        <Input inputMode="decimal" value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
