/**
 * Gemini contents → turns: calls without an ID get one, and their results are matched; reasoning and
 * signatures, also those of other vendors in our tags, become encrypted values. Must not decode media.
 */

import type { View } from '../json/view.ts'
import type {
  CallPart,
  ConversationPart,
  ConversationTurn,
  MediaPart,
  RequestField,
  ResultPart,
} from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { missingThoughts, type ReadId, readId } from '../translation/reasoning-carriers.ts'
import { textPart } from '../translation/turns.ts'
import { isOwn, type ReadSignature, readSignature } from './encrypted-reasoning.ts'
import { camelCase, list, member } from './extract-request-fields.ts'
import { isVideoPage } from './extract-request-media.ts'

const none: ReadSignature = { kind: 'none' }
/** Members of a part that are read here; any other is named to the caller. */
const partMembers = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
])
/** Kinds of parts that no other format has. */
const ownKinds = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'] as const
const roles: ReadonlyMap<string, ConversationTurn['role']> = new Map([
  ['user', 'user'],
  ['function', 'user'],
  ['tool', 'user'],
  ['model', 'assistant'],
])

/** Reads the contents of one request in order. */
export class ContentReader {
  /** Fields of parts that have a name in the policy table or nowhere. */
  readonly fields: RequestField[] = []
  private calls = 0
  /** Calls of the last step that have no result yet. */
  private open = new OpenCalls()

  /** Adjacent contents of the model are one turn: libraries store each chunk of a stream as a content. */
  turns(contents: View): readonly ConversationTurn[] {
    const turns: { role: ConversationTurn['role']; parts: ConversationPart[] }[] = []
    for (const content of list(contents)) {
      const role = roleOf(content)
      const last = turns.at(-1)
      const isMore = role === 'assistant' && last?.role === 'assistant'
      if (role === 'assistant' && !isMore) this.open = new OpenCalls()
      const turn = isMore ? last : { role, parts: [] }
      if (!isMore) turns.push(turn)
      this.read(content, turn)
    }
    return turns
  }

  /** The texts of `systemInstruction`, as the leading turn; none where it says nothing. */
  instruction(content: View | undefined): readonly ConversationTurn[] {
    if (content === undefined) return []
    if (content.isText) return [{ role: 'system', parts: [textPart(content.text())] }]
    const texts = list(content.get('parts')).map((part) => part.get('text')?.text() ?? '')
    const parts = texts.filter((text) => text !== '').map(textPart)
    return parts.length === 0 ? [] : [{ role: 'system', parts }]
  }

  private read(
    content: View,
    { role, parts }: { readonly role: ConversationTurn['role']; readonly parts: ConversationPart[] },
  ): void {
    for (const part of list(content.get('parts'))) {
      this.noteUnknown(part)
      if (role === 'assistant') this.readModelPart(part, parts)
      else this.readUserPart(part, parts)
    }
  }

  private noteUnknown(part: View): void {
    for (const [name, value] of part.members()) {
      const known = camelCase(name)
      if (value.isNull || partMembers.has(known) || ownKinds.some((kind) => kind === known)) continue
      this.fields.push({ name: `contents[].parts[].${known}`, pointer: value.pointer })
    }
  }

  private readModelPart(part: View, parts: ConversationPart[]): void {
    const signature = member(part, 'thoughtSignature')
    const read = signature === undefined ? none : readSignature(signature.text())
    const call = member(part, 'functionCall')
    if (call !== undefined) return this.readCall(call, read, parts)
    const text = part.get('text')?.text()
    if (text === undefined) return readOther(part, parts)
    if (part.get('thought')?.flag() === true) return addThought(parts, text, read)
    // Google signs the text itself; elsewhere an empty reasoning part precedes it.
    if (read.kind === 'encrypted')
      parts.push({ kind: 'thinking', text: '', redacted: read.redacted, encrypted: read.encrypted })
    if (text !== '') parts.push(textPart(text))
  }

  private readUserPart(part: View, parts: ConversationPart[]): void {
    const response = member(part, 'functionResponse')
    if (response !== undefined) {
      parts.push(this.resultOf(response))
      return
    }
    const text = part.get('text')?.text()
    if (text === undefined) readOther(part, parts)
    else if (text !== '') parts.push(textPart(text))
  }

  private readCall(call: View, read: ReadSignature, parts: ConversationPart[]): void {
    const position = this.calls
    this.calls += 1
    const callId = idOf(call)
    const id = callId.id === '' ? `call_${position}` : callId.id
    const name = call.get('name')?.text() ?? ''
    const own = read.kind === 'encrypted' && isOwn(read.encrypted) ? read.encrypted : null
    for (const thought of missingThoughts(parts, callId.carrier?.thoughts ?? [])) parts.push(thought)
    const args = call.get('args')
    parts.push({
      kind: 'call',
      id,
      name,
      namespace: null,
      form: 'json',
      input: args === undefined ? '{}' : args.written,
      encrypted: callId.carrier?.encrypted ?? own,
      pointer: call.pointer,
    } satisfies CallPart)
    this.open.add({ id, name, isMade: callId.id === '' })
  }

  private resultOf(response: View): ResultPart {
    const name = response.get('name')?.text() ?? ''
    const body = response.get('response')
    const media = list(response.get('parts')).flatMap(mediaOf)
    const pointer = response.pointer
    const answer = {
      kind: 'result',
      callId: this.callOf(response, name),
      name,
      cache: null,
      pointer,
    } as const
    const text = body === undefined ? { text: '', isError: false } : soleText(body)
    if (text === null) return { ...answer, content: media, json: body?.written ?? null, isError: false }
    const texts = text.text === '' ? [] : [textPart(text.text)]
    return { ...answer, content: [...texts, ...media], json: null, isError: text.isError }
  }

