/**
 * Events as a Messages stream: one block at a time, counted from 0, each reasoning block with its signature before
 * it ends. A block begins when it has content, since an empty one is rejected when it is returned.
 * The terminal event waits for `close`. Must not hold back anything else.
 */
import { noTokens } from '../../../contract/meters.ts'
import { type JsonOut, sseEvent } from '../json/text.ts'
import type { StreamEncoder } from '../translation/codec.ts'
import type {
  CallPart,
  EncryptedReasoning,
  Finish,
  Frame,
  MediaPart,
  ResponseCost,
  ResponseEvent,
  ThinkingPart,
} from '../translation/neutral.ts'
import type { Usage } from '../usage.ts'
import { costMembers } from '../usage-cost.ts'
import {
  type AnswerBlock,
  CallIds,
  citationOf,
  mediaText,
  messageHead,
  stopFields,
  thinkingBlock,
} from './encode-response.ts'
import { inputFields, usageFields } from './encode-response-usage.ts'
import { signatureOf } from './encrypted-reasoning.ts'

export function encodeStream(frame: Frame): StreamEncoder {
  return new MessagesEncoder(frame)
}

type OpenMessagesPart = Extract<ResponseEvent, { kind: 'open' }>['part']

const nothingUsed: Usage = {
  ...noTokens,
  fees: {},
  servedOptions: [],
  unknown: [],
}
const ended: Finish = { reason: 'end', stopString: null, explanation: null }

/** An empty list with more white space is none. */
const listCharactersMax = 64

class MessagesEncoder implements StreamEncoder {
  private readonly frame: Frame
  private readonly ids: CallIds
  /** Usage reported before any output. */
  private input: Usage = nothingUsed
  private isStarted = false
  private index = 0
  private open: OpenMessagesPart | null = null
  /** The open part's block was begun. */
  private isBegun = false
  /** White space that comes before anything worth a block. */
  private blank = ''
  private hasCalls = false
  /** Something of the open call's input was written. */
  private hasInput = false
  private finish: Finish = ended

  constructor(frame: Frame) {
    this.frame = frame
    this.ids = new CallIds(frame)
  }

  get bufferedCharacters(): number {
    return this.blank.length + this.ids.keptCharacters
  }

  write(event: ResponseEvent): string {
    switch (event.kind) {
      case 'start':
        // The usage may come with the next event.
        return ''
      case 'input':
        this.input = event.usage
        return ''
      case 'open':
        return this.opened(event.part)
      case 'delta':
        return this.delta(event.text)
      case 'citation':
        return this.cited(event)
      case 'close':
        return this.closed(event.encrypted)
      case 'whole':
        return event.part.kind === 'thinking' ? this.thought(event.part) : this.shown(event.part)
      case 'finish':
        this.finish = event.finish
        return ''
      case 'logprobs':
        return ''
    }
  }

  close({ usage, ...charge }: ResponseCost): string {
    const before = this.started() + this.closed(null)
    const delta = stopFields(this.finish, this.hasCalls)
    const last = { type: 'message_delta', delta, usage: { ...usageFields(usage), ...costMembers(charge) } }
    return before + sseEvent('message_delta', last) + sseEvent('message_stop', { type: 'message_stop' })
  }

