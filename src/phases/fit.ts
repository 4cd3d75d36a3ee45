/**
 * The caller's request → the request as its upstream takes it, and what that may cost at most. Here it
 * is decided what is priced, refused or bounded; always on the body that goes upstream. Pure but for the
 * room that a translated body takes.
 */
import type { Caller, KeyPolicy } from '../access/types.ts'
import { TollgateError } from '../base/errors.ts'
import type { Model, PriceVersion } from '../catalog/types.ts'
import { formatUsd } from '../ledger/money.ts'
import { withRequestFee } from '../ledger/price.ts'
import type { Connector } from '../providers/connector.ts'
import { tokensBySize } from '../providers/media-size.ts'
import { wireError } from '../refusal.ts'
import type { BodyOwner, BodyThreads } from '../tokens/body-threads.ts'
import { askedOf } from '../tokens/body-work.ts'
import type { Bound, Call, Fitted, Line, Place, ServerToolPlan, Translation } from '../values.ts'
import type {
  Address,
  Edit,
  Media,
  PricedOption,
  ReadLimits,
  Reference,
  RequestFacts,
  ServerTool,
} from '../wire/codec.ts'
import { WireError } from '../wire/codec.ts'
import { codecOf, conversationFormat } from '../wire/dialects.ts'
import { canHoldAudio, mediaLength } from '../wire/media.ts'
import type { AutomaticCaching, Codec, ForcedTools } from '../wire/neutral.ts'

export interface Fitting {
  readonly read: ReadLimits
  readonly bodyThreads: Pick<BodyThreads, 'run'>
  readonly forcedTools: ForcedTools
  readonly limits: {
    readonly serverToolUsesMax: number
    readonly outputFloor: number
    readonly outputFloorReasoning: number
  }
}

/** Throws 400 for what has no price or nothing like it in the upstream's format, 503 where there is no room for another body. */
export async function fit(
  fitting: Fitting,
  line: Line,
  { caller, call: received }: { readonly caller: Pick<Caller, 'account' | 'policy'>; readonly call: Call },
  place: Place,
): Promise<Fitted> {
  refuseUnpricedOptions(place.price, received.facts.options)
  const automaticCaching = cachingOf(line, caller.policy)
  const owner = { body: received.body, account: caller.account, work: line.work }
  const unfitted = { call: received, owner, place, automaticCaching }
  const { call, translation, marks } = await fitted(fitting, line, unfitted)
  try {
    const { model, price, connector } = place
    const { uses, serverTools } = refuseUnpriced(price, call.facts, { connector, limits: fitting.limits })
    const plan = {
      ...place,
      translation,
      marks,
      bound: inputBound(model, connector, call, uses),
      serverTools,
      choices: call.facts.choices,
      outputAudio: canSpeak(model, call.facts),
      ...outputBounds(model, call.facts, fitting.limits),
    }
    return { call, plan }
  } catch (error) {
    call.body.drop()
    throw error
  }
}

interface Fit {
  readonly call: Call
  readonly translation: Translation | null
  /** Marks of ours that a body which goes as it is must lose on its way. */
  readonly marks: readonly Edit[]
}

const noEdits: readonly Edit[] = []

/** Where the request goes, and whether its prompt is marked for a cache on the way. */
interface Destination {
  readonly place: Place
  readonly automaticCaching: AutomaticCaching
}

const cachingHeader = 'x-tollgate-automatic-caching'
const cachings: readonly AutomaticCaching[] = ['conversations', 'always', 'never']

/** The header decides for one request, the key for all others. */
function cachingOf({ request }: Line, policy: Pick<KeyPolicy, 'automaticCaching'>): AutomaticCaching {
  const written = request.headers[cachingHeader]
  if (written === undefined) return policy.automaticCaching ?? 'conversations'
  const known = cachings.find((caching) => caching === written)
  if (known !== undefined) return known
  throw new TollgateError('invalid_value', {
    message: `${cachingHeader}: must be one of ${cachings.join(', ')}.`,
    param: cachingHeader,
  })
}

interface Unfitted extends Destination {
  readonly call: Call
  readonly owner: BodyOwner
}

async function fitted(fitting: Fitting, line: Line, of: Unfitted): Promise<Fit> {
  const { call, place } = of
  const upstream = codecOf(place.dialect.name)
  const own = codecOf(line.dialect.name)
  if (upstream === null || own === null) return { call, translation: null, marks: noEdits }
  try {
    const { facts } = call
    const isOwnFormat = place.dialect.name === facts.writtenAs && place.dialect.name === line.dialect.name
    return facts.asIs && isOwnFormat
      ? { call, translation: null, marks: await marksIn(fitting, line, of) }
      : await translated(fitting, line, { ...of, codecs: { upstream, own } })
  } catch (error) {
    throw wireError(error)
  }
}

