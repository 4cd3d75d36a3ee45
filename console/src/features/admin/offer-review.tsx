/** Preview of a change to offers, before it is saved. */
import { type JSX, useState } from 'react'
import { Banner } from '@/components/banner'
import { Checkbox } from '@/components/checkbox'
import { Table } from '@/components/table'
import { toast } from '@/components/toaster'
import type { OperationAsk, OperationOutput } from '@/lib/api'
import { useChange } from '@/lib/operations'
import { BelowCost } from './below-cost.tsx'
import { FormDialog } from './form-dialog.tsx'

type Preview = OperationOutput<'offers.check'>
type Change = Preview['changes'][number]

const fieldLabels: Readonly<Record<Change['field'], string>> = {
  offer: 'Offer',
  group: 'Group',
  name: 'Name there',
  weight: 'Weight',
  cost: 'Cost in / out',
  formats: 'Formats',
  enabled: 'Status',
}

interface OfferReviewProps {
  readonly preview: Preview
  readonly offers: OperationAsk<'offers.set'>['offers']
  readonly revision: string
  readonly onSaved: () => void
  readonly onClose: () => void
}

export function OfferReview({ preview, offers, revision, onSaved, onClose }: OfferReviewProps): JSX.Element {
  const [allowUnserved, setAllowUnserved] = useState(false)
  const { model, changes, warnings, unserved, belowCost } = preview
  const save = useChange('offers.set', {
    changes: ['models', 'upstreams'],
    onProblem: () => undefined,
    onDone() {
      toast.good(`The offers of ${model} are saved. They apply to new requests.`)
      onSaved()
    },
  })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={`Review the offers of ${model}`}
      description="Nothing is saved yet. Running requests keep their offer."
      action="Save"
      size="large"
      pending={save.isPending}
      disabled={unserved.length > 0 && !allowUnserved}
      problem={save.error}
      onSubmit={() => save.mutate({ model, offers, revision, allowUnserved })}
    >
      <Table
        caption="Changes"
        columns={[
          {
            id: 'offer',
            header: 'Offer',
            cell: ({ upstream, upstreamModel }: Change) => (
              <>
                <span className="font-medium">{upstream}</span>
                <span className="block max-w-64 truncate font-mono text-[0.8125rem] text-ink-soft">
                  {upstreamModel}
                </span>
              </>
            ),
          },
          { id: 'field', header: 'Field', cell: ({ field }: Change) => fieldLabels[field] },
          { id: 'change', header: 'Change', className: 'whitespace-normal', cell: changeWords },
        ]}
        rows={changes}
        keyOf={({ upstream, upstreamModel, field }) => `${upstream} ${upstreamModel} ${field}`}
        className="-mx-6"
        empty={<p className="text-ink-soft">The offers stay as they are.</p>}
      />
      {warnings.map((warning) => (
        <Banner key={warning} tone="warn" title={warning} />
      ))}
      <BelowCost rows={belowCost} />
      {unserved.length === 0 ? null : (
        <>
          <Banner tone="bad" title={`No enabled upstream would serve ${unserved.join(', ')}.`}>
            Requests for it fail with 404.
          </Banner>
          <Checkbox label="Save it anyway" checked={allowUnserved} onChange={setAllowUnserved} />
        </>
      )}
    </FormDialog>
  )
}

function changeWords({ field, from, to }: Change): string {
  if (field === 'offer') return to === null ? 'Removed' : `Added: ${to}`
  return `${from ?? 'list price'} → ${to ?? 'list price'}`
}
