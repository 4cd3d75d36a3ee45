/**
 * A Gemini response → the neutral form. Arguments of functions stay as the model wrote them. Only the first
 * candidate is read: a translated request asks for one.
 */
import { WireError } from '../format.ts'
import { answerLimits, type Json, readJson } from '../json/json.ts'
import { isRecord, type JsonRecord, jsonOf, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import type { RawJson } from '../json/text.ts'
import { View } from '../json/view.ts'
import type {
  CallPart,
  Citation,
  EncryptedReasoning,
  Finish,
  FinishReason,
  MediaPart,
  NeutralResponse,
  ResponsePart,
} from '../translation/neutral.ts'
import type { Usage } from '../usage.ts'
import { contentLogprobs } from './encode-response-logprobs.ts'
import { isOwn, readSignature } from './encrypted-reasoning.ts'
import { isBlocked } from './extract-response.ts'

const decoder = new TextDecoder('utf-8')

/** Contents of a whole answer or a stream event, in order. */
export interface Chunk {
  readonly pieces: readonly GeminiPiece[]
  /** null: the response continues. */
  readonly finish: Finish | null
  readonly citations: readonly Citation[]
  readonly logprobs: RawJson | null
}

/** A part, or a bit of one: texts that follow each other are one part. */
export type GeminiPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thought'; readonly text: string; readonly encrypted: EncryptedReasoning | null }
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
  MODEL_ARMOR: 'filter',
  ESCALATION: 'refusal',
  PUP_LIMITED_DISABLED: 'refusal',
  CONTINUATION: 'pause',
}

/** Throws WireError `invalid_value` for what is not a response. */
export function decodeResponse(body: Uint8Array, usage: Usage): NeutralResponse {
  const chunk = readChunk(body)
  if (chunk === null) throw new WireError('invalid_value', 'The upstream response is not a Gemini response.')
  const parts: ResponsePart[] = []
  for (const piece of chunk.pieces) addPiece(parts, piece)
  const lastText = parts.findLastIndex(({ kind }) => kind === 'text')
  const cited = parts[lastText]
  if (cited?.kind === 'text') parts[lastText] = { ...cited, citations: chunk.citations }
  const hasCalls = parts.some(({ kind }) => kind === 'call')
  const finish = chunk.finish ?? { reason: 'end', stopString: null, explanation: null }
  return { parts, finish: withCalls(finish, hasCalls), usage, logprobs: chunk.logprobs }
}

/** The format ends an answer that calls as it ends any other. */
export function withCalls(finish: Finish, hasCalls: boolean): Finish {
  return finish.reason === 'end' && hasCalls ? { ...finish, reason: 'calls' } : finish
}

function addPiece(parts: ResponsePart[], piece: GeminiPiece): void {
  const last = parts.at(-1)
  switch (piece.kind) {
    case 'text':
      if (last?.kind === 'text') parts[parts.length - 1] = { ...last, text: last.text + piece.text }
      else parts.push({ kind: 'text', text: piece.text, cache: null, citations: [] })
      return
    case 'thought':
      // Reasoning continues until its encrypted value.
      if (last?.kind !== 'thinking' || last.encrypted !== null) {
        parts.push({ kind: 'thinking', text: piece.text, redacted: false, encrypted: piece.encrypted })
      } else parts[parts.length - 1] = { ...last, text: last.text + piece.text, encrypted: piece.encrypted }
      return
    case 'call':
      parts.push(piece.call)
      return
    case 'media':
      parts.push(piece.media)
      return
  }
}

/** Reads one JSON object of the format; null for anything else. Never throws. */
export function readChunk(bytes: Uint8Array): Chunk | null {
  const value = parsed(decoder.decode(bytes))
  if (!isRecord(value)) return null
  const [candidate] = recordsIn(value, 'candidates').filter(({ index }) => (index ?? 0) === 0)
  if (candidate === undefined && !isBlocked(value) && !isRecord(value.usageMetadata)) return null
  return {
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
  return {
    reason,
    stopString: null,
    explanation: reason === 'filter' || reason === 'refusal' ? message : null,
  }
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

function piecesOf(bytes: Uint8Array, candidate: JsonRecord): readonly GeminiPiece[] {
  const parts = recordsIn(recordIn(candidate, 'content'), 'parts')
  const calls = parts.some(({ functionCall }) => isRecord(functionCall)) ? callsIn(bytes) : []
  let next = 0
  return parts.flatMap((part) => {
    if (!isRecord(part.functionCall)) return pieceOf(part)
    const input = calls[next] ?? jsonOf(part.functionCall.args ?? {})
    next += 1
    return [{ kind: 'call', call: callOf(part, part.functionCall, input) } satisfies GeminiPiece]
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
    encrypted: read.kind === 'encrypted' ? read.encrypted : null,
    pointer: 'functionCall',
  }
}

/** The arguments of the calls of the first candidate as they are written; none where the scanner, which is stricter, fails. */
function callsIn(bytes: Uint8Array): readonly string[] {
  try {
    return readJson(bytes, answerLimits(bytes), writtenCalls)
  } catch (error) {
    if (error instanceof WireError) return []
    throw error
  }
}

function writtenCalls(json: Json): readonly string[] {
  const candidates = new View(json, json.root).get('candidates')?.items() ?? []
  const first = candidates.find((one) => (one.get('index')?.written ?? '0') === '0')
  const parts = first?.get('content')?.get('parts')?.items() ?? []
  return parts.flatMap((part) => {
    const call = part.get('functionCall')
    return call === undefined || call.kind !== 'object' ? [] : [call.get('args')?.written ?? '{}']
  })
}

/** The signature of a text is dropped: Google does not require it, and elsewhere it would be reasoning behind the answer. */
function pieceOf(part: JsonRecord): readonly GeminiPiece[] {
  const text = textIn(part, 'text')
  if (part.thought === true) return thoughtOf(part, text)
  const visibleText = text || codeIn(part)
  const texts: readonly GeminiPiece[] = visibleText === '' ? [] : [{ kind: 'text', text: visibleText }]
  return [...texts, ...mediaIn(part)]
}

function thoughtOf(part: JsonRecord, text: string): readonly GeminiPiece[] {
  const read = readSignature(textIn(part, 'thoughtSignature'))
  const encrypted = read.kind === 'encrypted' ? read.encrypted : null
  if (text === '' && (encrypted === null || isOwn(encrypted))) return []
  return [{ kind: 'thought', text, encrypted }]
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

function mediaIn(part: JsonRecord): readonly GeminiPiece[] {
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
