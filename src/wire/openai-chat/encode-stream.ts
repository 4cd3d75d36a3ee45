/**
 * Events → a chat stream: the role first, pieces as they come, calls counted from 0; the finish, the usage where
 * requested and `[DONE]` only when the request is settled. Buffers no text except reasoning that must return.
 */

import { type JsonOut, jsonText, RawJson } from '../json/text.ts'
import { GatheredText } from '../stream/gathered-text.ts'
import type { StreamEncoder } from '../translation/codec.ts'
import type {
  CallPart,
  Finish,
  Frame,
  ResponseCost,
  ResponseEvent,
  ThinkingPart,
} from '../translation/neutral.ts'
import {
  annotationOf,
  answerId,
  callId,
  callOf,
  detailsOf,
  explanationOf,
  finishReasonOf,
  imageOf,
  isOldest,
  usageOf,
} from './encode-response.ts'

export function encodeStream(frame: Frame): StreamEncoder {
  return new ChatEncoder(frame)
}

type OpenedChatPart = Extract<ResponseEvent, { kind: 'open' }>['part']

const textFields = { text: 'content', thinking: 'reasoning_content', refusal: 'refusal' } as const

class ChatEncoder implements StreamEncoder {
  private readonly frame: Frame
  /** The members around every delta. */
  private readonly before: string
  private readonly after: string
  private readonly kinds = new Set<string>()
  private hasRole = false
  private open: OpenedChatPart | null = null
  private hasInput = false
  private calls = 0
  /** Characters of content, and where the open text begins among them. */
  private characters = 0
  private textStart = 0
  /** The open thought, and the encrypted ones since the last call. */
  private thought = new GatheredText()
  private hasThought = false
  private thoughts: ThinkingPart[] = []
  private thoughtsSize = 0
  private finish: Finish | null = null

  constructor(frame: Frame) {
    this.frame = frame
    const head = jsonText({
      id: answerId(frame),
      object: 'chat.completion.chunk',
      created: frame.createdSeconds,
      model: frame.model,
    })
    this.before = `data: ${head.slice(0, -1)},"choices":`
    this.after = frame.responseOptions.includeUsage ? ',"usage":null}\n\n' : '}\n\n'
  }

  get bufferedCharacters(): number {
    return this.thought.characters + this.thoughtsSize
  }

  write(event: ResponseEvent): string {
    switch (event.kind) {
      case 'start':
        return this.role()
      case 'open':
        return this.opened(event.part)
      case 'delta':
        return this.more(event.text)
      case 'citation': {
        const annotations = annotationOf(event.citation, this.textStart, this.characters)
        return annotations.length === 0 ? '' : this.delta({ annotations })
      }
      case 'logprobs':
        return this.frame.responseOptions.logprobs ? this.logprobs(event.content) : ''
      case 'close':
        return this.closed(event.encrypted)
      case 'whole':
        return this.whole(event.part)
      case 'finish':
        this.finish = event.finish
        return ''
      case 'input':
        return ''
    }
  }

  close(tally: ResponseCost): string {
    const finish = this.finish ?? { reason: 'end', stopString: null, explanation: null }
    const rest = this.open === null ? '' : this.closed(null)
    const explanation = this.characters === 0 && !this.kinds.has('refusal') ? explanationOf(finish) : null
    const refusal = explanation === null ? '' : this.delta({ refusal: explanation })
    const word = finishReasonOf(finish, this.kinds, this.frame)
    const last = this.choice({ delta: {}, logprobs: null, finish_reason: word })
    return `${rest}${refusal}${last}${this.usage(tally)}data: [DONE]\n\n`
  }

  private usage(tally: ResponseCost): string {
    if (!this.frame.responseOptions.includeUsage) return ''
    return `${this.before}[],"usage":${jsonText(usageOf(tally))}}\n\n`
  }

  private opened(part: OpenedChatPart): string {
    this.open = part
    this.kinds.add(part.kind)
    this.hasInput = false
    this.thought = new GatheredText()
    this.textStart = this.characters
    if (part.kind !== 'call') return ''
    const index = this.calls
    this.calls += 1
    const id = callId(part, index, this.frame)
    const call = callOf(part, { id, thoughts: this.thoughts, input: '' })
    this.thoughts = []
    this.thoughtsSize = 0
    const isFirst = isOldest(this.frame) && index === 0
    return this.delta(isFirst ? { function_call: call.function } : { tool_calls: [{ index, ...call }] })
  }

  private more(text: string): string {
    const { open } = this
    if (open === null || text === '') return ''
    if (open.kind === 'call') {
      this.hasInput = true
      return this.input(open, text)
    }
    if (open.kind === 'text') this.characters += text.length
    // In one field, thoughts are separated by a blank line.
    const gap = open.kind === 'thinking' && this.thought.characters === 0 && this.hasThought ? '\n\n' : ''
    if (open.kind === 'thinking') this.think(text)
    return this.delta({ [textFields[open.kind]]: `${gap}${text}` })
  }

  private think(text: string): void {
    this.thought.add(text)
    this.hasThought = true
  }

  private input({ form }: Pick<CallPart, 'form'>, text: string): string {
    if (isOldest(this.frame) && this.calls === 1) return this.delta({ function_call: { arguments: text } })
    const piece = form === 'json' ? { function: { arguments: text } } : { custom: { input: text } }
    return this.delta({ tool_calls: [{ index: this.calls - 1, ...piece }] })
  }

  private closed(encrypted: ThinkingPart['encrypted']): string {
    const { open } = this
    this.open = null
    if (open?.kind === 'call') return this.hasInput || open.form === 'text' ? '' : this.input(open, '{}')
    if (open?.kind !== 'thinking') return ''
    return this.thoughtEnd({ kind: 'thinking', text: this.thought.text, redacted: false, encrypted })
  }

  private thoughtEnd(thought: ThinkingPart): string {
    const details = detailsOf([thought])
    if (details.length === 0) return ''
    const text = this.delta({ reasoning_details: details })
    if (thought.encrypted === null) return text
    this.thoughts.push(thought)
    this.thoughtsSize += text.length
    return text
  }

  private whole(part: Extract<ResponseEvent, { kind: 'whole' }>['part']): string {
    if (part.kind === 'media') return this.delta({ images: [imageOf(part)] })
    const text = part.text === '' ? '' : this.delta({ reasoning_content: part.text })
    return `${text}${this.thoughtEnd(part)}`
  }

  private logprobs(content: RawJson): string {
    // A line break, which only another format's text may have between values, would end the event.
    const onOneLine = new RawJson(content.text.replace(/[\r\n]/g, ' '))
    return this.choice({ delta: {}, logprobs: { content: onOneLine, refusal: null }, finish_reason: null })
  }

  private role(): string {
    if (this.hasRole) return ''
    this.hasRole = true
    return this.delta({ role: 'assistant', content: '', refusal: null })
  }

  private delta(delta: { readonly [name: string]: JsonOut | undefined }): string {
    return this.choice({ delta, logprobs: null, finish_reason: null })
  }

  private choice(choice: { readonly [name: string]: JsonOut | undefined }): string {
    const role = this.role()
    return `${role}${this.before}[${jsonText({ index: 0, ...choice })}]${this.after}`
  }
}