async function marksIn(
  { bodyThreads, read: limits }: Fitting,
  { dialect, address }: Line,
  { owner }: Unfitted,
): Promise<readonly Edit[]> {
  return bodyThreads.run('marks', { format: conversationFormat(dialect.name), limits, address }, owner)
}

const nowhere: Address = { model: null, stream: false }

async function translated(
  fitting: Fitting,
  line: Line,
  of: Unfitted & { codecs: { upstream: Codec; own: Codec } },
): Promise<Fit> {
  const { owner, codecs } = of
  const { facts: wanted, body } = of.call
  refuseReferences(wanted)
  const made = await fitting.bodyThreads.run('translate', translatingOf(fitting, line, of), owner)
  // The copy takes the place of what it was made from, which nobody reads any more.
  body.drop()
  return {
    call: { body: body.another(made.bytes, made.bytes.length), facts: made.facts },
    marks: noEdits,
    translation: {
      from: codecs.upstream,
      to: codecs.own,
      names: made.names,
      headers: made.headers,
      adjusted: made.adjusted,
      emulation: made.emulation,
      frame: {
        requestId: line.requestId,
        model: wanted.model,
        createdSeconds: Math.floor(line.startedMs / 1_000),
        asked: askedOf(made),
      },
    },
  }
}

function translatingOf(fitting: Fitting, line: Line, of: Unfitted) {
  const { facts } = of.call
  const { model, connector, dialect } = of.place
  const to = conversationFormat(dialect.name)
  const written = facts.writtenAs === 'openai-embeddings' ? line.dialect.name : facts.writtenAs
  return {
    format: conversationFormat(written),
    to,
    target: {
      model: model.upstreamModel,
      automaticCaching: of.automaticCaching,
      capabilities: {
        ...connector.capabilities(model.upstreamModel),
        outputTokensMax: model.outputTokensMax,
      },
      forcedTools: forcedToolsOf(fitting, line),
    },
    limits: fitting.read,
    address: line.address,
    readAt: to === 'gemini' ? { model: model.upstreamModel, stream: facts.stream } : nowhere,
  }
}

const forcedToolsHeader = 'x-tollgate-forced-tools'

/** The request's own word counts before the setting. */
function forcedToolsOf(fitting: Fitting, { request }: Line): ForcedTools {
  const written = request.headers[forcedToolsHeader]
  if (written === undefined) return fitting.forcedTools
  if (written === 'adapt' || written === 'refuse') return written
  throw new WireError('invalid_value', `${forcedToolsHeader}: must be adapt or refuse.`, forcedToolsHeader)
}

/** Only the provider that keeps it could read it; reasoning is left out where it has no content, as any of another maker. */
function refuseReferences({ references = [] }: RequestFacts): void {
  const reference = references.find(({ kind }) => kind !== 'reasoning')
  if (reference !== undefined) throw unresolved(reference)
}

function unresolved({ pointer }: Reference): TollgateError {
  return new TollgateError('reference_not_owned', {
    message: `${pointer}: this model is asked in another format, in which nothing kept of earlier answers can be referred to. Send the earlier items themselves, as clients do that are told store: false.`,
    param: pointer,
  })
}

function refuseUnpricedOptions(price: PriceVersion, options: readonly PricedOption[]): void {
  for (const option of options) {
    if (Object.hasOwn(price.options, option.name)) continue
    throw unpriced(option.pointer, `${option.name} changes the price`, {
      model: price.model,
      line: `options: { "${option.name}": "1" }`,
    })
  }
}

interface ServerToolUses {
  /** Uses by meter that are assumed or allowed at most, each of which reads the input again. */
  readonly uses: Readonly<Record<string, number>>
  readonly serverTools: ServerToolPlan
}

