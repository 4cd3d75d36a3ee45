/** `catalog.check`: what a published price list would change. */
import type { OperationInput, OperationOutput } from '../../../contract/operations.ts'
import { TollgateError } from '../../base/errors.ts'
import { eventLoopTurns, runInTurns, type Steps } from '../../base/steps.ts'
import { type CatalogRow, compareSteps } from '../../catalog/update/compare.ts'
import { type ListFormat, type PriceList, priceListSteps } from '../../catalog/update/price-list.ts'
import type { ControlDeps } from '../control-deps.ts'
import { operationHandler } from '../handle-operation.ts'

/** Models in which a price list may differ. */
const priceListRowsMax = 5_000

/** Of one model, as an operator may enter them. */
const inputsMax = 10
const inputCharactersMax = 50

type RowOutput = OperationOutput<'catalog.check'>['rows'][number]

/** A unit is 256 characters of the list or one model, which takes some 25 microseconds. */
const turns = eventLoopTurns(20)

export const checkCatalog = operationHandler('catalog.check', async (deps, { source, effectiveFrom }) => {
  const text = await textOf(deps, source)
  const nowMs = deps.clock.wallMs()
  const atMs = effectiveFrom === undefined ? nowMs : Date.parse(effectiveFrom)
  const checked = await runInTurns(checkSteps(deps, text, atMs), turns)
  if (checked.kind === 'mistake') throw badSource(`${checked.message}.`)
  const { format, rows, unchanged, leftOut } = checked
  const day = new Date(nowMs).toISOString().slice(0, 10)
  return { format, source: `${format}, list price of ${day}`, rows: [...rows], unchanged, leftOut }
})

type Checked =
  | {
      readonly kind: 'checked'
      readonly format: ListFormat
      readonly rows: readonly RowOutput[]
      readonly unchanged: number
      readonly leftOut: number
    }
  | Extract<PriceList, { kind: 'mistake' }>

/** The whole comparison in small steps, so that requests run between them. */
function* checkSteps(
  { limits, catalog }: Pick<ControlDeps, 'limits' | 'catalog'>,
  text: string,
  atMs: number,
): Steps<Checked> {
  const list = yield* priceListSteps(text, {
    depthMax: limits.jsonDepthMax,
    valuesMax: limits.priceListValuesMax,
    modelsMax: limits.priceListModelsMax,
  })
  if (list.kind === 'mistake') return list
  const base = yield* catalog.comparisonSteps(atMs)
  const rowsMax = priceListRowsMax
  const comparison = yield* compareSteps({ listed: list.models, ...base, rowsMax })
  if (comparison === undefined) {
    return { kind: 'mistake', message: `The list differs in more than ${rowsMax} models` }
  }
  const rows: RowOutput[] = []
  for (const row of comparison.rows) {
    rows.push(rowOutput(row))
    yield
  }
  const { unchanged, leftOut } = comparison
  return { kind: 'checked', format: list.format, rows, unchanged, leftOut: leftOut + list.otherModels }
}

async function textOf(
  { server, limits, plainOrigins }: Pick<ControlDeps, 'server' | 'limits' | 'plainOrigins'>,
  source: OperationInput<'catalog.check'>['source'],
): Promise<string> {
  if ('text' in source) {
    if (Buffer.byteLength(source.text) <= limits.priceListBytesMax) return source.text
    throw badSource(`The list is larger than ${limits.priceListBytesMax} bytes.`)
  }
  const url = new URL(source.url)
  const isAllowed = url.protocol === 'https:' || plainOrigins.includes(url.origin)
  if (!isAllowed) throw badSource('The URL must begin with https://.')
  if (url.username !== '' || url.password !== '') throw badSource('The URL must not contain a password.')
  const downloaded = await server.downloadText(url)
  if (downloaded.kind === 'failed') throw badSource(downloaded.message)
  return downloaded.text
}

function badSource(message: string): TollgateError {
  return new TollgateError('invalid_value', { message, param: 'source' })
}

function rowOutput({ changes, price, facts, ...row }: CatalogRow): RowOutput {
  return {
    ...row,
    changes: changes.map((change) => ({ ...change })),
    price: price === null ? null : ({ ...price } as NonNullable<RowOutput['price']>),
    facts: facts === null ? null : factsOutput(row.provider, facts),
  }
}

function factsOutput(provider: string, facts: NonNullable<CatalogRow['facts']>): RowOutput['facts'] {
  const { displayName, released, context = 0, maxInput, maxOutput = 0, inputs, deprecated } = facts
  return {
    provider,
    ...{ displayName, released, deprecated },
    contextTokens: context,
    inputTokensMax: maxInput,
    outputTokensMax: maxOutput,
    inputs: inputs?.filter(({ length }) => length <= inputCharactersMax).slice(0, inputsMax),
    reasons: facts.reasoning,
    takesTools: facts.tools,
  }
}
