/**
 * A stream as Responses clients read it: each item from its beginning to its end, numbered, and the whole
 * response once more in the terminal event. Only texts are buffered for that.
 */

import { type JsonOut, jsonText, RawJson, sseEvent } from '../json/text.ts'
import { GatheredText } from '../stream/gathered-text.ts'
import type { StreamEncoder } from '../translation/codec.ts'
import type {
  CallPart,
  Citation,
  Finish,
  Frame,
  ResponseCost,
  ResponseEvent,
} from '../translation/neutral.ts'
import {
  annotationOf,
  callItem,
  ItemIds,
  imageItem,
  messageItem,
  reasoningItem,
  refusalContent,
  summaryPart,
  textContent,
} from './encode-response-items.ts'
import { inProgress, joinedArrays, outcomeOf, refusalText, responseObject } from './encode-response-object.ts'

type OpenedResponsesPart = Extract<ResponseEvent, { kind: 'open' }>['part']

/** The message that is being spoken, and its open part. */
interface OpenMessage {
  readonly kind: 'message'
  readonly id: string
  readonly content: JsonOut[]
  part: ContentPart | null
}

interface ContentPart {
  readonly kind: 'text' | 'refusal'
  readonly text: GatheredText
  readonly annotations: JsonOut[]
  readonly logprobs: RawJson[]
  /** Log probabilities that go out with the next delta. */
  waiting: RawJson[]
}

interface OpenThought {
  readonly kind: 'thinking'
  /** null: nothing was said yet. */
  id: string | null
  readonly text: GatheredText
}

interface OpenFunctionCall {
  readonly kind: 'call'
  readonly id: string
  readonly callId: string
  readonly call: Pick<CallPart, 'id' | 'name' | 'namespace' | 'form' | 'encrypted'>
  readonly input: GatheredText
}

export function encodeStream(frame: Frame): StreamEncoder {
  return new ResponsesEncoder(frame)
}

class ResponsesEncoder implements StreamEncoder {
  private readonly frame: Frame
  private readonly ids: ItemIds
  /** Completed items, as they were sent. */
  private readonly output: RawJson[] = []
  private outputCharacters = 0
  /** Characters sent so far of the open item. */
  private openCharacters = 0
  private sequence = 0
  private isStarted = false
  private open: OpenMessage | OpenThought | OpenFunctionCall | null = null
  /** The kind of a text or refusal that was opened and has said nothing yet. */
  private silent: ContentPart['kind'] | null = null
  private finish: Finish | null = null
  private hasRefusal = false

  constructor(frame: Frame) {
    this.frame = frame
    this.ids = new ItemIds(frame)
  }

  get bufferedCharacters(): number {
    return this.outputCharacters + this.openCharacters
  }

  write(event: ResponseEvent): string {
    switch (event.kind) {
      case 'start':
        return this.begin()
      case 'open':
        return this.begin() + this.openPart(event.part)
      case 'delta':
        return this.delta(event.text)
      case 'citation':
        return this.citation(event.citation)
      case 'logprobs':
        return this.logprobs(event.content)
      case 'close':
        return this.closePart(event.encrypted)
      case 'whole':
        return this.begin() + this.whole(event.part)
      case 'finish':
        this.finish = event.finish
        return ''
      case 'input':
        return ''
    }
  }

  close(tally: ResponseCost): string {
    let text = this.begin() + this.endItem()
    const refusal = refusalText(this.finish, this.hasRefusal)
    if (refusal !== null) {
      text += this.openPart({ kind: 'refusal' }) + this.delta(refusal) + this.closePart(null) + this.endItem()
    }
    const outcome = outcomeOf(this.finish, this.hasRefusal)
    const response = responseObject(this.frame, outcome, this.output, tally)
    return text + this.event(`response.${outcome.status}`, { response })
  }

  private begin(): string {
    if (this.isStarted) return ''
    this.isStarted = true
    const response = new RawJson(jsonText(responseObject(this.frame, inProgress, [], null)))
    return this.event('response.created', { response }) + this.event('response.in_progress', { response })
  }

  private event(type: string, members: Readonly<Record<string, JsonOut | undefined>>): string {
    const text = sseEvent(type, { type, sequence_number: this.sequence, ...members })
    this.sequence += 1
    return text
  }

