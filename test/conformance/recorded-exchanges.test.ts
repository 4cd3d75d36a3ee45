/**
 * Every recorded response and stream, relayed: the client gets the upstream's bytes, the upstream gets the
 * client's bytes except for the documented replacements, and the receipt matches the recording.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { formatUsd, parseUsd } from '../../contract/usd.ts'
import { type Answer, bearer, type Receipt, receiptOf, send } from '../support/bytes-client.ts'
import type { FixtureCase } from '../support/fixtures.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import {
  addresses,
  fees,
  headersOf,
  modelOf,
  plain,
  queryOf,
  type RecordedFormat,
  rates,
  recordedFormats,
  recordedModels,
  renamed,
  requestOf,
  servedCases,
} from '../support/recorded-models.ts'
import { type ChunkBytes, type ReplayUpstream, replayUpstream } from '../support/replay-upstream.ts'

let upstream: ReplayUpstream
let tollgate: TestGateway

before(async () => {
  upstream = await replayUpstream()
  tollgate = await testGateway({
    openai: upstream.origin,
    anthropic: upstream.origin,
    models: recordedModels(),
    // As many searches as one of the recorded responses made.
    limits: { serverToolUsesMax: 10 },
  })
})
after(async () => {
  await tollgate.close()
  await upstream.close()
})

const versions = { 'anthropic-version': '2023-01-01', 'anthropic-beta': 'first-2025-01-01,second-2025-02-02' }
const usageSplice = '"stream_options":{"include_usage":true},'

/** The credential as each format's own clients send it. */
function headersFor(format: RecordedFormat, key: string): Readonly<Record<string, string>> {
  return format === 'anthropic' ? { 'x-api-key': key, ...versions } : bearer(key)
}

interface RelayedExchange {
  readonly answer: Answer
  readonly receipt: Receipt
}

async function relayed(
  format: RecordedFormat,
  recorded: FixtureCase,
  how: { readonly key: string; readonly chunkBytes: ChunkBytes; readonly body: Buffer },
): Promise<RelayedExchange> {
  const { key } = how
  upstream.play({
    status: recorded.status,
    headers: headersOf(recorded),
    bytes: recorded.response,
    chunkBytes: how.chunkBytes,
  })
  const answer = await send(tollgate.origin, {
    path: `${addresses[format]}${queryOf(recorded)}`,
    headers: headersFor(format, key),
    body: how.body,
  })
  return { answer, receipt: await receiptOf(tollgate.origin, key, answer) }
}

// What the client gets.

/** Only a stream that failed upstream ends differently than recorded. */
const isWhole = ({ kind, name }: FixtureCase) => kind !== 'error' && !name.startsWith('stream-error-')

/** Long responses are not cut into single bytes. */
const chunkingsOf = ({ response }: FixtureCase): readonly ChunkBytes[] =>
  response.length > 20_000 ? [13, 'whole'] : [1, 7, 'whole']

for (const format of recordedFormats) {
  for (const recorded of servedCases(format).filter(isWhole)) {
    test(`${format}/${recorded.name}: the upstream's bytes, however they are cut`, async () => {
      const { key } = await tollgate.account('100')
      for (const chunkBytes of chunkingsOf(recorded)) {
        const { answer, receipt } = await relayed(format, recorded, {
          key,
          chunkBytes,
          body: requestOf(format, recorded),
        })
        assert.equal(answer.status, 200, answer.text)
        assert.equal(answer.isCut, false)
        assert.equal(answer.text, clientBytes(format, recorded).toString('utf8'))
        assert.ok(answer.bytes.equals(clientBytes(format, recorded)))
        assert.match(answer.headers['content-type'] ?? '', contentTypes[recorded.kind])
        checkReceipt(format, recorded, receipt)
        if (recorded.kind === 'json') assert.equal(answer.headers['x-tollgate-cost'], receipt.cost)
      }
    })
  }
}

// The same events as other hosts write them.

const spellings: Readonly<Record<string, (stream: string) => string>> = {
  'lines that end with CR LF': (stream) => stream.replaceAll('\n', '\r\n'),
  'no space after the colon': (stream) => stream.replaceAll(/^(data|event): /gm, '$1:'),
  'a byte order mark, comments, ids and retries': (stream) =>
    `\ufeff: hello\n\nretry: 10\n\n${stream.replaceAll(/^data: /gm, ': seen\nid: 7\ndata: ')}`,
}

for (const format of recordedFormats) {
  for (const [spelling, spelled] of Object.entries(spellings)) {
    test(`${format}: ${spelling}: still the upstream's bytes`, async () => {
      const { key } = await tollgate.account('1000')
      for (const recorded of servedCases(format).filter(isWhole)) {
        // The event that only the gateway requests is removed; here it stays where the client requests it.
        if (recorded.kind !== 'stream' || clientBytes(format, recorded) !== recorded.response) continue
        const response = Buffer.from(spelled(recorded.response.toString('utf8')))
        const { answer, receipt } = await relayed(
          format,
          { ...recorded, response },
          { key, chunkBytes: 7, body: requestOf(format, recorded) },
        )
        assert.equal(answer.text, response.toString('utf8'), recorded.name)
        checkReceipt(format, recorded, receipt)
      }
    })
  }
}

