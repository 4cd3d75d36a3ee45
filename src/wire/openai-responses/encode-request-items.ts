/**
 * Turns as the items of a Responses request: one item for each call, output and reasoning, one message for the text
 * between them. Reasoning is sent only directly before its result; another vendor's is omitted.
 */

import type { JsonOut } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type {
  Adjustment,
  CacheLifetime,
  CallPart,
  ConversationPart,
  ConversationTurn,
  MediaPart,
  ResultPart,
  TextPart,
  ThinkingPart,
} from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { plainId } from '../translation/reasoning-carriers.ts'
import type { NamedTools } from '../translation/tool-names.ts'
import { isEmptyMessage, textPart } from '../translation/turns.ts'
import { fileName } from './decode-request-media.ts'
import { nameOf } from './encode-request-tools.ts'
import { ownContent } from './encrypted-reasoning.ts'

const callIdCharactersMax = 64
/** How a client of another format tells who pays; no instruction to a model. */
const billingHeader = 'x-anthropic-billing-header'

interface InputSetting {
  readonly capabilities: Capabilities
  readonly calls: ReadonlyMap<string, CallPart>
  /** The number of leading turns that are instructions. */
  readonly leadingCount: number
  readonly names: NamedTools
  readonly adjusted: Adjustment[]
}

export class InputEncoder {
  readonly items: JsonOut[] = []
  /** Something was to be cached that cannot be marked here. */
  lostBreakpoints = false
  private readonly setting: InputSetting
  private turnCount = 0

  constructor(setting: InputSetting) {
    this.setting = setting
  }

  /** Throws WireError `untranslatable` for media that the model cannot take. */
  add({ role, parts }: ConversationTurn): void {
    const isLeading = this.turnCount < this.setting.leadingCount
    if (role === 'assistant') this.addAssistant(parts)
    else if (role === 'user') this.addUser(parts)
    else if (isLeading || this.setting.capabilities.midSystem) {
      this.addMessage('developer', this.turnCount === 0 ? this.withoutBilling(parts) : parts)
    } else this.addReminder(parts)
    this.turnCount += 1
  }

  private withoutBilling(parts: readonly ConversationPart[]): readonly ConversationPart[] {
    const [first] = parts
    if (first?.kind !== 'text' || !first.text.startsWith(billingHeader)) return parts
    this.setting.adjusted.push({
      kind: 'dropped',
      field: 'system[0]',
      why: 'not an instruction to the model',
    })
    return parts.slice(1)
  }

  private addReminder(parts: readonly ConversationPart[]): void {
    const reminded = parts.map((part) =>
      part.kind === 'text' ? { ...part, text: `<system-reminder>\n${part.text}\n</system-reminder>` } : part,
    )
    this.addMessage('user', reminded)
  }

  /** Tool outputs come before the user's text of the same turn. */
  private addUser(parts: readonly ConversationPart[]): void {
    const shown = parts.flatMap((part) => (part.kind === 'result' ? this.addResult(part) : []))
    const content = [...shown, ...parts.filter(({ kind }) => kind !== 'result')]
    if (content.length > 0 || parts.length === 0) this.addMessage('user', content)
  }

  private addMessage(role: 'user' | 'developer', parts: readonly ConversationPart[]): void {
    const content = parts.flatMap((part) => this.inputPart(part))
    if (content.length > 0) this.items.push({ type: 'message', role, content })
    else if (role === 'user' && isEmptyMessage(parts)) this.items.push({ type: 'message', role, content: '' })
  }

  private inputPart(part: ConversationPart): readonly JsonOut[] {
    if (part.kind === 'text') return this.inputText(part)
    if (part.kind === 'refusal') return this.inputText({ ...part, kind: 'text', cache: null, citations: [] })
    if (part.kind === 'media') return [this.inputMedia(part)]
    if (part.kind === 'other') this.drop(part.pointer)
    return []
  }

  private inputText({ text, cache }: TextPart): readonly JsonOut[] {
    if (text === '') return []
    return [{ type: 'input_text', text, prompt_cache_breakpoint: this.breakpoint(cache) }]
  }

  private breakpoint(cache: CacheLifetime | null): JsonOut | undefined {
    if (cache === null) return undefined
    if (this.setting.capabilities.cacheBreakpoints) return { mode: 'explicit' }
    this.lostBreakpoints = true
    return undefined
  }

  private inputMedia(part: MediaPart): JsonOut {
    const { source, medium, pointer } = part
    if (source.kind === 'text') {
      const text = part.title === null ? source.text : `${part.title}\n\n${source.text}`
      return { type: 'input_text', text, prompt_cache_breakpoint: this.breakpoint(part.cache) }
    }
    if (medium === 'audio' || !this.setting.capabilities.inputs.includes(medium)) {
      throw untranslatable(pointer, `the model does not support ${medium} input`)
    }
    if (part.cache !== null) this.lostBreakpoints = true
    const isUrl = source.kind === 'url'
    const address = isUrl ? source.url : `data:${source.mediaType};base64,${source.data}`
    if (medium === 'image') return { type: 'input_image', image_url: address, detail: part.detail ?? 'auto' }
    return isUrl
      ? { type: 'input_file', file_url: address }
      : { type: 'input_file', filename: fileName(part.title, source.mediaType), file_data: address }
  }