/** The uses of server tools that the request may make at most; what cannot be capped is assumed and the rest written off. */
function refuseUnpriced(
  price: PriceVersion,
  facts: RequestFacts,
  { connector, limits }: { connector: Connector; limits: Pick<Fitting['limits'], 'serverToolUsesMax'> },
): ServerToolUses {
  refuseUnpricedOptions(price, facts.options)
  const waived = [...new Set(facts.serverTools.flatMap(({ waives = [] }) => waives))]
  const uses: Record<string, number> = {}
  const usesMax: Record<string, number> = {}
  for (const tool of facts.serverTools) {
    const { meter } = tool
    if (!waived.includes(meter)) refuseUnpricedTool(price, tool)
    const before = uses[meter] ?? 0
    const wanted = Math.min(tool.usesMax ?? limits.serverToolUsesMax, limits.serverToolUsesMax)
    const assumed = connector.serverTool(meter).uncappedUses ?? limits.serverToolUsesMax
    const isCapped = tool.capEdit !== null
    uses[meter] = isCapped ? before + wanted : Math.max(before, assumed)
    usesMax[meter] = isCapped ? (usesMax[meter] ?? 0) + wanted : Number.POSITIVE_INFINITY
  }
  refuseUnpricedMedia(price, facts.media)
  const charged = Object.entries(uses).filter(([meter]) => !waived.includes(meter))
  const fees = withRequestFee({ fees: Object.fromEntries(charged) }, price).fees
  return { uses, serverTools: { fees, usesMax, waived } }
}

function refuseUnpricedTool({ fees, model }: PriceVersion, { meter, type, pointer }: ServerTool): void {
  if (Object.hasOwn(fees, meter)) return
  throw unpriced(pointer, `the tool ${type} runs at the provider`, {
    model,
    line: `fees: { "${meter}": "0" }`,
  })
}

/** Video has the rate of other input, and its sound that of audio. */
function refuseUnpricedMedia(price: PriceVersion, media: readonly Media[]): void {
  const unsold = media.find(({ kind }) => kind === 'audio' || kind === 'video')
  if (unsold === undefined || price.rates.inputAudio !== null) return
  throw unpriced('messages', `${unsold.kind} input`, {
    model: price.model,
    line: `inputAudio: "${formatUsd(price.rates.input)}"`,
  })
}

/** Says which line of the model's price sells it, with the least that it can cost. */
function unpriced(pointer: string, what: string, of: { model: string; line: string }): TollgateError {
  return new TollgateError('unpriced_option', {
    message: `${pointer}: ${what}, and there is no price for it here with the model ${of.model}. Leave it out, or ask an administrator to add ${of.line} (with its price) to the prices of ${of.model}.`,
    param: pointer,
  })
}

/** Stage 1 of the bound: costs nothing and cannot be exceeded. One token per byte of text, the provider's formulas for media. */
function inputBound(
  model: Model,
  connector: Connector,
  call: Call,
  toolUses: Readonly<Record<string, number>>,
): Bound {
  let mediaTokens = 0
  let sizedTokens = 0
  let audioTokens = 0
  let mediaBytes = 0
  const page = connector.page(model.upstreamModel)
  for (const media of call.facts.media) {
    const byFormula = connector.mediaTokensMax(media, model.upstreamModel)
    const tokens = byFormula === 'window' ? (tokensBySize(media, page) ?? model.inputTokensMax) : byFormula
    if (byFormula === 'window') sizedTokens += tokens
    else mediaTokens += tokens
    if (canHoldAudio(media)) audioTokens += tokens
    mediaBytes += mediaLength(media)
  }
  const tools = Object.entries(toolUses)
  const uses = tools.reduce((sum, [, count]) => sum + count, 0)
  const textBytes = call.body.bytes.length - mediaBytes
  return {
    textBytes,
    mediaTokens,
    sizedTokens,
    audioTokens,
    hiddenTokens: connector.hiddenInputTokens,
    // Known once it is granted.
    referenced: { tokens: 0, reasoning: 0 },
    toolUses: uses,
    tokensPerToolUse: Math.max(0, ...tools.map(([meter]) => connector.serverTool(meter).tokensPerUse)),
    fillsWindow: false,
    inputTokensMax: model.inputTokensMax,
    tokenFactor: connector.tokenFactor,
  }
}

/** Spoken output is a priced option in every format; some models can do nothing else. */
function canSpeak(model: Model, { options }: RequestFacts): boolean {
  return options.some(({ name }) => name === audioOption) || !model.outputs.includes('text')
}

const audioOption = 'modality:audio'

function outputBounds(
  model: Model,
  facts: RequestFacts,
  limits: Fitting['limits'],
): { readonly outputWanted: number; readonly outputFloor: number } {
  // More than the model can say costs nothing: the limit goes upstream as it was written, and binds nothing here.
  const outputWanted = Math.min(facts.outputLimit ?? model.outputTokensMax, model.outputTokensMax)
  const floor =
    facts.thinkingBudget !== null
      ? facts.thinkingBudget + limits.outputFloor
      : model.reasons
        ? limits.outputFloorReasoning
        : limits.outputFloor
  return { outputWanted, outputFloor: Math.min(outputWanted, floor) }
}
