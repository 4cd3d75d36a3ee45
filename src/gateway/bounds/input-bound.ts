/**
 * Upper bounds of a request's input tokens, from cheap to exact: by bytes, which is free; by the provider's own count,
 * for documents; by counting text and document pages here. Also classes of output, and uses of tools that run at the provider.
 * Reserves nothing.
 */

import { eachOutput, type OutputClasses, type OutputMeter } from '../../../contract/meters.ts'
import type { Caller } from '../../access/types.ts'
import { TollgateError } from '../../base/errors.ts'
import type { KeyedSemaphore } from '../../base/mutex.ts'
import type { BodyThreads } from '../../bodies/body-threads.ts'
import type { Model, PriceVersion } from '../../catalog/types.ts'
import type { Body } from '../../http/body.ts'
import { withRequestFee } from '../../ledger/rules/price.ts'
import type { RateMeter } from '../../limits/rate-meter.ts'
import type { Connector } from '../../providers/connector.ts'
import { isPdf, tokensBySize } from '../../providers/media-size.ts'
import type { Count, Counter } from '../../tokens/count.ts'
import type { PdfReader } from '../../tokens/pdf-reader.ts'
import { textOutside } from '../../tokens/text.ts'
import { type ExtractedFields, type Media, type ReadLimits, WireError } from '../../wire/format.ts'
import { canHoldAudio, mediaLength } from '../../wire/media.ts'
import type {
  Hold,
  InputBound,
  InputSize,
  ParsedRequest,
  PreparedRequest,
  RequestContext,
  RequestPlan,
  Target,
} from '../request.ts'
import {
  type CountUpstreamDeps,
  countAtUpstream,
  type UpstreamCountRequest,
  upstreamCountRequest,
} from './upstream-input-bound.ts'

export interface BoundInputDeps extends CountUpstreamDeps {
  readonly counter: Counter
  readonly pdfs: PdfReader
  /** Limits of counting at providers, shared with counting requests of clients. */
  readonly counting: { readonly rates: RateMeter; readonly places: KeyedSemaphore }
  readonly read: ReadLimits
  readonly bodyThreads: Pick<BodyThreads, 'run'>
  readonly limits: CountUpstreamDeps['limits'] & { readonly holdCountMs: number }
}

/**
 * Bounds the input without counting: one token per byte of text, the providers' formulas for media, and sizes where there is no
 * formula.
 */
export function freeInput(inputSize: InputSize): InputBound {
  return inputOf(inputSize, { text: inputSize.textBytes, documents: inputSize.sizedTokens, source: 'bytes' })
}

/** A lower bound: without the content of documents. */
export function inputWithoutDocuments(inputSize: InputSize): InputBound {
  return inputOf(inputSize, { text: 0, documents: 0, source: 'bytes' })
}

/** Counted here: o200k tokens of the text, scaled for other vendors' tokenizers, and the pages of documents. */
export async function countedInput(
  deps: BoundInputDeps,
  { account }: Pick<Caller, 'account'>,
  { parsed, plan }: PreparedRequest,
): Promise<InputBound> {
  const { inputSize } = plan
  if (inputSize.fillsWindow) return freeInput(inputSize)
  const { numerator, denominator } = inputSize.tokenFactor
  const [{ tokens, source }, documents] = await Promise.all([
    deps.counter.hasRoom(inputSize.textBytes, account)
      ? deps.counter.bound({
          text: textOutside(parsed.body.bytes, parsed.facts.media),
          account,
          // The hold never exceeds the model's window.
          tokensMax: Math.ceil((inputSize.inputTokensMax * denominator) / numerator),
        })
      : { tokens: inputSize.textBytes, source: 'bounded' as const },
    inputSize.sizedTokens === 0 ? 0 : documentTokens(deps, account, { parsed, plan }),
  ])
  const scaled = Math.ceil((tokens * numerator) / denominator)
  const text = Math.min(scaled, inputSize.textBytes)
  return inputOf(inputSize, { text, documents, source: sourceOf(source, inputSize) })
}

function sourceOf(source: Count['source'], { sizedTokens }: InputSize): InputBound['source'] {
  if (source === 'bounded') return 'bytes'
  return sizedTokens > 0 ? 'pages' : 'counted'
}

/** Media without a formula: by pages where the file has them, else by size, each at most the window. */
async function documentTokens(
  deps: BoundInputDeps,
  account: bigint,
  { parsed, plan: { connector, model } }: PreparedRequest,
): Promise<number> {
  const page = connector.page(model.upstreamModel)
  const each = parsed.facts.media
    .filter((media) => connector.mediaTokensMax(media, model.upstreamModel) === 'window')
    .map(async (media) => {
      const bySize = tokensBySize(media, page) ?? model.inputTokensMax
      const pages = await pagesOf(deps, account, { parsed, media })
      const byPages = pages === undefined ? bySize : Math.min(pages, page.pagesMax) * page.tokensMax
      return Math.min(byPages, model.inputTokensMax)
    })
  return (await Promise.all(each)).reduce((sum, tokens) => sum + tokens, 0)
}

