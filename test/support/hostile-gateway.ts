/**
 * A gateway in front of a sandbox that records its requests, called over raw sockets in all formats.
 * For tests of input that no client library would send: every error response is checked from the caller's
 * point of view, and afterwards that it cost nothing and that the server still serves.
 */
import assert from 'node:assert/strict'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { at } from './format-clients.ts'
import { errorReaders } from './format-errors.ts'
import { type TestAccount, type TestGateway, type TestGatewayOptions, testGateway } from './gateway.ts'
import { eventually } from './metered-gateway.ts'
import { type RawAnswer, RawClient } from './raw-client.ts'

export const formats = ['chat', 'messages', 'responses', 'gemini'] as const
export type Format = (typeof formats)[number]

/** The formats whose bodies name the model and whether to stream; in the other the path does. */
export const selfContained = ['chat', 'messages', 'responses'] as const

/** The path of each format, the header of its clients' key, and a model that echoes. */
export const asking: Readonly<
  Record<
    Format,
    { readonly path: string; readonly keyHeader: (key: string) => string; readonly model: string }
  >
> = {
  chat: {
    path: '/v1/chat/completions',
    keyHeader: (key) => `Authorization: Bearer ${key}`,
    model: 'hostile-chat',
  },
  messages: {
    path: '/v1/alt/v1/messages',
    keyHeader: (key) => `x-api-key: ${key}`,
    model: 'hostile-messages',
  },
  responses: {
    path: '/v1/responses',
    keyHeader: (key) => `Authorization: Bearer ${key}`,
    model: 'hostile-responses',
  },
  gemini: {
    path: '/v1beta/models/hostile-gemini:generateContent',
    keyHeader: (key) => `x-goog-api-key: ${key}`,
    model: 'hostile-gemini',
  },
}

/** The path for a model: always the same except in the format whose path names it. */
export function pathOf(format: Format, model: string = asking[format].model): string {
  return asking[format].path.replace(asking[format].model, () => encodeURIComponent(model))
}

/** USD per million tokens; searches have a price, so that their cap matters. */
const price = {
  input: '3',
  cacheRead: '0.3',
  cacheWrite5m: '3.75',
  cacheWrite1h: '6',
  output: '15',
  tiers: [],
  options: {},
  fees: { web_search: '0.01' },
}

const providers = {
  chat: { provider: 'openai', formats: ['openai-chat'] },
  messages: { provider: 'anthropic', formats: ['anthropic'] },
  responses: { provider: 'openai', formats: ['openai-responses'] },
  gemini: { provider: 'google', formats: ['gemini'] },
} as const satisfies Readonly<Record<Format, unknown>>

function model(format: Format) {
  const { provider, formats } = providers[format]
  return {
    id: asking[format].model,
    provider,
    formats: [...formats],
    upstreamId: 'sandbox-echo',
    context: 200_000,
    maxOutput: 32_000,
    reasoning: false,
    prices: [price],
  }
}

/** Not a conversation format. */
const embeddings = {
  id: 'text-embedding-small',
  provider: 'openai',
  formats: ['openai-embeddings'] as const,
  context: 8_000,
  maxOutput: 1,
  prices: [{ input: '1', output: '0' }],
}

export interface HostileGateway extends TestGateway {
  readonly sandbox: Sandbox
  readonly port: number
  /** Sends bytes on a new connection; the first response, or undefined where the connection ends without one. */
  raw(bytes: string | Uint8Array): Promise<RawAnswer | undefined>
  /** A whole POST of `body` with a key, with the format's headers. */
  post(format: Format, body: string | Uint8Array, more?: PostOptions): Promise<RawAnswer | undefined>
  /** Asserts that the account holds nothing and has paid nothing since it had `usd`. */
  assertUntouched(account: TestAccount, usd: string): Promise<void>
  /** Asserts that all formats are served, with a separate account. */
  assertServes(): Promise<void>
  /** Asserts that nothing is running, buffered or held and that the ledger balances, and closes. */
  end(): Promise<void>
}

interface PostOptions {
  readonly key: string
  readonly path?: string
  /** Complete header lines, each with its line ending. */
  readonly headers?: string
}

export async function hostileGateway(options: TestGatewayOptions = {}): Promise<HostileGateway> {
  const sandbox = await startSandbox({ clock: systemClock, logBodies: true })
  const gateway = await testGateway({
    openai: sandbox.origin,
    anthropic: sandbox.origin,
    google: sandbox.origin,
    models: [...formats.map(model), embeddings],
    ...options,
  })
  const port = Number(new URL(gateway.origin).port)
  const witness = await gateway.account('1')
  async function raw(bytes: string | Uint8Array): Promise<RawAnswer | undefined> {
    const client = new RawClient(port)
    try {
      client.send(bytes)
      return await client.answer()
    } finally {
      client.close()
    }
  }
  function post(
    format: Format,
    body: string | Uint8Array,
    more: PostOptions,
  ): Promise<RawAnswer | undefined> {
    return raw(postBytes(format, body, more))
  }
  return {
    ...gateway,
    sandbox,
    port,
    raw,
    post: (format, body, more) => post(format, body, more ?? { key: witness.key }),
    async assertUntouched(account, usd) {
      const { posted, held, openHolds } = await gateway.balance(account.id)
      assert.deepEqual(
        { posted, held, openHolds },
        { posted: BigInt(usd) * 1_000_000_000n, held: 0n, openHolds: 0 },
      )
      assert.equal(gateway.gateway.deps.bodies.used, 0, 'no body is kept')
    },
    async assertServes() {
      for (const format of formats) {
        const answer = await post(format, goodBody(format), { key: witness.key })
        assert.equal(answer?.status, 200, answer?.body)
      }
      assert.equal(({} as Record<string, unknown>).polluted, undefined)
    },
    async end() {
      const { deps, services } = gateway.gateway
      try {
        await eventually('no request runs', () => deps.inFlight.count, isNone)
        await eventually('no body is kept', () => deps.bodies.used, isNone)
        const report = await services.ledger.verify()
        assert.deepEqual([report.drift, report.openHolds], [[], 0])
      } finally {
        await gateway.close()
        await sandbox.close()
      }
    },
  }
}

