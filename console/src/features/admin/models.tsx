/** Where models are served: upstreams, and the models with their prices, offers and states, of all upstreams or of one. */
import { Link, useParams } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { Boxes } from '@/components/icons'
import { priceColumn } from '@/components/money-column'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { SpecialModelsSwitch } from '@/components/special-models-switch'
import { type Column, opensRow, Table } from '@/components/table'
import { cn } from '@/lib/class-names'
import { count } from '@/lib/format'
import { useOperation } from '@/lib/operations'
import { useSearch, useSetSearch } from '@/lib/search'
import { modelsToOffer } from '@/lib/special-models'
import { exactUsd } from '@/lib/usd'
import { byMaker, makerOf } from '../pricing/makers.ts'
import { SearchField } from '../pricing/search-field.tsx'
import { Segments } from '../usage/segments.tsx'
import { AddModel } from './add-model.tsx'
import { belowCostWords } from './below-cost.tsx'
import type { Model } from './listed-rows.ts'
import { Markup } from './markup.tsx'
import { ModelMenu } from './model-menu.tsx'
import { ModelPanel } from './model-panel.tsx'
import { PriceList } from './price-list.tsx'
import { type OfferAt, offerColumns, StateOf } from './upstream-status.tsx'
import { useUpstreamSwitch } from './upstream-switch.tsx'
import { modelsId, Upstreams } from './upstreams.tsx'

const everyMs = 10_000
/** The most that the server lists for one upstream. */
const offersMax = 1_000
const kinds = { sold: 'Enabled', unsold: 'Disabled', all: 'All' } as const
const periods = [
  { id: 'hour', label: 'Last hour' },
  { id: 'day', label: 'Last day' },
] as const

const isKind = (text: string): text is keyof typeof kinds => Object.hasOwn(kinds, text)

const madeOf = ({ model, details }: Model) => ({ model, provider: details?.provider ?? 'other' })

/** Sorted by maker, with enabled models first. */
function inGroups(models: readonly Model[]): readonly Model[] {
  return byMaker(models.map((row) => ({ ...madeOf(row), row }))).flatMap(([, made]) =>
    made.map(({ row }) => row).toSorted((one, other) => Number(other.sold) - Number(one.sold)),
  )
}

export function Models(): JSX.Element {
  const { model } = useParams({ strict: false })
  return (
    <>
      {model === undefined ? null : <ModelPanel key={model} name={model} />}
      <Upstreams />
      <ModelList />
    </>
  )
}

