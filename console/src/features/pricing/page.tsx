/** The public price list, with search, filters and sorting; all of them are in the URL. */

import { type JSX, useDeferredValue } from 'react'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { SearchX } from '@/components/icons'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { Skeleton } from '@/components/skeleton'
import { cn } from '@/lib/class-names'
import { useSearch, useSetSearch } from '@/lib/search'
import { providerName } from '../admin/providers.ts'
import { ModelTable } from './model-table.tsx'
import { type PricedModel, usePriceList } from './price-list.ts'
import {
  type Capability,
  capabilities,
  providersOf,
  type Sort,
  shown,
  sorts,
  type View,
  viewOf,
} from './pricing-view.ts'
import { PublicFrame } from './public-frame.tsx'
import { SearchField } from './search-field.tsx'

export function PricingPage(): JSX.Element {
  return (
    <PublicFrame>
      <Page
        title="Pricing"
        description="USD per million tokens. Every request is billed exactly, rounded up once to a billionth of a dollar."
        className="max-w-7xl"
      >
        <PriceList />
      </Page>
    </PublicFrame>
  )
}

function PriceList(): JSX.Element {
  const models = usePriceList()
  if (models.isError) return <Problem problem={models.error} onRetry={() => void models.refetch()} />
  if (models.data === undefined) return <Waiting />
  if (models.data.length === 0) {
    return (
      <Empty
        title="No models available yet"
        text="An administrator needs to add a provider key under Admin."
        className="rounded-xl border border-line bg-surface"
      />
    )
  }
  return <Chosen models={models.data} />
}

function Chosen({ models }: { readonly models: readonly PricedModel[] }): JSX.Element {
  const view = viewOf(useSearch())
  const setSearch = useSetSearch()
  const deferred = useDeferredValue(view)
  const rows = shown(models, deferred)
  const sortBy = (sort: Sort): void =>
    setSearch({
      sort: sort === 'newest' ? undefined : sort,
      order: sort === view.sort && !view.reversed ? 'reversed' : undefined,
    })
  const isNarrowed = view.words !== '' || view.provider !== undefined || view.can.length > 0
  return (
    <section aria-labelledby="price-list" className="flex flex-col gap-4">
      <h2 id="price-list" className="sr-only">
        Price list
      </h2>
      <Filters models={models} view={view} />
      <p aria-live="polite" className="text-sm text-ink-soft">
        {rows.length === models.length
          ? counted(models.length)
          : `${rows.length} of ${counted(models.length)}`}
      </p>
      {rows.some(({ provider }) => provider === 'sandbox') ? (
        <p className="-mt-2 text-sm text-ink-soft">
          Sandbox models are built in for testing and need no provider key. sandbox-echo repeats your message.
        </p>
      ) : null}
      {rows.length === 0 ? (
        <Empty
          icon={<SearchX />}
          title="No matching models"
          text="Try removing a filter."
          action={
            isNarrowed ? (
              <Button onClick={() => setSearch({ q: undefined, provider: undefined, can: undefined })}>
                Show all models
              </Button>
            ) : undefined
          }
          className="rounded-xl border border-line bg-surface"
        />
      ) : (
        <ModelTable models={rows} view={deferred} onSort={sortBy} />
      )}
    </section>
  )
}

function Filters({
  models,
  view,
}: {
  readonly models: readonly PricedModel[]
  readonly view: View
}): JSX.Element {
  const setSearch = useSetSearch()
  const toggle = (name: Capability): void => {
    const can = view.can.includes(name) ? view.can.filter((other) => other !== name) : [...view.can, name]
    setSearch({ can: can.length === 0 ? undefined : can.join(',') })
  }
  const offered = (Object.keys(capabilities) as Capability[]).filter((name) =>
    models.some((model) => capabilities[name].has(model)),
  )
  return (
    <search className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <SearchField label="Search models" className="basis-64 max-sm:basis-full" />
        <Select
          aria-label="Provider"
          value={view.provider ?? ''}
          onChange={(event) => setSearch({ provider: event.target.value })}
          className="w-44 max-sm:flex-1"
        >
          <option value="">All providers</option>
          {providersOf(models).map((provider) => (
            <option key={provider} value={provider}>
              {providerName(provider)}
            </option>
          ))}
        </Select>
        <Select
          aria-label="Sort by"
          value={view.sort}
          onChange={(event) => setSearch({ sort: event.target.value, order: undefined })}
          className="w-44 max-sm:flex-1"
        >
          {(Object.keys(sorts) as Sort[]).map((sort) => (
            <option key={sort} value={sort}>
              {sorts[sort].label}
            </option>
          ))}
        </Select>
      </div>
      <fieldset className="flex flex-wrap gap-2">
        <legend className="sr-only">Capabilities</legend>
        {offered.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={view.can.includes(name)}
            onClick={() => toggle(name)}
            className={cn(
              'h-8 rounded-full border px-3 text-sm font-medium transition-colors max-sm:h-10',
              view.can.includes(name)
                ? 'border-accent bg-accent-soft text-accent'
                : 'border-line bg-surface text-ink-soft hover:text-ink',
            )}
          >
            {capabilities[name].label}
          </button>
        ))}
      </fieldset>
    </search>
  )
}

function Waiting(): JSX.Element {
  return (
    <div role="status" className="flex flex-col gap-4">
      <span className="sr-only">Loading prices…</span>
      <Skeleton className="h-9 w-full" />
      <Skeleton className="h-8 w-96 max-w-full" />
      <Skeleton className="h-[60vh] w-full rounded-xl" />
    </div>
  )
}

const counted = (models: number): string => (models === 1 ? '1 model' : `${models} models`)
