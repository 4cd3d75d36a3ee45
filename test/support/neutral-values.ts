/**
 * Conversations, responses and events in the neutral form, for tests of the codecs: a test names what it is about, and all else is
 * empty. And the same values in a few words, for what a test expects. It calls no codec.
 */
import assert from 'node:assert/strict'
import { noTokens } from '../../contract/meters.ts'
import { type ReadLimits, type TapOptions, type UsageTap, WireError } from '../../src/wire/format.ts'
import { RawJson } from '../../src/wire/json/text.ts'
import type { Capabilities } from '../../src/wire/translation/capabilities.ts'
import type { StreamDecoder, StreamEncoder } from '../../src/wire/translation/codec.ts'
import type {
  Adjustment,
  CallPart,
  Conversation,
  ConversationPart,
  ConversationTurn,
  EncryptedReasoning,
  Finish,
  Frame,
  MediaPart,
  OutputFormat,
  Reasoning,
  ResponseCost,
  ResponseEvent,
  ResponseOptions,
  ResponsePart,
  ResultPart,
  Sampling,
  TextPart,
  ThinkingPart,
  Tool,
  Vendor,
} from '../../src/wire/translation/neutral.ts'
import type { Usage } from '../../src/wire/usage.ts'

export type Members = Readonly<Record<string, unknown>>

export const limits: ReadLimits = { depthMax: 64, valuesMax: 250_000, integerMax: 1_000_000_000 }
export const nowhere = { model: null, stream: false }
const encoder = new TextEncoder()

export function bytesOf(body: unknown): Uint8Array {
  return encoder.encode(typeof body === 'string' ? body : JSON.stringify(body))
}

// Conversations.

export const by = (vendor: Vendor, data: string): EncryptedReasoning => ({ vendor, data })

export const text = (words: string, more: Partial<TextPart> = {}): TextPart => ({
  ...{ kind: 'text', text: words, cache: null, citations: [] },
  ...more,
})
export const call = (id: string, more: Partial<CallPart> = {}): CallPart => ({
  ...{ kind: 'call', id, name: 'f', namespace: null, form: 'json', input: '{}', encrypted: null },
  pointer: `call ${id}`,
  ...more,
})
export const result = (callId: string, more: Partial<ResultPart> = {}): ResultPart => ({
  ...{ kind: 'result', callId, name: null, content: [text('seen')], json: null, isError: false },
  ...{ cache: null, pointer: `result ${callId}` },
  ...more,
})
export const thought = (
  words: string,
  encrypted: EncryptedReasoning | null = null,
  redacted = false,
): ThinkingPart => ({ kind: 'thinking', text: words, redacted, encrypted })
export const image = (more: Partial<MediaPart> = {}): MediaPart => ({
  ...{ kind: 'media', medium: 'image', title: null, detail: null, cache: null, pointer: 'the image' },
  source: { kind: 'base64', mediaType: 'image/png', data: 'QUJD' },
  ...more,
})
export const base64 = (mediaType: string, data = 'QUJD'): Partial<MediaPart> => ({
  source: { kind: 'base64', mediaType, data },
})
export const at = (url: string): Partial<MediaPart> => ({ source: { kind: 'url', mediaType: null, url } })
export const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  ...{ name, namespace: null, description: null, form: 'json', schema: null, format: null },
  ...{ strict: null, cache: null, pointer: `tool ${name}` },
  ...more,
})

type Turn = (...parts: readonly ConversationPart[]) => ConversationTurn
export const system: Turn = (...parts) => ({ role: 'system', parts })
export const user: Turn = (...parts) => ({ role: 'user', parts })
export const assistant: Turn = (...parts) => ({ role: 'assistant', parts })
export const hi = user(text('hi'))

export const sampling = (more: Partial<Sampling> = {}): Sampling => ({
  ...{ temperature: null, topP: null, topK: null, presencePenalty: null, frequencyPenalty: null, seed: null },
  ...more,
})
export const reasoning = (more: Partial<Reasoning> = {}): Reasoning => ({
  ...{ effort: null, budget: null, summaries: null },
  ...more,
})
export const schemaFormat = (schema = '{}', description: string | null = null): OutputFormat => ({
  ...{ kind: 'schema', name: null, description, schema: new RawJson(schema), strict: null },
})

