/**
 * A response for a Messages client: blocks in order, opaque values where the client will return
 * them, the cost in its usage. Must not invent an Anthropic signature.
 */
import { type JsonOut, jsonText, RawJson } from '../json/text.ts'
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
import { carrierId, plainId, plainIdCharactersMax, tagged } from '../translation/reasoning-carriers.ts'
import { costMembers } from '../usage-cost.ts'
import { isObjectText, objectText } from './encode-request-parts.ts'
import { usageFields } from './encode-response-usage.ts'
import { citationEncrypted, ownVendor, signatureOf } from './encrypted-reasoning.ts'

export type AnswerBlock = Readonly<Record<string, JsonOut | undefined>>

const reasons: Readonly<Record<FinishReason, string>> = {
  end: 'end_turn',
  stop_string: 'stop_sequence',
  calls: 'tool_use',
  length: 'max_tokens',
  context: 'model_context_window_exceeded',
  refusal: 'refusal',
  filter: 'refusal',
  pause: 'pause_turn',
}

export function encodeResponse(answer: NeutralResponse, frame: Frame, tally: ResponseCost): string {
  const { parts, finish } = answer
  const ids = new CallIds(frame)
  return jsonText({
    ...messageHead(frame),
    content: parts.flatMap((part) => blocksOf(part, finish.reason, ids)),
    ...stopFields(
      finish,
      parts.some(({ kind }) => kind === 'call'),
    ),
    usage: { ...usageFields(tally.usage), ...costMembers(tally) },
  })
}

/** The first members of an answer, streamed or not. */
export function messageHead({ requestId, model }: Frame): AnswerBlock {
  return { id: `msg_${tailOf(requestId)}`, type: 'message', role: 'assistant', model }
}

function tailOf(requestId: string): string {
  return requestId.replace(/^req_/, '')
}

/** Why it ended; an answer with a call ends to have it run, whatever its upstream calls that. */
export function stopFields({ reason, stopString, explanation }: Finish, hasCalls: boolean): AnswerBlock {
  const stopReason = reason === 'end' && hasCalls ? reasons.calls : reasons[reason]
  return {
    stop_reason: stopReason,
    stop_sequence: reason === 'stop_string' ? stopString : null,
    stop_details: stopReason === reasons.refusal ? { type: 'refusal', category: null, explanation } : null,
  }
}

/** Ids of the calls of one answer: short enough for every format that they may come back in, and no two alike. */
export class CallIds {
  private readonly tail: string
  private readonly used = new Set<string>()

  constructor({ requestId }: Frame) {
    this.tail = tailOf(requestId)
  }

  get keptCharacters(): number {
    return this.used.size * plainIdCharactersMax
  }

  /** The upstream's id, or one made of the request's, with the call's encrypted value in it. */
  next({ id, encrypted }: Pick<CallPart, 'id' | 'encrypted'>): string {
    const own = plainId(id === '' ? this.made() : id, plainIdCharactersMax)
    const free = this.used.has(own) ? plainId(this.made(), plainIdCharactersMax) : own
    this.used.add(free)
    return carrierId(free, { encrypted, thoughts: [] })
  }

  private made(): string {
    return `call_${this.tail}_${this.used.size}`
  }
}

function blocksOf(part: ResponsePart, reason: FinishReason, ids: CallIds): readonly AnswerBlock[] {
  switch (part.kind) {
    case 'text': {
      if (part.text.trim() === '') return []
      const citations = part.citations.flatMap(citationOf)
      return [{ type: 'text', text: part.text, citations: citations.length > 0 ? citations : undefined }]
    }
    case 'refusal':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]
    case 'thinking':
      return part.text === '' && part.encrypted === null ? [] : [thinkingBlock(part)]
    case 'media':
      return [{ type: 'text', text: mediaText(part) }]
    case 'call':
      return [callBlock(part, reason, ids)]
  }
}

/** A block that comes whole: what Claude redacted stays redacted. */
export function thinkingBlock({ text, redacted, encrypted }: ThinkingPart): AnswerBlock {
  return redacted && encrypted?.vendor === ownVendor
    ? { type: 'redacted_thinking', data: encrypted.data }
    : { type: 'thinking', thinking: text, signature: signatureOf(encrypted) }
}

function callBlock(call: CallPart, reason: FinishReason, ids: CallIds): AnswerBlock {
  // Truncated input is omitted; the stop reason reports it.
  const isCut = reason === 'length' && !isObjectText(call.input)
  const json = isCut ? '{}' : objectText(call.input)
  const input = call.form === 'text' ? { input: call.input } : new RawJson(json)
  return { type: 'tool_use', id: ids.next(call), name: call.name, input }
}

/** Text that replaces a model's media, which this format cannot show. */
export function mediaText({ source, medium }: MediaPart): string {
  const type = source.kind === 'text' ? medium : (source.mediaType ?? medium)
  return `[${type} not supported by this format]`
}

/** A source with an address, as a search result; the index is no provider's, so that it never goes to one. */
export function citationOf({ url, title, quoted }: Citation): readonly AnswerBlock[] {
  if (url === null) return []
  return [
    {
      type: 'web_search_result_location',
      url,
      title,
      cited_text: quoted ?? '',
      encrypted_index: tagged(citationEncrypted),
    },
  ]
}