function pagesOf(
  { pdfs }: BoundInputDeps,
  account: bigint,
  { parsed, media }: { parsed: ParsedRequest; media: Media },
): Promise<number | undefined> {
  if (media.span === null || !isPdf(media)) return Promise.resolve(undefined)
  return pdfs.pages(account, parsed.body.bytes.subarray(media.span.start, media.span.end))
}

/** A provider's count is an estimate of what it bills, so a twentieth and a constant are added. */
const marginDivisor = 20
const marginTokens = 64

/** The provider's own count; null where it has none, not in time, or the account has reached its counting limits. */
export async function reportedInput(
  deps: BoundInputDeps,
  context: RequestContext,
  caller: Caller,
  work: PreparedRequest,
): Promise<InputBound | null> {
  const { inputSize } = work.plan
  const { account } = caller
  if (inputSize.fillsWindow || !deps.counting.places.tryAcquire(account)) return null
  try {
    if (deps.counting.rates.take(account, deps.clock.wallMs()).kind === 'rejected') return null
    const tokens = await upstreamTokens(deps, context, caller, work)
    if (tokens === null) return null
    const input = tokens + Math.ceil(tokens / marginDivisor) + marginTokens
    return {
      ...withToolUses(inputSize, input + inputSize.referenced.tokens),
      source: 'reported',
      reported: tokens,
    }
  } finally {
    deps.counting.places.release(account)
  }
}

async function upstreamTokens(
  deps: BoundInputDeps,
  context: RequestContext,
  caller: Caller,
  work: PreparedRequest,
): Promise<number | null> {
  const { plan, parsed } = work
  // The counted body is a second copy in memory.
  const copy = copyWithinMemory(parsed.body)
  if (copy === null) return null
  try {
    const outcome = await countAtUpstream(deps, context, {
      caller,
      candidates: plan.candidates,
      requestFor: (upstreamModel) => countRequestOrNull(deps, context, { ...work, caller, upstreamModel }),
      waitMs: deps.limits.holdCountMs,
    })
    return outcome?.kind === 'counted' ? outcome.tokens : null
  } finally {
    copy.drop()
  }
}

/** null: there is no memory for another body of this size. */
function copyWithinMemory(body: Body): Body | null {
  try {
    return body.another(body.bytes, body.bytes.length)
  } catch (error) {
    if (error instanceof TollgateError) return null
    throw error
  }
}

/** null: the request cannot be translated to a format that counts, or is too large for it. */
async function countRequestOrNull(
  deps: BoundInputDeps,
  context: RequestContext,
  work: PreparedRequest & { caller: Caller; upstreamModel: string },
): Promise<UpstreamCountRequest | null> {
  try {
    return await upstreamCountRequest(deps, context, work)
  } catch (error) {
    if (error instanceof WireError) return null
    if (error instanceof TollgateError && error.code === 'body_too_large') return null
    throw error
  }
}

function inputOf(
  inputSize: InputSize,
  bound: { text: number; documents: number; source: InputBound['source'] },
): InputBound {
  const otherTokens =
    inputSize.mediaTokens + bound.documents + inputSize.hiddenTokens + inputSize.referenced.tokens
  const input = inputSize.fillsWindow ? inputSize.inputTokensMax : bound.text + otherTokens
  return { ...withToolUses(inputSize, input), source: bound.source, reported: null }
}

/** After each tool use the model reads the whole input again, including the results of earlier uses. */
function withToolUses(inputSize: InputSize, input: number): Pick<InputBound, 'tokens'> {
  const { toolUses, tokensPerToolUse } = inputSize
  const once = Math.min(input, inputSize.inputTokensMax)
  return { tokens: once * (toolUses + 1) + tokensPerToolUse * ((toolUses * (toolUses + 1)) / 2) }
}

/** English text has about four; code and other languages fewer. */
const bytesPerToken = 3
/** Output of a running request without an output limit, as it counts toward an upstream's tokens per minute. */
const outputTokensAssumed = 1_000

/**
 * How many tokens a request is expected to use, for the limits of upstreams: far fewer than the bound that its hold pays for. Input by
 * its size, and as much output as the request's own limit allows, or as is assumed of a request without one.
 */
export function expectedTokens(
  { plan, hold }: { readonly plan: RequestPlan; readonly hold: Hold },
  { facts }: Pick<ParsedRequest, 'facts'>,
): number {
  const { inputSize, choices } = plan
  const textBytes = Math.ceil(inputSize.textBytes / bytesPerToken)
  // Tokens that providers, tools and references add are corrected when they are reported.
  const size = { ...inputSize, textBytes, hiddenTokens: 0, toolUses: 0, fillsWindow: false }
  const bySize = freeInput(size).tokens
  const isLimited = facts.outputLimit !== null || hold.lowered
  const output = isLimited ? hold.outputLimit : Math.min(hold.outputLimit, outputTokensAssumed)
  return Math.min(bySize, hold.input.tokens) + output * choices
}