export const conversation = (more: Partial<Conversation> = {}): Conversation => ({
  ...{ model: 'm', stream: false, turns: [hi], tools: [], providerTools: [], toolChoice: null },
  ...{ parallelCalls: null, outputLimit: null, sampling: sampling(), stops: [], reasoning: reasoning() },
  ...{ format: null, verbosity: null, user: null, cacheKey: null, logprobs: null, fields: [] },
  responseOptions,
  ...more,
})

/** A model that takes everything. */
export const able: Capabilities = {
  ...{ sampling: 'all', temperatureMax: 2, topK: true, penalties: true, seed: true, stopsMax: 4 },
  ...{ logprobs: true, thinking: 'effort', efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] },
  ...{ thinkingOff: 'none', budget: null, bindsThinking: false, signedCalls: false, forcedTools: true },
  ...{ prefill: true, midSystem: true, parallelSwitch: true, schemaOutput: true, schemaWithTools: true },
  ...{ cacheBreakpoints: true, resultMedia: true, inputs: ['text', 'image', 'audio', 'document'] },
  ...{ chatTools: 'always', outputTokensMax: 64_000 },
}

// Responses and streams.

export const usageOf = (more: Partial<Usage> = {}): Usage => ({
  ...noTokens,
  ...{ fees: {}, servedOptions: [], unknown: [] },
  ...more,
})

const responseOptions: ResponseOptions = { includeUsage: true, echo: [], tools: [], logprobs: false }
export const frame = (more: Partial<ResponseOptions> = {}): Frame => ({
  ...{ requestId: 'req_0abc', model: 'asked-for', createdSeconds: 7 },
  responseOptions: { ...responseOptions, ...more },
})

export const began: ResponseEvent = { kind: 'start' }
export const open = (kind: 'text' | 'thinking' | 'refusal'): ResponseEvent => ({
  ...{ kind: 'open', part: { kind } },
})
export const openCall = (id: string, more: Partial<CallPart> = {}): ResponseEvent => ({
  kind: 'open',
  part: { ...{ kind: 'call', id, name: 'f', namespace: null, form: 'json', encrypted: null }, ...more },
})
export const delta = (words: string): ResponseEvent => ({ kind: 'delta', text: words })
export const close = (encrypted: EncryptedReasoning | null = null): ResponseEvent => ({
  ...{ kind: 'close', encrypted },
})
export const whole = (part: ThinkingPart | MediaPart): ResponseEvent => ({ kind: 'whole', part })
export const finish = (more: Partial<Finish> = {}): Finish => ({
  ...{ reason: 'end', stopString: null, explanation: null },
  ...more,
})
export const finished = (more: Partial<Finish> = {}): ResponseEvent => ({
  ...{ kind: 'finish', finish: finish(more) },
})
/** A part with these pieces. */
export const said = (
  kind: 'text' | 'thinking' | 'refusal',
  ...pieces: string[]
): readonly ResponseEvent[] => [open(kind), ...pieces.map(delta), close()]

/** Decodes a stream that arrives in chunks of this size. */
export function decoded(decoder: StreamDecoder, stream: unknown, size?: number): readonly ResponseEvent[] {
  const bytes = stream instanceof Uint8Array ? stream : bytesOf(stream)
  const events: ResponseEvent[] = []
  for (const chunk of chunks(bytes, size)) events.push(...decoder.push(chunk))
  return [...events, ...decoder.end()]
}

/** A stream as its client gets it before the terminal event, and with it. */
export function encoded(encoder: StreamEncoder, events: readonly ResponseEvent[], tally: ResponseCost) {
  const before = events.map((event) => encoder.write(event)).join('')
  const last = encoder.close(tally)
  return { before, last, whole: before + last }
}

export function* chunks(bytes: Uint8Array, size = Math.max(1, bytes.length)): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size)
}

export const tapOptions: TapOptions = {
  usageEvent: 'relay',
  choices: 1,
  eventBytesMax: 1 << 20,
  sampleCharactersMax: 1_000,
}

/** A tap that was given a stream in chunks of this size; `end` has not been called. */
export function tapped(tap: UsageTap, stream: string | Uint8Array, size?: number): UsageTap {
  for (const chunk of chunks(typeof stream === 'string' ? bytesOf(stream) : stream, size)) tap.push(chunk)
  return tap
}

