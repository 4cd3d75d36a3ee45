/**
 * The messages of a chat request → turns. Reasoning and signatures return in the carriers in call
 * IDs, then in the fields that clients echo; missing IDs are derived from the positions of the
 * calls, so that they stay the same when the conversation grows. Must not look ahead.
 */

import type { View } from '../json/view.ts'
import type {
  CallPart,
  ConversationPart,
  ConversationTurn,
  EncryptedReasoning,
  ThinkingPart,
} from '../translation/neutral.ts'
import { isUnencrypted, readId, readTag, readTagBase64 } from '../translation/reasoning-carriers.ts'
import { type ChatFieldList, readCache, readContent, resultOf, textOrNull } from './decode-request-parts.ts'
import { encryptedForms } from './encrypted-reasoning.ts'

/** Reads the array of messages. Throws WireError naming the place. */
export function readTurns(messages: View, fields: ChatFieldList): readonly ConversationTurn[] {
  const reader = new TurnReader(fields)
  for (const [index, message] of messages.items().entries()) reader.read(message, index)
  return reader.turns
}

interface DecodedCall {
  readonly call: CallPart
  readonly thoughts: readonly ThinkingPart[]
}

class TurnReader {
  readonly turns: ConversationTurn[] = []
  private readonly fields: ChatFieldList
  /** Ids that were made for calls without one, in order, as long as no result has taken them. */
  private readonly made: string[] = []
  /** The last id that was made for a call of the oldest form, by the name of its function. */
  private readonly functions = new Map<string, string>()

  constructor(fields: ChatFieldList) {
    this.fields = fields
  }

  read(message: View, index: number): void {
    const role = message.get('role')
    if (role === undefined) throw message.invalid('a message with a role')
    const name = message.get('name')
    const word = role.text()
    if (name !== undefined && word !== 'function') {
      this.fields.push({ name: 'messages[].name', pointer: name.pointer })
    }
    switch (word) {
      case 'system':
      case 'developer':
        return this.add('system', readContent(message.get('content'), this.fields), message)
      case 'user':
        return this.user(message)
      case 'assistant':
        return this.add('assistant', this.assistant(message, index), message)
      case 'tool':
        return this.add('user', this.result(message, this.answered(message)))
      case 'function':
        return this.add('user', this.result(message, this.functions.get(textOrNull(name) ?? '') ?? ''))
      default:
        throw role.invalid('one of system, developer, user, assistant and tool')
    }
  }

  /** An empty user message is still a message: the model answers it. */
  private user(message: View): void {
    const parts = readContent(message.get('content'), this.fields)
    if (parts.length === 0) this.turns.push({ role: 'user', parts })
    else this.add('user', parts, message)
  }

  /** A message of anybody else that says nothing is no turn; a mark on a message is one on its last part. */
  private add(role: ConversationTurn['role'], parts: readonly ConversationPart[], marked?: View): void {
    const last = parts.at(-1)
    if (last === undefined) return
    const cache = marked === undefined ? null : readCache(marked, this.fields, 'messages[]')
    const isMarked = cache !== null && (last.kind === 'text' || last.kind === 'media')
    this.turns.push({ role, parts: isMarked ? [...parts.slice(0, -1), { ...last, cache }] : parts })
  }

  private result(message: View, callId: string): readonly ConversationPart[] {
    return resultOf(message, { callId, isError: false, fields: this.fields })
  }

  private answered(message: View): string {
    const { id } = readId(textOrNull(message.get('tool_call_id')) ?? '')
    return id === '' ? (this.made.shift() ?? '') : id
  }

  private assistant(message: View, index: number): readonly ConversationPart[] {
    const content = readContent(message.get('content'), this.fields)
    const calls = this.calls(message, index)
    const refusal = textOrNull(message.get('refusal')) ?? ''
    const encrypted = signatureIn(message)
    const first = calls[0]
    const takesEncrypted =
      encrypted !== null && first !== undefined && calls.every(({ call }) => call.encrypted === null)
    const parts: ConversationPart[] = [
      ...(first?.thoughts ?? []),
      ...messageThoughts(message, calls),
      ...content,
    ]
    if (refusal !== '') parts.push({ kind: 'refusal', text: refusal })
    for (const { call, thoughts } of calls) {
      if (call !== first?.call) parts.push(...thoughts)
      parts.push(call === first?.call && takesEncrypted ? { ...call, encrypted } : call)
    }
    if (encrypted !== null && first === undefined)
      parts.push({ kind: 'thinking', text: '', redacted: false, encrypted })
    return withoutRepeated(parts)
  }

