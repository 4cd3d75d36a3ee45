/** `catalog.check`: what a published price list would change. */
import type { OperationInput, OperationOutput } from '../../../contract/operations.ts'
import { TollgateError } from '../../base/errors.ts'
import { type CatalogRow, compareCatalog } from '../../catalog/update/compare.ts'
import { readPriceList } from '../../catalog/update/price-list.ts'
import type { ControlDeps } from '../control-deps.ts'
import { operationHandler } from '../handle-operation.ts'

/** Of one model, as an operator may enter them. */
const inputsMax = 10
const inputCharactersMax = 50

type RowOutput = OperationOutput<'catalog.check'>['rows'][number]

export const checkCatalog = operationHandler('catalog.check', async (deps, { source, effectiveFrom }) => {
  const { limits, clock, catalog } = deps
  const text = await textOf(deps, source)
  const list = await readPriceList(text, {
    depthMax: limits.jsonDepthMax,
    modelsMax: limits.priceListModelsMax,
    yieldTurn: () => new Promise((resolve) => setImmediate(resolve)),
  })
  if (list.kind === 'mistake') {
    throw new TollgateError('invalid_value', { message: `${list.message}.`, param: 'source' })
  }
  const nowMs = clock.wallMs()
  const base = catalog.comparisonBase(effectiveFrom === undefined ? nowMs : Date.parse(effectiveFrom))
  const { rows, unchanged, leftOut } = compareCatalog({ listed: list.models, ...base })
  if (rows.length > limits.priceListRowsMax) {
    throw new TollgateError('invalid_value', {
      message: `The list differs in more than ${limits.priceListRowsMax} models.`,
      param: 'source',
    })
  }
  return {
    format: list.format,
    source: `${list.format}, list price of ${new Date(nowMs).toISOString().slice(0, 10)}`,
    rows: rows.map(rowOutput),
    unchanged,
    leftOut: leftOut + list.otherModels,
  }
})

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
