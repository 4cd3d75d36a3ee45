/**
 * Turns → messages of Converse: of the user and the assistant in turn, the user's first, and results of tools at the beginning
 * of the message behind their calls. Thoughts in the history are left out: only the models that sign them take them.
 */
import { isRecord, parsed } from '../json/parsed.ts'
import { type JsonOut, RawJson } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type {
  Adjustment,
  CallPart,
  ConversationPart,
  ConversationTurn,
  MediaPart,
  ResultPart,
} from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { plainId } from '../translation/reasoning-carriers.ts'
import type { NamedTools } from '../translation/tool-names.ts'
import { endOfUser, joinedTurns } from '../translation/turns.ts'
import type { CachePoints } from './encode-request-cache.ts'

const idCharactersMax = 64
/** For a message that must have content and has none: a text must not be blank. */
const placeholder: JsonOut = { text: '.' }

export interface MessageDeps {
  readonly capabilities: Capabilities
  readonly names: NamedTools
  readonly cachePoints: CachePoints
  readonly adjust: (adjustment: Adjustment) => void
}

interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: readonly JsonOut[]
}

/** The turns behind the leading instructions. */
export function writeMessages(turns: readonly ConversationTurn[], deps: MessageDeps): readonly JsonOut[] {
  const messages: Message[] = []
  let open: readonly CallPart[] = []
  const joined = joinedTurns(turns)
  for (let at = 0; at < joined.length; ) {
    const end = endOfUser(joined, at)
    const isAssistants = end === at
    const parts = joined.slice(at, isAssistants ? at + 1 : end)
    if (isAssistants) {
      if (open.length > 0) resultsOf(open, [])
      open = parts.flatMap((turn) => turn.parts.filter((part) => part.kind === 'call'))
      add(
        messages,
        'assistant',
        assistantBlocks(
          parts.flatMap((turn) => turn.parts),
          deps,
        ),
      )
    } else {
      add(messages, 'user', userBlocks(parts, open, deps))
      open = []
    }
    at = isAssistants ? at + 1 : end
  }
  if (open.length > 0) resultsOf(open, [])
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [placeholder] })
  return messages.map(({ role, content }) => ({ role, content }))
}

/** An empty message is rejected; an empty one of the assistant is left out, so that the turns around it are one. */
function add(messages: Message[], role: Message['role'], content: readonly JsonOut[]): void {
  const last = messages.at(-1)
  const blocks = content.length === 0 && role === 'user' ? [placeholder] : content
  if (blocks.length === 0) return
  if (last?.role === role) messages[messages.length - 1] = { role, content: [...last.content, ...blocks] }
  else messages.push({ role, content: blocks })
}

function assistantBlocks(parts: readonly ConversationPart[], deps: MessageDeps): readonly JsonOut[] {
  return parts.flatMap((part): readonly JsonOut[] => {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        return textBlocks(part.text)
      case 'thinking':
        return []
      case 'call':
        return [{ toolUse: callBlock(part, deps) }]
      default:
        return dropped(part, deps)
    }
  })
}

function callBlock({ id, name, namespace, form, input }: CallPart, { names }: MessageDeps): JsonOut {
  return {
    toolUseId: plainId(id, idCharactersMax),
    name: names.name(name, namespace, form === 'text'),
    input: form === 'text' ? { input } : objectOf(input),
  }
}

/** The input as the object that the format demands; what a limit cut stays readable in `_raw`. */
function objectOf(input: string): JsonOut {
  if (input.trim() === '' || /^\s*\[\s*\]\s*$/.test(input)) return {}
  return isRecord(parsed(input)) ? new RawJson(input) : { _raw: input }
}

