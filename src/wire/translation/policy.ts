/**
 * The outcome of each request field in another format: one table per format, read by the translation and
 * by the compatibility page, so that the two cannot differ.
 */
import { WireError } from '../format.ts'
import type { SourceFormat, TargetFormat } from '../format-names.ts'
import type { JsonOut } from '../json/text.ts'
import type { Adjustment, RequestField } from './neutral.ts'

/**
 * `carried`: means the same there. `adapted`: expressed in the other format's terms, perhaps rounded.
 * `dropped`: left out and reported in `x-tollgate-adjusted`, since the answer means the same without it.
 * `rejected`: 400 naming the field, since leaving it out would change what the caller gets.
 */
export type FieldOutcome = 'carried' | 'adapted' | 'dropped' | 'rejected'

export interface PolicyRow<To extends TargetFormat = never> {
  /** The field's path in the format's documentation, nested with dots, elements with `[]`: `messages[].name`. */
  readonly field: string
  /** The outcome by upstream format: all of `To`. */
  readonly to: Readonly<Record<To, FieldOutcome> & Partial<Record<TargetFormat, FieldOutcome>>>
  /** A few words for the compatibility page: the field's equivalent, or why there is none. */
  readonly note: string
  /** Members of a request that has the field; laid over a small request, also to test the row. */
  readonly example: Readonly<Record<string, JsonOut>>
}

export type PolicyTable = readonly PolicyRow[]

/** Formats of upstreams alone, whose column is written as exceptions from another format's. */
type DerivedColumn = Exclude<TargetFormat, SourceFormat>
type WrittenColumn<Own extends SourceFormat> = Exclude<TargetFormat, Own | DerivedColumn>

/** The outcome of a field in every other format: a new format does not compile until it has its column. */
export type FieldOutcomesOf<Own extends SourceFormat> = Readonly<Record<WrittenColumn<Own>, FieldOutcome>>

/** The table of one format: each row decides for every other format. */
export type PolicyTableOf<Own extends SourceFormat> = readonly PolicyRow<WrittenColumn<Own>>[]

/** A column that is like the one of another format, apart from some fields. */
export interface LikeColumn {
  readonly like: TargetFormat
  readonly apartFrom: Readonly<Record<string, FieldOutcome>>
}

/** The table with the columns of the formats that have no client side. */
export function withDerivedColumns(
  table: PolicyTable,
  columns: Readonly<Record<DerivedColumn, LikeColumn>>,
): PolicyTable {
  return table.map((row) => {
    const to: Partial<Record<TargetFormat, FieldOutcome>> = { ...row.to }
    for (const [name, { like, apartFrom }] of Object.entries(columns)) {
      const outcome = Object.hasOwn(apartFrom, row.field) ? apartFrom[row.field] : row.to[like]
      if (outcome !== undefined) to[name as DerivedColumn] = outcome
    }
    return { ...row, to }
  })
}

/**
 * The adjustments that the given fields need towards `target`. A field without a row is
 * unknown and cannot be carried: it is dropped and reported. Throws WireError `untranslatable`.
 */
export function applyPolicy(
  table: PolicyTable,
  fields: readonly RequestField[],
  target: TargetFormat,
): readonly Adjustment[] {
  const adjusted: Adjustment[] = []
  for (const { name, pointer } of fields) {
    const row = table.find(({ field }) => field === name)
    // Only the format's own name can be missing in a row.
    const outcome = row?.to[target] ?? 'dropped'
    if (outcome === 'rejected') throw untranslatable(pointer, row?.note ?? '')
    if (outcome === 'dropped')
      adjusted.push({ kind: 'dropped', field: pointer, why: row?.note ?? 'unknown field' })
  }
  return adjusted
}

/** The rejection of what can neither be carried nor be left out. */
export function untranslatable(pointer: string, why: string): WireError {
  return new WireError(
    'untranslatable',
    `${pointer}: this model is served in another API format, which has no equivalent${why === '' ? '' : ` (${why})`}. Remove it or choose another model.`,
    pointer,
  )
}

/** The fields of a body by their names in the policy table: of a nested field the first position represents all. */
export class RequestFieldList {
  private readonly fields = new Map<string, RequestField>()

  get list(): readonly RequestField[] {
    return [...this.fields.values()]
  }

  note(name: string, pointer: string): void {
    if (!this.fields.has(name)) this.fields.set(name, { name, pointer })
  }
}
