/**
 * The four formats with what was recorded of each, for the suites that translate everything into
 * everything. It calls the codecs as a running request does and judges nothing itself.
 */
import assert from 'node:assert/strict'
import { connectorOf } from '../../src/providers/registry.ts'
import { sandboxCapabilities } from '../../src/providers/sandbox.ts'
import type { UrlFields } from '../../src/wire/client-routes.ts'
import { type ReadLimits, type UsageTap, WireError } from '../../src/wire/format.ts'
import type { ConversationFormat, TargetFormat } from '../../src/wire/format-names.ts'
import type { Capabilities } from '../../src/wire/translation/capabilities.ts'
import type { UpstreamCodec } from '../../src/wire/translation/codec.ts'
import type { Frame, ResponseCost, TranslationTarget } from '../../src/wire/translation/neutral.ts'
import {
  StreamTranslator,
  type TranslatedRequest,
  translateRequest,
  translateResponse,
} from '../../src/wire/translation/translate.ts'
import type { Usage } from '../../src/wire/usage.ts'
import { type FixtureCase, fixtureCases } from './fixtures.ts'
import * as messagesRules from './rules/anthropic.ts'
import * as geminiRules from './rules/gemini.ts'
import * as chatRules from './rules/openai-chat.ts'
import * as responsesRules from './rules/openai-responses.ts'
import { type Codec, codecs, type WireFormat, wireFormats } from './wire-formats.ts'

interface Rules {
  brokenRequestRules(body: unknown, capabilities?: Capabilities): readonly string[]
  brokenAnswerRules(body: unknown): readonly string[]
  brokenStreamRules(sse: string): readonly string[]
}

export interface Format {
  readonly name: ConversationFormat
  readonly wire: WireFormat
  readonly codec: Codec
  readonly rules: Rules
  /** The vendor whose models are reached in it, and one model of each kind that translation distinguishes. */
  readonly provider: string
  readonly models: readonly string[]
}

/** A format as far as requests are written in it. */
export interface TargetOf {
  readonly name: TargetFormat
  readonly codec: UpstreamCodec
}

const openaiModels = ['gpt-4.1', 'o3-mini', 'gpt-5', 'gpt-5.4', 'gpt-5.6']

export const formats: readonly Format[] = [
  { ...both('openai-chat'), rules: chatRules, provider: 'openai', models: openaiModels },
  {
    ...both('openai-responses'),
    rules: responsesRules,
    provider: 'openai',
    models: [...openaiModels, 'gpt-6-astra'],
  },
  {
    ...both('anthropic'),
    rules: messagesRules,
    provider: 'anthropic',
    models: [
      'claude-3-5-haiku-20241022',
      'claude-sonnet-4-5',
      'claude-opus-4-6',
      'claude-opus-4-8',
      'claude-sonnet-5-5',
      'claude-opus-5-5',
    ],
  },
  {
    ...both('gemini'),
    rules: geminiRules,
    provider: 'google',
    models: [
      'gemini-2.0-flash',
      'gemini-2.5-pro',
      'gemini-3-flash-preview',
      'gemini-3.8-flash',
      'gemini-4-argon',
    ],
  },
]

function both(name: ConversationFormat): Pick<Format, 'name' | 'wire' | 'codec'> {
  return { name, wire: wireFormats[name], codec: codecs[name] }
}

export function formatOf(name: ConversationFormat): Format {
  const format = formats.find((other) => other.name === name)
  assert.ok(format !== undefined, name)
  return format
}

export function othersThan(format: Format): readonly Format[] {
  return formats.filter((other) => other !== format)
}

/** The model that accepts everything, and real ones with their capabilities. */
export function targetsOf(format: Format): readonly TranslationTarget[] {
  const { capabilities } = connectorOf(format.provider)
  return [sandboxTarget, ...format.models.map((model) => ({ model, capabilities: capabilities(model) }))]
}

export const sandboxTarget: TranslationTarget = { model: 'sandbox-echo', capabilities: sandboxCapabilities }

export const limits: ReadLimits = { depthMax: 64, valuesMax: 250_000, integerMax: 1_000_000_000 }
export const eventBytesMax = 16 << 20
const sampleCharactersMax = 1_000
const encoder = new TextEncoder()
const decoder = new TextDecoder()

// Requests.

export interface RecordedRequest {
  readonly name: string
  readonly body: Uint8Array
  readonly address: UrlFields
}

