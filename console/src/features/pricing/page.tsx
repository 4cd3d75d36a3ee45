/** The public price list: every model that is sold, to search, filter and sort; the address keeps what was chosen. */

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
import { ModelTable } from './model-table.tsx'
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
import { type SoldModel, useSoldModels } from './sold-models.ts'

export function PricingPage(): JSX.Element {
  return (
    <PublicFrame>
      <Page
        title="Pricing"
        description="USD per million tokens. A request costs exactly what its receipt says, rounded up once to the billionth of a dollar."
        className="max-w-7xl"
      >
        <PriceList />
      </Page>
    </PublicFrame>
  )
}

function PriceList(): JSX.Element {
  const models = useSoldModels()
  if (models.isError) return <Problem problem={models.error} onRetry={() => void models.refetch()} />
  if (models.data === undefined) return <Waiting />
  if (models.data.length === 0) {
    return (
      <Empty
        title="No model is sold here yet"
        text="An administrator adds a provider's credential, or models of their own, under Admin."
        className="rounded-xl border border-line bg-surface"
      />
    )
  }
  return <Chosen models={models.data} />
}

function Chosen({ models }: { readonly models: readonly SoldModel[] }): JSX.Element {
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
          ? `${models.length} models`
          : `${rows.length} of ${models.length} models`}
      </p>
      {rows.some(({ provider }) => provider === 'sandbox') ? (
        <p className="-mt-2 text-sm text-ink-soft">
          Models of the provider sandbox are no real ones: they live inside this server, for trying without a
          provider’s key. sandbox-echo answers with what it is told; many others fail on purpose.
        </p>
      ) : null}
      {rows.length === 0 ? (
        <Empty
          icon={<SearchX />}
          title="No model fits all of this"
          text="Take a word or a filter away."
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
  readonly models: readonly SoldModel[]
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
            <option key={provider}>{provider}</option>
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
        <legend className="sr-only">What the model can do</legend>
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
      <span className="sr-only">The price list is on its way.</span>
      <Skeleton className="h-9 w-full" />
      <Skeleton className="h-8 w-96 max-w-full" />
      <Skeleton className="h-[60vh] w-full rounded-xl" />
    </div>
  )
}
