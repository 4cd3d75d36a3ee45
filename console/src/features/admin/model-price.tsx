/** The price history of a model, its current and scheduled prices, and a form for a new one. */

import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Problem } from '@/components/problem'
import { type Column, Table } from '@/components/table'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import { useChange, useOperation } from '@/lib/operations'
import { exactUsd } from '@/lib/usd'
import { eachRate } from '../../../../contract/meters.ts'
import { FormDialog } from './form-dialog.tsx'
import type { Model } from './listed-rows.ts'
import { type PriceChange, priceChanges, type Version, versionBefore } from './price-changes.ts'
import { emptyPrice, isPriced, newPriceOf, RatesFields } from './rates-fields.tsx'

interface PriceProps {
  readonly model: Model
  readonly onClose: () => void
}

/** Sets the price; options, fees and tiers of the current one stay. */
export function SetPrice({ model, onClose }: PriceProps): JSX.Element {
  const { price: present, listPrice: list } = model.details ?? {}
  const [draft, setDraft] = useState({
    ...emptyPrice,
    ...eachRate((name) => list?.[name] ?? ''),
  })
  const price = useChange('models.price', {
    changes: ['models'],
    onProblem: () => undefined,
    onDone() {
      onClose()
      toast.good(`Price of ${model.model} updated.`)
    },
  })
  const unchanged =
    present === undefined
      ? {}
      : {
          options: present.options,
          fees: present.fees,
          tiers: list?.tiers ?? [],
        }
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={`Set price of ${model.model}`}
      description={`Past prices are never edited. The new price applies from its start; running requests keep theirs. The markup is added on top; tiers, options and fees stay as they are.${model.details?.scheduled === true ? ' The price depends on the time of day now; the new one applies at all times.' : ''}`}
      action="Set price"
      pending={price.isPending}
      disabled={!isPriced(draft)}
      problem={price.error}
      onSubmit={() => price.mutate({ model: model.model, price: newPriceOf(draft, unchanged) })}
    >
      <RatesFields draft={draft} onChange={setDraft} problem={price.error} />
    </FormDialog>
  )
}

export function PriceHistory({ model, onClose }: PriceProps): JSX.Element {
  const prices = useOperation('models.prices', { model: model.model })
  const presentId = model.details?.price.id
  const columns: readonly Column<Version>[] = [
    {
      id: 'from',
      header: 'Effective from',
      cell: ({ id, effectiveFrom, schedule, source }) => (
        <>
          <span className="flex items-center gap-2">
            {Date.parse(effectiveFrom) === 0 ? 'Initial price' : <When at={effectiveFrom} exact />}
            {id === presentId ? <Badge tone="good">Current</Badge> : null}
          </span>
          {schedule === null ? null : (
            <span className="tabular block text-sm">{schedule.join(', ')} UTC</span>
          )}
          <span className="block text-sm text-ink-soft">{source}</span>
        </>
      ),
    },
    {
      id: 'changed',
      header: 'Changes',
      cell: (version) => <Changes of={version} all={prices.data ?? []} />,
    },
  ]
  return (
    <Dialog open onOpenChange={onClose} title={`Price history of ${model.model}`} size="large">
      {prices.isError ? (
        <Problem problem={prices.error} onRetry={() => void prices.refetch()} />
      ) : (
        <Table
          caption="Prices"
          columns={columns}
          rows={prices.data}
          keyOf={({ id }) => id}
          expected={2}
          className="-mx-5"
          empty={<p className="text-ink-soft">No price has been set.</p>}
        />
      )}
      <div className="mt-6 flex justify-end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}

/** Changes from the price that it replaces, by token class. */
function Changes({ of, all }: { readonly of: Version; readonly all: readonly Version[] }): JSX.Element {
  const changes = priceChanges(versionBefore(of, all), of)
  if (changes.length === 0) return <span className="text-ink-soft">Source only</span>
  return (
    <ul className="flex min-w-72 flex-col gap-0.5">
      {changes.map((change) => (
        <li key={change.label} className="flex justify-between gap-x-4">
          <span className="text-ink-soft">{change.label}</span>
          <span className="tabular whitespace-nowrap">{changeWords(change)}</span>
        </li>
      ))}
    </ul>
  )
}

function changeWords({ from, to, of }: PriceChange): string {
  const words = (text: string | null): string =>
    text === null ? 'none' : of === 'usd' ? exactUsd(text) : `× ${text}`
  return from === null ? words(to) : `${words(from)} → ${words(to)}`
}
