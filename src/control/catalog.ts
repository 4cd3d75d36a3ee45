/** `catalog.*`, `markup.*` and `members.*`: price lists, the markup on them, and unknown fields of requests. */
import type { OperationInput, OperationOutput } from '../../contract/operations.ts'
import { TollgateError } from '../base/errors.ts'
import { eventLoopTurns, runInTurns, type Steps } from '../base/steps.ts'
import type { ModelDefinition } from '../catalog/definition.ts'
import { type CatalogRow, compareSteps } from '../catalog/update/compare.ts'
import { type ListFormat, type PriceList, priceListSteps } from '../catalog/update/price-list.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { assertChanged, soldOutput } from './models.ts'
import { isoTimeOrNull } from './values.ts'

export const catalogHandlers = {
  'catalog.check': async (deps, { source, effectiveFrom }) => {
    const text = await readSource(deps, source)
    const nowMs = deps.clock.wallMs()
    const atMs = effectiveFrom === undefined ? nowMs : Date.parse(effectiveFrom)
    const checked = await runInTurns(checkSteps(deps, text, atMs), turns)
    if (checked.kind === 'mistake') throw badSource(`${checked.message}.`)
    const { format, rows, unchanged, leftOut } = checked
    const day = new Date(nowMs).toISOString().slice(0, 10)
    return { format, source: `${format}, list price of ${day}`, rows: [...rows], unchanged, leftOut }
  },

  'catalog.update': async (deps, asked) => {
    const change = await deps.catalog.addAll(asked.models.map((row) => toDefinition(asked, row)))
    assertChanged(change, 'of the list')
    deps.changes.publishToAll(['models'])
    const { snapshot } = deps.catalog
    return { models: asked.models.map(({ model }) => soldOutput(snapshot, model)) }
  },

  'markup.show': async (deps) => markupOutput(deps),

  'markup.set': async (deps, { markup }) => {
    await deps.catalog.setMarkup(markup)
    deps.changes.publishToAll(['models'])
    return markupOutput(deps)
  },

  'members.list': async ({ catalog }) =>
    (await catalog.listUnknownMembers()).map(({ format, member, seen, isRejected }) => ({
      format,
      member,
      since: isoTimeOrNull(seen?.sinceMs ?? null),
      account: seen?.account ?? null,
      rejected: isRejected,
    })),

  'members.reject': (deps, member) => setRejected(deps, member, true),

  'members.allow': (deps, member) => setRejected(deps, member, false),
} satisfies Partial<OperationHandlers>

/** Models in which a price list may differ. */
const priceListRowsMax = 5_000

/** Kinds of input of one model, as an operator may enter them. */
const inputsMax = 10
const inputCharactersMax = 50

type CatalogRowOutput = OperationOutput<'catalog.check'>['rows'][number]

/** A unit is 256 characters of the list or one model, which takes some 25 microseconds. */
const turns = eventLoopTurns(20)

type Checked =
  | {
      readonly kind: 'checked'
      readonly format: ListFormat
      readonly rows: readonly CatalogRowOutput[]
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
  const rows: CatalogRowOutput[] = []
  for (const row of comparison.rows) {
    rows.push(catalogRowOutput(row))
    yield
  }
  const { unchanged, leftOut } = comparison
  return { kind: 'checked', format: list.format, rows, unchanged, leftOut: leftOut + list.otherModels }
}

async function readSource(
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

function catalogRowOutput({ changes, price, facts, ...row }: CatalogRow): CatalogRowOutput {
  return {
    ...row,
    changes: changes.map((change) => ({ ...change })),
    price: price === null ? null : ({ ...price } as NonNullable<CatalogRowOutput['price']>),
    facts: facts === null ? null : factsOutput(row.provider, facts),
  }
}

function factsOutput(provider: string, facts: NonNullable<CatalogRow['facts']>): CatalogRowOutput['facts'] {
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

type Asked = OperationInput<'catalog.update'>

function toDefinition(
  { source, effectiveFrom }: Pick<Asked, 'source' | 'effectiveFrom'>,
  { model, price, facts }: Asked['models'][number],
): ModelDefinition {
  const prices = [{ ...price, source, effectiveFrom }]
  if (facts === null) return { id: model, prices }
  return {
    id: model,
    provider: facts.provider,
    displayName: facts.displayName,
    released: facts.released,
    context: facts.contextTokens,
    maxInput: facts.inputTokensMax,
    maxOutput: facts.outputTokensMax,
    inputs: facts.inputs,
    reasoning: facts.reasons,
    tools: facts.takesTools,
    deprecated: facts.deprecated,
    prices,
  }
}

async function setRejected(
  { catalog, changes }: ControlDeps,
  member: OperationInput<'members.reject'>,
  isRejected: boolean,
): Promise<OperationOutput<'members.reject'>> {
  await catalog.setRejected(member, isRejected)
  changes.publishToAll(['models'])
  return member
}

function markupOutput({ catalog }: Pick<ControlDeps, 'catalog'>): OperationOutput<'markup.show'> {
  return { ...catalog.markup }
}
