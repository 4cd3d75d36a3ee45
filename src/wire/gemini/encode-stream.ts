/**
 * Neutral events → a Gemini stream for a client of this format (`alt=sse`). A call is written when it is
 * complete; finish and usage come with the last event, which `close` writes.
 */

import type { ClientError } from '../format.ts'
import { type JsonOut, sseEvent } from '../json/text.ts'
import { GatheredText } from '../stream/gathered-text.ts'
import { SseParser } from '../stream/sse.ts'
import type { StreamEncoder } from '../translation/codec.ts'
import type {
  CallPart,
  Citation,
  Finish,
  Frame,
  ResponseCost,
  ResponseEvent,
} from '../translation/neutral.ts'
import { errorBody } from './encode-error.ts'
import {
  finishMembers,
  grounding,
  identity,
  mediaPart,
  PartWriter,
  usageMetadata,
} from './encode-response.ts'
import { logprobsResult } from './encode-response-logprobs.ts'

type OpenPart = Extract<ResponseEvent, { kind: 'open' }>['part']

const noParts: readonly JsonOut[] = []

export function encodeStream(frame: Frame): StreamEncoder {
  return new GeminiEncoder(frame)
}

class GeminiEncoder implements StreamEncoder {
  private readonly frame: Frame
  private readonly parts: PartWriter
  private open: OpenPart | null = null
  /** Text so far of an open call's input or an open thought, whose id or encrypted value may come later. */
  private text = new GatheredText()
  private sourcesCharacters = 0
  private readonly citations: Citation[] = []
  private finish: Finish = { reason: 'end', stopString: null, explanation: null }

  constructor(frame: Frame) {
    this.frame = frame
    this.parts = new PartWriter(frame)
  }

  get bufferedCharacters(): number {
    return this.text.characters + this.sourcesCharacters + this.parts.keptCharacters
  }

  write(event: ResponseEvent): string {
    switch (event.kind) {
      case 'open':
        this.open = event.part
        this.text = new GatheredText()
        return ''
      case 'delta':
        return this.partsEvent(this.delta(event.text))
      case 'close':
        return this.partsEvent(this.ended(event.encrypted))
      case 'whole':
        return this.partsEvent(
          event.part.kind === 'media' ? mediaPart(event.part) : this.parts.whole(event.part),
        )
      case 'citation':
        this.citations.push(event.citation)
        this.sourcesCharacters += JSON.stringify(event.citation).length
        return ''
      case 'logprobs':
        return this.event({
          content: { role: 'model' },
          index: 0,
          logprobsResult: logprobsResult(event.content),
        })
      case 'finish':
        this.finish = event.finish
        return ''
      default:
        return ''
    }
  }

  close(tally: ResponseCost): string {
    const rest = this.ended(null)
    const candidate = {
      content: { role: 'model', parts: rest.length === 0 ? [{ text: '' }] : rest },
      ...finishMembers(this.finish),
      index: 0,
      groundingMetadata: grounding(this.citations),
    }
    return this.event(candidate, { usageMetadata: usageMetadata(tally) })
  }

  private delta(text: string): readonly JsonOut[] {
    switch (this.open?.kind) {
      case 'text':
      case 'refusal':
        return text === '' ? noParts : [{ text }]
      case 'thinking':
        this.text.add(text)
        return this.parts.thought(text)
      case 'call':
        this.text.add(text)
        return noParts
      default:
        return noParts
    }
  }

  /** The parts still to write when the open part ends. */
  private ended(encrypted: CallPart['encrypted']): readonly JsonOut[] {
    const { open } = this
    const { text } = this.text
    this.open = null
    this.text = new GatheredText()
    if (open?.kind === 'thinking') {
      return this.parts.thoughtEnd({ kind: 'thinking', text, redacted: false, encrypted })
    }
    if (open?.kind !== 'call') return noParts
    return [this.parts.call({ ...open, input: text, pointer: '' })]
  }

  private partsEvent(parts: readonly JsonOut[]): string {
    return parts.length === 0 ? '' : this.event({ content: { parts, role: 'model' }, index: 0 })
  }

  private event(candidate: JsonOut, more: Readonly<Record<string, JsonOut>> = {}): string {
    return sseEvent(null, { candidates: [candidate], ...more, ...identity(this.frame) })
  }
}

const encoder = new TextEncoder()

/** Turns relayed events into the text of the array; fed with bytes cut anywhere. */
export class ArrayFraming {
  readonly contentType = 'application/json; charset=UTF-8'
  /** Space between elements says nothing. */
  readonly keepAlive = '\n'
  /** An event that is too large is rejected before it gets here. */
  private readonly parser = new SseParser(Number.MAX_SAFE_INTEGER)
  private elements = 0

  /** The elements that are whole with these bytes; '' where none is. */
  push(events: Uint8Array | string): string {
    this.parser.push(typeof events === 'string' ? encoder.encode(events) : events)
    return this.written()
  }

  /** The remaining elements and the end of the array. */
  close(): string {
    this.parser.close()
    const rest = this.written()
    return this.elements === 0 ? '[]\n' : `${rest}\n]\n`
  }

  /** The error as the last element, and the end of the array. */
  errorText(problem: ClientError): string {
    return `${this.separator()}${errorBody(problem)}\n]\n`
  }

  private written(): string {
    let text = ''
    while (this.parser.next()) {
      if (this.parser.hasData) text += this.separator() + this.parser.dataText()
    }
    return text
  }

  private separator(): string {
    this.elements += 1
    return this.elements === 1 ? '[' : '\n,\n'
  }
}
