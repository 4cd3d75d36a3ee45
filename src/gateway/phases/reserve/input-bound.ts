/**
 * How much input a request has at most, in steps that cost more and say more: by its bytes, which is free; by the
 * provider's own count, where documents make the bytes say too little; by text that is counted here and pages that are
 * read from the files. Must not take anything.
 */
import type { Caller } from '../../../access/types.ts'
import { TollgateError } from '../../../base/errors.ts'
import type { KeyedSemaphore } from '../../../base/keyed-semaphore.ts'
import type { Body } from '../../../http/body.ts'
import type { RateMeter } from '../../../limits/rate-meter.ts'
import { isPdf, tokensBySize } from '../../../providers/media-size.ts'
import type { BodyThreads } from '../../../tokens/body-threads.ts'
import type { Count, Counter } from '../../../tokens/count.ts'
import type { PdfReader } from '../../../tokens/pdf-reader.ts'
import { textOutside } from '../../../tokens/text.ts'
import { type Media, type ReadLimits, WireError } from '../../../wire/dialect.ts'
import type { InputBound, InputSize, ParsedRequest, RequestContext, RequestPlan } from '../../request.ts'
import {
  type CountUpstreamDeps,
  countAtUpstream,
  type UpstreamCountRequest,
  upstreamCountRequest,
} from './upstream-input-bound.ts'

export interface BoundInputDeps extends CountUpstreamDeps {
  readonly counter: Counter
  readonly pdfs: PdfReader
  /** What an account may have counted by providers: shared with requests that ask for the number alone. */
  readonly counting: { readonly rates: RateMeter; readonly places: KeyedSemaphore }
  readonly read: ReadLimits
  readonly bodyThreads: Pick<BodyThreads, 'run'>
  readonly limits: CountUpstreamDeps['limits'] & { readonly holdCountMs: number }
}

interface BoundInput {
  readonly parsed: ParsedRequest
  readonly plan: RequestPlan
}

/** One token a byte of text, the providers' formulas for media, and sizes where there is no formula. */
export function freeInput(inputSize: InputSize): InputBound {
  return inputOf(inputSize, { text: inputSize.textBytes, documents: inputSize.sizedTokens, source: 'bytes' })
}

/** The least that the request can have: what its documents hold is left out. */
export function inputWithoutDocuments(inputSize: InputSize): InputBound {
  return inputOf(inputSize, { text: 0, documents: 0, source: 'bytes' })
}

/** Counted here: o200k tokens of the text, scaled for other makers' tokenizers, and the pages of documents. */
export async function countedInput(
  bounding: BoundInputDeps,
  { account }: Caller,
  { parsed, plan }: BoundInput,
): Promise<InputBound> {
  const { inputSize } = plan
  if (inputSize.fillsWindow) return freeInput(inputSize)
  const { numerator, denominator } = inputSize.tokenFactor
  const [{ tokens, source }, documents] = await Promise.all([
    bounding.counter.bound({
      text: textOutside(parsed.body.bytes, parsed.facts.media),
      account,
      // More than the model's window is never held.
      tokensMax: Math.ceil((inputSize.inputTokensMax * denominator) / numerator),
    }),
    inputSize.sizedTokens === 0 ? 0 : documentTokens(bounding, account, { parsed, plan }),
  ])
  const scaled = Math.ceil((tokens * numerator) / denominator)
  const text = Math.min(scaled, inputSize.textBytes)
  return inputOf(inputSize, { text, documents, source: sourceOf(source, inputSize) })
}

function sourceOf(source: Count['source'], { sizedTokens }: InputSize): InputBound['source'] {
  if (source === 'bounded') return 'bytes'
  return sizedTokens > 0 ? 'pages' : 'counted'
}

/** Media without a formula: pages where the file tells them, else by size, each at most the window. */
async function documentTokens(
  bounding: BoundInputDeps,
  account: bigint,
  { parsed, plan: { connector, model } }: BoundInput,
): Promise<number> {
  const page = connector.page(model.upstreamModel)
  const each = parsed.facts.media
    .filter((media) => connector.mediaTokensMax(media, model.upstreamModel) === 'window')
    .map(async (media) => {
      const bySize = tokensBySize(media, page) ?? model.inputTokensMax
      const pages = await pagesOf(bounding, account, { parsed, media })
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

/** A provider's number is an estimate of what it will bill: a twentieth, and some for what it adds on its own. */
const marginDivisor = 20
const marginTokens = 64

/** The provider's own number; null where it has none, or none in time, or the account has had its share of counts. */
export async function reportedInput(
  bounding: BoundInputDeps,
  context: RequestContext,
  caller: Caller,
  work: BoundInput,
): Promise<InputBound | null> {
  const { inputSize } = work.plan
  const { account } = caller
  if (inputSize.fillsWindow || !bounding.counting.places.tryAcquire(account)) return null
  try {
    if (bounding.counting.rates.take(account, bounding.clock.wallMs()).kind === 'refused') return null
    const tokens = await upstreamTokens(bounding, context, caller, work)
    if (tokens === null) return null
    const input = tokens + Math.ceil(tokens / marginDivisor) + marginTokens
    return {
      ...withToolUses(inputSize, input + inputSize.referenced.tokens),
      source: 'reported',
      reported: tokens,
    }
  } finally {
    bounding.counting.places.release(account)
  }
}

async function upstreamTokens(
  bounding: BoundInputDeps,
  context: RequestContext,
  caller: Caller,
  work: BoundInput,
): Promise<number | null> {
  const { plan, parsed } = work
  // The body that is counted is in memory beside the one that it is made from.
  const copy = copyWithinMemory(parsed.body)
  if (copy === null) return null
  try {
    const outcome = await countAtUpstream(bounding, context, {
      caller,
      model: plan.model,
      candidates: plan.candidates,
      requestFor: (upstreamModel) =>
        countRequestOrNull(bounding, context, { ...work, caller, upstreamModel }),
      waitMs: bounding.limits.holdCountMs,
    })
    return outcome?.kind === 'counted' ? outcome.tokens : null
  } finally {
    copy.drop()
  }
}

/** null: there is no room for another body of this size. */
function copyWithinMemory(body: Body): Body | null {
  try {
    return body.another(body.bytes, body.bytes.length)
  } catch (error) {
    if (error instanceof TollgateError) return null
    throw error
  }
}

/** A request that cannot be said in a format that counts is bounded here. */
async function countRequestOrNull(
  bounding: BoundInputDeps,
  context: RequestContext,
  work: BoundInput & { caller: Caller; upstreamModel: string },
): Promise<UpstreamCountRequest | null> {
  try {
    return await upstreamCountRequest(bounding, context, work)
  } catch (error) {
    if (error instanceof WireError) return null
    throw error
  }
}

function inputOf(
  inputSize: InputSize,
  of: { text: number; documents: number; source: InputBound['source'] },
): InputBound {
  const besideText =
    inputSize.mediaTokens + of.documents + inputSize.hiddenTokens + inputSize.referenced.tokens
  const input = inputSize.fillsWindow ? inputSize.inputTokensMax : of.text + besideText
  return { ...withToolUses(inputSize, input), source: of.source, reported: null }
}

/** After each use the model reads everything again, and what all uses before brought. */
function withToolUses(inputSize: InputSize, input: number): Pick<InputBound, 'tokens'> {
  const { toolUses, tokensPerToolUse } = inputSize
  const once = Math.min(input, inputSize.inputTokensMax)
  return { tokens: once * (toolUses + 1) + tokensPerToolUse * ((toolUses * (toolUses + 1)) / 2) }
}