/** Every recorded request for a response, also those that were answered with an error. */
export function recordedRequests({ name }: Format): readonly RecordedRequest[] {
  return fixtureCases(name).flatMap((recorded) => {
    const isCount = recorded.url.includes('count_tokens')
    if (recorded.request === undefined || isCount) return []
    return [{ name: recorded.name, body: recorded.request, address: addressOf(name, recorded.url) }]
  })
}

function addressOf(format: ConversationFormat, url: string): UrlFields {
  if (format !== 'gemini') return { model: null, stream: false }
  const found = /models\/([^:/]+):(stream)?/.exec(url)
  assert.ok(found?.[1] !== undefined, url)
  return { model: found[1], stream: found[2] !== undefined }
}

interface Rejection {
  readonly kind: 'rejected'
  readonly error: WireError
}

export type Outcome = Rejection | ({ readonly kind: 'sent' } & TranslatedRequest)

/** The translation of a body to another format; anything thrown other than a WireError is rethrown. */
export function sent(
  from: Format,
  to: TargetOf,
  request: RecordedRequest,
  target: TranslationTarget,
): Outcome {
  const { body, address } = request
  try {
    from.wire.extractRequest(body, limits, address)
    const of = { from: from.codec, to: to.codec, toName: to.name, target, limits, address }
    return { kind: 'sent', ...translateRequest(body, of) }
  } catch (error) {
    if (error instanceof WireError) return { kind: 'rejected', error }
    throw error
  }
}

/** The fields in the upstream URL for a body that an encoder wrote. */
export function upstreamAddress(to: Format, target: TranslationTarget, stream: boolean): UrlFields {
  return to.name === 'gemini' ? { model: target.model, stream } : { model: null, stream: false }
}

// Answers.

export const frame: Frame = {
  requestId: 'req_0dv5g2m4c0001',
  model: 'the-model',
  createdSeconds: 1_763_700_000,
  responseOptions: { includeUsage: true, echo: [], tools: [], logprobs: false },
}
export const cost = '0.00123'

/** Every recorded JSON response with content. */
export function recordedAnswers({ name }: Format): readonly FixtureCase[] {
  return fixtureCases(name).filter(
    ({ kind, status, url }) => kind === 'json' && status === 200 && !url.includes('count_tokens'),
  )
}

export function usageOfAnswer({ wire }: Format, body: Uint8Array): Usage {
  return wire.toUsage(wire.extractResponse(body, sampleCharactersMax).rawUsage)
}

export function answerInto(from: Format, to: Format, body: Uint8Array): string {
  const usage = usageOfAnswer(from, body)
  return to.codec.encodeResponse(translateResponse(from.codec, body, usage, new Map()), frame, {
    usage,
    cost,
  })
}

// Streams.

export function recordedStreams({ name }: Format): readonly FixtureCase[] {
  return fixtureCases(name).filter(({ kind }) => kind === 'stream')
}

/** Streams that carry an error of their upstream; every other one is complete. */
export function isFailing({ name }: FixtureCase): boolean {
  return name.startsWith('stream-error-')
}

export function watched({ wire }: Format, chunks: Iterable<Uint8Array>): UsageTap {
  const watch = wire.tapStream({
    usageEvent: 'relay',
    choices: 1,
    eventBytesMax,
    sampleCharactersMax,
  })
  for (const chunk of chunks) watch.push(chunk)
  watch.end()
  return watch
}

export function* chunked(bytes: Uint8Array, size: number): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** The stream as the caller gets it except for its terminal event. */
export function beginningInto(from: Format, to: Format, chunks: Iterable<Uint8Array>, asked = frame): string {
  return beginning(
    new StreamTranslator(from.codec, to.codec, { frame: asked, names: new Map(), eventBytesMax }),
    chunks,
  )
}

function beginning(translator: StreamTranslator, chunks: Iterable<Uint8Array>): string {
  let text = ''
  for (const chunk of chunks) text += translator.push(chunk)
  return text + translator.end()
}

/** The whole stream as the caller gets it. */
export function streamInto(
  from: Format,
  to: Format,
  chunks: Iterable<Uint8Array>,
  tally: ResponseCost,
): string {
  const translator = new StreamTranslator(from.codec, to.codec, { frame, names: new Map(), eventBytesMax })
  return beginning(translator, chunks) + translator.close(tally)
}

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text)
}

export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}