  /** The id of the call that the response answers. */
  private callOf(response: View, name: string): string {
    const { id } = idOf(response)
    return this.open.take(id, name)?.id ?? id
  }
}

function roleOf(content: View): ConversationTurn['role'] {
  const written = content.get('role')
  const role = written === undefined ? 'user' : roles.get(written.text())
  if (role === undefined) throw (written ?? content).invalid("'user' or 'model'")
  return role
}

const noId: ReadId = { id: '', carrier: null }

function idOf(view: View): ReadId {
  const id = view.get('id')
  return id === undefined ? noId : readId(id.text())
}

/** `{"output": "…"}` and `{"error": "…"}`, the two members that the format documents; null for any other response. */
function soleText(body: View): { readonly text: string; readonly isError: boolean } | null {
  const members = body.members()
  const [first] = members
  if (first === undefined || members.length !== 1) return null
  const [name, value] = first
  if (!value.isText || (name !== 'output' && name !== 'error')) return null
  return { text: value.text(), isError: name === 'error' }
}

/** A thought; with the encrypted value of another vendor it takes in the pieces before it, which were one thought there. */
function addThought(parts: ConversationPart[], text: string, read: ReadSignature): void {
  if (read.kind !== 'encrypted' || isOwn(read.encrypted)) {
    if (read.kind === 'broken') return
    const encrypted = read.kind === 'encrypted' ? read.encrypted : null
    if (text !== '' || encrypted !== null) parts.push({ kind: 'thinking', text, redacted: false, encrypted })
    return
  }
  const pieces = [text]
  for (let last = parts.at(-1); last?.kind === 'thinking' && last.encrypted === null; last = parts.at(-1)) {
    pieces.push(last.text)
    parts.pop()
  }
  parts.push({
    kind: 'thinking',
    text: pieces.reverse().join(''),
    redacted: read.redacted,
    encrypted: read.encrypted,
  })
}

function readOther(part: View, parts: ConversationPart[]): void {
  const kind = ownKinds.find((name) => member(part, name) !== undefined)
  if (kind !== undefined) parts.push({ kind: 'other', type: kind, pointer: part.pointer })
  else if (part.get('thought')?.flag() !== true) parts.push(...mediaOf(part))
}

function mediaOf(part: View): readonly MediaPart[] {
  const blob = member(part, 'inlineData')
  const file = member(part, 'fileData')
  const source = blob ?? file
  if (source === undefined) return []
  const type = member(source, 'mimeType')?.text().toLowerCase() ?? ''
  const described = {
    kind: 'media',
    medium: mediumOf(type),
    title: member(source, 'displayName')?.text() ?? null,
    detail: null,
    cache: null,
    pointer: part.pointer,
  } as const
  const url = member(source, 'fileUri')?.text() ?? ''
  if (type.startsWith('video/') || isVideoPage(url)) {
    throw untranslatable(part.pointer, 'video is not supported')
  }
  if (blob === undefined) {
    return [{ ...described, source: { kind: 'url', mediaType: type === '' ? null : type, url } }]
  }
  const bytes = plainBase64(blob.get('data')?.text() ?? '')
  const text = type.startsWith('text/') ? textOf(bytes) : null
  if (text !== null) return [{ ...described, source: { kind: 'text', text } }]
  return [{ ...described, source: { kind: 'base64', mediaType: type, data: bytes } }]
}

function mediumOf(type: string): MediaPart['medium'] {
  if (type.startsWith('image/')) return 'image'
  return type.startsWith('audio/') ? 'audio' : 'document'
}

/** The format also takes the alphabet for addresses, and space between lines. */
function plainBase64(data: string): string {
  if (!/[-_\s]/.test(data)) return data
  return data.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function textOf(data: string): string | null {
  try {
    const binary = atob(data)
    const octets = new Uint8Array(binary.length)
    for (let at = 0; at < binary.length; at += 1) octets[at] = binary.charCodeAt(at)
    return decoder.decode(octets)
  } catch {
    return null
  }
}

/** A call of the last step. */
interface PendingCall {
  readonly id: string
  readonly name: string
  /** The caller gave it no id, so its result may have any or none. */
  readonly isMade: boolean
}

/**
 * The calls of one step that wait for their results: IDs may be missing on either side, and each call is answered once. Must be
 * linear: the caller controls the length of histories.
 */
class OpenCalls {
  private readonly matched = new Set<PendingCall>()
  private readonly queues = new Map<string, { readonly calls: PendingCall[]; next: number }>()

  add(call: PendingCall): void {
    for (const key of [`id ${call.id}`, `any ${call.name}`, 'any']) this.enter(key, call)
    if (call.isMade) for (const key of [`made ${call.name}`, 'made']) this.enter(key, call)
  }

  /** By the id, else the first of that name, else the first; a result with an id takes no call that has another. */
  take(id: string, name: string): PendingCall | undefined {
    const group = id === '' ? 'any' : 'made'
    for (const key of [`id ${id}`, `${group} ${name}`, group]) {
      const call = this.first(key)
      if (call === undefined) continue
      this.matched.add(call)
      return call
    }
    return undefined
  }

  private enter(key: string, call: PendingCall): void {
    const queue = this.queues.get(key)
    if (queue === undefined) this.queues.set(key, { calls: [call], next: 0 })
    else queue.calls.push(call)
  }

  private first(key: string): PendingCall | undefined {
    const queue = this.queues.get(key)
    if (queue === undefined) return undefined
    for (; queue.next < queue.calls.length; queue.next += 1) {
      const call = queue.calls[queue.next]
      if (call !== undefined && !this.matched.has(call)) return call
    }
    return undefined
  }
}