  private calls(message: View, index: number): readonly DecodedCall[] {
    const calls = message.get('tool_calls')?.items() ?? []
    const read = calls.map((call, place) => this.call(call, `${index}_${place}`))
    const legacy = message.get('function_call')
    if (legacy === undefined) return read
    const id = `call_function_${index}`
    const call = calledBy(legacy, { id, form: 'json', input: 'arguments', encrypted: null })
    this.functions.set(call.name, id)
    return [...read, { call, thoughts: [] }]
  }

  private call(call: View, place: string): DecodedCall {
    const { id: writtenId, carrier } = readId(textOrNull(call.get('id')) ?? '')
    const id = writtenId === '' ? `call_${place}` : writtenId
    if (writtenId === '') this.made.push(id)
    const custom = call.get('custom')
    const named = custom ?? call.get('function')
    if (named === undefined) throw call.invalid('a call with a function')
    const encrypted = carrier?.encrypted ?? signatureIn(call)
    const form = custom === undefined ? 'json' : 'text'
    return {
      call: calledBy(named, { id, form, input: custom === undefined ? 'arguments' : 'input', encrypted }),
      thoughts: carrier?.thoughts ?? [],
    }
  }
}

function calledBy(
  named: View,
  callFields: Pick<CallPart, 'id' | 'form' | 'encrypted'> & { readonly input: 'arguments' | 'input' },
): CallPart {
  const { id, form, encrypted } = callFields
  const name = named.get('name')
  if (name === undefined) throw named.invalid('a function with a name')
  const input = named.get(callFields.input)
  // Some clients send the object itself where its text belongs.
  const text = input === undefined ? '' : input.isText ? input.text() : input.written
  return {
    kind: 'call',
    id,
    name: name.text(),
    namespace: null,
    form,
    input: text,
    encrypted,
    pointer: named.pointer,
  }
}

/** Google's own field for chat clients. */
function signatureIn(holder: View): EncryptedReasoning | null {
  const signature = textOrNull(holder.get('extra_content')?.get('google')?.get('thought_signature'))
  if (signature === null || signature === '') return null
  const tag = readTagBase64(signature)
  if (tag.kind === 'encrypted') return tag.encrypted
  return tag.kind === 'plain' ? { vendor: 'google', data: signature } : null
}

/** The thoughts that fields of the message tell, but for those that the marks of later calls put in their place. */
function messageThoughts(message: View, calls: readonly DecodedCall[]): readonly ThinkingPart[] {
  const details = message.get('reasoning_details')
  if (details?.isList === true && details.items().length > 0) {
    const later = new Set(calls.slice(1).flatMap(({ thoughts }) => thoughts.map(keyOf)))
    return details
      .items()
      .flatMap(detailed)
      .filter((thought) => !later.has(keyOf(thought)))
  }
  if (calls.some(({ thoughts }) => thoughts.length > 0)) return []
  const text = textOrNull(message.get('reasoning_content')) ?? textOrNull(message.get('reasoning')) ?? ''
  return text === '' ? [] : [{ kind: 'thinking', text, redacted: false, encrypted: null }]
}

/** Reads an entry of `reasoning_details`; a signature counts only if it has our tag. */
function detailed(detail: View): readonly ThinkingPart[] {
  const isHidden = textOrNull(detail.get('type')) === 'reasoning.encrypted'
  const text = textOrNull(detail.get('text')) ?? textOrNull(detail.get('summary')) ?? ''
  const written = textOrNull(detail.get(isHidden ? 'data' : 'signature')) ?? ''
  const tag = readTag(written)
  if (tag.kind === 'broken') return []
  const encrypted = tag.kind === 'encrypted' && !isUnencrypted(tag.encrypted) ? tag.encrypted : null
  if (encrypted === null && text === '') return []
  return [
    {
      kind: 'thinking',
      text,
      redacted: isHidden && encrypted !== null && encryptedForms[encrypted.vendor].redacts,
      encrypted,
    },
  ]
}

function keyOf({ encrypted, text }: ThinkingPart): string {
  return encrypted === null ? `text ${text}` : `${encrypted.vendor} ${encrypted.data}`
}

/** Encrypted reasoning that returned in two ways is placed where it came first. */
function withoutRepeated(parts: readonly ConversationPart[]): readonly ConversationPart[] {
  const seen = new Set<string>()
  return parts.filter((part) => {
    if (part.kind !== 'thinking' || part.encrypted === null) return true
    const key = keyOf(part)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