const isNone = (count: number): boolean => count === 0

/** The smallest request that succeeds. `more` is appended to its fields: `,"n":2`. */
export function goodBody(format: Format, more = ''): string {
  const named = `"model":"${asking[format].model}"`
  const message = '{"role":"user","content":"hello"}'
  switch (format) {
    case 'chat':
    case 'messages':
      return `{${named},"max_tokens":16,"messages":[${message}]${more}}`
    case 'responses':
      return `{${named},"max_output_tokens":16,"input":[${message}]${more}}`
    case 'gemini':
      return `{"contents":[{"role":"user","parts":[{"text":"hello"}]}]${more}}`
  }
}

/** The name of the conversation in the body. */
export const conversationField: Readonly<Record<Format, string>> = {
  chat: 'messages',
  messages: 'messages',
  responses: 'input',
  gemini: 'contents',
}

export function postBytes(format: Format, body: string | Uint8Array, options: PostOptions): Buffer {
  const content = typeof body === 'string' ? Buffer.from(body) : body
  const { path, keyHeader } = asking[format]
  const head = [
    `POST ${options.path ?? path} HTTP/1.1`,
    'Host: gateway.test',
    keyHeader(options.key),
    'Content-Type: application/json',
    `Content-Length: ${content.length}`,
  ].join('\r\n')
  return Buffer.concat([Buffer.from(`${head}\r\n${options.headers ?? ''}\r\n`, 'latin1'), content])
}

export function headerOf(answer: RawAnswer, name: string): string | undefined {
  return new RegExp(`^${name}: *(.*)$`, 'im').exec(answer.head)?.[1]
}

/** Internals that no response may contain: file paths, module names, text from the database or the runtime. */
const internals =
  /\bat (?:async )?[\w.<>]+ \(|node:internal|node_modules|\.[cm]?[jt]s\b|file:\/\/|\/(?:work|tmp|home|usr)\/|SQLITE|FST_ERR|HPE_|ERR_[A-Z]|TypeError|RangeError|SyntaxError|WireError|TollgateError|BrokenInvariant/

export interface Rejected {
  readonly status: number
  readonly code: string
  readonly message: string
}

/** Asserts that the response is an error of the format, with its id, without internal details. */
export function readRejection(format: Format, answer: RawAnswer | undefined): Rejected {
  assert.ok(answer !== undefined, 'there is an answer')
  const { status, head, body } = answer
  assert.ok(status >= 400 && status < 600, `${status} ${body}`)
  assert.match(headerOf(answer, 'content-type') ?? '', /^application\/json/)
  const id = headerOf(answer, 'x-request-id')
  assert.match(id ?? '', /^req_[0-9a-z]{13}$/)
  assert.equal(headerOf(answer, 'request-id'), id)
  assert.doesNotMatch(head, internals)
  assert.doesNotMatch(body, internals)
  assert.ok(body.length < 4_096, 'a rejection is short, whatever was sent')
  const parsed: unknown = JSON.parse(body)
  const read = errorReaders[formatOf[format]](parsed)
  assert.notEqual(read.message, '')
  assert.match(read.words[0] ?? '', format === 'gemini' ? /^[A-Z_]+$/ : /^[a-z_]+$/)
  assert.match(read.code, /^[a-z_]+$/)
  if (format === 'messages') assert.equal(at(parsed, 'request_id'), id)
  if (format === 'gemini') assert.equal(at(parsed, 'error', 'code'), status)
  if (format === 'chat' || format === 'responses') {
    const param = at(parsed, 'error', 'param')
    assert.ok(param === null || typeof param === 'string')
  }
  return { status, code: read.code, message: read.message }
}

const formatOf = {
  chat: 'openai-chat',
  messages: 'anthropic',
  responses: 'openai-responses',
  gemini: 'gemini',
} as const satisfies Readonly<Record<Format, ConversationFormat>>

/** The same for errors before a format is known: one body that most clients can read. */
export function readPlainRejection(answer: RawAnswer | undefined): Rejected {
  assert.ok(answer !== undefined, 'there is an answer')
  assert.match(headerOf(answer, 'connection') ?? '', /^close$/i)
  const parsed: unknown = JSON.parse(answer.body)
  assert.equal(at(parsed, 'type'), 'error')
  assert.equal(at(parsed, 'request_id'), headerOf(answer, 'x-request-id'))
  return readRejection('chat', answer)
}
