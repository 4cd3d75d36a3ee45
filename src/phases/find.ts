/**
 * Model name → plan: where, in which order, at what price, within which bounds. Pure, over the
 * catalog snapshot. Here it is decided what is priced, refused or bounded.
 */
import type { Caller } from '../access/types.ts'
import { TollgateError } from '../base/errors.ts'
import { nearestNames } from '../catalog/nearest.ts'
import { type Model, type PriceVersion, priceAt, type Snapshot } from '../catalog/types.ts'
import type { Connector } from '../providers/connector.ts'
import type { Bound, Call, Candidate, Line, Plan } from '../values.ts'
import type { Media, RequestFacts } from '../wire/codec.ts'

export interface Finding {
  readonly snapshot: Snapshot
  readonly connectorOf: (provider: string) => Connector
  readonly limits: {
    readonly serverToolUsesMax: number
    readonly outputFloor: number
    readonly outputFloorReasoning: number
  }
  /** Orders a provider's upstreams: healthy first, sticky by account and conversation. */
  readonly order: (candidates: readonly Candidate[], caller: Caller, call: Call) => readonly Candidate[]
}

/** Throws 404 for a name that is not sold, 400 for what has no price, 403 for what the key may not use, 501 for a format not built. */
export function find(finding: Finding, caller: Caller, line: Line, call: Call): Plan {
  const { snapshot } = finding
  const model = findModel(snapshot, caller, call.facts.model)
  if (!model.dialects.includes(line.dialect.name)) {
    throw new TollgateError('dialect_not_supported', {
      message: `The model ${model.name} is not reachable in this format yet: it speaks ${model.dialects.join(', ')}.`,
      param: 'model',
    })
  }
  const price = priceAt(model, line.startedMs)
  const serverToolUses = refuseUnpriced(price, call.facts, finding.limits.serverToolUsesMax)
  const connector = finding.connectorOf(model.provider)
  const upstreams = snapshot.upstreams.get(model.provider) ?? []
  const candidates = upstreams.map((upstream) => ({ upstream, connector }))
  return {
    model,
    price,
    dialect: line.dialect.name,
    candidates: finding.order(candidates, caller, call),
    bound: inputBound(model, connector, call, serverToolUses),
    serverToolUses,
    choices: call.facts.choices,
    ...outputBounds(model, call.facts, finding.limits),
  }
}

function findModel(snapshot: Snapshot, caller: Caller, name: string): Model {
  const model = snapshot.models.get(name)
  if (model === undefined) throw modelNotFound(snapshot, name)
  if (caller.policy.models !== null && !caller.policy.models.includes(name)) {
    throw new TollgateError('model_not_allowed', {
      message: `This API key may not use the model ${name}. It may use: ${caller.policy.models.join(', ')}.`,
      param: 'model',
    })
  }
  return model
}

const waysToSell =
  '`tollgate models price` gives a model its price, `tollgate models enable` undoes a `models disable`'

/** The 404 for a name that is not sold, with those that resemble it; whoever looks a model up answers with the same. */
export function modelNotFound(snapshot: Snapshot, name: string): TollgateError {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
  const near = nearestNames(name, [...snapshot.models.keys()])
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`
  const reason = snapshot.unsold.get(name)
  return new TollgateError('model_not_found', {
    message: `The model ${JSON.stringify(shown)} does not exist or is not enabled here.${hint} GET /v1/models lists the enabled names.`,
    param: 'model',
    facts: { nearest: near },
    ...(reason === undefined
      ? { detail: `unknown model ${JSON.stringify(shown)}: \`tollgate models add\` adds one` }
      : { detail: `model ${name} is known and not sold: ${reason} (${waysToSell})` }),
  })
}

/** The uses of server tools that the request may make at most, by meter. */
function refuseUnpriced(
  price: PriceVersion,
  facts: RequestFacts,
  usesMax: number,
): Readonly<Record<string, number>> {
  for (const option of facts.options) {
    if (Object.hasOwn(price.options, option.name)) continue
    throw unpriced(option.pointer, `${option.name} changes the price`, price.model)
  }
  const uses: Record<string, number> = {}
  for (const tool of facts.serverTools) {
    if (!Object.hasOwn(price.fees, tool.meter) || tool.capEdit === null) {
      throw unpriced(
        tool.pointer,
        `the tool ${tool.type} runs at the provider and is charged by use`,
        price.model,
      )
    }
    uses[tool.meter] = (uses[tool.meter] ?? 0) + Math.min(tool.usesMax ?? usesMax, usesMax)
  }
  if (facts.media.some((media) => media.kind === 'audio') && price.rates.inputAudio === null) {
    throw unpriced('messages', 'audio input', price.model)
  }
  return uses
}

function unpriced(pointer: string, what: string, model: string): TollgateError {
  return new TollgateError('unpriced_option', {
    message: `${pointer}: ${what}, and there is no price for it here with the model ${model}. Leave it out, or ask the operator to price it.`,
    param: pointer,
  })
}

/** Stage 1 of the bound: costs nothing and cannot be exceeded. One token per byte of text, the provider's formulas for media. */
function inputBound(
  model: Model,
  connector: Connector,
  call: Call,
  serverToolUses: Readonly<Record<string, number>>,
): Bound {
  let mediaTokens = 0
  let mediaBytes = 0
  let fillsWindow = false
  for (const media of call.facts.media) {
    const tokens = connector.mediaTokensMax(media, model.upstreamModel)
    if (tokens === 'window') fillsWindow = true
    else mediaTokens += tokens
    mediaBytes += mediaLength(media)
  }
  const uses = Object.values(serverToolUses).reduce((sum, count) => sum + count, 0)
  const textBytes = call.body.bytes.length - mediaBytes
  return {
    textBytes,
    mediaTokens,
    hiddenTokens: connector.hiddenInputTokens,
    toolUses: uses,
    tokensPerToolUse: connector.serverToolTokensPerUse,
    fillsWindow,
    inputTokensMax: model.inputTokensMax,
    tokenFactor: connector.tokenFactor,
  }
}

function mediaLength(media: Media): number {
  return media.span === null ? 0 : media.span.end - media.span.start
}

function outputBounds(
  model: Model,
  facts: RequestFacts,
  limits: Finding['limits'],
): { readonly outputWanted: number; readonly outputFloor: number } {
  const outputWanted = facts.outputLimit ?? model.outputTokensMax
  const floor =
    facts.thinkingBudget !== null
      ? facts.thinkingBudget + limits.outputFloor
      : model.reasons
        ? limits.outputFloorReasoning
        : limits.outputFloor
  return { outputWanted, outputFloor: Math.min(outputWanted, floor) }
}
