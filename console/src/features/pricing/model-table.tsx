/** The price list: a table on wide screens, cards on phones. A row expands to all details. */

import { Fragment, type JSX, useId, useState } from 'react'
import { ArrowDown, ArrowUp, ChevronRight } from '@/components/icons'
import { cn } from '@/lib/class-names'
import { count, shortCount } from '@/lib/format'
import { alignedUsd, exactUsd, writtenDecimalsMax } from '@/lib/usd'
import { useMedia } from '@/lib/use-media'
import { providerName } from '../admin/providers.ts'
import { Abilities, ModelDetails } from './model-details.tsx'
import { ModelName } from './model-name.tsx'
import type { PricedModel } from './price-list.ts'
import { type Sort, sorts, type View } from './pricing-view.ts'

export interface ModelTableProps {
  readonly models: readonly PricedModel[]
  readonly view: View
  readonly onSort: (sort: Sort) => void
}

const phones = '(max-width: 767px)'

export function ModelTable(props: ModelTableProps): JSX.Element {
  return useMedia(phones) ? <Cards models={props.models} /> : <Wide {...props} />
}

interface Head {
  readonly sort: Sort
  readonly label: string
  readonly title?: string
  readonly cell: (model: PricedModel) => string
  readonly exact?: (model: PricedModel) => string
  /** Set for price columns, whose decimal points are aligned. */
  readonly price?: (model: PricedModel) => string
  /** Columns that are hidden on narrow screens. */
  readonly roomy?: boolean
}

function priceHead(sort: Sort, label: string, price: (model: PricedModel) => string): Head {
  return { sort, label, price, cell: (model) => exactUsd(price(model)) }
}

const heads: readonly Head[] = [
  {
    sort: 'context',
    label: 'Context',
    cell: (model) => shortCount(model.contextTokens),
    exact: (model) => `${count(model.contextTokens)} tokens`,
  },
  {
    sort: 'output_limit',
    label: 'Max output',
    cell: (model) => shortCount(model.outputTokensMax),
    exact: (model) => `${count(model.outputTokensMax)} tokens`,
    roomy: true,
  },
  priceHead('input', 'Input', (model) => model.price.input),
  priceHead('cached', 'Cached', (model) => model.price.cacheRead),
  {
    ...priceHead('write', 'Cache write', (model) => model.price.cacheWrite5m),
    title: '5-minute cache',
    roomy: true,
  },
  priceHead('output', 'Output', (model) => model.price.output),
]

function Wide({ models, view, onSort }: ModelTableProps): JSX.Element {
  const decimals = new Map(
    heads.map(({ sort, price }) => [sort, price === undefined ? 0 : writtenDecimalsMax(models.map(price))]),
  )
  return (
    <section
      aria-label="Models and prices"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
      tabIndex={0}
      className="overflow-x-auto rounded-xl border border-line bg-surface"
    >
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">Models and their prices in USD per million tokens</caption>
        <thead>
          <tr className="border-b border-line">
            <SortHead sort="name" label="Model" view={view} onSort={onSort} className="pl-3" />
            <SortHead sort="provider" label="Provider" view={view} onSort={onSort} />
            {heads.map((head) => (
              <SortHead
                key={head.sort}
                {...head}
                view={view}
                onSort={onSort}
                className={cn('text-right', head.roomy === true && 'max-xl:hidden')}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <Row key={model.model} model={model} decimals={decimals} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface SortHeadProps {
  readonly sort: Sort
  readonly label: string
  readonly title?: string
  readonly view: View
  readonly onSort: (sort: Sort) => void
  readonly className?: string
}

function SortHead({ sort, label, title, view, onSort, className }: SortHeadProps): JSX.Element {
  const isSorted = view.sort === sort
  const falls = sorts[sort].falls !== view.reversed
  const Arrow = falls ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (falls ? 'descending' : 'ascending') : undefined}
      className={cn('px-2 py-1 text-sm font-medium text-ink-soft', className)}
    >
      <button
        type="button"
        title={title}
        onClick={() => onSort(sort)}
        className={cn(
          'inline-flex h-8 items-center gap-1 rounded-md px-1.5 whitespace-nowrap hover:bg-sunken hover:text-ink',
          isSorted && 'text-ink',
        )}
      >
        {label}
        {isSorted ? <Arrow aria-hidden="true" className="size-3.5" /> : null}
      </button>
    </th>
  )
}

interface RowProps {
  readonly model: PricedModel
  /** The most decimals of each column. */
  readonly decimals: ReadonlyMap<Sort, number>
}

function Row({ model, decimals }: RowProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <Fragment>
      <tr className="border-b border-line hover:bg-sunken/60">
        <th scope="row" className="py-2 pr-2 pl-3 font-normal">
          <span className="flex items-start gap-1">
            <button
              type="button"
              aria-expanded={isOpen}
              aria-controls={isOpen ? id : undefined}
              aria-label={`Details for ${model.model}`}
              onClick={() => setOpen(!isOpen)}
              className="mt-0.5 flex size-7 shrink-0 items-center justify-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink"
            >
              <ChevronRight
                aria-hidden="true"
                className={cn('size-4 transition-transform', isOpen && 'rotate-90')}
              />
            </button>
            <span className="flex min-w-0 flex-col gap-1">
              <ModelName name={model.model} />
              <Abilities model={model} />
            </span>
          </span>
        </th>
        <td className="px-3.5 py-2.5 align-top whitespace-nowrap">{providerName(model.provider)}</td>
        {heads.map(({ sort, cell, exact, price, roomy }) => (
          <td
            key={sort}
            title={exact?.(model)}
            className={cn(
              'tabular px-3.5 py-2.5 text-right align-top whitespace-nowrap',
              roomy === true && 'max-xl:hidden',
            )}
          >
            {price === undefined ? cell(model) : alignedUsd(price(model), decimals.get(sort) ?? 0)}
          </td>
        ))}
      </tr>
      {isOpen ? (
        <tr id={id} className="border-b border-line bg-sunken/40">
          <td colSpan={2 + heads.length} className="px-11 py-5">
            <ModelDetails model={model} />
          </td>
        </tr>
      ) : null}
    </Fragment>
  )
}

function Cards({ models }: { readonly models: readonly PricedModel[] }): JSX.Element {
  return (
    <ul className="flex flex-col gap-3">
      {models.map((model) => (
        <ModelCard key={model.model} model={model} />
      ))}
    </ul>
  )
}

function ModelCard({ model }: { readonly model: PricedModel }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <li className="rounded-xl border border-line bg-surface p-4">
      <div className="flex items-start justify-between gap-2">
        <ModelName name={model.model} />
        <span className="pt-2 text-sm whitespace-nowrap text-ink-soft">{providerName(model.provider)}</span>
      </div>
      <Abilities model={model} />
      <dl className="mt-3 grid grid-cols-2 gap-x-6 gap-y-1.5">
        {heads.map(({ sort, label, cell }) => (
          <div key={sort} className="flex justify-between gap-2">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="tabular">{cell(model)}</dd>
          </div>
        ))}
      </dl>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        className="mt-2 -ml-2 flex h-10 items-center gap-1 rounded-md px-2 font-medium text-ink-soft hover:text-ink"
      >
        <ChevronRight
          aria-hidden="true"
          className={cn('size-4 transition-transform', isOpen && 'rotate-90')}
        />
        Details<span className="sr-only">: {model.model}</span>
      </button>
      {isOpen ? (
        <div id={id} className="mt-2 border-t border-line pt-4">
          <ModelDetails model={model} />
        </div>
      ) : null}
    </li>
  )
}
