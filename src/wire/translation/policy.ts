/**
 * The outcome of each field of a request on its way to another format: one table per dialect, read by
 * the translation and by the page that documents it, so that the two cannot differ.
 */
import { WireError } from '../dialect.ts'
import type { SourceFormat, TargetFormat } from '../format-names.ts'
import type { JsonOut } from '../json/text.ts'
import type { Adjustment, RequestField } from './neutral.ts'

/**
 * `carried`: means the same there. `adapted`: expressed in the other format's terms, perhaps rounded.
 * `dropped`: left out and reported in `x-tollgate-adjusted`, since the answer means the same without it.
 * `refused`: 400 naming the field, since leaving it out would change what the caller gets.
 */
export type Fate = 'carried' | 'adapted' | 'dropped' | 'refused'

export interface PolicyRow<To extends TargetFormat = never> {
  /** As the format documents it; nested with dots, elements with `[]`: `messages[].name`. */
  readonly field: string
  /** By the format of the upstream: all of `To`. */
  readonly to: Readonly<Record<To, Fate> & Partial<Record<TargetFormat, Fate>>>
  /** What it becomes, or why it does not, in a few words for the reader of the compatibility page. */
  readonly note: string
  /** Members of a request that has the field; laid over a small request, also to test the row. */
  readonly example: Readonly<Record<string, JsonOut>>
}

export type PolicyTable = readonly PolicyRow[]

/** Formats of upstreams alone, whose column is written as exceptions from another format's. */
type DerivedColumn = Exclude<TargetFormat, SourceFormat>
type WrittenColumn<Own extends SourceFormat> = Exclude<TargetFormat, Own | DerivedColumn>

/** What becomes of one field in every format but its own: a new format does not compile until it has its column. */
export type FatesOf<Own extends SourceFormat> = Readonly<Record<WrittenColumn<Own>, Fate>>

/** The table of one format: each row decides for every other format. */
export type PolicyTableOf<Own extends SourceFormat> = readonly PolicyRow<WrittenColumn<Own>>[]

/** A column that is like the one of another format, apart from some fields. */
export interface LikeColumn {
  readonly like: TargetFormat
  readonly apartFrom: Readonly<Record<string, Fate>>
}

/** The table with the columns of the formats that have no client side. */
export function withDerivedColumns(
  table: PolicyTable,
  columns: Readonly<Record<DerivedColumn, LikeColumn>>,
): PolicyTable {
  return table.map((row) => {
    const to: Partial<Record<TargetFormat, Fate>> = { ...row.to }
    for (const [name, { like, apartFrom }] of Object.entries(columns)) {
      const fate = Object.hasOwn(apartFrom, row.field) ? apartFrom[row.field] : row.to[like]
      if (fate !== undefined) to[name as DerivedColumn] = fate
    }
    return { ...row, to }
  })
}

/**
 * The adjustments that the given fields need towards `target`. A field without a row is
 * unknown and cannot be carried: it is dropped and reported. Throws WireError `untranslatable`.
 */
export function treat(
  table: PolicyTable,
  fields: readonly RequestField[],
  target: TargetFormat,
): readonly Adjustment[] {
  const adjusted: Adjustment[] = []
  for (const { name, pointer } of fields) {
    const row = table.find(({ field }) => field === name)
    // Only the format's own name can be missing in a row.
    const fate = row?.to[target] ?? 'dropped'
    if (fate === 'refused') throw untranslatable(pointer, row?.note ?? '')
    if (fate === 'dropped')
      adjusted.push({ kind: 'dropped', field: pointer, why: row?.note ?? 'unknown field' })
  }
  return adjusted
}

/** The refusal of what can neither be carried nor be left out. */
export function untranslatable(pointer: string, why: string): WireError {
  return new WireError(
    'untranslatable',
    `${pointer}: this model is served in another API format, which has no equivalent${why === '' ? '' : ` (${why})`}. Remove it or choose another model.`,
    pointer,
  )
}
