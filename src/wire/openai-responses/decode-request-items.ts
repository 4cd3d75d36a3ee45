/**
 * The items of a Responses request as turns: consecutive items of one speaker are one turn, calls
 * and reasoning belong to the assistant's, outputs of tools to the user's. The order stays. Must not omit
 * an item silently: what only this format has is named.
 */

import type { View } from '../json/view.ts'
import { mediumOfImage } from '../media.ts'
import type {
  CacheLifetime,
  CallPart,
  Citation,
  ConversationPart,
  ConversationTurn,
  EncryptedReasoning,
  MediaPart,
  ResultPart,
  TextPart,
  ThinkingPart,
} from '../translation/neutral.ts'
import { isUnencrypted, readId, readTag } from '../translation/reasoning-carriers.ts'
import { textPart } from '../translation/turns.ts'
import type { ResponsesFieldList } from './decode-request-fields.ts'
import { addressedSource, embeddedSource, typeOfFile } from './decode-request-media.ts'
import type { ResponsesToolDecoder } from './decode-request-tools.ts'
import { openedEncrypted, ownVendor } from './encrypted-reasoning.ts'

type TurnRole = ConversationTurn['role']

/** Nothing else could read them, and the conversation would be another one without. */
const irreplaceable = ['compaction', 'compaction_trigger']
/** Tool outputs that only this format has, on the caller's side. */
const callerOutputs = /_output$|^mcp_approval_response$/

export class ItemDecoder {
  readonly turns: { readonly role: TurnRole; readonly parts: ConversationPart[] }[] = []
  /** The last effort and format that items set. */
  effort: View | undefined
  format: View | undefined
  private readonly fields: ResponsesFieldList
  private readonly tools: ResponsesToolDecoder
  /** The reasoning in the turn that is being read. */
  private thoughts: { readonly turn: readonly ConversationPart[]; readonly keys: Set<string> } | null = null

  constructor(fields: ResponsesFieldList, tools: ResponsesToolDecoder) {
    this.fields = fields
    this.tools = tools
  }

  /** Precede all items; some clients send an array of items. */
  readInstructions(instructions: View): void {
    if (instructions.isList) this.readInput(instructions)
    else if (instructions.text() !== '') this.begin('system').push(textPart(instructions.text()))
  }

  readInput(input: View): void {
    if (input.isText) this.begin('user').push(textPart(input.text()))
    else for (const item of input.items()) this.readItem(item)
  }

  private readItem(item: View): void {
    const type = item.get('type')?.text() ?? 'message'
    switch (type) {
      case 'message':
        return this.readMessage(item)
      case 'function_call':
        return this.readCall(item, 'json', item.get('arguments')?.text() ?? '')
      case 'custom_tool_call':
        return this.readCall(item, 'text', item.get('input')?.text() ?? '')
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.readResult(item)
      case 'reasoning':
        return this.readReasoning(item)
      case 'additional_tools':
      case 'tool_search_output':
        return this.readTools(item)
      case 'configuration_update':
        this.fields.note('input[type=configuration_update]', item.pointer)
        this.effort = item.get('reasoning')?.get('effort') ?? this.effort
        this.format = item.get('text')?.get('format') ?? this.format
        return
      default:
        if (irreplaceable.includes(type)) return this.fields.note(`input[type=${type}]`, item.pointer)
        this.join(callerOutputs.test(type) ? 'user' : 'assistant').push(otherPart(type, item))
    }
  }

  private readMessage(item: View): void {
    const role = roleOf(item)
    const phase = item.get('phase')
    if (phase !== undefined) this.fields.note('input[].phase', phase.pointer)
    const content = item.get('content')
    // Messages of the assistant belong to one turn: a comment, a call, an answer.
    const parts = role === 'assistant' ? this.join(role) : this.begin(role)
    if (content !== undefined) for (const part of this.contentOf(content)) parts.push(part)
  }

