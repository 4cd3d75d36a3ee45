/**
 * Emulates in the response what the upstream does not support: a text that ends before a stop
 * string, and the input of a tool that was requested as structured output. Pure; of a stream it buffers only
 * the beginning of a stop string, or white space before the first word.
 */
import type { Emulation, Finish, NeutralResponse, ResponseEvent, ResponsePart } from './neutral.ts'

/** More or longer ones are rejected: each letter of an answer is held against each. */
export const emulatedStopsMax = 16
export const emulatedStopCharactersMax = 256

/** In place of an output format of JSON without a schema. */
export const jsonInstruction = 'Answer with one JSON object and nothing else.'

const ended: Finish = { reason: 'end', stopString: null, explanation: null }

/** A whole answer, as if the upstream had been asked. */
export function emulatedResponse(answer: NeutralResponse, emulation: Emulation): NeutralResponse {
  const called = emulation.callOf === null ? answer : withCall(answer, emulation.callOf)
  return emulation.stops.length === 0 ? called : withStops(called, emulation.stops)
}

function withCall(answer: NeutralResponse, name: string): NeutralResponse {
  const at = answer.parts.findIndex((part) => part.kind === 'text' && isObjectStart(part.text))
  const text = answer.parts[at]
  if (text?.kind !== 'text') return answer
  const call: ResponsePart = { ...callOf(name), input: text.text.trim(), pointer: '' }
  const parts = answer.parts.map((part, index) => (index === at ? call : part))
  return { ...answer, parts, finish: calledFinish(answer.finish) }
}

function withStops(answer: NeutralResponse, stops: readonly string[]): NeutralResponse {
  const parts: ResponsePart[] = []
  for (const part of answer.parts) {
    if (part.kind !== 'text') {
      parts.push(part)
      continue
    }
    const matcher = new StopMatcher(stops)
    const text = matcher.push(part.text)
    if (matcher.stop === null) {
      parts.push(part)
      continue
    }
    if (text !== '') parts.push({ ...part, text })
    return { ...answer, parts, finish: { ...ended, reason: 'stop_string', stopString: matcher.stop } }
  }
  return answer
}

function callOf(name: string) {
  return { kind: 'call', id: '', name, namespace: null, form: 'json', encrypted: null } as const
}

function isObjectStart(text: string): boolean {
  return text.trimStart().startsWith('{')
}

function calledFinish(finish: Finish): Finish {
  return finish.reason === 'end' ? { ...finish, reason: 'calls' } : finish
}

/** The events of one stream, as if the upstream had been asked. */
export class EmulatedStream {
  private readonly callName: string | null
  private readonly stops: readonly string[]
  /** `waiting`: a text is open that may be the call; `open`: it is; `done`: there is none to come. */
  private call: 'none' | 'waiting' | 'open' | 'done'
  private hasCalled = false
  /** White space before the first word of a text that may be a call. */
  private blank = ''
  /** Watches the open text. */
  private matcher: StopMatcher | null = null
  private stopped: string | null = null

  constructor({ callOf: callName, stops }: Emulation) {
    this.callName = callName
    this.stops = stops
    this.call = callName === null ? 'done' : 'none'
  }

  get keptCharacters(): number {
    return this.blank.length + (this.matcher?.keptCharacters ?? 0)
  }

  push(event: ResponseEvent): readonly ResponseEvent[] {
    return this.called(event).flatMap((one) => this.cut(one))
  }

  private called(event: ResponseEvent): readonly ResponseEvent[] {
    if (event.kind === 'finish' && this.hasCalled) {
      return [{ kind: 'finish', finish: calledFinish(event.finish) }]
    }
    if (this.call === 'done') return [event]
    if (this.call === 'none') {
      if (event.kind !== 'open' || event.part.kind !== 'text') return [event]
      this.call = 'waiting'
      return []
    }
    // A text that is the input of a call has no sources.
    if (event.kind === 'citation') return this.call === 'open' ? [] : [event]
    if (this.call === 'open') {
      if (event.kind === 'close') this.call = 'done'
      return [event]
    }
    return this.detect(event)
  }

