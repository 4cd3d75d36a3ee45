/** Models as operators see them: which are enabled at which price, which are disabled, and why. */
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Empty } from '@/components/empty'
import { Boxes, MoreHorizontal } from '@/components/icons'
import { Menu, MenuItem } from '@/components/menu'
import { priceColumn } from '@/components/money-column'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { SpecialModelsSwitch } from '@/components/special-models-switch'
import { type Column, opensRow, Table } from '@/components/table'
import { toast } from '@/components/toaster'
import { cn } from '@/lib/class-names'
import { useChange, useOperation } from '@/lib/operations'
import { useSearch, useSetSearch } from '@/lib/search'
import { modelsToOffer } from '@/lib/special-models'
import { exactUsd } from '@/lib/usd'
import { byMaker, makerOf } from '../pricing/makers.ts'
import { SearchField } from '../pricing/search-field.tsx'
import { AddModel } from './add-model.tsx'
import { belowCostWords } from './below-cost.tsx'
import type { Model } from './listed-rows.ts'
import { Markup } from './markup.tsx'
import { PriceHistory, SetPrice } from './model-price.tsx'
import { ModelRouting } from './model-routing.tsx'
import { PriceList } from './price-list.tsx'
import { providerName } from './providers.ts'

const kinds = { sold: 'Enabled', unsold: 'Disabled', all: 'All' } as const

const isKind = (text: string): text is keyof typeof kinds => Object.hasOwn(kinds, text)

const madeOf = ({ model, details }: Pick<Model, 'model' | 'details'>) => ({
  model,
  provider: details?.provider ?? 'other',
})

/** Sorted by maker, with enabled models first. */
function inGroups(models: readonly Model[]): readonly Model[] {
  return byMaker(models.map((row) => ({ ...madeOf(row), row }))).flatMap(([, made]) =>
    made.map(({ row }) => row).toSorted((one, other) => Number(other.sold) - Number(one.sold)),
  )
}