/**
 * Cases that are written as text, because they are JSON: `# section`, then `name: input => expected`, or what is expected
 * in the next line, indented. The input may also be broken JSON.
 */
export function textCases(table: string) {
  let section = ''
  let name = ''
  let json = ''
  const cases: { section: string; name: string; json: string; expected: string }[] = []
  for (const line of table.split('\n').filter((one) => one !== '')) {
    if (line.startsWith('# ')) section = line.slice(2)
    else if (line.startsWith('  ')) cases.push({ section, name, json, expected: line.slice(2) })
    else {
      const [, title, written, expected] = /^(.*?): ([[{"].*?)(?: => (.*))?$/.exec(line) ?? []
      assert.ok(title !== undefined && written !== undefined, line)
      name = title
      json = written
      if (expected !== undefined) cases.push({ section, name, json, expected })
    }
  }
  return cases
}

// In a few words.

/** Code and place of the error that is thrown; '' where there is none. */
export function rejection(read: () => unknown): string {
  try {
    read()
    return ''
  } catch (error) {
    assert.ok(error instanceof WireError, String(error))
    return `${error.code} ${error.pointer ?? ''}`.trim()
  }
}

export const adjustments = (adjusted: readonly Adjustment[]): readonly string[] =>
  adjusted.map(({ kind, field }) => `${kind} ${field}`)

const sealed = (encrypted: EncryptedReasoning | null): string =>
  encrypted === null ? '' : ` ${encrypted.vendor}:${encrypted.data}`
const optional = (mark: string, value: string | null): string => (value === null ? '' : ` ${mark}${value}`)

export function brief(part: ConversationPart | ResponsePart): string {
  switch (part.kind) {
    case 'text': {
      const sources = part.citations.map(({ url, title, quoted }) => ` [${url} ${title} ${quoted}]`).join('')
      return `${part.text}${optional('~', part.cache)}${sources}`
    }
    case 'media': {
      const source = Object.values(part.source).filter((value) => value !== null)
      return `${part.medium} ${source.join(' ')}${optional('title=', part.title)}${optional('detail=', part.detail)}`
    }
    case 'thinking':
      return `${part.redacted ? 'hidden' : 'thinks'} ${part.text}${sealed(part.encrypted)}`
    case 'call': {
      const name = part.namespace === null ? part.name : `${part.namespace}/${part.name}`
      const input = part.form === 'text' ? `"${part.input}"` : part.input
      return `call ${part.id} ${name} ${input}${sealed(part.encrypted)}`
    }
    case 'result': {
      const content = part.json ?? part.content.map(brief).join(', ')
      return `result ${part.callId} [${content}]${part.isError ? ' error' : ''}${optional('~', part.cache)}`
    }
    case 'refusal':
      return `refuses ${part.text}`
    case 'other':
      return `other ${part.type} ${part.pointer}`
  }
}

export const briefTurns = ({ turns }: Conversation): readonly string[] =>
  turns.map(({ role, parts }) => [role, ...parts.map(brief)].join(' | '))

export function briefTool(of: Tool): string {
  const { name, namespace, description, form, schema, format, strict, cache } = of
  const said = [description, schema?.text, format?.text, strict === null ? null : `strict=${strict}`, cache]
  const parts = [namespace === null ? name : `${namespace}/${name}`, form === 'json' ? null : form, ...said]
  return parts.filter((part) => part !== null && part !== undefined).join(' ')
}

export function story(events: readonly ResponseEvent[]): string {
  return events.map(briefEvent).join(' ')
}

function briefEvent(event: ResponseEvent): string {
  switch (event.kind) {
    case 'open':
      return event.part.kind === 'call'
        ? `<${brief({ ...event.part, input: '', pointer: '' }).trimEnd()}`
        : `<${event.part.kind}`
    case 'delta':
      return event.text
    case 'close':
      return `>${sealed(event.encrypted).trimStart()}`
    case 'finish':
      return Object.values(event.finish)
        .filter((word) => word !== null)
        .join(' ')
    case 'whole':
      return `(${brief(event.part)})`
    case 'citation':
      return `[${event.citation.url}]`
    case 'logprobs':
      return event.content.text
    default:
      return event.kind
  }
}
