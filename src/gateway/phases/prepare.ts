/**
 * The caller's request → the request as its upstream takes it, and what that may cost at most. Here it
 * is decided what is priced, refused or bounded; always on the body that goes upstream. Pure but for the
 * room that a translated body takes.
 */

import { eachOutput, type OutputMeter } from '../../../contract/meters.ts'
import type { AutomaticCaching } from '../../../contract/values.ts'
import type { Caller, KeyPolicy } from '../../access/types.ts'
import { TollgateError } from '../../base/errors.ts'
import type { Model, PriceVersion } from '../../catalog/types.ts'
import { formatUsd } from '../../ledger/rules/money.ts'
import { withRequestFee } from '../../ledger/rules/price.ts'
import type { Connector } from '../../providers/connector.ts'
import { tokensBySize } from '../../providers/media-size.ts'
import type { BodyOwner, BodyThreads } from '../../tokens/body-threads.ts'
import { responseOptionsOf } from '../../tokens/body-work.ts'
import type {
  BytePatch,
  ExtractedFields,
  Media,
  PricedOption,
  ReadLimits,
  Reference,
  ServerTool,
  UrlFields,
} from '../../wire/dialect.ts'
import { WireError } from '../../wire/dialect.ts'
import {
  clientCodecs,
  isSourceFormat,
  isTargetFormat,
  type SourceFormat,
  type TargetFormat,
  upstreamCodecs,
} from '../../wire/formats.ts'
import { canHoldAudio, mediaLength } from '../../wire/media.ts'
import type { ForcedTools } from '../../wire/translation/neutral.ts'
import { adaptToHost } from '../adapt-to-host.ts'
import { wireError } from '../error-response.ts'
import type {
  InputSize,
  ParsedRequest,
  PreparedRequest,
  RequestContext,
  Route,
  ServerToolPlan,
  Translation,
} from '../request.ts'