  /** Writes a result; parts that an output cannot hold are returned, for a user message after all outputs. */
  private addResult(result: ResultPart): readonly ConversationPart[] {
    const { capabilities, calls } = this.setting
    const call = calls.get(result.callId)
    if (call === undefined) throw untranslatable(result.pointer, 'a tool result without its tool call')
    const id = plainId(result.callId, callIdCharactersMax)
    const media = result.content.filter((part) => part.kind === 'media')
    const isShownApart = media.length > 0 && !capabilities.resultMedia
    const inside = isShownApart ? result.content.filter((part) => part.kind === 'text') : result.content
    const shown = result.json === null ? inside : [textPart(result.json), ...inside]
    this.items.push({
      type: call.form === 'text' ? 'custom_tool_call_output' : 'function_call_output',
      call_id: id,
      output: this.outputOf(shown, result.cache),
    })
    return isShownApart ? [textPart(`[returned by tool call ${id}]`), ...media] : []
  }

  private outputOf(content: ResultPart['content'], cache: CacheLifetime | null): JsonOut {
    const mark = this.breakpoint(cache)
    const [only] = content
    if (only === undefined) return ''
    if (content.length === 1 && only.kind === 'text' && mark === undefined && only.cache === null)
      return only.text
    const parts = content.flatMap((part, index) => {
      const isLast = mark !== undefined && index === content.length - 1
      return this.inputPart(isLast && part.kind === 'text' ? { ...part, cache } : part)
    })
    return parts.length === 0 ? '' : parts
  }

  private addAssistant(parts: readonly ConversationPart[]): void {
    /** Thoughts that wait for what was thought about. */
    let thoughts: JsonOut[] = []
    let content: JsonOut[] = []
    const lastCall = parts.findLastIndex(({ kind }) => kind === 'call')
    let at = 0
    const flushMessage = () => {
      const phase = this.phaseOf(at <= lastCall)
      if (content.length > 0) this.items.push({ type: 'message', role: 'assistant', content, phase })
      content = []
    }
    for (; at < parts.length; at += 1) {
      const part = parts[at]
      if (part === undefined) break
      if (part.kind === 'thinking') {
        const item = this.reasoningItem(part)
        if (item === null) continue
        flushMessage()
        thoughts.push(item)
        continue
      }
      const written = part.kind === 'call' ? [] : this.outputPart(part)
      if (part.kind !== 'call' && written.length === 0) continue
      if (part.kind === 'call') flushMessage()
      for (const thought of thoughts) this.items.push(thought)
      thoughts = []
      if (part.kind === 'call') this.items.push(this.callItem(part))
      content.push(...written)
    }
    flushMessage()
  }

  /** OpenAI's models tell comments before calls from answers; clients of other formats keep their order alone. */
  private phaseOf(isBeforeCall: boolean): string | undefined {
    if (this.setting.capabilities.phases !== true) return undefined
    return isBeforeCall ? 'commentary' : 'final_answer'
  }

  private outputPart(part: Exclude<ConversationPart, ThinkingPart | CallPart>): readonly JsonOut[] {
    switch (part.kind) {
      case 'text':
        if (part.cache !== null) this.lostBreakpoints = true
        return part.text === '' ? [] : [{ type: 'output_text', text: part.text }]
      case 'refusal':
        return part.text === '' ? [] : [{ type: 'refusal', refusal: part.text }]
      case 'media':
        throw untranslatable(part.pointer, `${part.medium} by the model`)
      default:
        this.drop(part.pointer)
        return []
    }
  }

  /** Without its id: OpenAI asks for the very item that followed an item with one. */
  private reasoningItem({ text, encrypted }: ThinkingPart): JsonOut | null {
    const own = encrypted === null ? null : ownContent(encrypted)
    if (own === null || this.setting.capabilities.thinking === 'none') return null
    const summary = text === '' ? [] : [{ type: 'summary_text', text }]
    return { type: 'reasoning', summary, encrypted_content: own.content }
  }

  private callItem(call: CallPart): JsonOut {
    const { names } = this.setting
    const id = plainId(call.id, callIdCharactersMax)
    const name = nameOf(call, names)
    const namespace = call.namespace ?? undefined
    return call.form === 'text'
      ? { type: 'custom_tool_call', call_id: id, name, namespace, input: call.input }
      : {
          type: 'function_call',
          call_id: id,
          name,
          namespace,
          arguments: call.input === '' ? '{}' : call.input,
        }
  }

  private drop(pointer: string): void {
    this.setting.adjusted.push({ kind: 'dropped', field: pointer, why: 'supported in its own format only' })
  }
}
