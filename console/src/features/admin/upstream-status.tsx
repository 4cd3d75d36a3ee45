/** How each model at each upstream does: health, traffic, time to first byte and cost, with a switch for each. */
import { type JSX, useState } from 'react'
import { Badge, type Tone } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Money } from '@/components/money'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { type Column, Table } from '@/components/table'
import { When } from '@/components/when'
import type { OperationOutput } from '@/lib/api'
import { count, duration, percent } from '@/lib/format'
import { useOperation } from '@/lib/operations'
import { isZero } from '@/lib/usd'
import { Segments } from '../usage/segments.tsx'
import { type UpstreamSwitch, useUpstreamSwitch } from './upstream-switch.tsx'

type Status = OperationOutput<'upstreams.status'>
type UpstreamRow = Status['upstreams'][number]
type Offer = UpstreamRow['offers'][number]
type Period = Status['period']

const everyMs = 10_000
const firstRows = 10
/** The most that the server lists for one upstream. */
const allRows = 1_000
const periods = [
  { id: 'hour', label: 'Last hour' },
  { id: 'day', label: 'Last day' },
] as const
const stateLabels: Readonly<Record<Offer['state'], readonly [Tone, string]>> = {
  serving: ['good', 'Serving'],
  cooling: ['warn', 'Cooling down'],
  ejected: ['bad', 'Ejected'],
  disabled: ['neutral', 'Disabled'],
}

/** A test model that simulates a failure is in rotation too, but its failures are expected. */
export function stateLabel({ state, testCase }: Pick<Offer, 'state' | 'testCase'>): readonly [Tone, string] {
  return testCase && state !== 'disabled' ? ['neutral', 'Test case'] : stateLabels[state]
}

export function UpstreamStatus(): JSX.Element | null {
  const [period, setPeriod] = useState<Period>('hour')
  const status = useOperation('upstreams.status', { period, limit: firstRows }, { everyMs, keep: true })
  const toggle = useUpstreamSwitch()
  const shown = (status.data?.upstreams ?? [])
    .filter(({ total, disabled }) => total > 0 || disabled)
    // Test models come after real ones.
    .sort((a, b) => Number(a.upstream === 'sandbox') - Number(b.upstream === 'sandbox'))
  if (status.data !== undefined && shown.length === 0) return null
  return (
    <Card
      title="Models by upstream"
      description="Traffic and cost of each model at each upstream. Time to first byte is measured on streamed responses. Receipts have the figures of each request."
      actions={<Segments label="Period" segments={periods} chosen={period} onChoose={setPeriod} />}
      flush
    >
      {status.isError ? (
        <Problem problem={status.error} onRetry={() => void status.refetch()} className="m-5 mt-0" />
      ) : (
        shown.map((row) => <UpstreamBlock key={row.upstream} row={row} period={period} toggle={toggle} />)
      )}
      {toggle.dialog}
    </Card>
  )
}

interface BlockProps {
  readonly row: UpstreamRow
  readonly period: Period
  readonly toggle: UpstreamSwitch
}

function UpstreamBlock({ row, period, toggle }: BlockProps): JSX.Element {
  const { upstream, disabled, total } = row
  const [showsAll, setShowsAll] = useState(false)
  const all = useOperation(
    'upstreams.status',
    { upstream, period, limit: allRows },
    { enabled: showsAll, everyMs, keep: true },
  )
  const offers = (showsAll ? all.data?.upstreams[0]?.offers : undefined) ?? row.offers
  return (
    <section aria-label={upstream} className="border-t border-line">
      <div className="flex items-center justify-between gap-3 px-5 pt-3 pb-1">
        <h3 className="flex min-w-0 items-center gap-2 font-medium">
          <span className="truncate">{upstream}</span>
          {disabled ? <Badge>Disabled</Badge> : null}
        </h3>
        <SwitchButton
          disabled={disabled}
          label={upstream}
          pending={toggle.pending}
          onSwitch={() => (disabled ? toggle.enable({ upstream }) : toggle.disable({ upstream }))}
        />
      </div>
      <Table
        caption={`Models at ${upstream}`}
        columns={columnsOf(row, toggle)}
        rows={offers}
        keyOf={({ upstreamModel }) => upstreamModel}
        empty={<p className="px-5 pb-3 text-ink-soft">No models while it is disabled.</p>}
      />
      {!showsAll && total > row.offers.length ? (
        <div className="px-5 py-2">
          <Button variant="ghost" size="small" onClick={() => setShowsAll(true)}>
            Show all {count(total)} models
          </Button>
        </div>
      ) : null}
    </section>
  )
}