export function Models(): JSX.Element {
  const { q = '', sold } = useSearch()
  const setSearch = useSetSearch()
  const models = useOperation('models.list', { all: true })
  const [showsSpecial, setShowsSpecial] = useState(false)
  const choosable = models.data?.map((row) => ({ ...row, testModel: row.details?.testModel ?? null }))
  const offered = choosable === undefined ? undefined : modelsToOffer(choosable, showsSpecial)
  // A search may be for a disabled model, and an installation may have none that is enabled.
  const isEnabledFirst = q === '' && offered?.some((model) => model.sold) !== false
  const kind = sold === undefined ? (isEnabledFirst ? 'sold' : 'all') : isKind(sold) ? sold : 'all'
  const rows = offered?.filter(
    (model) =>
      model.model.toLowerCase().includes(q.toLowerCase()) &&
      (kind === 'all' || (kind === 'sold') === model.sold),
  )
  return (
    <>
      <Markup />
      <div className="flex flex-wrap gap-2">
        <SearchField label="Search models" />
        <Select
          aria-label="Filter models"
          value={kind}
          onChange={(event) => setSearch({ sold: event.target.value })}
          className="w-36"
        >
          {Object.entries(kinds).map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
        <PriceList />
        <AddModel />
      </div>
      <SpecialModelsSwitch models={choosable ?? []} checked={showsSpecial} onChange={setShowsSpecial} />
      {models.isError ? (
        <Problem problem={models.error} onRetry={() => void models.refetch()} />
      ) : (
        <ModelsTable rows={rows} />
      )}
    </>
  )
}

type Doing = {
  readonly kind: 'price' | 'history' | 'routing' | 'disable'
  readonly model: Model
}

/** The heading of a group names the maker; the provider of its models may differ. */
function providerBesideMaker(model: Pick<Model, 'model' | 'details'>): string {
  if (model.details === null) return ''
  const name = providerName(model.details.provider)
  return name === makerOf(madeOf(model)) ? '' : name
}

function ModelsTable({ rows }: { readonly rows: readonly Model[] | undefined }): JSX.Element {
  const [doing, setDoing] = useState<Doing>()
  const setSearch = useSetSearch()
  const close = (): void => setDoing(undefined)
  const columns: readonly Column<Model>[] = [
    {
      id: 'model',
      header: 'Model',
      cell: ({ model, details, sold }) => (
        <>
          <ModelLink model={model} />
          <span className="block text-sm text-ink-soft">
            {providerBesideMaker({ model, details })}
            {sold ? null : (
              <OnPhone>
                <span className="text-warn"> · Disabled</span>
              </OnPhone>
            )}
          </span>
          <OnPhone>
            {details === null ? null : (
              <span className="tabular block text-sm text-ink-soft">
                {exactUsd(details.price.input)} in, {exactUsd(details.price.output)} out
              </span>
            )}
          </OnPhone>
        </>
      ),
    },
    {
      id: 'sold',
      header: 'Status',
      wide: true,
      cell: ({ sold, reason, details }) =>
        sold ? (
          <span className="flex flex-wrap gap-1">
            <Badge tone="good">Enabled</Badge>
            {details === null || details.belowCost.length === 0 ? null : (
              <Badge tone="warn" title={details.belowCost.map(belowCostWords).join('; ')}>
                Below cost
              </Badge>
            )}
          </span>
        ) : (
          <span className="flex flex-col items-start gap-1">
            <Badge tone="warn">Disabled</Badge>
            <span className="max-w-64 text-sm whitespace-normal text-ink-soft">{reason}</span>
          </span>
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
    {
      id: 'source',
      header: 'Source',
      wide: true,
      cell: ({ details }) => (
        <span className="block max-w-72 truncate text-sm text-ink-soft" title={details?.price.source}>
          {details?.price.source}
        </span>
      ),
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: (model) => <ModelMenu model={model} onDo={(kind) => setDoing({ kind, model })} />,
    },
  ]
  return (
    <Card flush>
      <Table
        caption="Models"
        columns={columns}
        rows={rows === undefined ? undefined : inGroups(rows)}
        keyOf={({ model }) => model}
        groupOf={(row) => makerOf(madeOf(row))}
        rowHeight="twoLines"
        empty={
          <Empty
            icon={<Boxes />}
            title="No matching models"
            text="Try part of the name."
            action={
              <Button onClick={() => setSearch({ q: undefined, sold: undefined })}>Clear filters</Button>
            }
          />
        }
      />
      {doing?.kind === 'price' ? <SetPrice model={doing.model} onClose={close} /> : null}
      {doing?.kind === 'history' ? <PriceHistory model={doing.model} onClose={close} /> : null}
      {doing?.kind === 'routing' ? <ModelRouting model={doing.model} onClose={close} /> : null}
      {doing?.kind === 'disable' ? <Disable model={doing.model} onClose={close} /> : null}
    </Card>
  )
}

function ModelLink({ model }: Pick<Model, 'model'>): JSX.Element {
  return (
    <Link
      to="/console/admin/models/$model"
      params={{ model }}
      title={model}
      {...opensRow}
      className={cn(opensRow.className, 'block max-w-60 truncate font-mono text-[0.8125rem] md:max-w-none')}
    >
      {model}
    </Link>
  )
}

function ModelMenu({
  model,
  onDo,
}: {
  readonly model: Model
  readonly onDo: (kind: Doing['kind']) => void
}): JSX.Element {
  const client = useQueryClient()
  const navigate = useNavigate()
  const enable = useChange('models.enable', {
    changes: ['models'],
    onDone({ model: name, sold, reason }) {
      void client.invalidateQueries({ queryKey: ['pricing'] })
      if (sold) toast.good(`${name} is enabled.`)
      else toast.problem(`${name} is enabled but not available: ${reason ?? ''}`)
    },
  })
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="icon" aria-label={`Actions for ${model.model}`}>
          <MoreHorizontal aria-hidden="true" />
        </Button>
      }
    >
      <MenuItem onSelect={() => onDo('price')}>Set price</MenuItem>
      <MenuItem onSelect={() => onDo('history')}>Price history</MenuItem>
      <MenuItem
        onSelect={() => void navigate({ to: '/console/admin/models/$model', params: { model: model.model } })}
      >
        Offers
      </MenuItem>
      <MenuItem onSelect={() => onDo('routing')}>Routing</MenuItem>
      {model.sold ? (
        <MenuItem tone="danger" onSelect={() => onDo('disable')}>
          Disable
        </MenuItem>
      ) : (
        <MenuItem onSelect={() => enable.mutate({ model: model.model })}>Enable</MenuItem>
      )}
    </Menu>
  )
}

function Disable({ model, onClose }: { readonly model: Model; readonly onClose: () => void }): JSX.Element {
  const client = useQueryClient()
  const disable = useChange('models.disable', {
    changes: ['models'],
    onDone() {
      onClose()
      void client.invalidateQueries({ queryKey: ['pricing'] })
      toast.good(`${model.model} is disabled.`)
    },
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Disable ${model.model}?`}
      action="Disable"
      pending={disable.isPending}
      onConfirm={() => disable.mutate({ model: model.model })}
    >
      <p>
        Requests for it fail with 404 immediately, and it disappears from the price list. Running requests
        finish. You can enable it again at any time.
      </p>
    </ConfirmDialog>
  )
}