/** Results first, then everything else in its order. */
function userBlocks(
  turns: readonly ConversationTurn[],
  open: readonly CallPart[],
  deps: MessageDeps,
): readonly JsonOut[] {
  const results: ResultPart[] = []
  const blocks: JsonOut[] = []
  let hasDocument = false
  for (const { role, parts } of turns) {
    for (const part of parts) {
      if (part.kind === 'result') results.push(part)
      else if (part.kind === 'media') {
        hasDocument ||= part.medium === 'document'
        blocks.push(mediaBlock(part, deps.capabilities, blocks.length), ...deps.cachePoints.behind(part))
      } else if (part.kind === 'text' || part.kind === 'refusal') {
        const texts = textBlocks(role === 'system' ? reminder(part.text) : part.text)
        blocks.push(...texts, ...(texts.length === 0 ? [] : deps.cachePoints.behind(part)))
      } else if (part.kind !== 'thinking') blocks.push(...dropped(part, deps))
    }
  }
  const isText = (block: JsonOut) => isRecord(block) && 'text' in block
  // A document needs a text in the same message.
  if (hasDocument && !blocks.some(isText)) blocks.push(placeholder)
  const answered = resultsOf(open, results)
  const resultBlocks = answered.flatMap(({ call, result }): readonly JsonOut[] => [
    { toolResult: resultBlock(call, result, deps) },
    ...deps.cachePoints.behind(result),
  ])
  return [...resultBlocks, ...blocks]
}

interface AnsweredCall {
  readonly call: CallPart
  readonly result: ResultPart
}

/** Each call with its result, in the order of the calls. */
function resultsOf(calls: readonly CallPart[], results: readonly ResultPart[]): readonly AnsweredCall[] {
  const rest = new Map(results.map((result) => [result.callId, result]))
  const answered = calls.map((call) => {
    const result = rest.get(call.id)
    rest.delete(call.id)
    if (result === undefined) throw untranslatable(call.pointer, 'a tool call must be followed by its result')
    return { call, result }
  })
  for (const { pointer } of rest.values()) throw untranslatable(pointer, 'no earlier tool call matches it')
  return answered
}

function resultBlock({ id }: CallPart, result: ResultPart, { capabilities }: MessageDeps): JsonOut {
  const texts = result.json === null ? [] : textBlocks(result.json)
  const content = result.content.flatMap((part, at): readonly JsonOut[] => {
    if (part.kind === 'text') return textBlocks(part.text)
    if (part.source.kind === 'text') return textBlocks(part.source.text)
    if (!capabilities.resultMedia) throw untranslatable(part.pointer, 'tool results must be text')
    return [mediaBlock(part, capabilities, at)]
  })
  const blocks = [...texts, ...content]
  return {
    toolUseId: plainId(id, idCharactersMax),
    content: blocks.length === 0 ? [placeholder] : blocks,
    status: result.isError ? 'error' : undefined,
  }
}

function textBlocks(text: string): readonly JsonOut[] {
  return text.trim() === '' ? [] : [{ text }]
}

/** Instructions that are not supported in this position, as a part of the user's turn. */
function reminder(text: string): string {
  return text.trim() === '' ? '' : `<system-reminder>\n${text}\n</system-reminder>`
}

function dropped(part: ConversationPart, { adjust }: MessageDeps): readonly JsonOut[] {
  const field = 'pointer' in part ? part.pointer : part.kind
  adjust({ kind: 'dropped', field, why: 'supported in its own format only' })
  return []
}

const imageFormats: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

const documentFormats: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
}

const encoder = new TextEncoder()

/**
 * Media as blocks of bytes in base64, since Converse fetches nothing. Throws WireError naming what the model does not accept.
 * API_runtime_ImageBlock, API_runtime_DocumentBlock, 2026-11. `place` keeps the names of a message's documents apart; names of the caller's could hold instructions, so they are
 * not sent.
 */
function mediaBlock(part: MediaPart, { inputs }: Capabilities, place: number): JsonOut {
  const { medium, source, pointer } = part
  if (medium === 'audio' || !inputs.includes(medium)) {
    throw untranslatable(pointer, `the model does not support ${medium}`)
  }
  if (source.kind === 'url') throw untranslatable(pointer, 'media must be sent in base64')
  const mediaType = source.kind === 'text' ? 'text/plain' : source.mediaType
  const formats = medium === 'image' ? imageFormats : documentFormats
  const format = Object.hasOwn(formats, mediaType) ? formats[mediaType] : undefined
  if (format === undefined) throw untranslatable(pointer, `media type '${mediaType}' is not supported`)
  const bytes = source.kind === 'text' ? base64(source.text) : source.data
  return medium === 'image'
    ? { image: { format, source: { bytes } } }
    : { document: { format, name: `document-${place + 1}`, source: { bytes } } }
}

function base64(text: string): string {
  let binary = ''
  for (const byte of encoder.encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}
