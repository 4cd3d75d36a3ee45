/** Receipts and rejected requests as one list, the latest first. Pure. */
import type { OperationOutput } from '../../../../contract/operations.ts'
import type { Receipt } from './receipt-words.ts'

export type Rejection = OperationOutput<'rejections.list'>['latest'][number]

export type RequestRow =
  | ({ readonly kind: 'receipt' } & Receipt)
  | ({ readonly kind: 'rejection'; readonly id: string } & Rejection)

export interface RequestLists {
  readonly receipts: readonly Receipt[]
  readonly rejections: readonly Rejection[]
}

export interface RequestPage {
  readonly rows: readonly RequestRow[]
  readonly hasOlder: boolean
}

/**
 * Merges a page of both lists, each read up to `size`. The page ends at the last row of a list that is cut, because
 * older rows of that list are unknown. IDs are in order of time. `receiptsEndEarly`: a search may return fewer
 * receipts than exist.
 */
export function requestPage(
  { receipts, rejections }: RequestLists,
  { size, receiptsEndEarly }: { readonly size: number; readonly receiptsEndEarly: boolean },
): RequestPage {
  const all: readonly RequestRow[] = [
    ...receipts.map((receipt) => ({ kind: 'receipt' as const, ...receipt })),
    ...rejections.map((rejection) => ({ kind: 'rejection' as const, id: rejection.request, ...rejection })),
  ].toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const ends = [
    receipts.length >= size || receiptsEndEarly ? receipts.at(-1)?.id : undefined,
    rejections.length >= size ? rejections.at(-1)?.request : undefined,
  ].filter((id) => id !== undefined)
  const known = all.filter(({ id }) => ends.every((end) => id >= end))
  return { rows: known.slice(0, size), hasOlder: ends.length > 0 || known.length > size }
}
