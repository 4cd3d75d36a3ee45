/**
 * Token-counting requests: how such a body is read as an ordinary request,
 * what of a request goes to a counting endpoint, and how each format reports the number.
 * Pure; must not change the content.
 */
import type { ReadLimits } from './format.ts'
import type { ClientFormatName, UpstreamFormatName } from './format-names.ts'
import type { BytePatch, Span } from './json/byte-patch.ts'
import { type Json, readJson } from './json/json.ts'
import { isRecord, parsed } from './json/parsed.ts'
import { jsonText } from './json/text.ts'

/** How clients of a format ask for a number of tokens. */
interface ClientCounting {
  /** How its body is read as one that generates; undefined: as it was written. */
  readonly read: (body: Uint8Array, json: Json) => CountRequest | undefined
  readonly write: (tokens: number) => string
}

/** How to request a token count from upstreams of a format. */
interface UpstreamCounting {
  /** Members of a request that the address takes; what is not among them does not count. */
  readonly members: ReadonlySet<string>
  /** The whole body, of the members of a request. */
  readonly body: (members: readonly string[], model: string) => string
  /** The member of the answer that is the number. */
  readonly answer: string
}

/** Formats that have a path that counts. */
const clients = {
  'openai-responses': {
    read: () => undefined,
    write: (tokens) => jsonText({ object: 'response.input_tokens', input_tokens: tokens }),
  },
  anthropic: { read: limited, write: (tokens) => jsonText({ input_tokens: tokens }) },
  gemini: { read: unwrapped, write: (tokens) => jsonText({ totalTokens: tokens }) },
} as const satisfies Readonly<Partial<Record<ClientFormatName, ClientCounting>>>

/**
 * Formats that have a path that counts. Sources: `MessageCountTokensParams` of @anthropic-ai/sdk,
 * `InputTokenCountParams` of openai, and ai.google.dev/api/tokens#method:-models.counttokens.
 */
const upstreams = {
  'openai-responses': {
    members: new Set([
      'model',
      'input',
      'instructions',
      'tools',
      'tool_choice',
      'reasoning',
      'text',
      'parallel_tool_calls',
      'truncation',
    ]),
    body: joinedMembers,
    answer: 'input_tokens',
  },
  anthropic: {
    members: new Set([
      'model',
      'messages',
      'system',
      'tools',
      'tool_choice',
      'thinking',
      'output_config',
      'cache_control',
    ]),
    body: joinedMembers,
    answer: 'input_tokens',
  },
  gemini: {
    members: new Set([
      'contents',
      'systemInstruction',
      'tools',
      'toolConfig',
      'safetySettings',
      'generationConfig',
      'cachedContent',
    ]),
    body: wrappedMembers,
    answer: 'totalTokens',
  },
} as const satisfies Readonly<Partial<Record<UpstreamFormatName, UpstreamCounting>>>

/** Without a member that is billed the count would be too low; where a host rejects one, the request is counted here instead. */
const hostedClaude = new Set(['messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config'])

/** The same at hosts that take it otherwise than the format's vendor. */
const hosted = {
  // cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/count-tokens: the model is in the body here.
  'vertex-claude': {
    members: hostedClaude,
    body: namedMembers,
    answer: 'input_tokens',
  },
  // cloud.google.com/vertex-ai/generative-ai/docs/model-reference/count-tokens: a request is not wrapped.
  'vertex-gemini': {
    members: new Set(['contents', 'systemInstruction', 'tools', 'generationConfig']),
    body: joinedMembers,
    answer: 'totalTokens',
  },
  // docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html: a body of InvokeModel in base64.
  'bedrock-claude': {
    members: hostedClaude,
    body: invocation,
    answer: 'inputTokens',
  },
} as const satisfies Readonly<Record<string, UpstreamCounting>>

/** The formats in which clients can ask for a number of tokens. */
export type ClientCountingFormat = keyof typeof clients
/** The formats in which upstreams can be asked for one. */
export type UpstreamCountingFormat = keyof typeof upstreams
/** How an address that counts takes a request: as the vendor of a format, or as a host. */
export type CountingShape = UpstreamCountingFormat | keyof typeof hosted

const clientCountings: Readonly<Record<ClientCountingFormat, ClientCounting>> = clients
const upstreamCountings: Readonly<Record<CountingShape, UpstreamCounting>> = { ...upstreams, ...hosted }

export function isClientCountingFormat(name: ClientFormatName): name is ClientCountingFormat {
  return Object.hasOwn(clients, name)
}

export function isUpstreamCountingFormat(name: UpstreamFormatName): name is UpstreamCountingFormat {
  return Object.hasOwn(upstreams, name)
}

/** All of them, in the order in which they are tried. */
export const upstreamCountingFormats = Object.keys(upstreams) as readonly UpstreamCountingFormat[]

/** A body that asks for a number, as its format's reader of requests takes it, and the way back. */
export interface CountRequest {
  /** The request whose tokens are counted. */
  readonly body: Uint8Array
  /** `body` with these edits, between `before` and `after`, is what the caller sent. */
  readonly restoring: readonly BytePatch[]
  readonly before: Uint8Array
  readonly after: Uint8Array
  /** Where the wrapped request names the model a second time; null where it does not. */
  readonly modelSpan: Span | null
}

