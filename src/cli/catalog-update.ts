/**
 * `tollgate catalog update`: shows what a published price list would change, and applies what was asked for. Two operations of
 * the control plane; nothing is applied before the whole list was read and every asked name found.
 */
import { type OperationName, type OperationOutput, operations } from '../../contract/operations.ts'
import { catalogText } from './print-catalog.ts'
import type { OperationOutcome } from './run-operation.ts'

export interface CatalogUpdateInput {
  readonly from?: string
  readonly apply?: boolean
  readonly only?: readonly string[]
  readonly effectiveFrom?: string
}

export interface CatalogUpdateDeps {
  /** The text of a file; `too_large`: more bytes than a list may have. */
  readonly readFile: (path: string) => Promise<string | 'too_large' | 'unreadable'>
  readonly run: (operation: OperationName, input: unknown) => Promise<OperationOutcome>
}

export type CatalogCheck = OperationOutput<'catalog.check'>
export type CatalogUpdate = OperationOutput<'catalog.update'>

export type CatalogUpdateResult =
  | {
      readonly kind: 'done'
      readonly text: string
      readonly output: CatalogCheck & { readonly applied: CatalogUpdate['models'] | null }
    }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'replied'; readonly body: unknown }

/** Never applies rows that were not asked for. */
export async function updateCatalog(
  input: CatalogUpdateInput,
  deps: CatalogUpdateDeps,
): Promise<CatalogUpdateResult> {
  const source = await sourceOf(input.from ?? '', deps)
  if ('message' in source) return { kind: 'failed', message: source.message }
  const { effectiveFrom } = input
  const checked = await run(deps, 'catalog.check', { source, effectiveFrom })
  if (checked.kind !== 'output') return checked
  const check = checked.output
  const chosen = chosenRows(input, check)
  if ('message' in chosen) return { kind: 'failed', message: chosen.message }
  if (chosen.rows.length === 0) {
    const applied = isAsked(input) ? [] : null
    return { kind: 'done', text: catalogText(check, applied), output: { ...check, applied } }
  }
  const models = chosen.rows.map(({ model, price, facts }) => ({ model, price, facts }))
  const updated = await run(deps, 'catalog.update', { source: check.source, effectiveFrom, models })
  if (updated.kind !== 'output') return updated
  const applied = updated.output.models
  return { kind: 'done', text: catalogText(check, applied), output: { ...check, applied } }
}

type Source = { readonly url: string } | { readonly name: string; readonly text: string }

async function sourceOf(
  from: string,
  { readFile }: Pick<CatalogUpdateDeps, 'readFile'>,
): Promise<Source | { readonly message: string }> {
  if (/^https?:\/\//i.test(from)) return { url: from }
  const text = await readFile(from)
  if (text === 'too_large') return { message: `${from} is larger than a price list may be` }
  return text === 'unreadable' ? { message: `${from} cannot be read` } : { name: from, text }
}

const isAsked = ({ apply = false, only }: CatalogUpdateInput): boolean => apply || only !== undefined

/** `--apply`: all that nothing speaks against; `--only`: those that are named. */
function chosenRows(
  { apply = false, only }: CatalogUpdateInput,
  { rows }: CatalogCheck,
): { readonly rows: CatalogCheck['rows'] } | { readonly message: string } {
  const usable = rows.filter(({ price }) => price !== null)
  if (only === undefined) return { rows: apply ? usable.filter(({ reason }) => reason === null) : [] }
  const missing = only.filter((name) => !usable.some(({ model }) => model === name))
  return missing.length === 0
    ? { rows: usable.filter(({ model }) => only.includes(model)) }
    : { message: `nothing to apply for ${missing.join(', ')}: the list has no other price for it` }
}

type RunResult<Name extends OperationName> =
  | { readonly kind: 'output'; readonly output: OperationOutput<Name> }
  | Exclude<CatalogUpdateResult, { kind: 'done' }>

async function run<Name extends 'catalog.check' | 'catalog.update'>(
  deps: Pick<CatalogUpdateDeps, 'run'>,
  operation: Name,
  input: unknown,
): Promise<RunResult<Name>> {
  const outcome = await deps.run(operation, input)
  if (outcome.kind !== 'replied') return { kind: 'failed', message: outcome.message }
  const { status, body } = outcome.reply
  if (status !== 200) return { kind: 'replied', body }
  const output = operations[operation].output.safeParse(body)
  return output.success
    ? { kind: 'output', output: output.data as OperationOutput<Name> }
    : { kind: 'failed', message: 'the running server is a different version; restart it or use its CLI' }
}