/** The free input bound: one token per byte of text, the provider's formulas for media. */
export function inputSizeOf(
  { model, connector }: Pick<Target, 'model' | 'connector'>,
  { facts, bodyBytes }: { readonly facts: ExtractedFields; readonly bodyBytes: number },
  toolUses: Readonly<Record<string, number>>,
): InputSize {
  let mediaTokens = 0
  let sizedTokens = 0
  let audioTokens = 0
  let mediaBytes = 0
  const page = connector.page(model.upstreamModel)
  for (const media of facts.media) {
    const byFormula = connector.mediaTokensMax(media, model.upstreamModel)
    const tokens = byFormula === 'window' ? (tokensBySize(media, page) ?? model.inputTokensMax) : byFormula
    if (byFormula === 'window') sizedTokens += tokens
    else mediaTokens += tokens
    if (canHoldAudio(media)) audioTokens += tokens
    mediaBytes += mediaLength(media)
  }
  const tools = Object.entries(toolUses)
  const uses = tools.reduce((sum, [, count]) => sum + count, 0)
  const textBytes = bodyBytes - mediaBytes
  return {
    textBytes,
    mediaTokens,
    sizedTokens,
    audioTokens,
    hiddenTokens: connector.hiddenInputTokens,
    // Set by resolveReferences.
    referenced: { tokens: 0, reasoning: 0 },
    toolUses: uses,
    tokensPerToolUse: Math.max(0, ...tools.map(([meter]) => connector.serverTool(meter).tokensPerUse)),
    fillsWindow: false,
    inputTokensMax: model.inputTokensMax,
    tokenFactor: connector.tokenFactor,
  }
}

/** The most uses of tools that run at the provider, by billing unit. */
interface ToolUses {
  /** Uses that the hold covers; each of them reads the input again. */
  readonly uses: Readonly<Record<string, number>>
  /** Uses that an upstream may report; infinite where the format cannot cap them. */
  readonly usesMax: Readonly<Record<string, number>>
  /** Billing units that the provider waives because of another tool of the request. */
  readonly waived: readonly string[]
}

/** Where the format cannot cap the uses of a tool, an assumed number is held for and the rest is written off. */
export function toolUsesOf(
  connector: Pick<Connector, 'serverTool'>,
  { serverTools }: Pick<ExtractedFields, 'serverTools'>,
  { serverToolUsesMax }: { readonly serverToolUsesMax: number },
): ToolUses {
  const waived = [...new Set(serverTools.flatMap(({ waives = [] }) => waives))]
  const uses: Record<string, number> = {}
  const usesMax: Record<string, number> = {}
  for (const tool of serverTools) {
    const { meter } = tool
    const before = uses[meter] ?? 0
    const wanted = Math.min(tool.usesMax ?? serverToolUsesMax, serverToolUsesMax)
    const assumed = connector.serverTool(meter).uncappedUses ?? serverToolUsesMax
    const isCapped = tool.capPatch !== null
    uses[meter] = isCapped ? before + wanted : Math.max(before, assumed)
    usesMax[meter] = isCapped ? (usesMax[meter] ?? 0) + wanted : Number.POSITIVE_INFINITY
  }
  return { uses, usesMax, waived }
}

/** The classes of output tokens that a response can have. */
export function outputClassesOf(model: Model, facts: ExtractedFields): OutputClasses {
  return eachOutput((name) => outputRules[name](model, facts))
}

/** Whether a response can have output tokens of a class, which the hold then covers. */
const outputRules: Readonly<Record<OutputMeter, (model: Model, facts: ExtractedFields) => boolean>> = {
  output: () => true,
  outputAudio: canSpeak,
}

function canSpeak(model: Model, { options }: ExtractedFields): boolean {
  return options.some(({ name }) => name === audioOption) || !model.outputs.includes('text')
}

const audioOption = 'modality:audio'

/** The fees for the tool uses of a request and for the request itself. */
export function feesOf(
  price: PriceVersion,
  { uses, waived }: Pick<ToolUses, 'uses' | 'waived'>,
): Readonly<Record<string, number>> {
  const charged = Object.entries(uses).filter(([meter]) => !waived.includes(meter))
  return withRequestFee({ fees: Object.fromEntries(charged) }, price).fees
}

/** The options that can multiply the price of a request at this target. */
export function optionsOf(
  { unrequestedOptions }: Pick<Target, 'unrequestedOptions'>,
  { options }: Pick<ExtractedFields, 'options'>,
): readonly string[] {
  if (options.length === 0) return unrequestedOptions
  const asked = options.map(({ name }) => name)
  return unrequestedOptions.length === 0 ? asked : [...new Set([...asked, ...unrequestedOptions])]
}
