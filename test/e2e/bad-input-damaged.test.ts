/**
 * Valid requests with random byte damage: each gets a sensible response, never an internal
 * error; what is still served was reserved as it went upstream; and the ledger balances at the end.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { parseUsd } from '../../contract/usd.ts'
import type { TestAccount } from '../support/gateway.ts'
import {
  type Format,
  goodBody,
  type HostileGateway,
  headerOf,
  hostileGateway,
  postBytes,
} from '../support/hostile-gateway.ts'
import { type RawAnswer, RawClient } from '../support/raw-client.ts'
import { repeated } from '../support/sampled.ts'

const cases = repeated(2_000, 2_000, 4_000)
const concurrentRequests = 100

let gateway: HostileGateway
let account: TestAccount
before(async () => {
  gateway = await hostileGateway({
    limits: {
      requestsPerMinute: null,
      tokensPerMinute: null,
      concurrent: null,
      // A request that lost its end is over soon.
      headersTimeoutMs: 1_000,
      uploadGraceMs: 500,
    },
  })
  account = await gateway.account('500')
})
after(async () => {
  await gateway.assertServes()
  await gateway.end()
})

const requests: readonly (readonly [Format, more: string])[] = [
  ['chat', ',"max_completion_tokens":20'],
  ['chat', ',"n":2,"stream":false'],
  ['chat', ',"stream":true,"stream_options":{"include_usage":true}'],
  ['chat', ',"tools":[{"type":"function","function":{"name":"a","parameters":{}}}],"service_tier":"auto"'],
  ['messages', ',"stream":true'],
  ['messages', ',"thinking":{"type":"enabled","budget_tokens":1024}'],
  ['messages', ',"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":2}]'],
  ['messages', ',"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"}}]'],
  ['responses', ',"stream":true,"reasoning":{"effort":"low"}'],
  ['responses', ',"tools":[{"type":"web_search"},{"type":"custom","name":"a"}],"max_tool_calls":2'],
  ['responses', ',"tools":[{"type":"function","name":"a","strict":false,"parameters":{"type":"object"}}]'],
  ['gemini', ',"generationConfig":{"maxOutputTokens":20,"candidateCount":1}'],
  ['gemini', ',"generation_config":{"thinking_config":{"thinking_budget":128},"max_output_tokens":200}'],
  [
    'gemini',
    ',"systemInstruction":{"parts":[{"text":"a"}]},"tools":[{"functionDeclarations":[{"name":"a"}]}]',
  ],
]

/** Bytes that are likely to be significant where they land. */
const pieces: readonly string[] = [
  ...'"\\{}[],:0-e \r\n\0\x7f\xff',
  'null',
  'true',
  '\\u0000',
  ',"n":9',
  ',"max_tokens":1',
  ',"max_completion_tokens":99999',
  ',"max_output_tokens":99999',
  ',"maxOutputTokens":99999',
  ',"candidateCount":8',
  ',"max_tool_calls":99',
  ',"generationConfig":{"maxOutputTokens":99999}',
  ',"tools":[{"googleSearch":{}}]',
  ',"stream":true',
  ',"model":"x"',
  ',"thinking":{"budget_tokens":5000}',
  ',"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":99}]',
  '\r\n\r\n',
  '0\r\n\r\n',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Expect: 100-continue\r\n',
  'Host: x\r\n',
  'HTTP/1.0',
  'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
]

const damage = fc.record({
  /** Per mille of the length. */
  from: fc.nat(1_000),
  to: fc.nat(1_000),
  how: fc.constantFrom('insert', 'cut', 'replace', 'repeat', 'shorten'),
  piece: fc.oneof(
    fc.constantFrom(...pieces),
    fc.nat(255).map((byte) => String.fromCharCode(byte)),
  ),
})

type Damage = typeof damage extends fc.Arbitrary<infer Value> ? Value : never

function damaged(text: string, { from, to, how, piece }: Damage): string {
  const places = [from, to].map((share) => Math.floor((share * text.length) / 1_000)).sort((a, b) => a - b)
  const [start = 0, end = 0] = places
  switch (how) {
    case 'insert':
      return text.slice(0, start) + piece + text.slice(start)
    case 'cut':
      return text.slice(0, start) + text.slice(start + 1 + piece.length)
    case 'replace':
      return text.slice(0, start) + piece + text.slice(end)
    case 'repeat':
      return text.slice(0, end) + text.slice(start, end) + text.slice(end)
    case 'shorten':
      return text.slice(0, start) + piece + text.slice(start + piece.length)
  }
}