function ModelList(): JSX.Element {
  const { q = '', sold, upstream } = useSearch()
  const setSearch = useSetSearch()
  const models = useOperation('models.list', { all: true })
  const upstreams = useOperation('upstreams.list')
  const [showsSpecial, setShowsSpecial] = useState(false)
  const choosable = models.data?.map((row) => ({ ...row, testModel: row.details?.testModel ?? null }))
  const offered = choosable === undefined ? undefined : modelsToOffer(choosable, showsSpecial)
  // A search may be for a disabled model, and an installation may have none that is enabled.
  const isEnabledFirst = q === '' && upstream === undefined && offered?.some((model) => model.sold) !== false
  const kind = sold === undefined ? (isEnabledFirst ? 'sold' : 'all') : isKind(sold) ? sold : 'all'
  const rows = offered?.filter(
    (model) =>
      model.model.toLowerCase().includes(q.toLowerCase()) &&
      (kind === 'all' || (kind === 'sold') === model.sold),
  )
  return (
    <Card
      title={
        <span id={modelsId} className="scroll-mt-24">
          Models
        </span>
      }
      description="A model is enabled if it has a price and an upstream that serves it. Open one to see and change its offers: where it is served, in which order and at what cost."
      actions={
        <>
          <PriceList />
          <AddModel />
        </>
      }
      flush
    >
      <div className="flex flex-wrap items-center gap-2 px-5 pb-4">
        <SearchField label="Search models" />
        <Select
          aria-label="Filter models"
          value={kind}
          onChange={(event) => setSearch({ sold: event.target.value })}
          className="w-36 max-sm:grow"
        >
          {Object.entries(kinds).map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
        <Select
          aria-label="Filter by upstream"
          value={upstream ?? ''}
          onChange={(event) => setSearch({ upstream: event.target.value })}
          className="w-40 max-sm:w-36 max-sm:grow"
        >
          <option value="">All upstreams</option>
          {upstreams.data?.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
        <div className="flex basis-full flex-wrap items-center justify-between gap-x-6 gap-y-2">
          <Markup />
          <SpecialModelsSwitch models={choosable ?? []} checked={showsSpecial} onChange={setShowsSpecial} />
        </div>
      </div>
      {models.isError ? (
        <Problem problem={models.error} onRetry={() => void models.refetch()} className="m-5 mt-0" />
      ) : upstream === undefined ? (
        <AllModels rows={rows} />
      ) : (
        <ModelsAt key={upstream} upstream={upstream} rows={rows} />
      )}
    </Card>
  )
}

interface RowsProps {
  readonly rows: readonly Model[] | undefined
}

function AllModels({ rows }: RowsProps): JSX.Element {
  const columns: readonly Column<Model>[] = [
    {
      id: 'model',
      header: 'Model',
      cell: (row) => (
        <>
          <ModelLink model={row.model} />
          <OnPhone>
            <PhoneLine model={row} />
          </OnPhone>
        </>
      ),
    },
    { id: 'sold', header: 'Status', wide: true, cell: (row) => <StatusOf model={row} /> },
    {
      id: 'upstreams',
      header: 'Served by',
      wide: true,
      cell: ({ details }) => (
        <span className="block max-w-60 text-sm whitespace-normal">{details?.upstreams.join(', ')}</span>
      ),
    },
    priceColumn<Model>({
      id: 'input',
      header: 'Input',
      wide: true,
      amount: ({ details }) => details?.price.input ?? '',
    }),
    priceColumn<Model>({
      id: 'output',
      header: 'Output',
      wide: true,
      amount: ({ details }) => details?.price.output ?? '',
    }),
    actions,
  ]
  return (
    <Table
      caption="Models"
      columns={columns}
      rows={rows === undefined ? undefined : inGroups(rows)}
      keyOf={({ model }) => model}
      groupOf={(row) => makerOf(madeOf(row))}
      empty={<NoneFound />}
    />
  )
}

/** In the server's order: disabled or out of rotation first, then by requests. */
function ModelsAt({ upstream, rows }: RowsProps & { readonly upstream: string }): JSX.Element {
  const [period, setPeriod] = useState<(typeof periods)[number]['id']>('hour')
  const asked = { upstream, period, limit: offersMax }
  const status = useOperation('upstreams.status', asked, { everyMs, keep: true })
  const toggle = useUpstreamSwitch()
  const here = status.data?.upstreams[0]
  const shown =
    rows === undefined
      ? undefined
      : here?.offers.flatMap((offer) =>
          rows.filter(({ model }) => offer.models.includes(model)).map((row) => ({ ...row, offer })),
        )
  const columns: readonly Column<ModelAt>[] = [
    {
      id: 'model',
      header: 'Model',
      cell: ({ model, offer }) => (
        // The switch and the menu need the room on phones.
        <div className="max-md:w-40">
          <ModelLink model={model} />
          {offer.upstreamModel === model ? null : (
            <span className="block text-sm break-all whitespace-normal text-ink-soft">
              as {offer.upstreamModel}
            </span>
          )}
          <OnPhone>
            <StateOf status={offer} />
            <span className="text-sm text-ink-soft">{count(offer.requests)} requests</span>
          </OnPhone>
        </div>
      ),
    },
    ...offerColumns<ModelAt>(upstream, here?.disabled === true ? undefined : toggle),
    actions,
  ]
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2 px-5 pb-3">
        <p className="text-sm text-ink-soft">
          Traffic and cost at {upstream}. Time to first byte is measured on streamed responses.
        </p>
        <div className="flex flex-wrap items-center gap-2">
          {here === undefined ? null : (
            <Button
              size="small"
              disabled={toggle.pending}
              onClick={() => (here.disabled ? toggle.enable({ upstream }) : toggle.disable({ upstream }))}
            >
              {here.disabled ? 'Enable' : 'Disable'} {upstream}
            </Button>
          )}
          <Segments label="Period" segments={periods} chosen={period} onChoose={setPeriod} />
        </div>
      </div>
      {status.isError ? (
        <Problem problem={status.error} onRetry={() => void status.refetch()} className="m-5 mt-0" />
      ) : (
        <Table
          caption={`Models at ${upstream}`}
          columns={columns}
          rows={shown}
          keyOf={({ model, offer }) => `${model} ${offer.upstreamModel}`}
          empty={<NoneFound />}
        />
      )}
      {toggle.dialog}
    </>
  )
}

interface ModelAt extends Model {
  readonly offer: OfferAt
}

const actions: Column<Model> = {
  id: 'actions',
  header: <span className="sr-only">Actions</span>,
  align: 'right',
  cell: (model) => <ModelMenu model={model} />,
}

function NoneFound(): JSX.Element {
  const setSearch = useSetSearch()
  return (
    <Empty
      icon={<Boxes />}
      title="No matching models"
      text="Try part of the name."
      action={
        <Button onClick={() => setSearch({ q: undefined, sold: undefined, upstream: undefined })}>
          Clear filters
        </Button>
      }
    />
  )
}

function PhoneLine({ model: { sold, details } }: { readonly model: Model }): JSX.Element {
  return (
    <span className="block text-sm whitespace-normal text-ink-soft">
      {details?.upstreams.join(', ')}
      {sold ? null : <span className="text-warn"> · Disabled</span>}
      {details === null ? null : (
        <span className="tabular block">
          {exactUsd(details.price.input)} in, {exactUsd(details.price.output)} out
        </span>
      )}
    </span>
  )
}

function StatusOf({ model: { sold, reason, details } }: { readonly model: Model }): JSX.Element {
  if (sold) {
    return (
      <span className="flex flex-wrap gap-1">
        <Badge tone="good">Enabled</Badge>
        {details === null || details.belowCost.length === 0 ? null : (
          <Badge tone="warn" title={details.belowCost.map(belowCostWords).join('; ')}>
            Below cost
          </Badge>
        )}
      </span>
    )
  }
  return (
    <span className="flex flex-col items-start gap-1">
      <Badge tone="warn">Disabled</Badge>
      <span className="max-w-64 text-sm whitespace-normal text-ink-soft">{reason}</span>
    </span>
  )
}

function ModelLink({ model }: Pick<Model, 'model'>): JSX.Element {
  return (
    <Link
      to="/console/admin/models/$model"
      params={{ model }}
      search={true}
      title={model}
      {...opensRow}
      className={cn(opensRow.className, 'block max-w-60 truncate font-mono text-[0.8125rem] md:max-w-80')}
    >
      {model}
    </Link>
  )
}