export interface PrepareDeps {
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
export async function prepare(
  deps: PrepareDeps,
  context: RequestContext,
  {
    caller,
    parsed: received,
  }: { readonly caller: Pick<Caller, 'account' | 'policy'>; readonly parsed: ParsedRequest },
  route: Route,
): Promise<PreparedRequest> {
  refuseUnpricedOptions(route.price, received.facts.options)
  const automaticCaching = cachingOf(context, caller.policy)
  const owner = { body: received.body, account: caller.account, work: context.work }
  const original = { parsed: received, owner, route, automaticCaching }
  const formatted = await toUpstreamFormat(deps, context, original)
  const { parsed, translation } = formatted
  try {
    const { marks, adjusted } = await adaptToHost(deps, { owner, route }, formatted)
    const { model, price, connector } = route
    const { uses, serverTools } = refuseUnpriced(price, parsed.facts, { connector, limits: deps.limits })
    const plan = {
      ...route,
      translation,
      marks,
      adjusted,
      inputSize: inputBound(model, connector, parsed, uses),
      serverTools,
      choices: parsed.facts.choices,
      outputs: eachOutput((name) => outputClasses[name](model, parsed.facts)),
      ...outputBounds(model, parsed.facts, deps.limits),
    }
    return { parsed, plan }
  } catch (error) {
    parsed.body.drop()
    throw error
  }
}

interface FormattedRequest {
  readonly parsed: ParsedRequest
  readonly translation: Translation | null
  /** Marks of ours that a body which goes as it is must lose on its way. */
  readonly marks: readonly BytePatch[]
}

const noEdits: readonly BytePatch[] = []

/** Where the request goes, and whether its prompt is marked for a cache on the way. */
interface Destination {
  readonly route: Route
  readonly automaticCaching: AutomaticCaching
}

const cachingHeader = 'x-tollgate-automatic-caching'
const cachings: readonly AutomaticCaching[] = ['conversations', 'always', 'never']

/** The header decides for one request, the key for all others. */
function cachingOf(
  { request }: RequestContext,
  policy: Pick<KeyPolicy, 'automaticCaching'>,
): AutomaticCaching {
  const written = request.headers[cachingHeader]
  if (written === undefined) return policy.automaticCaching ?? 'conversations'
  const known = cachings.find((caching) => caching === written)
  if (known !== undefined) return known
  throw new TollgateError('invalid_value', {
    message: `${cachingHeader}: must be one of ${cachings.join(', ')}.`,
    param: cachingHeader,
  })
}

interface OriginalRequest extends Destination {
  readonly parsed: ParsedRequest
  readonly owner: BodyOwner
}

interface TranslationTask extends OriginalRequest {
  /** The format that the body is written in. */
  readonly from: SourceFormat
  readonly to: TargetFormat
  /** The format that the client is answered in. */
  readonly own: SourceFormat
}

async function toUpstreamFormat(
  deps: PrepareDeps,
  context: RequestContext,
  of: OriginalRequest,
): Promise<FormattedRequest> {
  const { parsed, route } = of
  const { name: to } = route.dialect
  const { name: own } = context.dialect
  if (!isTargetFormat(to) || !isSourceFormat(own)) return { parsed, translation: null, marks: noEdits }
  try {
    const { facts } = parsed
    const isOwnFormat = to === facts.writtenAs && to === own
    const isAdapted = route.connector.requestDifferences?.[to] !== undefined
    return facts.canPassThrough && isOwnFormat
      ? {
          parsed,
          translation: null,
          // Of a body that is made what its host takes, they are taken out then.
          marks: isAdapted ? noEdits : await marksIn(deps, context, { owner: of.owner, format: to }),
        }
      : await translated(deps, context, { ...of, from: facts.writtenAs ?? own, to, own })
  } catch (error) {
    throw wireError(error)
  }
}

async function marksIn(
  { bodyThreads, read: limits }: PrepareDeps,
  { address }: RequestContext,
  { owner, format }: { readonly owner: BodyOwner; readonly format: TargetFormat },
): Promise<readonly BytePatch[]> {
  return bodyThreads.run('stripCarriers', { format, limits, address }, owner)
}

const nowhere: UrlFields = { model: null, stream: false }

async function translated(
  deps: PrepareDeps,
  context: RequestContext,
  of: TranslationTask,
): Promise<FormattedRequest> {
  const { owner, own, to } = of
  const { facts: wanted, body } = of.parsed
  refuseReferences(wanted)
  const made = await deps.bodyThreads.run('translate', translateInput(deps, context, of), owner)
  // The copy takes the place of what it was made from, which nobody reads any more.
  body.drop()
  return {
    parsed: { body: body.another(made.bytes, made.bytes.length), facts: made.facts },
    marks: noEdits,
    translation: {
      from: upstreamCodecs[to],
      to: clientCodecs[own],
      names: made.names,
      headers: made.headers,
      adjusted: made.adjusted,
      emulation: made.emulation,
      frame: {
        requestId: context.requestId,
        model: wanted.model,
        createdSeconds: Math.floor(context.startedMs / 1_000),
        responseOptions: responseOptionsOf(made),
      },
    },
  }
}

function translateInput(deps: PrepareDeps, context: RequestContext, of: TranslationTask) {
  const { facts } = of.parsed
  const { from, to } = of
  const { model, connector, dialect } = of.route
  return {
    format: from,
    to,
    target: {
      model: model.upstreamModel,
      automaticCaching: of.automaticCaching,
      capabilities: {
        ...connector.capabilities(model.upstreamModel),
        outputTokensMax: model.outputTokensMax,
      },
      forcedTools: forcedToolsOf(deps, context),
    },
    limits: deps.read,
    address: context.address,
    readAt: dialect.paths.ofModel !== null ? { model: model.upstreamModel, stream: facts.stream } : nowhere,
  }
}

const forcedToolsHeader = 'x-tollgate-forced-tools'

/** The request's own word counts before the setting. */
function forcedToolsOf(deps: PrepareDeps, { request }: RequestContext): ForcedTools {
  const written = request.headers[forcedToolsHeader]
  if (written === undefined) return deps.forcedTools
  if (written === 'adapt' || written === 'refuse') return written
  throw new WireError('invalid_value', `${forcedToolsHeader}: must be adapt or refuse.`, forcedToolsHeader)
}

/** Only the provider that keeps it could read it; reasoning is left out where it has no content, as any of another maker. */
function refuseReferences({ references = [] }: ExtractedFields): void {
  const reference = references.find(({ kind }) => kind !== 'reasoning')
  if (reference !== undefined) throw unresolved(reference)
}

function unresolved({ kind, pointer }: Reference): TollgateError {
  const why =
    kind === 'file'
      ? 'this model is asked in another format, in which the file cannot be named. Send its content instead.'
      : 'this model is asked in another format, in which nothing kept of earlier answers can be referred to. Send the earlier items themselves, as clients do that are told store: false.'
  return new TollgateError('reference_not_owned', { message: `${pointer}: ${why}`, param: pointer })
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
  facts: ExtractedFields,
  { connector, limits }: { connector: Connector; limits: Pick<PrepareDeps['limits'], 'serverToolUsesMax'> },
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
    const isCapped = tool.capPatch !== null
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
  parsed: ParsedRequest,
  toolUses: Readonly<Record<string, number>>,
): InputSize {
  let mediaTokens = 0
  let sizedTokens = 0
  let audioTokens = 0
  let mediaBytes = 0
  const page = connector.page(model.upstreamModel)
  for (const media of parsed.facts.media) {
    const byFormula = connector.mediaTokensMax(media, model.upstreamModel)
    const tokens = byFormula === 'window' ? (tokensBySize(media, page) ?? model.inputTokensMax) : byFormula
    if (byFormula === 'window') sizedTokens += tokens
    else mediaTokens += tokens
    if (canHoldAudio(media)) audioTokens += tokens
    mediaBytes += mediaLength(media)
  }
  const tools = Object.entries(toolUses)
  const uses = tools.reduce((sum, [, count]) => sum + count, 0)
  const textBytes = parsed.body.bytes.length - mediaBytes
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
/** Whether an answer can have tokens of a class: what it can have, the hold pays for. */
const outputClasses: Readonly<Record<OutputMeter, (model: Model, facts: ExtractedFields) => boolean>> = {
  output: () => true,
  outputAudio: canSpeak,
}

function canSpeak(model: Model, { options }: ExtractedFields): boolean {
  return options.some(({ name }) => name === audioOption) || !model.outputs.includes('text')
}

const audioOption = 'modality:audio'

function outputBounds(
  model: Model,
  facts: ExtractedFields,
  limits: PrepareDeps['limits'],
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
