/** Which rows of a compared price list are chosen, and how their changes read. Pure. */
import type { OperationOutput } from '@/lib/api'
import { exactUsd } from '@/lib/usd'
import { pricedMeters } from '../../../../contract/meters.ts'

export type CatalogCheck = OperationOutput<'catalog.check'>
export type CatalogRow = CatalogCheck['rows'][number]
export type RowKind = CatalogRow['change']

export const rowKinds: Readonly<Record<RowKind, string>> = {
  changed: 'Changed prices',
  new: 'New',
  gone: 'Not in the list',
  unclear: 'Not usable',
}

const labels = new Map<string, string>(pricedMeters.map(({ rate, priceLabel }) => [rate, priceLabel]))

/** Changed prices that are not marked; new models are chosen one by one. */
export function usualChoice({ rows }: Pick<CatalogCheck, 'rows'>): ReadonlySet<string> {
  return new Set(
    rows.filter((row) => row.change === 'changed' && row.reason === null).map(({ model }) => model),
  )
}

/** Every row of a kind chosen, or none; marked rows only one by one. */
export function withKind(
  chosen: ReadonlySet<string>,
  rows: readonly CatalogRow[],
  isChosen: boolean,
): ReadonlySet<string> {
  const names = new Set(chosen)
  for (const { model, price, reason } of rows) {
    if (!isChosen) names.delete(model)
    else if (price !== null && reason === null) names.add(model)
  }
  return names
}

/** `Input, input over 200,000: $0.59 → $0.649 (+10.0%)` */
export function changeText({
  rate,
  aboveInputTokens,
  from,
  to,
  percent,
}: CatalogRow['changes'][number]): string {
  const tier = aboveInputTokens === null ? '' : `, input over ${aboveInputTokens.toLocaleString('en')}`
  const shown = (amount: string | null): string => (amount === null ? 'none' : exactUsd(amount))
  const amounts = from === null ? shown(to) : `${shown(from)} → ${shown(to)}`
  return `${labels.get(rate) ?? rate}${tier}: ${amounts}${percent === null ? '' : ` (${percent.replace('-', '−')})`}`
}