const none = <span className="text-ink-soft">–</span>

/** The names that clients request, and the provider's where it differs. */
function ModelNames({ offer: { models, upstreamModel } }: { readonly offer: Offer }): JSX.Element {
  const names = models.length === 0 ? [upstreamModel] : models
  return (
    <span className="break-words whitespace-normal">
      {names.join(', ')}
      {names.includes(upstreamModel) ? null : (
        <span className="block text-sm text-ink-soft">as {upstreamModel}</span>
      )}
    </span>
  )
}

/** Shares of the width, so that the columns of all upstreams are aligned. */
function columnsOf({ upstream, disabled }: UpstreamRow, toggle: UpstreamSwitch): readonly Column<Offer>[] {
  return [
    {
      id: 'model',
      header: 'Model',
      className: 'md:w-2/5',
      cell: (offer) => (
        <>
          <ModelNames offer={offer} />
          <OnPhone>
            <StateOf offer={offer} />
          </OnPhone>
        </>
      ),
    },
    {
      id: 'state',
      header: 'State',
      wide: true,
      className: 'w-[14%]',
      cell: (offer) => <StateOf offer={offer} />,
    },
    {
      id: 'requests',
      header: 'Requests',
      align: 'right',
      className: 'md:w-[8%]',
      cell: ({ requests }) => count(requests),
    },
    {
      id: 'errors',
      header: 'Error rate',
      align: 'right',
      wide: true,
      className: 'w-[8%]',
      cell: ({ failures, requests }) =>
        requests === 0 ? (
          none
        ) : (
          <span title={`${count(failures)} failures`}>{percent(failures / requests)}</span>
        ),
    },
    {
      id: 'firstByte',
      header: 'First byte p50 / p95',
      align: 'right',
      wide: true,
      className: 'w-[14%]',
      cell: ({ firstByteP50Ms: middle, firstByteP95Ms: slow }) =>
        middle === null || slow === null ? none : `${duration(middle)} / ${duration(slow)}`,
    },
    {
      id: 'cost',
      header: 'Cost',
      align: 'right',
      wide: true,
      className: 'w-[10%]',
      cell: ({ cost }) => (isZero(cost) ? none : <Money amount={cost} column="cost" />),
    },
    {
      id: 'switch',
      header: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: ({ upstreamModel, state }) =>
        disabled ? null : (
          <SwitchButton
            disabled={state === 'disabled'}
            label={`${upstreamModel} at ${upstream}`}
            pending={toggle.pending}
            onSwitch={() =>
              state === 'disabled'
                ? toggle.enable({ upstream, upstreamModel })
                : toggle.disable({ upstream, upstreamModel })
            }
          />
        ),
    },
  ]
}

function StateOf({ offer }: { readonly offer: Offer }): JSX.Element {
  const { until, testCase } = offer
  const [tone, label] = stateLabel(offer)
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <Badge tone={tone}>{label}</Badge>
      {until === null || testCase ? null : (
        <span className="text-sm text-ink-soft">
          until <When at={until} exact />
        </span>
      )}
    </span>
  )
}

interface SwitchButtonProps {
  readonly disabled: boolean
  /** Name of the switched item. */
  readonly label: string
  readonly pending: boolean
  readonly onSwitch: () => void
}

function SwitchButton({ disabled, label, pending, onSwitch }: SwitchButtonProps): JSX.Element {
  const verb = disabled ? 'Enable' : 'Disable'
  return (
    <Button
      variant="ghost"
      size="small"
      aria-label={`${verb} ${label}`}
      disabled={pending}
      onClick={onSwitch}
    >
      {verb}
    </Button>
  )
}
