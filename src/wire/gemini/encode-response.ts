/**
 * A neutral response → a Gemini response for a client of this format. Reasoning of other vendors is carried
 * in tagged signatures and in the IDs of calls, so that it returns. Usage is written as Google counts.
 */
import { inputTokens, outputTokens } from '../../../contract/meters.ts'
import { type JsonOut, jsonText } from '../json/text.ts'
import type {
  CallPart,
  Citation,
  Finish,
  FinishReason,
  Frame,
  MediaPart,
  NeutralResponse,
  ResponseCost,
  ResponsePart,
  ThinkingPart,
} from '../translation/neutral.ts'
import { carrierId, plainId, plainIdCharactersMax } from '../translation/reasoning-carriers.ts'
import { costMembers } from '../usage-cost.ts'
import { hidesThoughts } from './decode-request.ts'
import { argsOf } from './encode-request-parts.ts'
import { logprobsResult } from './encode-response-logprobs.ts'
import { clientStandIn, isOwn, signatureOf } from './encrypted-reasoning.ts'

/** The format has no value for a pause; the caller continues by sending the response back, as after any other. */
const finishWords: Readonly<Record<FinishReason, string>> = {
  end: 'STOP',
  stop_string: 'STOP',
  calls: 'STOP',
  pause: 'STOP',
  length: 'MAX_TOKENS',
  context: 'MAX_TOKENS',
  refusal: 'SAFETY',
  filter: 'SAFETY',
}

/** The JSON body of the answer. */
export function encodeResponse(answer: NeutralResponse, frame: Frame, tally: ResponseCost): string {
  const writer = new PartWriter(frame)
  const parts = answer.parts.flatMap((part) => writer.whole(part))
  const citations = answer.parts.flatMap((part) => (part.kind === 'text' ? part.citations : []))
  const content = { role: 'model', parts: parts.length === 0 ? undefined : parts }
  const logprobs = answer.logprobs === null ? undefined : logprobsResult(answer.logprobs)
  const candidate = {
    content,
    ...finishMembers(answer.finish),
    index: 0,
    groundingMetadata: grounding(citations),
    logprobsResult: logprobs,
  }
  return jsonText({ candidates: [candidate], usageMetadata: usageMetadata(tally), ...identity(frame) })
}

/** Members that identify every event and answer. */
export function identity({ model, requestId }: Frame): { readonly [name: string]: JsonOut } {
  return { modelVersion: model, responseId: tailOf(requestId) }
}

function tailOf(requestId: string): string {
  return requestId.replace(/^req_/, '')
}

export function finishMembers({ reason, explanation }: Finish): {
  readonly [name: string]: JsonOut | undefined
} {
  return { finishReason: finishWords[reason], finishMessage: explanation ?? undefined }
}

export function grounding(citations: readonly Citation[]): JsonOut | undefined {
  const chunks = citations
    .filter(({ url }) => url !== null)
    .map(({ url, title }) => ({ web: { uri: url ?? '', title: title ?? undefined } }))
  return chunks.length === 0 ? undefined : { groundingChunks: chunks }
}

/** Google's counts: the cache is part of the prompt, thoughts are separate from candidates. */
export function usageMetadata({ usage, ...charge }: ResponseCost): JsonOut {
  const prompt = inputTokens(usage)
  const candidates = outputTokens(usage) - usage.reasoning
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: candidates,
    totalTokenCount: prompt + candidates + usage.reasoning,
    cachedContentTokenCount: usage.cacheRead === 0 ? undefined : usage.cacheRead,
    thoughtsTokenCount: usage.reasoning === 0 ? undefined : usage.reasoning,
    promptTokensDetails: split(prompt, usage.inputAudio),
    candidatesTokensDetails: split(candidates, usage.outputAudio),
    ...costMembers(charge),
  }
}

function split(tokens: number, audio: number): JsonOut | undefined {
  if (audio === 0) return undefined
  return [
    { modality: 'TEXT', tokenCount: tokens - audio },
    { modality: 'AUDIO', tokenCount: audio },
  ]
}

/** Writes the parts of one answer in order. */
export class PartWriter {
  private readonly frame: Frame
  private readonly isHidden: boolean
  /** Thoughts since the last call, which the next call's id carries. */
  private thoughts: ThinkingPart[] = []
  /** The size of those thoughts. */
  keptCharacters = 0
  private calls = 0

  constructor(frame: Frame) {
    this.frame = frame
    this.isHidden = frame.responseOptions.echo.some(([name]) => name === hidesThoughts)
  }

  whole(part: ResponsePart): readonly JsonOut[] {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        return part.text === '' ? [] : [{ text: part.text }]
      case 'thinking':
        return this.wholeThought(part)
      case 'call':
        return [this.call(part)]
      case 'media':
        return mediaPart(part)
    }
  }

  /** A piece of a thought, for clients that asked to see them. */
  thought(text: string): readonly JsonOut[] {
    return text === '' || this.isHidden ? [] : [{ text, thought: true }]
  }

  private wholeThought(part: ThinkingPart): readonly JsonOut[] {
    const end = this.thoughtEnd(part)
    const thoughtSignature = signatureOf(part)
    if (part.text === '' || this.isHidden) return end
    return [{ text: part.text, thought: true, thoughtSignature }]
  }

  /** The encrypted value of a thought whose text was written before; other vendors' encrypted values mean nothing without that text. */
  thoughtEnd(part: ThinkingPart): readonly JsonOut[] {
    const thoughtSignature = signatureOf(part)
    if (thoughtSignature === undefined) return []
    const isGoogles = isOwn(part.encrypted)
    if (!isGoogles) this.keep(part)
    if (isGoogles && (part.text === '' || this.isHidden)) return [{ text: '', thoughtSignature }]
    return this.isHidden && part.text !== '' ? [] : [{ text: '', thought: true, thoughtSignature }]
  }

  private keep(part: ThinkingPart): void {
    this.thoughts.push(part)
    this.keptCharacters += part.text.length + (part.encrypted?.data.length ?? 0)
  }

  /**
   * The first call gets the placeholder where Google did not sign it, so that the history can continue with
   * Google's models, which reject a step without a signature.
   */
  call(call: CallPart): JsonOut {
    this.calls += 1
    const own = isOwn(call.encrypted) ? call.encrypted.data : undefined
    const thoughtSignature = own ?? (this.calls === 1 ? clientStandIn : undefined)
    const encrypted = own === undefined ? call.encrypted : null
    const id = carrierId(this.idOf(call.id), { encrypted, thoughts: this.thoughts })
    this.thoughts = []
    this.keptCharacters = 0
    const functionCall = { id, name: call.name, args: argsOf(call.input, call.form) }
    return { functionCall, thoughtSignature }
  }

  /** The upstream's id; one of our own where it gave none. */
  private idOf(id: string): string {
    const made = id === '' ? `call_${tailOf(this.frame.requestId)}_${this.calls}` : id
    return made.length <= plainIdCharactersMax ? made : plainId(made, plainIdCharactersMax)
  }
}

export function mediaPart({ source, title }: MediaPart): readonly JsonOut[] {
  switch (source.kind) {
    case 'base64':
      return [{ inlineData: { mimeType: source.mediaType, data: source.data } }]
    case 'url':
      return [{ fileData: { mimeType: source.mediaType ?? undefined, fileUri: source.url } }]
    case 'text':
      return [{ text: title === null ? source.text : `${title}\n\n${source.text}` }]
  }
}