  private readCall(item: View, form: CallPart['form'], input: string): void {
    const parts = this.join('assistant')
    const { id, carrier } = readId(item.get('call_id')?.text() ?? '')
    // The thoughts are already there when a client sends both the items and the ids.
    const thoughts = carrier?.thoughts ?? []
    const keys = this.thoughtsIn(parts)
    if (!thoughts.some((thought) => keys.has(keyOf(thought)))) {
      for (const thought of thoughts) this.think(parts, thought)
    }
    const name = item.get('name')?.text() ?? ''
    parts.push({
      kind: 'call',
      id,
      name,
      namespace: this.tools.namespaceOf(name, item.get('namespace')?.text() ?? null),
      form,
      input,
      encrypted: carrier?.encrypted ?? null,
      pointer: item.pointer,
    })
  }

  private readResult(item: View): void {
    const output = item.get('output')
    const result: ResultPart = {
      kind: 'result',
      callId: readId(item.get('call_id')?.text() ?? '').id,
      name: item.get('name')?.text() ?? null,
      content: output === undefined ? [] : this.resultContent(output),
      json: null,
      isError: false,
      cache: null,
      pointer: item.pointer,
    }
    const last = this.turns.at(-1)
    // Nothing else precedes a result in its turn.
    const isAmongResults = last?.role === 'user' && (last.parts.at(-1)?.kind ?? 'result') === 'result'
    ;(isAmongResults ? last.parts : this.begin('user')).push(result)
  }

  private resultContent(output: View): readonly (TextPart | MediaPart)[] {
    return this.contentOf(output).filter((part) => part.kind === 'text' || part.kind === 'media')
  }

  private readReasoning(item: View): void {
    const part = thinkingPart(item)
    if (part !== null) this.think(this.join('assistant'), part)
  }

  private think(turn: ConversationPart[], thought: ThinkingPart): void {
    turn.push(thought)
    this.thoughtsIn(turn).add(keyOf(thought))
  }

  private thoughtsIn(turn: readonly ConversationPart[]): Set<string> {
    if (this.thoughts?.turn !== turn) this.thoughts = { turn, keys: new Set() }
    return this.thoughts.keys
  }

  /** Tools that were added or found on the way are offered from the beginning: other formats have one list. */
  private readTools(item: View): void {
    const tools = item.get('tools')
    if (tools?.isList === true) this.tools.read(tools)
  }

  private contentOf(content: View): readonly ConversationPart[] {
    if (content.isText) return [textPart(content.text())]
    const views = content.kind === 'object' ? [content] : content.items()
    return views.map((view) => this.partOf(view))
  }

  private partOf(view: View): ConversationPart {
    if (view.isText) return textPart(view.text())
    const type = view.get('type')?.text() ?? ''
    const cache = this.cacheOf(view)
    switch (type) {
      case 'input_text':
      case 'output_text':
      case 'text':
        return { ...textPart(view.get('text')?.text() ?? ''), cache, citations: citationsOf(view) }
      case 'refusal':
        return { kind: 'refusal', text: view.get('refusal')?.text() ?? '' }
      case 'input_image':
      case 'image_url':
        return this.imagePart(view, cache)
      case 'input_file':
        return filePart(view, cache)
      case 'input_audio':
        return audioPart(view, cache)
      default:
        return otherPart(type, view)
    }
  }

  private imagePart(view: View, cache: CacheLifetime | null): MediaPart {
    const address = view.get('image_url')
    if (address === undefined) throw view.invalid('an image with an image_url')
    const detail = (view.get('detail') ?? address.get('detail'))?.text() ?? null
    if (detail !== null && detail !== 'auto') this.fields.note('input[].content[].detail', view.pointer)
    const source = addressedSource(address)
    const medium = mediumOfImage(source)
    return { kind: 'media', medium, source, title: null, detail, cache, pointer: view.pointer }
  }