const contentTypes = { json: /^application\/json/, stream: /^text\/event-stream/, error: /./ } as const

/** The upstream's bytes without the event that the client did not request. */
function clientBytes(format: RecordedFormat, recorded: FixtureCase): Buffer {
  const { response } = recorded
  const isAsked = /"include_usage"\s*:\s*true/.test(requestOf(format, recorded).toString('utf8'))
  if (format === 'anthropic' || recorded.kind !== 'stream' || isAsked) return response
  const events = response.toString('utf8').split(/(?<=\n\n)/)
  return Buffer.from(events.filter((event) => !isUsageEvent(event)).join(''))
}

function isUsageEvent(event: string): boolean {
  if (!event.startsWith('data: {')) return false
  const chunk = JSON.parse(event.slice('data: '.length)) as { choices: unknown[]; usage?: unknown }
  return chunk.choices.length === 0 && typeof chunk.usage === 'object' && chunk.usage !== null
}

// What the upstream gets.

for (const format of recordedFormats) {
  for (const recorded of servedCases(format)) {
    if (recorded.request === undefined) continue
    test(`${format}/${recorded.name}: the client's bytes reach the upstream`, async () => {
      const { key } = await tollgate.account('100')
      const written = requestOf(format, recorded).toString('utf8')
      for (const prefix of ['', renamed]) {
        const body = withModel(written, `${prefix}${modelOf(format, recorded)}`)
        await relayed(format, recorded, { key, chunkBytes: 'whole', body: Buffer.from(body) })
        const received = upstream.requests.at(-1)
        assert.ok(received)
        assert.equal(received.body.toString('utf8'), upstreamText(format, written))
        assert.equal(received.method, 'POST')
        const path = format === 'anthropic' ? '/v1/messages' : '/v1/chat/completions'
        assert.equal(received.url, `${path}${queryOf(recorded)}`)
        assert.ok(!JSON.stringify(received.headers).includes(key), "the caller's key goes nowhere")
        if (format === 'openai-chat') {
          assert.equal(received.headers.authorization, 'Bearer upstream-credential')
          continue
        }
        assert.equal(received.headers['x-api-key'], 'upstream-credential')
        assert.equal(received.headers.authorization, undefined)
        assert.equal(received.headers['anthropic-version'], versions['anthropic-version'])
        assert.equal(received.headers['anthropic-beta'], versions['anthropic-beta'])
      }
    })
  }
}

