/**
 * A Gemini answer → neutral words. Arguments of functions stay as the model wrote them. Only the first
 * candidate is read: a translated request asks for one.
 */
import { type Usage, WireError } from '../codec.ts'
import { type JsonLimits, readJson } from '../json.ts'
import type { RawJson } from '../json-text.ts'
import { signatureOfText } from '../marks.ts'
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
import { View } from '../view.ts'
import { readSignature } from './request-seals.ts'
import { isBlocked } from './response.ts'
import { contentLogprobs } from './response-logprobs.ts'

const decoder = new TextDecoder('utf-8')

/** What a whole answer and one event of a stream say, in order. */
export interface Chunk {
  readonly id: string
  readonly model: string
  readonly pieces: readonly Piece[]
  /** null: the answer goes on. */
  readonly finish: Finish | null
  readonly citations: readonly Citation[]
  readonly logprobs: RawJson | null
}

/** A part, or a bit of one: texts that follow each other are one part. */
export type Piece =
  /** `seal`: Google signed this text. */
  | { readonly kind: 'text'; readonly text: string; readonly seal: Seal | null }
  /** A part that has nothing but a signature. */
  | { readonly kind: 'signature'; readonly seal: Seal }
  | { readonly kind: 'thought'; readonly text: string; readonly seal: Seal | null }
  | { readonly kind: 'call'; readonly call: CallPart }
  | { readonly kind: 'media'; readonly media: MediaPart }

/** https://ai.google.dev/api/generate-content#FinishReason; what is not here is the end of a turn. */
const finishes: Readonly<Record<string, FinishReason>> = {
  STOP: 'end',
  MAX_TOKENS: 'length',
  SAFETY: 'filter',
  RECITATION: 'filter',
  LANGUAGE: 'filter',
  BLOCKLIST: 'filter',
  PROHIBITED_CONTENT: 'filter',
  SPII: 'filter',
  IMAGE_SAFETY: 'filter',
  IMAGE_PROHIBITED_CONTENT: 'filter',
  IMAGE_RECITATION: 'filter',
  IMAGE_OTHER: 'filter',
  NO_IMAGE: 'filter',
  CONTINUATION: 'pause',
}

/** Throws WireError `invalid_value` for what is no answer. */
export function decodeAnswer(body: Uint8Array, usage: Usage): NeutralAnswer {
  const chunk = readChunk(body)
  if (chunk === null) throw new WireError('invalid_value', 'The upstream answered with no Gemini answer.')
  const parts: AnswerPart[] = []
  for (const piece of chunk.pieces) addPiece(parts, piece)
  const lastText = parts.findLastIndex(({ kind }) => kind === 'text')
  const cited = parts[lastText]
  if (cited?.kind === 'text') parts[lastText] = { ...cited, citations: chunk.citations }
  const hasCalls = parts.some(({ kind }) => kind === 'call')
  const { id, model, logprobs } = chunk
  const finish = chunk.finish ?? { reason: 'end', stopString: null, explanation: null }
  return { id, model, parts, finish: withCalls(finish, hasCalls), usage, logprobs }
}

/** The format ends an answer that calls as it ends any other. */
export function withCalls(finish: Finish, hasCalls: boolean): Finish {
  return finish.reason === 'end' && hasCalls ? { ...finish, reason: 'calls' } : finish
}

function addPiece(parts: AnswerPart[], piece: Piece): void {
  const last = parts.at(-1)
  switch (piece.kind) {
    case 'text':
      if (piece.seal !== null) parts.push(signatureThought(signatureOfText(piece.seal, 'behind')))
      if (last?.kind === 'text' && piece.seal === null) {
        parts[parts.length - 1] = { ...last, text: last.text + piece.text }
      } else parts.push({ kind: 'text', text: piece.text, cache: null, citations: [] })
      return
    case 'signature':
      parts.push(signatureThought(piece.seal))
      return
    case 'thought':
      // A thought goes on until its seal.
      if (last?.kind !== 'thinking' || last.seal !== null) {
        parts.push({ kind: 'thinking', text: piece.text, redacted: false, seal: piece.seal })
      } else parts[parts.length - 1] = { ...last, text: last.text + piece.text, seal: piece.seal }
      return
    case 'call':
      parts.push(piece.call)
      return
    case 'media':
      parts.push(piece.media)
      return
  }
}

function signatureThought(seal: Seal): ThinkingPart {
  return { kind: 'thinking', text: '', redacted: false, seal }
}

/** Reads one JSON object of the format; null for what is none. Never throws. */
export function readChunk(bytes: Uint8Array): Chunk | null {
  const value = parsed(decoder.decode(bytes))
  if (!isRecord(value)) return null
  const [candidate] = recordsIn(value, 'candidates').filter(({ index }) => (index ?? 0) === 0)
  if (candidate === undefined && !isBlocked(value) && !isRecord(value.usageMetadata)) return null
  return {
    id: textIn(value, 'responseId'),
    model: textIn(value, 'modelVersion'),
    pieces: candidate === undefined ? [] : piecesOf(bytes, candidate),
    finish: candidate === undefined ? blockOf(value) : finishOf(candidate),
    citations: candidate === undefined ? [] : citationsOf(candidate),
    logprobs: candidate === undefined ? null : contentLogprobs(candidate.logprobsResult),
  }
}