  /** The first word of the open text tells what it is. */
  private detect(event: ResponseEvent): readonly ResponseEvent[] {
    // Looks at the new piece alone: a model may write white space until its limit.
    if (event.kind === 'delta' && event.text.trim() === '') {
      this.blank += event.text
      return []
    }
    const text = event.kind === 'delta' ? this.blank + event.text : this.blank
    this.blank = ''
    if (event.kind === 'delta' && isObjectStart(text)) {
      this.call = 'open'
      this.hasCalled = true
      return [
        { kind: 'open', part: callOf(this.callName ?? '') },
        { kind: 'delta', text: text.trimStart() },
      ]
    }
    this.call = event.kind === 'close' ? 'none' : 'done'
    const opened: ResponseEvent = { kind: 'open', part: { kind: 'text' } }
    if (event.kind === 'delta') return [opened, { kind: 'delta', text }]
    return text === '' ? [opened, event] : [opened, { kind: 'delta', text }, event]
  }

  private cut(event: ResponseEvent): readonly ResponseEvent[] {
    if (this.stops.length === 0) return [event]
    if (this.stopped !== null) return this.afterStop(event)
    if (event.kind === 'open') {
      this.matcher = event.part.kind === 'text' ? new StopMatcher(this.stops) : null
      return [event]
    }
    const { matcher } = this
    if (matcher === null) return [event]
    if (event.kind === 'close') {
      this.matcher = null
      return [...deltaOf(matcher.flush()), event]
    }
    if (event.kind !== 'delta') return [event]
    const deltas = deltaOf(matcher.push(event.text))
    if (matcher.stop === null) return deltas
    this.stopped = matcher.stop
    this.matcher = null
    return [...deltas, { kind: 'close', encrypted: null }]
  }

  private afterStop(event: ResponseEvent): readonly ResponseEvent[] {
    if (event.kind === 'input') return [event]
    if (event.kind !== 'finish') return []
    return [{ kind: 'finish', finish: { ...ended, reason: 'stop_string', stopString: this.stopped } }]
  }
}

function deltaOf(text: string): readonly ResponseEvent[] {
  return text === '' ? [] : [{ kind: 'delta', text }]
}

/** A stop string and how much of it has been read, by the Knuth-Morris-Pratt algorithm. */
interface StopCandidate {
  readonly text: string
  /** For each length of what was read, the longest beginning that it ends with. */
  readonly fallbacks: readonly number[]
  matched: number
}

/** Finds the first stop string in a text that arrives in pieces; each character is read once for each string. */
export class StopMatcher {
  /** The string that was found. */
  stop: string | null = null
  private readonly candidates: readonly StopCandidate[]
  /** Text that may be the beginning of a stop string. */
  private buffered = ''

  constructor(stops: readonly string[]) {
    this.candidates = stops
      .filter((text) => text !== '')
      .map((text) => ({ text, fallbacks: fallbacksOf(text), matched: 0 }))
  }

  get keptCharacters(): number {
    return this.buffered.length
  }

  /** Returns the text that is safe to emit; ends before the stop string if one was found. */
  push(piece: string): string {
    if (this.stop !== null) return ''
    const text = this.buffered + piece
    for (let at = this.buffered.length; at < text.length; at += 1) {
      const found = this.read(text[at] ?? '')
      if (found === null) continue
      this.stop = found
      this.buffered = ''
      return text.slice(0, at + 1 - found.length)
    }
    const length = Math.max(0, ...this.candidates.map(({ matched }) => matched))
    this.buffered = length === 0 ? '' : text.slice(-length)
    return text.slice(0, text.length - length)
  }

  /** Returns the buffered text at the end: it is not a stop string. */
  flush(): string {
    const { buffered } = this
    this.buffered = ''
    for (const candidate of this.candidates) candidate.matched = 0
    return buffered
  }

  /** The longest string that ends with this letter. */
  private read(letter: string): string | null {
    let found: string | null = null
    for (const candidate of this.candidates) {
      const { text, fallbacks } = candidate
      let { matched } = candidate
      while (matched > 0 && text[matched] !== letter) matched = fallbacks[matched - 1] ?? 0
      if (text[matched] === letter) matched += 1
      candidate.matched = matched
      if (matched === text.length && (found === null || text.length > found.length)) found = text
    }
    return found
  }
}

function fallbacksOf(text: string): readonly number[] {
  const fallbacks = [0]
  for (let at = 1, matched = 0; at < text.length; at += 1) {
    while (matched > 0 && text[matched] !== text[at]) matched = fallbacks[matched - 1] ?? 0
    if (text[matched] === text[at]) matched += 1
    fallbacks.push(matched)
  }
  return fallbacks
}