  private itemEvent(step: 'added' | 'done', item: JsonOut): string {
    return this.event(`response.output_item.${step}`, { output_index: this.output.length, item })
  }

  private itemDone(item: JsonOut): string {
    const written = new RawJson(jsonText(item))
    const text = this.itemEvent('done', written)
    this.output.push(written)
    this.outputCharacters += written.text.length
    this.openCharacters = 0
    return text
  }

  private openPart(part: OpenedResponsesPart): string {
    if (part.kind === 'call') return this.endItem() + this.openCall(part)
    if (part.kind === 'thinking') {
      const text = this.endItem()
      this.open = { kind: 'thinking', id: null, text: new GatheredText() }
      return text
    }
    const text = this.open?.kind === 'message' ? this.endSpoken(this.open) : this.endItem()
    this.silent = part.kind
    return text
  }

  private openCall(call: OpenFunctionCall['call']): string {
    const id = this.ids.next(call.form === 'text' ? 'ctc' : 'fc')
    const callId = this.ids.callId(call)
    this.open = { kind: 'call', id, callId, call, input: new GatheredText() }
    return this.itemEvent('added', callItem({ id, callId, call, input: '', status: 'in_progress' }))
  }

  private delta(text: string): string {
    if (text === '') return ''
    this.openCharacters += text.length
    if (this.silent !== null) return this.speak(this.silent) + this.addDelta(text)
    if (this.open?.kind === 'thinking') return this.think(this.open, text)
    if (this.open?.kind === 'call') return this.callDelta(this.open, text)
    return this.addDelta(text)
  }

  /** Begins the part that was opened, and its message where there is none. */
  private speak(kind: ContentPart['kind']): string {
    this.silent = null
    let text = ''
    if (this.open?.kind !== 'message') {
      this.open = { kind: 'message', id: this.ids.next('msg'), content: [], part: null }
      text = this.itemEvent('added', messageItem(this.open.id, [], 'in_progress'))
    }
    this.open.part = { kind, text: new GatheredText(), annotations: [], logprobs: [], waiting: [] }
    if (kind === 'refusal') this.hasRefusal = true
    return (
      text + this.contentEvent(this.open, 'response.content_part.added', { part: contentOf(this.open.part) })
    )
  }

  private contentEvent(
    message: OpenMessage,
    type: string,
    members: Readonly<Record<string, JsonOut>>,
  ): string {
    return this.event(type, {
      item_id: message.id,
      output_index: this.output.length,
      content_index: message.content.length,
      ...members,
    })
  }

  private addDelta(delta: string): string {
    const message = this.open
    if (message?.kind !== 'message' || message.part === null) return ''
    const { part } = message
    part.text.add(delta)
    if (part.kind === 'refusal') return this.contentEvent(message, 'response.refusal.delta', { delta })
    const logprobs = joinedArrays(part.waiting)
    part.waiting = []
    return this.contentEvent(message, 'response.output_text.delta', { delta, logprobs })
  }

  private logprobs(content: RawJson): string {
    const text = this.silent === 'text' ? this.speak('text') : ''
    const part = this.open?.kind === 'message' ? this.open.part : null
    this.openCharacters += content.text.length
    part?.logprobs.push(content)
    part?.waiting.push(content)
    return text
  }

  private citation(citation: Citation): string {
    const text = this.silent === 'text' ? this.speak('text') : ''
    const message = this.open
    if (message?.kind !== 'message' || message.part === null) return text
    const { annotations } = message.part
    const annotation = annotationOf(citation, message.part.text.characters)
    if (annotation === null) return text
    const members = { annotation_index: annotations.length, annotation }
    const event = this.contentEvent(message, 'response.output_text.annotation.added', members)
    annotations.push(annotation)
    this.openCharacters += event.length
    return text + event
  }

  private think(thought: OpenThought, delta: string): string {
    let text = ''
    if (thought.id === null) {
      thought.id = this.ids.next('rs')
      text += this.itemEvent('added', reasoningItem(thought.id, null))
    }
    if (thought.text.characters === 0)
      text += this.thoughtEvent(thought.id, 'part.added', { part: summaryPart('') })
    thought.text.add(delta)
    return text + this.thoughtEvent(thought.id, 'text.delta', { delta })
  }

