/**
 * A whole chat response → neutral parts. Hosts differ in where they put reasoning, citations and calls; what can be
 * carried is read. Only the first choice counts: a translated request never asks for more.
 */
import { WireError } from '../format.ts'
import { isRecord, type JsonRecord, jsonOf, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import { RawJson } from '../json/text.ts'
import type {
  CallPart,
  Citation,
  EncryptedReasoning,
  Finish,
  FinishReason,
  MediaPart,
  NeutralResponse,
  ResponsePart,
  ThinkingPart,
} from '../translation/neutral.ts'
import { readTagBase64 } from '../translation/reasoning-carriers.ts'
import type { Usage } from '../usage.ts'

const decoder = new TextDecoder('utf-8')
const partLevelsMax = 3

/** See `UpstreamCodec.decodeResponse`. */
export function decodeResponse(body: Uint8Array, usage: Usage): NeutralResponse {
  const answer = parsed(decoder.decode(body))
  const choice = isRecord(answer) ? recordsIn(answer, 'choices')[0] : undefined
  if (!isRecord(answer) || choice === undefined) {
    throw new WireError('invalid_value', 'The upstream response has no choices.')
  }
  const message = recordIn(choice, 'message')
  const parts = partsOf(message)
  return {
    parts,
    finish: finishOf(textIn(choice, 'finish_reason'), new Set(parts.map(({ kind }) => kind))),
    usage,
    logprobs: logprobsIn(choice),
  }
}

function partsOf(message: JsonRecord): readonly ResponsePart[] {
  const parts: ResponsePart[] = []
  const thought = textIn(message, 'reasoning_content') || textIn(message, 'reasoning')
  const pieces = piecesOf(message.content)
  const thoughts = [thought, ...pieces.flatMap(({ kind, text }) => (kind === 'thinking' ? [text] : []))]
  const text = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
  const thinking = thoughts.join('')
  if (thinking !== '') parts.push({ kind: 'thinking', text: thinking, redacted: false, encrypted: null })
  const content = text === '' ? textIn(recordIn(message, 'audio'), 'transcript') : text
  if (content !== '')
    parts.push({ kind: 'text', text: content, cache: null, citations: citationsIn(message) })
  if (textIn(message, 'refusal') !== '') parts.push({ kind: 'refusal', text: textIn(message, 'refusal') })
  const calls = callsIn(message)
  const encrypted = calls.length === 0 ? signatureIn(message) : null
  return [...parts, ...mediaIn(message), ...calls, ...(encrypted === null ? [] : [encryptedAlone(encrypted)])]
}

export interface ContentPiece {
  readonly kind: 'text' | 'thinking'
  readonly text: string
}

/** Content is a string; some hosts send parts, of which thinking is one that holds parts again. */
export function piecesOf(content: unknown, level = 1): readonly ContentPiece[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  if (!Array.isArray(content) || level > partLevelsMax) return []
  return content.filter(isRecord).flatMap((part) => {
    if (part.thinking === undefined) return piecesOf(part.text, level + 1)
    return piecesOf(part.thinking, level + 1).map(({ text }): ContentPiece => ({ kind: 'thinking', text }))
  })
}

/** Sources with an address, as OpenAI and the hosts that follow it tell them. */
export function citationsIn(message: JsonRecord): readonly Citation[] {
  return recordsIn(message, 'annotations').flatMap((annotation) => {
    const cited = recordIn(annotation, 'url_citation')
    const url = textIn(cited, 'url')
    return url === ''
      ? []
      : [{ url, title: textIn(cited, 'title') || null, quoted: textIn(cited, 'content') || null }]
  })
}

const dataUrlHead = /^data:([\w.+-]+\/[\w.+-]+);base64,/

/** Images that a model made, in the field that compatible hosts have for them. */
export function mediaIn(message: JsonRecord): readonly MediaPart[] {
  return recordsIn(message, 'images').flatMap((image) => {
    const url = textIn(recordIn(image, 'image_url'), 'url')
    if (url === '') return []
    const head = dataUrlHead.exec(url)
    const source: MediaPart['source'] =
      head === null
        ? { kind: 'url', mediaType: null, url }
        : { kind: 'base64', mediaType: head[1] ?? '', data: url.slice(head[0].length) }
    return [{ kind: 'media', medium: 'image', source, title: null, detail: null, cache: null, pointer: '' }]
  })
}

function callsIn(message: JsonRecord): readonly CallPart[] {
  const calls = recordsIn(message, 'tool_calls').map((call) => {
    const { id, encrypted, isCustom, named } = callOf(call)
    return callPart({ id, encrypted }, named, isCustom)
  })
  if (isRecord(message.function_call))
    calls.push(callPart({ id: '', encrypted: null }, message.function_call, false))
  const [first] = calls
  const encrypted = signatureIn(message)
  if (first === undefined || encrypted === null || calls.some((call) => call.encrypted !== null)) return calls
  return [{ ...first, encrypted }, ...calls.slice(1)]
}

function callPart(call: Pick<CallPart, 'id' | 'encrypted'>, named: JsonRecord, isCustom: boolean): CallPart {
  return {
    kind: 'call',
    ...call,
    name: textIn(named, 'name'),
    namespace: null,
    form: isCustom ? 'text' : 'json',
    input: textIn(named, isCustom ? 'input' : 'arguments'),
    pointer: '',
  }
}

export interface CallRecord {
  readonly id: string
  readonly encrypted: EncryptedReasoning | null
  readonly isCustom: boolean
  /** The object with the name and the input. */
  readonly named: JsonRecord
}

/** A call, or a piece of one, as any host writes it. */
export function callOf(call: JsonRecord): CallRecord {
  const isCustom = isRecord(call.custom)
  return {
    id: textIn(call, 'id'),
    encrypted: signatureIn(call),
    isCustom,
    named: recordIn(call, isCustom ? 'custom' : 'function'),
  }
}

/** The signature that Google's compatible address puts on calls and messages. */
export function signatureIn(holder: JsonRecord): EncryptedReasoning | null {
  const signature = textIn(recordIn(recordIn(holder, 'extra_content'), 'google'), 'thought_signature')
  const isTheirs = signature !== '' && readTagBase64(signature).kind === 'plain'
  return isTheirs ? { vendor: 'google', data: signature } : null
}

/** A signature that belongs to no call, as an empty thought. */
export function encryptedAlone(encrypted: EncryptedReasoning): ThinkingPart {
  return { kind: 'thinking', text: '', redacted: false, encrypted }
}

const reasons: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['stop', 'end'],
  ['length', 'length'],
  ['tool_calls', 'calls'],
  ['function_call', 'calls'],
  ['content_filter', 'filter'],
  // Reasons of other hosts: Mistral, Z.AI, and GPT models behind routers.
  ['model_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['incomplete', 'length'],
  ['sensitive', 'filter'],
])

/** Maps the finish reason, given the parts of the answer: hosts also end calls with `stop`, and always refusals. */
export function finishOf(word: string, kinds: ReadonlySet<ResponsePart['kind']>): Finish {
  const mapped = reasons.get(word) ?? 'end'
  const reason =
    mapped !== 'end' ? mapped : kinds.has('call') ? 'calls' : kinds.has('refusal') ? 'refusal' : mapped
  return { reason, stopString: null, explanation: null }
}

export function logprobsIn(choice: JsonRecord): RawJson | null {
  const { content } = recordIn(choice, 'logprobs')
  const text = Array.isArray(content) && content.length > 0 ? jsonOf(content) : ''
  return text === '' ? null : new RawJson(text)
}
