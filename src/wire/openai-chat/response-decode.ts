/**
 * A whole chat answer → neutral parts. Hosts differ in where they put thoughts, citations and calls; what can be
 * told is told. Only the first choice counts: more are not asked for when a request is translated.
 */
import { type Usage, WireError } from '../codec.ts'
import { RawJson } from '../json-text.ts'
import { readTagBase64 } from '../marks.ts'
import type {
  AnswerPart,
  CallPart,
  Citation,
  Finish,
  FinishReason,
  MediaPart,
  NeutralAnswer,
  Seal,
  ThinkingPart,
} from '../neutral.ts'
import { isRecord, type JsonRecord, parsed, recordIn, recordsIn, textIn } from '../parsed.ts'

const decoder = new TextDecoder('utf-8')
const partLevelsMax = 3

/** See `Codec.decodeAnswer`. */
export function decodeAnswer(body: Uint8Array, usage: Usage): NeutralAnswer {
  const answer = parsed(decoder.decode(body))
  const choice = isRecord(answer) ? recordsIn(answer, 'choices')[0] : undefined
  if (!isRecord(answer) || choice === undefined) {
    throw new WireError('invalid_value', 'The upstream answered without choices.')
  }
  const message = recordIn(choice, 'message')
  const parts = partsOf(message)
  return {
    id: textIn(answer, 'id'),
    model: textIn(answer, 'model'),
    parts,
    finish: finishOf(textIn(choice, 'finish_reason'), new Set(parts.map(({ kind }) => kind))),
    usage,
    logprobs: logprobsIn(choice),
  }
}

function partsOf(message: JsonRecord): readonly AnswerPart[] {
  const parts: AnswerPart[] = []
  const thought = textIn(message, 'reasoning_content') || textIn(message, 'reasoning')
  const pieces = piecesOf(message.content)
  const thoughts = [thought, ...pieces.flatMap(({ kind, text }) => (kind === 'thinking' ? [text] : []))]
  const text = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
  const thinking = thoughts.join('')
  if (thinking !== '') parts.push({ kind: 'thinking', text: thinking, redacted: false, seal: null })
  const spoken = text === '' ? textIn(recordIn(message, 'audio'), 'transcript') : text
  if (spoken !== '') parts.push({ kind: 'text', text: spoken, cache: null, citations: citationsIn(message) })
  if (textIn(message, 'refusal') !== '') parts.push({ kind: 'refusal', text: textIn(message, 'refusal') })
  const calls = callsIn(message)
  const seal = calls.length === 0 ? signatureIn(message) : null
  return [...parts, ...mediaIn(message), ...calls, ...(seal === null ? [] : [sealAlone(seal)])]
}

export interface Piece {
  readonly kind: 'text' | 'thinking'
  readonly text: string
}

/** Content is a string; some hosts send parts, of which thinking is one that holds parts again. */
export function piecesOf(content: unknown, level = 1): readonly Piece[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  if (!Array.isArray(content) || level > partLevelsMax) return []
  return content.filter(isRecord).flatMap((part) => {
    if (part.thinking === undefined) return piecesOf(part.text, level + 1)
    return piecesOf(part.thinking, level + 1).map(({ text }): Piece => ({ kind: 'thinking', text }))
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
    const { id, seal, isCustom, named } = callOf(call)
    return callPart({ id, seal }, named, isCustom)
  })
  if (isRecord(message.function_call))
    calls.push(callPart({ id: '', seal: null }, message.function_call, false))
  const [first] = calls
  const seal = signatureIn(message)
  if (first === undefined || seal === null || calls.some((call) => call.seal !== null)) return calls
  return [{ ...first, seal }, ...calls.slice(1)]
}

function callPart(of: Pick<CallPart, 'id' | 'seal'>, named: JsonRecord, isCustom: boolean): CallPart {
  return {
    kind: 'call',
    ...of,
    name: textIn(named, 'name'),
    namespace: null,
    form: isCustom ? 'text' : 'json',
    input: textIn(named, isCustom ? 'input' : 'arguments'),
    pointer: '',
  }
}

export interface CallRecord {
  readonly id: string
  readonly seal: Seal | null
  readonly isCustom: boolean
  /** What has the name and the input. */
  readonly named: JsonRecord
}

/** A call, or a piece of one, as any host writes it. */
export function callOf(call: JsonRecord): CallRecord {
  const isCustom = isRecord(call.custom)
  return {
    id: textIn(call, 'id'),
    seal: signatureIn(call),
    isCustom,
    named: recordIn(call, isCustom ? 'custom' : 'function'),
  }
}

/** The signature that Google's compatible address puts on calls and messages. */
export function signatureIn(holder: JsonRecord): Seal | null {
  const signature = textIn(recordIn(recordIn(holder, 'extra_content'), 'google'), 'thought_signature')
  const isTheirs = signature !== '' && readTagBase64(signature).kind === 'plain'
  return isTheirs ? { maker: 'google', data: signature } : null
}

/** A signature that belongs to no call, as an empty thought. */
export function sealAlone(seal: Seal): ThinkingPart {
  return { kind: 'thinking', text: '', redacted: false, seal }
}

const reasons: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['stop', 'end'],
  ['length', 'length'],
  ['tool_calls', 'calls'],
  ['function_call', 'calls'],
  ['content_filter', 'filter'],
])

/** What the finish means beside what was said: hosts end calls with `stop` too, and refusals always. */
export function finishOf(word: string, said: ReadonlySet<AnswerPart['kind']>): Finish {
  const told = reasons.get(word) ?? 'end'
  const reason = told !== 'end' ? told : said.has('call') ? 'calls' : said.has('refusal') ? 'refusal' : told
  return { reason, stopString: null, explanation: null }
}

export function logprobsIn(choice: JsonRecord): RawJson | null {
  const { content } = recordIn(choice, 'logprobs')
  return Array.isArray(content) && content.length > 0 ? new RawJson(JSON.stringify(content)) : null
}