  private thoughtEvent(id: string, step: string, members: Readonly<Record<string, JsonOut>>): string {
    const type = `response.reasoning_summary_${step}`
    return this.event(type, { item_id: id, output_index: this.output.length, summary_index: 0, ...members })
  }

  private callDelta(call: OpenFunctionCall, delta: string): string {
    call.input.add(delta)
    return this.callEvent(call, 'delta', { delta })
  }

  private callEvent(
    call: OpenFunctionCall,
    step: string,
    members: Readonly<Record<string, JsonOut>>,
  ): string {
    const name = call.call.form === 'text' ? 'custom_tool_call_input' : 'function_call_arguments'
    return this.event(`response.${name}.${step}`, {
      item_id: call.id,
      output_index: this.output.length,
      ...members,
    })
  }

  /** A message stays open for further texts; everything else is done with its only part. */
  private closePart(encrypted: Extract<ResponseEvent, { kind: 'close' }>['encrypted']): string {
    this.silent = null
    const { open } = this
    if (open?.kind === 'message') return this.endSpoken(open)
    this.open = null
    if (open?.kind === 'thinking') return this.endThought(open, encrypted)
    return open?.kind === 'call' ? this.endCall(open) : ''
  }

  private endItem(): string {
    const { open } = this
    if (open?.kind !== 'message') return this.closePart(null)
    const text = this.endSpoken(open)
    this.open = null
    this.silent = null
    return text + this.itemDone(messageItem(open.id, open.content, 'completed'))
  }

  private endSpoken(message: OpenMessage): string {
    const { part } = message
    if (part === null) return ''
    const content = contentOf(part)
    const text =
      part.kind === 'refusal'
        ? this.contentEvent(message, 'response.refusal.done', { refusal: part.text.text })
        : this.contentEvent(message, 'response.output_text.done', {
            text: part.text.text,
            logprobs: joinedArrays(part.logprobs),
          })
    const done = this.contentEvent(message, 'response.content_part.done', { part: content })
    message.part = null
    message.content.push(content)
    return text + done
  }

  private endThought(
    thought: OpenThought,
    encrypted: Extract<ResponseEvent, { kind: 'close' }>['encrypted'],
  ): string {
    if (thought.id === null && encrypted === null) return ''
    let events = ''
    const id = thought.id ?? this.ids.next('rs')
    if (thought.id === null) events += this.itemEvent('added', reasoningItem(id, null))
    const text = thought.text.text
    if (text !== '') {
      events += this.thoughtEvent(id, 'text.done', { text })
      events += this.thoughtEvent(id, 'part.done', { part: summaryPart(text) })
    }
    const whole = { kind: 'thinking', text, redacted: false, encrypted } as const
    return events + this.itemDone(reasoningItem(id, whole))
  }

  private endCall(call: OpenFunctionCall): string {
    const isText = call.call.form === 'text'
    // No arguments are an empty object, which clients that add up deltas must see too.
    const text = !isText && call.input.characters === 0 ? this.callDelta(call, '{}') : ''
    const input = call.input.text
    const whole = isText ? { input } : { arguments: input }
    const item = callItem({ ...call, input, status: 'completed' })
    return text + this.callEvent(call, 'done', whole) + this.itemDone(item)
  }

  private whole(part: Extract<ResponseEvent, { kind: 'whole' }>['part']): string {
    const text = this.endItem()
    if (part.kind === 'thinking') {
      if (part.text === '' && part.encrypted === null) return text
      const id = this.ids.next('rs')
      return text + this.itemEvent('added', reasoningItem(id, null)) + this.itemDone(reasoningItem(id, part))
    }
    const item = imageItem(this.ids.next('ig'), part)
    return item === null ? text : text + this.itemEvent('added', item) + this.itemDone(item)
  }
}

function contentOf(part: ContentPart): JsonOut {
  return part.kind === 'refusal'
    ? refusalContent(part.text.text)
    : textContent({
        text: part.text.text,
        annotations: [...part.annotations],
        logprobs: joinedArrays(part.logprobs),
      })
}
