/**
 * Turns → chat messages. The results of calls directly follow the calls, other results of a tool are in
 * a user message after them. Encrypted reasoning is never sent; readable thoughts go to hosts that take them back. A message
 * does not depend on what follows it.
 */

import { type JsonOut, jsonText } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type {
  Adjustment,
  CallPart,
  ConversationPart,
  ConversationTurn,
  MediaPart,
  ResultPart,
  TextPart,
} from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { plainId } from '../translation/reasoning-carriers.ts'
import type { NamedTools } from '../translation/tool-names.ts'
import { isEmptyMessage, leadingSystemCount } from '../translation/turns.ts'

/** OpenAI refuses longer ids of calls in this format. */
export const callIdCharactersMax = 40
/** How a block begins that only Messages is meant to see. */
const billingHeader = 'x-anthropic-billing-header'
const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`

type MessageMembers = Readonly<Record<string, JsonOut | undefined>>

/** Inputs of the message encoder, and the adjustments that it collects. */
export interface MessageContext {
  readonly capabilities: Capabilities
  readonly names: NamedTools
  readonly adjusted: Adjustment[]
  readonly thoughtsMember?: string | undefined
}

export function messagesOf(turns: readonly ConversationTurn[], context: MessageContext): readonly JsonOut[] {
  const writer = new ChatMessageWriter(context)
  const leading = leadingSystemCount(turns)
  for (const [index, turn] of turns.entries()) writer.turn(turn, index < leading)
  return writer.messages()
}

interface AssistantMessage {
  text: string
  refusal: string
  thoughts: string
  readonly calls: JsonOut[]
}

class ChatMessageWriter {
  private readonly written: JsonOut[] = []
  private readonly context: MessageContext
  /** The assistant's message that more may still join: calls come together. */
  private assistant: AssistantMessage | null = null
  /** Messages that came between calls and their results. */
  private deferred: JsonOut[] = []
  private hasHeader = false
  /** Ids of the calls so far: a result without one is refused by the API. */
  private readonly called = new Set<string>()

  constructor(context: MessageContext) {
    this.context = context
  }

  messages(): readonly JsonOut[] {
    this.endAssistant()
    this.release()
    return this.written
  }

  turn({ role, parts }: ConversationTurn, isLeading: boolean): void {
    if (role === 'assistant') return this.assistantTurn(parts)
    this.endAssistant()
    if (role === 'system') return this.systemTurn(parts, isLeading)
    const results = parts.filter((part) => part.kind === 'result')
    for (const result of results) this.result(result)
    if (results.length === 0) this.release()
    for (const result of results) this.returned(result)
    this.userMessage(parts, results.length > 0)
  }

  /** Messages that must not come between results wait until the turn that has none. */
  private put(message: JsonOut, waits: boolean): void {
    if (waits) this.deferred.push(message)
    else this.written.push(message)
  }

  private release(): void {
    for (const message of this.deferred.splice(0)) this.written.push(message)
  }

  private systemTurn(parts: readonly ConversationPart[], isLeading: boolean): void {
    this.release()
    const texts = this.withoutHeader(parts.filter((part) => part.kind === 'text'))
    this.reportOthers(parts)
    if (texts.length === 0) return
    const { capabilities } = this.context
    const content = this.content(texts)
    if (isLeading || capabilities.midSystem) {
      this.written.push({ role: capabilities.thinking === 'effort' ? 'developer' : 'system', content })
    } else {
      this.written.push({ role: 'user', content: reminder(texts.map(({ text }) => text).join('\n\n')) })
    }
  }

  private withoutHeader(texts: readonly TextPart[]): readonly TextPart[] {
    if (this.hasHeader || this.written.length > 0 || texts[0]?.text.startsWith(billingHeader) !== true)
      return texts
    this.hasHeader = true
    this.adjust('dropped', 'system', 'only meaningful to another provider')
    return texts.slice(1)
  }

  private userMessage(parts: readonly ConversationPart[], waits: boolean): void {
    const visible = parts.filter(
      (part) => part.kind === 'text' || part.kind === 'media' || part.kind === 'refusal',
    )
    this.reportOthers(parts)
    const visibleParts = visible.map((part): TextPart | MediaPart =>
      part.kind === 'refusal' ? { kind: 'text', text: part.text, cache: null, citations: [] } : part,
    )
    const content = this.content(visibleParts)
    if (content !== '' || isEmptyMessage(parts)) this.put({ role: 'user', content }, waits)
  }

  private result(result: ResultPart): void {
    if (!this.called.has(result.callId))
      throw untranslatable(result.pointer, 'a tool result without its tool call')
    const texts = result.content.filter((part) => part.kind === 'text')
    const marked = result.cache ?? texts.find(({ cache }) => cache !== null)?.cache ?? null
    const text = texts.length === 0 ? (result.json ?? '') : texts.map((part) => part.text).join('\n')
    this.written.push({
      role: 'tool',
      tool_call_id: plainId(result.callId, callIdCharactersMax),
      content: this.content(text === '' ? [] : [{ kind: 'text', text, cache: marked, citations: [] }]),
    })
  }

  /** The format takes only text as a result. */
  private returned(result: ResultPart): void {
    const media = result.content.filter((part) => part.kind === 'media')
    if (media.length === 0) return
    const id = plainId(result.callId, callIdCharactersMax)
    const kind = media.every(({ medium }) => medium === 'image') ? 'image(s)' : 'file(s)'
    const intro = textMember(`[${kind} returned by tool call ${id}]`)
    this.put({ role: 'user', content: [intro, ...media.map((part) => this.part(part))] }, true)
  }

  private assistantTurn(parts: readonly ConversationPart[]): void {
    if (this.assistant !== null && this.assistant.calls.length === 0) this.endAssistant()
    this.release()
    const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    const refusals = parts.flatMap((part) => (part.kind === 'refusal' ? [part.text] : []))
    this.reportOthers(parts)
    this.reportMedia(parts)
    const message = this.assistant ?? { text: '', refusal: '', thoughts: '', calls: [] }
    const text = texts.join('')
    message.text += message.text === '' || text === '' ? text : `\n\n${text}`
    message.refusal += refusals.join('')
    for (const part of parts) {
      // Encrypted thoughts are another vendor's, who alone gets them back.
      if (part.kind === 'thinking' && part.encrypted === null) message.thoughts += part.text
      if (part.kind !== 'call') continue
      this.called.add(part.id)
      message.calls.push(this.call(part))
    }
    this.assistant = message
  }

  private endAssistant(): void {
    const message = this.assistant
    this.assistant = null
    if (message === null) return
    const { text, refusal, thoughts, calls } = message
    const { thoughtsMember } = this.context
    if (text === '' && refusal === '' && calls.length === 0) return
    this.written.push({
      role: 'assistant',
      ...(thoughtsMember === undefined || thoughts === '' ? {} : { [thoughtsMember]: thoughts }),
      content: text === '' ? null : text,
      refusal: refusal === '' ? undefined : refusal,
      tool_calls: calls.length === 0 ? undefined : calls,
    })
  }

  private call({ id, name, namespace, form, input }: CallPart): JsonOut {
    const isText = form === 'text'
    return {
      id: plainId(id, callIdCharactersMax),
      type: 'function',
      function: {
        name: this.context.names.name(name, namespace, isText),
        arguments: isText ? jsonText({ input }) : input === '' ? '{}' : input,
      },
    }
  }

  /** A string where it says all; '' where there is nothing to say. */
  private content(parts: readonly (TextPart | MediaPart)[]): JsonOut {
    const nonEmpty = parts.filter((part) => part.kind === 'media' || part.text !== '')
    const [first] = nonEmpty
    if (first === undefined) return ''
    const isPlain = nonEmpty.length === 1 && first.kind === 'text' && !this.isMarked(first)
    return isPlain ? first.text : nonEmpty.map((part) => this.part(part))
  }

  private isMarked({ cache }: TextPart): boolean {
    return cache !== null && this.context.capabilities.cacheBreakpoints
  }

  private part(part: TextPart | MediaPart): MessageMembers {
    if (part.kind === 'media') return mediaMember(part, this.context.capabilities)
    const member = textMember(part.text)
    return this.isMarked(part) ? { ...member, prompt_cache_breakpoint: { mode: 'explicit' } } : member
  }

  private reportOthers(parts: readonly ConversationPart[]): void {
    for (const part of parts) {
      if (part.kind === 'other') this.adjust('dropped', part.pointer, `${part.type} ran at another provider`)
    }
  }

  private reportMedia(parts: readonly ConversationPart[]): void {
    for (const part of parts) {
      if (part.kind === 'media')
        this.adjust('dropped', part.pointer, 'an assistant message cannot contain media')
    }
  }

  private adjust(kind: Adjustment['kind'], field: string, why: string): void {
    this.context.adjusted.push({ kind, field, why })
  }
}

function textMember(text: string): MessageMembers {
  return { type: 'text', text }
}

function mediaMember(part: MediaPart, { inputs }: Capabilities): MessageMembers {
  const { medium, source, pointer } = part
  if (source.kind === 'text') return textMember(source.text)
  if (!inputs.includes(medium)) throw untranslatable(pointer, `the model does not support ${medium}`)
  if (medium === 'image') {
    return { type: 'image_url', image_url: { url: addressOf(source), detail: part.detail ?? undefined } }
  }
  if (source.kind === 'url') throw untranslatable(pointer, `${medium} must be sent inline, not by URL`)
  if (medium === 'audio') return audioMember(source, pointer)
  const filename = part.title ?? (source.mediaType === 'application/pdf' ? 'document.pdf' : 'document')
  return { type: 'file', file: { filename, file_data: addressOf(source) } }
}

type Located = Exclude<MediaPart['source'], { readonly kind: 'text' }>

function addressOf(source: Located): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`
}

const audioFormats: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
])

function audioMember(source: Located, pointer: string): MessageMembers {
  const format = audioFormats.get(source.mediaType ?? '')
  if (format === undefined || source.kind === 'url') throw untranslatable(pointer, 'audio only as wav or mp3')
  return { type: 'input_audio', input_audio: { data: source.data, format } }
}