const damagedRequest = fc
  .record({
    request: fc.constantFrom(...requests),
    damages: fc.array(damage, { minLength: 1, maxLength: 4 }),
    /** A body that is damaged before its length is computed is always read to its end. */
    where: fc.constantFrom('body', 'body', 'all'),
  })
  .map(({ request: [format, more], damages, where }) => {
    const spoil = (text: string): string => damages.reduce(damaged, text)
    const body = goodBody(format, more)
    if (where === 'all') return { format, bytes: spoil(bytesOf(format, body)) }
    return { format, bytes: bytesOf(format, spoil(body)) }
  })

/** `@` is replaced by the key when the request is sent. */
function bytesOf(format: Format, body: string): string {
  return postBytes(format, Buffer.from(body, 'latin1'), { key: '@' }).toString('latin1')
}

/** The cost of what went upstream is below the hold that the response reports. */
function assertPaid(format: Format, answer: RawAnswer): void {
  const hold = parseUsd(headerOf(answer, 'x-tollgate-hold') ?? '')
  const sent = gateway.sandbox.logged(headerOf(answer, 'x-upstream-request-id') ?? '')
  // Google's API does not return a request ID in a header, and many requests run concurrently.
  if (format === 'gemini') return assert.ok(hold !== undefined && hold > 0n)
  assert.ok(hold !== undefined && sent?.body !== undefined)
  const upstream = JSON.parse(sent.body.toString()) as Upstream
  const searches = (upstream.tools ?? []).filter(({ type }) => type?.startsWith('web_search'))
  const capped = searches.reduce((sum, tool) => sum + (tool.max_uses ?? Number.NaN), 0)
  const uses = format === 'responses' && searches.length > 0 ? upstream.max_tool_calls : capped
  const limit = BigInt(Math.max(...limitNames[format].map((name) => upstream[name] ?? 0)))
  const bound = limit * BigInt(upstream.n ?? 1) * 15_000n + BigInt(uses ?? Number.NaN) * 10_000_000n
  assert.ok(bound < hold, `${sent.body.toString()} is more than ${hold} nano-USD pay for`)
}

/** The fields that limit the output in this format. */
const limitNames = {
  chat: ['max_tokens', 'max_completion_tokens'],
  messages: ['max_tokens'],
  responses: ['max_output_tokens'],
} as const

interface Upstream {
  readonly max_tokens?: number | null
  readonly max_completion_tokens?: number | null
  readonly max_output_tokens?: number | null
  readonly max_tool_calls?: number | null
  readonly n?: number
  readonly tools?: readonly { readonly type?: string; readonly max_uses?: number }[]
}

async function assertSensible({ format, bytes }: { format: Format; bytes: string }): Promise<number> {
  const client = new RawClient(gateway.port)
  client.send(bytes.replace('@', account.key))
  const answer = await client.answer()
  client.close()
  const shown = `${format} ${JSON.stringify(bytes)}\n${answer?.head}\n${answer?.body}`
  // A damaged request may be empty, and an upgrade to the control plane is not an error.
  if (answer === undefined || answer.status < 200) return answer?.status ?? 0
  // A damaged path may be one of an endpoint that is not supported.
  assert.ok(answer.status < 500 || answer.status === 501, shown)
  assert.match(headerOf(answer, 'x-request-id') ?? '', /^req_/, shown)
  if (answer.status >= 400) assert.equal(typeof JSON.parse(answer.body).error, 'object', shown)
  else if (headerOf(answer, 'x-tollgate-hold') !== undefined) assertPaid(format, answer)
  return answer.status
}

test('damaged requests get sensible responses', async (context) => {
  const seed = process.pid
  const samples = fc.sample(damagedRequest, { numRuns: cases, seed })
  const counts = new Map<number, number>()
  const left = [...samples]
  async function lane(): Promise<void> {
    for (let sample = left.pop(); sample !== undefined; sample = left.pop()) {
      const status = await assertSensible(sample)
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: concurrentRequests }, lane))
  context.diagnostic(
    `seed ${seed}: ${[...counts].map(([status, count]) => `${count} × ${status}`).join(', ')}`,
  )
  assert.ok((counts.get(200) ?? 0) > cases / 400, 'some are served')
  assert.ok((counts.get(400) ?? 0) > cases / 4, 'many are rejected')
})