function blockOf(answer: JsonRecord): Finish | null {
  if (!isBlocked(answer)) return null
  const feedback = recordIn(answer, 'promptFeedback')
  const explanation = textIn(feedback, 'blockReasonMessage') || textIn(feedback, 'blockReason')
  return { reason: 'filter', stopString: null, explanation }
}

function finishOf(candidate: JsonRecord): Finish | null {
  const written = textIn(candidate, 'finishReason')
  if (written === '') return null
  const reason = Object.hasOwn(finishes, written) ? (finishes[written] ?? 'end') : 'end'
  const message = textIn(candidate, 'finishMessage') || written
  return { reason, stopString: null, explanation: reason === 'filter' ? message : null }
}

function citationsOf(candidate: JsonRecord): readonly Citation[] {
  const chunks = recordsIn(recordIn(candidate, 'groundingMetadata'), 'groundingChunks')
  const sources = [
    ...chunks.map((chunk) => recordIn(chunk, 'web')),
    ...recordsIn(recordIn(candidate, 'citationMetadata'), 'citations'),
  ]
  return sources
    .map((source) => ({
      url: textIn(source, 'uri') || null,
      title: textIn(source, 'title') || null,
      quoted: null,
    }))
    .filter(({ url, title }) => url !== null || title !== null)
}

function piecesOf(bytes: Uint8Array, candidate: JsonRecord): readonly Piece[] {
  const parts = recordsIn(recordIn(candidate, 'content'), 'parts')
  const calls = parts.some(({ functionCall }) => isRecord(functionCall)) ? callsIn(bytes) : []
  let next = 0
  return parts.flatMap((part) => {
    if (!isRecord(part.functionCall)) return pieceOf(part)
    const input = calls[next] ?? ''
    next += 1
    return [{ kind: 'call', call: callOf(part, part.functionCall, input) } satisfies Piece]
  })
}

function callOf(part: JsonRecord, call: JsonRecord, input: string): CallPart {
  const read = readSignature(textIn(part, 'thoughtSignature'))
  return {
    kind: 'call',
    id: textIn(call, 'id'),
    name: textIn(call, 'name'),
    namespace: null,
    form: 'json',
    input,
    seal: read.kind === 'seal' ? read.seal : null,
    pointer: 'functionCall',
  }
}

/** The arguments of the calls of the first candidate as they are written. */
function callsIn(bytes: Uint8Array): readonly string[] {
  // What an upstream sent was bounded before; every value takes a byte at least.
  const limits: JsonLimits = { depthMax: bytes.length, valuesMax: bytes.length }
  return readJson(bytes, limits, (json) => {
    const candidates = new View(json, json.root).get('candidates')?.items() ?? []
    const first = candidates.find((one) => (one.get('index')?.written ?? '0') === '0')
    const parts = first?.get('content')?.get('parts')?.items() ?? []
    return parts.flatMap((part) => {
      const call = part.get('functionCall')
      return call === undefined || call.kind !== 'object' ? [] : [call.get('args')?.written ?? '{}']
    })
  })
}

function pieceOf(part: JsonRecord): readonly Piece[] {
  const text = textIn(part, 'text')
  const read = readSignature(textIn(part, 'thoughtSignature'))
  const seal = read.kind === 'seal' ? read.seal : null
  if (part.thought === true) return text === '' && seal === null ? [] : [{ kind: 'thought', text, seal }]
  const said = text || codeIn(part)
  if (said !== '') return [{ kind: 'text', text: said, seal }, ...mediaIn(part)]
  const signed: readonly Piece[] = seal === null ? [] : [{ kind: 'signature', seal }]
  return [...signed, ...mediaIn(part)]
}

/** Code that ran at the provider, and what it printed, for readers elsewhere. */
function codeIn(part: JsonRecord): string {
  const { executableCode: code, codeExecutionResult: result } = part
  if (isRecord(code)) return fenced(textIn(code, 'language').toLowerCase(), textIn(code, 'code'))
  return isRecord(result) ? fenced('', textIn(result, 'output')) : ''
}

function fenced(language: string, text: string): string {
  return text === '' ? '' : `\n\`\`\`${language}\n${text}${text.endsWith('\n') ? '' : '\n'}\`\`\`\n`
}

function mediaIn(part: JsonRecord): readonly Piece[] {
  const blob = recordIn(part, 'inlineData')
  const bytes = textIn(blob, 'data')
  if (bytes === '') return []
  const mediaType = textIn(blob, 'mimeType')
  const medium = mediaType.startsWith('audio/')
    ? 'audio'
    : mediaType.startsWith('image/')
      ? 'image'
      : 'document'
  const source = { kind: 'base64', mediaType, data: bytes } as const
  const described = { title: null, detail: null, cache: null, pointer: 'inlineData' }
  return [{ kind: 'media', media: { kind: 'media', medium, source, ...described } }]
}