  /** `message_start`, once. */
  private started(): string {
    if (this.isStarted) return ''
    this.isStarted = true
    const message = {
      ...messageHead(this.frame),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...inputFields(this.input), output_tokens: 0 },
    }
    return sseEvent('message_start', { type: 'message_start', message })
  }

  private opened(part: OpenMessagesPart): string {
    const before = this.closed(null)
    this.open = part
    if (part.kind !== 'call') return before
    this.hasCalls = true
    this.hasInput = false
    const id = this.ids.next(part)
    const text = before + this.openBlock({ type: 'tool_use', id, name: part.name, input: {} })
    return part.form === 'text'
      ? text + this.deltaOf('input_json_delta', { partial_json: '{"input":"' })
      : text
  }

  private delta(text: string): string {
    const { open } = this
    if (open === null || text === '') return ''
    switch (open.kind) {
      case 'thinking':
        return this.ensureThinking() + this.deltaOf('thinking_delta', { thinking: text })
      case 'call':
        return this.callInput(open.form, text)
      default:
        return this.text(text)
    }
  }

  /** Input is one object; an empty list waits to be known for one. */
  private callInput(form: CallPart['form'], text: string): string {
    if (form === 'text')
      return this.deltaOf('input_json_delta', { partial_json: JSON.stringify(text).slice(1, -1) })
    const whole = this.blank + text
    const mayBeEmptyList =
      !this.hasInput && whole.length <= listCharactersMax && /^\s*(?:\[\s*\]?\s*)?$/.test(whole)
    this.blank = mayBeEmptyList ? whole : ''
    if (mayBeEmptyList) return ''
    this.hasInput = true
    return this.deltaOf('input_json_delta', { partial_json: whole })
  }

  private text(text: string): string {
    if (!this.isBegun && text.trim() === '') {
      this.blank += text
      return ''
    }
    const before = this.ensureText()
    const whole = this.blank + text
    this.blank = ''
    return before + this.deltaOf('text_delta', { text: whole })
  }

  private cited({ citation }: Extract<ResponseEvent, { kind: 'citation' }>): string {
    if (this.open?.kind !== 'text') return ''
    let text = ''
    for (const one of citationOf(citation)) {
      text += this.ensureText() + this.deltaOf('citations_delta', { citation: one })
    }
    return text
  }

  /** Ends the open part, if there is one; one that said nothing has no block. */
  private closed(encrypted: EncryptedReasoning | null): string {
    const { open, blank } = this
    this.open = null
    this.blank = ''
    if (open === null) return ''
    let text = ''
    // Input that a limit cut behind its first letter.
    if (open.kind === 'call' && open.form === 'json' && blank.trim() === '[')
      text += this.deltaOf('input_json_delta', { partial_json: blank })
    if (open.kind === 'thinking' && (this.isBegun || encrypted !== null)) {
      text += this.ensureThinking() + this.deltaOf('signature_delta', { signature: signatureOf(encrypted) })
    }
    if (open.kind === 'call' && open.form === 'text')
      text += this.deltaOf('input_json_delta', { partial_json: '"}' })
    return this.isBegun ? text + this.stopped() : text
  }

  private ensureThinking(): string {
    return this.isBegun ? '' : this.openBlock({ type: 'thinking', thinking: '', signature: '' })
  }

  private ensureText(): string {
    return this.isBegun ? '' : this.openBlock({ type: 'text', text: '' })
  }

  private openBlock(block: AnswerBlock): string {
    this.isBegun = true
    return this.started() + this.event('content_block_start', { content_block: block })
  }

  private stopped(): string {
    const text = this.event('content_block_stop', {})
    this.isBegun = false
    this.index += 1
    return text
  }

  /** A block that comes whole; the signature of reasoning has a separate event, as clients expect. */
  private whole(block: AnswerBlock): string {
    if (block.type !== 'thinking') return this.openBlock(block) + this.stopped()
    const { thinking, signature } = block
    let text = this.openBlock({ type: 'thinking', thinking: '', signature: '' })
    if (thinking !== '') text += this.deltaOf('thinking_delta', { thinking })
    return text + this.deltaOf('signature_delta', { signature }) + this.stopped()
  }

  private thought(part: ThinkingPart): string {
    return part.text === '' && part.encrypted === null ? '' : this.whole(thinkingBlock(part))
  }

  private shown(part: MediaPart): string {
    const before = this.openBlock({ type: 'text', text: '' })
    return before + this.deltaOf('text_delta', { text: mediaText(part) }) + this.stopped()
  }

  private deltaOf(type: string, more: Readonly<Record<string, JsonOut | undefined>>): string {
    return this.event('content_block_delta', { delta: { type, ...more } })
  }

  private event(type: string, more: Readonly<Record<string, JsonOut | undefined>>): string {
    return sseEvent(type, { type, index: this.index, ...more })
  }
}