  private cacheOf(view: View): CacheLifetime | null {
    const mark = view.get('prompt_cache_breakpoint')
    if (mark === undefined) return null
    this.fields.note('input[].content[].prompt_cache_breakpoint', mark.pointer)
    return mark.get('ttl')?.text() === '12h' ? '1h' : '5m'
  }

  private begin(role: TurnRole): ConversationPart[] {
    const parts: ConversationPart[] = []
    this.turns.push({ role, parts })
    return parts
  }

  private join(role: TurnRole): ConversationPart[] {
    const last = this.turns.at(-1)
    return last?.role === role ? last.parts : this.begin(role)
  }
}

function roleOf(item: View): TurnRole {
  const role = item.get('role')
  const written = role?.text() ?? 'user'
  if (written === 'developer' || written === 'system') return 'system'
  if (written === 'user' || written === 'assistant') return written
  throw (role ?? item).invalid('one of user, assistant, system, developer')
}

function otherPart(type: string, view: View): ConversationPart {
  return { kind: 'other', type, pointer: view.pointer }
}

function citationsOf(view: View): readonly Citation[] {
  const annotations = view.get('annotations')
  if (annotations?.isList !== true) return []
  return annotations.items().flatMap((annotation) => {
    const url = annotation.get('url')?.text() ?? null
    const title = (annotation.get('title') ?? annotation.get('filename'))?.text() ?? null
    return url === null && title === null ? [] : [{ url, title, quoted: null }]
  })
}

function filePart(view: View, cache: CacheLifetime | null): MediaPart {
  const title = view.get('filename')?.text() ?? null
  const content = view.get('file_data')
  const address = view.get('file_url')
  if (content === undefined && address === undefined) throw view.invalid('a file with data or a URL')
  const source =
    content === undefined ? addressedSource(address ?? view) : embeddedSource(content, typeOfFile(title))
  return { kind: 'media', medium: 'document', source, title, detail: null, cache, pointer: view.pointer }
}

function audioPart(view: View, cache: CacheLifetime | null): MediaPart {
  const audio = view.get('input_audio') ?? view
  const content = audio.get('data')
  if (content === undefined) throw view.invalid('audio with its data')
  const source = embeddedSource(content, `audio/${audio.get('format')?.text() ?? 'wav'}`)
  return { kind: 'media', medium: 'audio', source, title: null, detail: null, cache, pointer: view.pointer }
}

/** null: there is nothing to read in it, or a client damaged what was encrypted. */
function thinkingPart(item: View): ThinkingPart | null {
  const texts = (name: string) => {
    const parts = item.get(name)
    return parts?.isList === true ? parts.items().map((part) => part.get('text')?.text() ?? '') : []
  }
  const summary = texts('summary').join('\n\n')
  const text = summary === '' ? texts('content').join('') : summary
  const written = item.get('encrypted_content')?.text() ?? ''
  const { encrypted, redacted } = encryptedOf(written, item.get('id')?.text() ?? '')
  if (encrypted === undefined || (encrypted === null && text === '')) return null
  return { kind: 'thinking', text, redacted, encrypted }
}

interface ReadEncrypted {
  /** undefined: it was damaged. */
  readonly encrypted: EncryptedReasoning | null | undefined
  readonly redacted: boolean
}

function encryptedOf(written: string, id: string): ReadEncrypted {
  if (written === '') return { encrypted: null, redacted: false }
  const read = readTag(written)
  if (read.kind !== 'encrypted') {
    const encrypted: EncryptedReasoning = { vendor: ownVendor, data: `${id}.${written}` }
    return { encrypted: read.kind === 'plain' ? encrypted : undefined, redacted: false }
  }
  return isUnencrypted(read.encrypted)
    ? { encrypted: null, redacted: false }
    : openedEncrypted(read.encrypted)
}

function keyOf({ text, encrypted }: ThinkingPart): string {
  return JSON.stringify([text, encrypted?.data])
}