const encoder = new TextEncoder()
const nothing = new Uint8Array(0)

/** Binds nothing: no format demands a limit when it counts. */
const limitMember = '"max_tokens":1000000'

/** Throws WireError `invalid_json`. Another body than the caller's where one member must be added, else the same memory. */
export function countRequest(
  format: ClientCountingFormat,
  body: Uint8Array,
  limits: ReadLimits,
): CountRequest {
  const asIs = { body, restoring: [], before: nothing, after: nothing, modelSpan: null }
  return readJson(body, limits, (json) => {
    if (json.kind(json.root) !== 'object') return asIs
    return clientCountings[format].read(body, json) ?? asIs
  })
}

/** Messages requires an output limit for generating. */
function limited(body: Uint8Array, json: Json): CountRequest | undefined {
  if (json.find(['max_tokens']) !== -1) return undefined
  const at = json.start(json.root) + 1
  const isEmpty = json.next(json.root) === json.root + 1
  const member = encoder.encode(isEmpty ? limitMember : `${limitMember},`)
  const whole = new Uint8Array(body.length + member.length)
  whole.set(body.subarray(0, at))
  whole.set(member, at)
  whole.set(body.subarray(at), at + member.length)
  return {
    body: whole,
    restoring: [{ start: at, end: at + member.length, text: '' }],
    before: nothing,
    after: nothing,
    modelSpan: null,
  }
}

/** Gemini counts the tokens of contents, or of a whole request inside of the body. */
function unwrapped(body: Uint8Array, json: Json): CountRequest | undefined {
  const inner = ['generateContentRequest', 'generate_content_request']
    .map((name) => json.find([name]))
    .find((value) => value !== -1)
  if (inner === undefined || json.kind(inner) !== 'object') return undefined
  const { start, end } = json.span(inner)
  const model = memberOf(json, inner, 'model')
  return {
    body: body.subarray(start, end),
    restoring: [],
    before: body.subarray(0, start),
    after: body.subarray(end),
    modelSpan:
      model === -1 || !json.isString(model)
        ? null
        : { start: json.start(model) - start, end: json.end(model) - start },
  }
}

function memberOf(json: Json, object: number, name: string): number {
  const members = json.children(object)
  for (let at = 0; at < members.length; at += 2) if (json.is(members[at]!, name)) return members[at]! + 1
  return -1
}

/** The body of a token-counting request, taken from a whole request in its own order. `model` is the provider's name. */
export function countBody(
  shape: CountingShape,
  request: Uint8Array,
  { model, limits }: { readonly model: string; readonly limits: ReadLimits },
): string {
  const row = upstreamCountings[shape]
  const members = readJson(request, limits, (json) => pickMembers(json, row.members))
  return row.body(members, model)
}

function joinedMembers(members: readonly string[]): string {
  return `{${members.join(',')}}`
}

function namedMembers(members: readonly string[], model: string): string {
  return joinedMembers([`"model":${JSON.stringify(model)}`, ...members])
}

/** More than a budget for thinking, which must be below the limit. */
const thinkingLimit = 64_000

/** The version and the limit are required, and count for nothing. */
function invocation(members: readonly string[]): string {
  const limit = members.some((member) => member.startsWith('"thinking"')) ? thinkingLimit : 1
  const required = ['"anthropic_version":"bedrock-2023-05-31"', `"max_tokens":${limit}`]
  const body = joinedMembers([...required, ...members])
  return jsonText({ input: { invokeModel: { body: base64(encoder.encode(body)) } } })
}

/** A multiple of three, so that pieces can be joined; arguments of a call are limited. */
const base64PieceBytes = 8_190

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += base64PieceBytes) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + base64PieceBytes)))
  }
  return text
}

function wrappedMembers(members: readonly string[], model: string): string {
  const named = [`"model":${JSON.stringify(`models/${model}`)}`, ...members]
  return `{"generateContentRequest":${joinedMembers(named)}}`
}

function pickMembers(json: Json, names: ReadonlySet<string>): readonly string[] {
  const children = json.children(json.root)
  const picked: string[] = []
  for (let at = 0; at < children.length; at += 2) {
    const name = children[at]!
    if (names.has(json.text(name))) {
      picked.push(json.written({ start: json.start(name), end: json.end(name + 1) }))
    }
  }
  return picked
}

const decoder = new TextDecoder('utf-8')

/** The number in an answer of an address that counts; null where there is none that can be true. */
export function readCount(shape: CountingShape, answer: Uint8Array): number | null {
  const value = parsed(decoder.decode(answer))
  const tokens = isRecord(value) ? value[upstreamCountings[shape].answer] : undefined
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null
}

/** The body of the answer to a caller who asked for a number. */
export function writeCount(format: ClientCountingFormat, tokens: number): string {
  return clientCountings[format].write(tokens)
}