/** The same text with another model's name, which occurs once. */
function withModel(text: string, name: string): string {
  const found = text.match(/"model"\s*:\s*"[^"]*"/g) ?? []
  const [first] = found
  const isModel = (field: string) => JSON.parse(`{${field}}`).model === JSON.parse(text).model
  assert.ok(first !== undefined && found.filter(isModel).length === 1 && isModel(first))
  return text.replace(first, first.replace(/"[^"]*"$/, JSON.stringify(name)))
}

/** The expected request: usage is requested, and searches are capped; nothing else is different. */
function upstreamText(format: RecordedFormat, written: string): string {
  const body = JSON.parse(written) as { stream?: boolean; stream_options?: unknown }
  if (format === 'anthropic') return written.replace('"max_uses": null', '"max_uses": 10')
  const isAdded = body.stream === true && body.stream_options === undefined
  return isAdded ? written.replace('{', `{${usageSplice}`) : written
}

// What has no price.

/** Requests that are rejected where only text is priced: the field that the error names, and why. */
const unpricedRequests: Readonly<Record<string, readonly [field: string, why: string]>> = {
  'pause-turn': ['tools[0]', 'searches are charged by use'],
  'stream-code-execution': ['tools[0]', 'containers are charged by time'],
  'error-400-param': ['web_search_options', 'searches are charged by use'],
  'web-search-annotations': ['web_search_options', 'searches are charged by use'],
}

for (const format of recordedFormats) {
  test(`${format}: of the recorded requests only those that change the price are rejected without one`, async () => {
    const { key, id } = await tollgate.account('100')
    for (const recorded of servedCases(format)) {
      upstream.play({
        status: 200,
        headers: { 'content-type': 'application/json' },
        bytes: Buffer.from('{"error":"nobody should ask"}'),
      })
      const written = requestOf(format, recorded).toString('utf8')
      const before = upstream.requests.length
      const answer = await send(tollgate.origin, {
        path: addresses[format],
        headers: headersFor(format, key),
        body: withModel(written, plain + modelOf(format, recorded)),
      })
      const [field] = unpricedRequests[recorded.name] ?? []
      assert.equal(upstream.requests.length - before, field === undefined ? 1 : 0, recorded.name)
      if (field === undefined) continue
      const { error } = JSON.parse(answer.text) as { error: Record<string, unknown> & { details?: Json } }
      assert.equal(answer.status, 400)
      assert.equal(error.details?.code ?? error.code, 'unpriced_option', answer.text)
      assert.ok(String(error.message).includes(field), answer.text)
    }
    assert.deepEqual(await tollgate.balance(id), { posted: 100_000_000_000n, held: 0n, openHolds: 0 })
  })
}

// What the receipt says.

interface Expected {
  readonly uncached: number
  readonly cacheRead: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
  readonly output: number
  readonly reasoning: number
  readonly fees: Readonly<Record<string, number>>
}

type Json = Readonly<Record<string, unknown>>

const inside = (value: unknown, name: string): Json => ((value as Json | undefined)?.[name] ?? {}) as Json
const count = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** Every usage object of a response, in order. */
function reportsIn({ kind, response }: FixtureCase): readonly Json[] {
  const text = response.toString('utf8')
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'))
  const values = kind === 'stream' ? lines.map((line) => JSON.parse(line.slice(6))) : [JSON.parse(text)]
  return values.flatMap((value: Json) => {
    const usage = value.usage ?? inside(value, 'message').usage
    return typeof usage === 'object' && usage !== null ? [usage as Json] : []
  })
}

/** The usage, parsed a second time in the simplest way; null where there is none. */
function expectedUsage(format: RecordedFormat, recorded: FixtureCase): Expected | null {
  const reports = reportsIn(recorded)
  if (reports.length === 0) return null
  const merged: Json = Object.assign({}, ...reports)
  return format === 'anthropic' ? messagesUsage(merged, recorded) : chatUsage(merged)
}

function messagesUsage(usage: Json, { response }: FixtureCase): Expected {
  const written = count(usage.cache_creation_input_tokens)
  const anHour = count(inside(usage, 'cache_creation').ephemeral_1h_input_tokens)
  const used = inside(usage, 'server_tool_use')
  const searches = count(used.web_search_requests)
  const ranCode = /"name":\s*"bash_code_execution"/.test(response.toString('utf8'))
  return {
    uncached: count(usage.input_tokens),
    cacheRead: count(usage.cache_read_input_tokens),
    cacheWrite5m: written - anHour,
    cacheWrite1h: anHour,
    output: count(usage.output_tokens),
    reasoning: count(inside(usage, 'output_tokens_details').thinking_tokens),
    fees: {
      ...(searches === 0 ? {} : { web_search: searches }),
      ...(ranCode ? { code_execution: 1 } : {}),
    },
  }
}

function chatUsage(usage: Json): Expected {
  const details = inside(usage, 'prompt_tokens_details')
  const [cacheRead, cacheWrite5m] = [count(details.cached_tokens), count(details.cache_write_tokens)]
  return {
    uncached: count(usage.prompt_tokens) - cacheRead - cacheWrite5m,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    // One host counts reasoning only in the total.
    output: count(usage.total_tokens) - count(usage.prompt_tokens),
    reasoning: count(inside(usage, 'completion_tokens_details').reasoning_tokens),
    fees: {},
  }
}

/** Responses with usage that no price covers. */
const unpricedCases: Readonly<Record<string, string>> = {
  'adaptive-summarized-sonnet-5': 'the recorder put a placeholder where the place of inference stood',
}
function checkReceipt(format: RecordedFormat, recorded: FixtureCase, receipt: Receipt): void {
  const { usage } = receipt
  assert.equal(receipt.status, 'complete')
  assert.equal(receipt.http_status, 200)
  assert.equal(receipt.error, null)
  const [cost, hold] = [nano(receipt.cost), nano(receipt.hold)]
  assert.ok(cost <= hold, `${receipt.cost} of ${receipt.hold}`)
  const expected = expectedUsage(format, recorded)
  if (expected === null) {
    assert.equal(usage.source, 'counted')
    assert.ok(usage.input_uncached > 0 && usage.output > 0, JSON.stringify(usage))
    return
  }
  assert.deepEqual(
    {
      uncached: usage.input_uncached,
      cacheRead: usage.cache_read,
      cacheWrite5m: usage.cache_write_5m,
      cacheWrite1h: usage.cache_write_1h,
      output: usage.output,
      reasoning: usage.reasoning,
      fees: usage.fees,
    },
    expected,
  )
  assert.equal(usage.source, 'reported')
  assert.deepEqual([usage.input_audio, usage.output_audio, usage.ran_at], [0, 0, []])
  assert.equal(usage.unpriced, Object.hasOwn(unpricedCases, recorded.name))
  assert.equal(receipt.cost, formatUsd(priceOf(expected)))
}

function nano(usd: string): bigint {
  const amount = parseUsd(usd)
  assert.ok(amount !== undefined)
  return amount
}

/** Summed exactly, rounded up once. */
function priceOf(usage: Expected): bigint {
  const perMillion =
    BigInt(usage.uncached) * nano(rates.input) +
    BigInt(usage.cacheRead) * nano(rates.cacheRead) +
    BigInt(usage.cacheWrite5m) * nano(rates.cacheWrite5m) +
    BigInt(usage.cacheWrite1h) * nano(rates.cacheWrite1h) +
    BigInt(usage.output) * nano(rates.output)
  const tools = Object.entries(usage.fees).reduce(
    (sum, [meter, uses]) => sum + BigInt(uses) * nano(fees[meter as keyof typeof fees]),
    0n,
  )
  return (perMillion + 999_999n) / 1_000_000n + tools
}
