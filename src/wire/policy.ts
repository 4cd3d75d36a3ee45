/**
 * What becomes of each field of a request on its way to another format: one table per dialect, read by
 * the translation and by the page that documents it, so that neither can say what the other does not do.
 */
import { type ConversationFormat, WireError } from './codec.ts'
import type { JsonOut } from './json-text.ts'
import type { Adjustment, GivenField } from './neutral.ts'

/**
 * `carried`: means the same there. `adapted`: said in the other format's terms, perhaps rounded.
 * `dropped`: left out and told in `x-tollgate-adjusted`, since the answer means the same without it.
 * `refused`: 400 naming the field, since leaving it out would change what the caller gets.
 */
export type Fate = 'carried' | 'adapted' | 'dropped' | 'refused'

export interface PolicyRow {
  /** As the format documents it; nested with dots, elements with `[]`: `messages[].name`. */
  readonly field: string
  /** By the format of the upstream; the dialect's own is not there. */
  readonly to: Readonly<Partial<Record<ConversationFormat, Fate>>>
  /** What it becomes, or why it does not, in a few words for the reader of the compatibility page. */
  readonly note: string
  /** Members of a request that has the field; laid over a small request, also to test the row. */
  readonly example: Readonly<Record<string, JsonOut>>
}

export type PolicyTable = readonly PolicyRow[]

/**
 * The adjustments that the given fields need towards `target`. A field without a row is not known to
 * anybody here and cannot be carried: it is dropped and said. Throws WireError `untranslatable`.
 */
export function treat(
  table: PolicyTable,
  given: readonly GivenField[],
  target: ConversationFormat,
): readonly Adjustment[] {
  const adjusted: Adjustment[] = []
  for (const { name, pointer } of given) {
    const row = table.find(({ field }) => field === name)
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
    `${pointer}: the model that was asked for is reached in another format, which has nothing like it${why === '' ? '' : ` (${why})`}.`,
    pointer,
  )
}
