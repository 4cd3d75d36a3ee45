/**
 * How much input a request has at most, in steps that cost more and say more: by its bytes, which is free; by the
 * provider's own count, where documents make the bytes say too little; by text that is counted here and pages that are
 * read from the files. Must not take anything.
 */
import type { Caller } from '../access/types.ts'
import { TollgateError } from '../base/errors.ts'
import type { Places } from '../base/places.ts'
import type { Body } from '../http/body.ts'
import type { RateMeter } from '../limits/rate-meter.ts'
import { isPdf, tokensBySize } from '../providers/media-size.ts'
import type { BodyThreads } from '../tokens/body-threads.ts'
import type { Count, Counter } from '../tokens/count.ts'
import type { PdfReader } from '../tokens/pdf-reader.ts'
import { textOutside } from '../tokens/text.ts'
import type { Bound, Call, InputBound, Line, Plan } from '../values.ts'
import { type Media, type ReadLimits, WireError } from '../wire/codec.ts'
import { type AskingUpstreams, askUpstreams, type CountInquiry, inquiryOf } from './hold-input-upstream.ts'

export interface BoundingInput extends AskingUpstreams {
  readonly counter: Counter
  readonly pdfs: PdfReader
  /** What an account may have counted by providers: shared with requests that ask for the number alone. */
  readonly counting: { readonly rates: RateMeter; readonly places: Places }
  readonly read: ReadLimits
  readonly bodyThreads: Pick<BodyThreads, 'run'>
  readonly limits: AskingUpstreams['limits'] & { readonly holdCountMs: number }
}

interface Work {
  readonly call: Call
  readonly plan: Plan
}

/** One token a byte of text, the providers' formulas for media, and sizes where there is no formula. */
export function freeInput(bound: Bound): InputBound {
  return inputOf(bound, { text: bound.textBytes, documents: bound.sizedTokens, source: 'bytes' })
}

/** The least that the request can have: what its documents hold is left out. */
export function inputWithoutDocuments(bound: Bound): InputBound {
  return inputOf(bound, { text: 0, documents: 0, source: 'bytes' })
}

/** Counted here: o200k tokens of the text, scaled for other makers' tokenizers, and the pages of documents. */
export async function countedInput(
  bounding: BoundingInput,
  { account }: Caller,
  { call, plan }: Work,
): Promise<InputBound> {
  const { bound } = plan
  if (bound.fillsWindow) return freeInput(bound)
  const { numerator, denominator } = bound.tokenFactor
  const [{ tokens, source }, documents] = await Promise.all([
    bounding.counter.bound({
      text: textOutside(call.body.bytes, call.facts.media),
      account,
      // More than the model's window is never held.
      tokensMax: Math.ceil((bound.inputTokensMax * denominator) / numerator),
    }),
    bound.sizedTokens === 0 ? 0 : documentTokens(bounding, account, { call, plan }),
  ])
  const scaled = Math.ceil((tokens * numerator) / denominator)
  const text = Math.min(scaled, bound.textBytes)
  return inputOf(bound, { text, documents, source: sourceOf(source, bound) })
}

function sourceOf(source: Count['source'], { sizedTokens }: Bound): InputBound['source'] {
  if (source === 'bounded') return 'bytes'
  return sizedTokens > 0 ? 'pages' : 'counted'
}

/** Media without a formula: pages where the file tells them, else by size, each at most the window. */
async function documentTokens(
  bounding: BoundingInput,
  account: bigint,
  { call, plan: { connector, model } }: Work,
): Promise<number> {
  const page = connector.page(model.upstreamModel)
  const each = call.facts.media
    .filter((media) => connector.mediaTokensMax(media, model.upstreamModel) === 'window')
    .map(async (media) => {
      const bySize = tokensBySize(media, page) ?? model.inputTokensMax
      const pages = await pagesOf(bounding, account, { call, media })
      const byPages = pages === undefined ? bySize : Math.min(pages, page.pagesMax) * page.tokensMax
      return Math.min(byPages, model.inputTokensMax)
    })
  return (await Promise.all(each)).reduce((sum, tokens) => sum + tokens, 0)
}

function pagesOf(
  { pdfs }: BoundingInput,
  account: bigint,
  { call, media }: { call: Call; media: Media },
): Promise<number | undefined> {
  if (media.span === null || !isPdf(media)) return Promise.resolve(undefined)
  return pdfs.pages(account, call.body.bytes.subarray(media.span.start, media.span.end))
}

/** A provider's number is an estimate of what it will bill: a twentieth, and some for what it adds on its own. */
const marginDivisor = 20
const marginTokens = 64

/** The provider's own number; null where it has none, or none in time, or the account has had its share of counts. */
export async function reportedInput(
  bounding: BoundingInput,
  line: Line,
  caller: Caller,
  work: Work,
): Promise<InputBound | null> {
  const { bound } = work.plan
  const { account } = caller
  if (bound.fillsWindow || !bounding.counting.places.take(account)) return null
  try {
    if (bounding.counting.rates.take(account, bounding.clock.wallMs()).kind === 'refused') return null
    const tokens = await askedTokens(bounding, line, caller, work)
    if (tokens === null) return null
    const input = tokens + Math.ceil(tokens / marginDivisor) + marginTokens
    return { ...withToolUses(bound, input + bound.referenced.tokens), source: 'reported', reported: tokens }
  } finally {
    bounding.counting.places.giveBack(account)
  }
}

async function askedTokens(
  bounding: BoundingInput,
  line: Line,
  caller: Caller,
  work: Work,
): Promise<number | null> {
  const { plan, call } = work
  // The body that is counted is in memory beside the one that it is made from.
  const copy = roomForAnother(call.body)
  if (copy === null) return null
  try {
    const outcome = await askUpstreams(bounding, line, {
      caller,
      model: plan.model,
      candidates: plan.candidates,
      inquiryFor: (upstreamModel) => inquiryFor(bounding, line, { ...work, caller, upstreamModel }),
      waitMs: bounding.limits.holdCountMs,
    })
    return outcome?.kind === 'counted' ? outcome.tokens : null
  } finally {
    copy.drop()
  }
}

/** null: there is no room for another body of this size. */
function roomForAnother(body: Body): Body | null {
  try {
    return body.another(body.bytes, body.bytes.length)
  } catch (error) {
    if (error instanceof TollgateError) return null
    throw error
  }
}

/** A request that cannot be said in a format that counts is bounded here. */
async function inquiryFor(
  bounding: BoundingInput,
  line: Line,
  work: Work & { caller: Caller; upstreamModel: string },
): Promise<CountInquiry | null> {
  try {
    return await inquiryOf(bounding, line, work)
  } catch (error) {
    if (error instanceof WireError) return null
    throw error
  }
}

function inputOf(
  bound: Bound,
  of: { text: number; documents: number; source: InputBound['source'] },
): InputBound {
  const besideText = bound.mediaTokens + of.documents + bound.hiddenTokens + bound.referenced.tokens
  const input = bound.fillsWindow ? bound.inputTokensMax : of.text + besideText
  return { ...withToolUses(bound, input), source: of.source, reported: null }
}

/** After each use the model reads everything again, and what all uses before brought. */
function withToolUses(bound: Bound, input: number): Pick<InputBound, 'tokens'> {
  const { toolUses, tokensPerToolUse } = bound
  const once = Math.min(input, bound.inputTokensMax)
  return { tokens: once * (toolUses + 1) + tokensPerToolUse * ((toolUses * (toolUses + 1)) / 2) }
}
