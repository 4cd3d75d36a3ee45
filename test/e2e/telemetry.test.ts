/** OpenTelemetry: what a collector receives of requests, and that a missing collector costs requests nothing. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Config } from '../../src/config/config.ts'
import { RequestTrace } from '../../src/telemetry/request-trace.ts'
import { readTraceContext } from '../../src/telemetry/trace-context.ts'
import { type FaultUpstream, faultUpstream, wholeAnswer } from '../support/fault-upstream.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { rejects, standInUsage, standsIn } from '../support/stand-in.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly traceState: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[]
  readonly status: { code?: number }
}

interface Point extends Pick<Span, 'attributes'> {
  readonly count: string
  readonly sum: number
  readonly bucketCounts: readonly string[]
  readonly explicitBounds: readonly number[]
  readonly asDouble: number
}

interface Metric {
  readonly name: string
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly Point[] }
  readonly histogram?: { readonly dataPoints: readonly Point[] }
}

const json = ['content-type: application/json']
const accepted = wholeAnswer(200, '{}', json)
/** What the collector answers. */
let collected = accepted
let collector: FaultUpstream
let broken: FaultUpstream
let working: FaultUpstream
let gateway: TestGateway
let account: TestAccount

const configured = async (environment: Record<string, string>) => {
  const upstream = (name: string, url: string) => ({
    ...{ name, provider: 'openai', url, credential: `${name}-credential` },
    ...{ models: [{ id: `unused-${name}` }], weight: 1 },
  })
  const chat = (id: string, upstreamName: string) => ({
    ...{ id, context: 200_000, maxOutput: 1_000, prices: [{ input: '1', output: '2' }] },
    offers: [{ upstream: upstreamName, model: `${id}-there`, formats: ['openai-chat'] }],
  })
  return testGateway({
    offers: 'as configured',
    upstreams: [upstream('broken', broken.origin), upstream('working', working.origin)],
    models: [
      { ...chat('first', 'broken'), fallbacks: ['second'] },
      chat('second', 'working'),
    ] as unknown as Config['models'],
    limits: {
      ...{ requestsPerMinute: null, retriesMin: 100, cooldownMsMax: 0, failuresBeforeEjection: 1_000 },
      ...{ spanExportMs: 1, spansQueuedMax: 20, metricExportMs: 20 },
    },
    environment,
  })
}

before(async () => {
  collector = await faultUpstream(() => collected)
  broken = await faultUpstream(() => rejects(529))
  working = await faultUpstream(() => standsIn('served'))
  gateway = await configured({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin}/base/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20b,x-other=1',
    OTEL_SERVICE_NAME: 'gate',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  })
  account = await gateway.account('10')
})
after(async () => {
  await gateway.close()
  for (const upstream of [broken, working, collector]) await upstream.close()
})

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7'

async function ask(
  at: TestGateway,
  { key, model, ...headers }: { key: string; model: string } & Record<string, string>,
): Promise<number> {
  const response = await fetch(`${at.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
  })
  await response.text()
  return response.status
}

const exports = (path: string) => collector.requests.filter((request) => request.path === `/base/v1/${path}`)

function spansOf(traceId: string): readonly Span[] {
  return exports('traces')
    .flatMap(({ body }) => JSON.parse(body.toString()).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }: { spans: readonly Span[] }) => spans))
    .filter((span) => span.traceId === traceId)
}

const collectedSpans = (traceId: string): Promise<readonly Span[]> =>
  eventually(
    'spans',
    async () => spansOf(traceId),
    ({ length }) => length > 0,
  )

function attributesOf({ attributes }: Pick<Span, 'attributes'>): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

/** Of the last export. */
const newestMetrics = (): readonly Metric[] => {
  const last = exports('metrics').at(-1)
  return last === undefined
    ? []
    : JSON.parse(last.body.toString()).resourceMetrics.flatMap(
        ({ scopeMetrics }: { scopeMetrics: { metrics: Metric[] }[] }) =>
          scopeMetrics.flatMap(({ metrics }) => metrics),
      )
}
const named = (name: string, metrics: readonly Metric[]) => metrics.find((metric) => metric.name === name)
const firstPoint = (name: string, metrics: readonly Metric[]) =>
  named(name, metrics)?.histogram?.dataPoints[0]

const headerOf = (upstream: FaultUpstream, name: string) =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(upstream.requests.at(-1)?.head ?? '')?.[1]?.trim()

test("a request continues its client's trace, with a span for each attempt, to the upstream", async () => {
  const status = await ask(gateway, {
    key: account.key,
    model: 'first',
    traceparent: `${parent}-01`,
    tracestate: 'a=1',
  })
  assert.equal(status, 200)
  const [request, failed, served, ...more] = await collectedSpans(parent.split('-')[1]!)
  assert.ok(request !== undefined && failed !== undefined && served !== undefined && more.length === 0)
  assert.deepEqual(
    [request.parentSpanId, failed.parentSpanId, served.parentSpanId],
    [parent.split('-')[2], request.spanId, request.spanId],
  )
  assert.deepEqual([request.kind, failed.kind, served.kind], [2, 3, 3])
  assert.deepEqual(
    [request.name, failed.name, served.name],
    ['POST /v1/chat/completions', 'chat first-there', 'chat second-there'],
  )
  for (const span of [request, failed, served]) {
    assert.equal(span.traceState, 'a=1')
    assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano))
  }
  assert.equal(headerOf(working, 'traceparent'), `00-${request.traceId}-${served.spanId}-01`)
  assert.equal(headerOf(working, 'tracestate'), 'a=1')
  assert.equal(headerOf(broken, 'traceparent'), `00-${request.traceId}-${failed.spanId}-01`)
  const usage = {
    'gen_ai.usage.input_tokens': String(standInUsage.input),
    'gen_ai.usage.output_tokens': String(standInUsage.output),
    'tollgate.model': 'second',
    'tollgate.end_reason': 'complete',
    'tollgate.charged_usd': 0.000013,
  }
  const attributes = {
    request: attributesOf(request),
    failed: attributesOf(failed),
    served: attributesOf(served),
  }
  for (const [name, value] of Object.entries(usage)) {
    assert.equal(attributes.request[name], value, name)
    assert.equal(attributes.served[name], value, name)
    assert.equal(attributes.failed[name], undefined, name)
  }
  assert.equal(attributes.request['http.response.status_code'], '200')
  assert.match(String(attributes.request['tollgate.account.id']), /^acct_/)
  assert.deepEqual(
    [attributes.failed['error.type'], attributes.failed['http.response.status_code'], failed.status.code],
    ['upstream_overloaded', '529', 2],
  )
  assert.deepEqual(
    [attributes.served['gen_ai.provider.name'], attributes.served['tollgate.upstream'], served.status.code],
    ['openai', 'working', undefined],
  )
})

test('what is exported names the service, and carries the headers of the collector', async () => {
  await ask(gateway, { key: account.key, model: 'second' })
  const [first] = await eventually(
    'an export',
    async () => exports('traces'),
    ({ length }) => length > 0,
  )
  assert.match(first?.head ?? '', /^x-team: a b\r$/im)
  assert.match(first?.head ?? '', /^x-other: 1\r?$/im)
  const { resource } = JSON.parse(first?.body.toString() ?? '').resourceSpans[0]
  const attributes = attributesOf(resource)
  assert.deepEqual([attributes['service.name'], attributes['deployment.environment.name']], ['gate', 'test'])
  assert.match(
    String(attributes['service.instance.id']),
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
})

test('without a protocol it is protobuf, and each server has an instance id of its own', async () => {
  const ids = new Set<string>()
  for (const _ of [1, 2]) {
    const own = await configured({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin}/protobuf` })
    const { key } = await own.account('10')
    assert.equal(await ask(own, { key, model: 'second' }), 200)
    await own.close()
    const sent = collector.requests.filter(({ path }) => path.startsWith('/protobuf/v1/')).splice(-4)
    for (const { head, body } of sent) {
      assert.match(head, /^content-type: application\/x-protobuf\r?$/im)
      ids.add(/service\.instance\.id.{1,6}?([0-9a-f-]{36})/s.exec(body.toString('latin1'))?.[1] ?? 'none')
    }
    assert.ok(
      sent.some(({ path }) => path.endsWith('/traces')) && sent.some(({ path }) => path.endsWith('/metrics')),
    )
  }
  assert.ok(ids.size === 2 && !ids.has('none'), [...ids].join())
})

test('a rejected request is a span too', async () => {
  const traceId = 'a'.repeat(32)
  const traceparent = `00-${traceId}-${'b'.repeat(16)}-01`
  assert.equal(await ask(gateway, { key: 'wrong', model: 'second', traceparent }), 401)
  const [span] = await collectedSpans(traceId)
  const attributes = attributesOf(span!)
  assert.deepEqual(
    [attributes['http.response.status_code'], attributes['error.type'], span?.status.code],
    ['401', 'invalid_api_key', undefined],
  )
})

test('paths are exported without IDs and names of models, and unknown ones not at all', async () => {
  const asked = [
    ['/v1/responses/resp_1234/cancel', 'POST', '/v1/responses/{id}/cancel'],
    ['/v1/files/file%2Done/content', 'GET', '/v1/files/{id}/content'],
    ['/v1/models/vendor/name', 'GET', '/v1/models/{model}'],
    ['/v1beta/models/vendor/name:generateContent', 'POST', '/v1beta/models/{model}:generateContent'],
    ['/v1//generations/req_1', 'GET', '/v1/generations/{id}'],
    ['/a/path/of/the/client', 'GET', null],
  ] as const
  for (const [index, [path, method, route]] of asked.entries()) {
    const traceId = `${index}`.repeat(31).padEnd(32, '9')
    const headers = {
      authorization: `Bearer ${account.key}`,
      traceparent: `00-${traceId}-${'b'.repeat(16)}-01`,
    }
    const response = await fetch(`${gateway.origin}${path}`, {
      ...{ method, headers },
      ...(method === 'POST' ? { body: '{}' } : {}),
    })
    await response.text()
    const [span] = await collectedSpans(traceId)
    assert.equal(span?.name, route === null ? method : `${method} ${route}`)
    assert.equal(attributesOf(span!)['http.route'], route ?? undefined)
  }
})

test('a client without a valid key does not decide that its trace is recorded', async () => {
  const own = await configured({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin}/base`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  const { key } = await own.account('10')
  const [invalid, valid] = ['7'.repeat(32), '8'.repeat(32)]
  const traceparent = (traceId: string) => `00-${traceId}-${'b'.repeat(16)}-01`
  assert.equal(await ask(own, { key: 'wrong', model: 'second', traceparent: traceparent(invalid) }), 401)
  assert.equal(await ask(own, { key, model: 'second', traceparent: traceparent(valid) }), 200)
  await own.close()
  assert.deepEqual([spansOf(invalid).length, spansOf(valid).length], [0, 2])
})

test("a client's tracestate goes to addresses of the operator, and not to providers", () => {
  const trace = new RequestTrace({
    parent: readTraceContext({ traceparent: `${parent}-01`, tracestate: 'vendor=tenant-42' }),
    isSampled: true,
    randomHex: (bytes) => '1'.repeat(2 * bytes),
    nowMs: () => 0,
  })
  const target = { upstream: 'one', provider: 'openai', model: 'second', operation: 'chat' }
  const traceparent = ['traceparent', `${parent.slice(0, 35)}-${'1'.repeat(16)}-01`]
  assert.deepEqual(trace.attemptStarted({ ...target, isOperators: false }), traceparent)
  assert.deepEqual(trace.attemptStarted({ ...target, isOperators: true }), [
    ...traceparent,
    ...['tracestate', 'vendor=tenant-42'],
  ])
})

test('a trace that its client does not record is not exported, and still continued', async () => {
  const traceId = 'c'.repeat(32)
  await ask(gateway, { key: account.key, model: 'second', traceparent: `00-${traceId}-${'b'.repeat(16)}-00` })
  assert.match(headerOf(working, 'traceparent') ?? '', new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
  const later = 'd'.repeat(32)
  await ask(gateway, { key: account.key, model: 'second', traceparent: `00-${later}-${'b'.repeat(16)}-01` })
  await collectedSpans(later)
  assert.deepEqual(spansOf(traceId), [])
})

test('metrics are exported under the names of the conventions, and those of /metrics', async () => {
  await ask(gateway, { key: account.key, model: 'second' })
  const metrics = await eventually(
    'metrics',
    async () => newestMetrics(),
    (found) => firstPoint('gen_ai.client.token.usage', found) !== undefined,
  )
  const points = named('gen_ai.client.token.usage', metrics)?.histogram?.dataPoints ?? []
  const input = points.find((point) => attributesOf(point)['gen_ai.token.type'] === 'input')
  assert.ok(input !== undefined)
  assert.equal(attributesOf(input)['gen_ai.request.model'], 'second')
  assert.equal(input.sum, Number(input.count) * standInUsage.input)
  for (const name of ['gen_ai.client.operation.duration', 'tollgate_request_seconds']) {
    const point = firstPoint(name, metrics)
    assert.ok(point !== undefined, name)
    assert.equal(point.bucketCounts.length, point.explicitBounds.length + 1)
    const counted = point.bucketCounts.reduce((total, count) => total + Number(count), 0)
    assert.equal(counted, Number(point.count))
  }
  assert.equal(named('tollgate_requests_total', metrics)?.sum?.isMonotonic, true)
})

test('while the collector fails, requests are served, spans wait in a bounded queue, and the rest is counted', async () => {
  collected = wholeAnswer(503, '{}', json)
  const traceId = 'e'.repeat(32)
  const traceparent = `00-${traceId}-${'b'.repeat(16)}-01`
  const statuses = await Promise.all(
    Array.from({ length: 30 }, () => ask(gateway, { key: account.key, model: 'second', traceparent })),
  )
  assert.deepEqual(new Set(statuses), new Set([200]))
  collected = accepted
  const later = '1'.repeat(32)
  await ask(gateway, { key: account.key, model: 'second', traceparent: `00-${later}-${'b'.repeat(16)}-01` })
  await collectedSpans(later)
  const waited = new Set(spansOf(traceId).map(({ spanId }) => spanId)).size
  assert.ok(waited > 0 && waited <= 20, String(waited))
  await eventually(
    'the count of dropped spans',
    async () => named('tollgate_spans_dropped_total', newestMetrics())?.sum?.dataPoints[0]?.asDouble,
    (count) => count === 2 * statuses.length - waited,
  )
})

test("without a collector, clients' traces are not forwarded", async () => {
  const plain = await configured({})
  const { key } = await plain.account('10')
  await ask(plain, { key, model: 'second', traceparent: `${parent}-01`, tracestate: 'a=1' })
  assert.equal(headerOf(working, 'traceparent'), undefined)
  assert.equal(headerOf(working, 'tracestate'), undefined)
  await plain.close()
})

test('spans of the last requests are exported before the server ends', async () => {
  const traceId = 'f'.repeat(32)
  const own = await configured({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin}/base`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  })
  const { key } = await own.account('10')
  await ask(own, { key, model: 'second', traceparent: `00-${traceId}-${'b'.repeat(16)}-01` })
  await own.close()
  assert.equal(spansOf(traceId).length, 2)
})

const contexts: readonly (readonly [
  name: string,
  headers: Record<string, string>,
  sampled: boolean | null,
])[] = [
  ['sampled', { traceparent: `${parent}-01` }, true],
  ['not sampled', { traceparent: `${parent}-00` }, false],
  ['other flags', { traceparent: `${parent}-03` }, true],
  ['a later version', { traceparent: `cc${parent.slice(2)}-01-more` }, true],
  ['version 00 with more', { traceparent: `${parent}-01-more` }, null],
  ['version ff', { traceparent: `ff${parent.slice(2)}-01` }, null],
  ['upper case', { traceparent: `${parent.toUpperCase()}-01` }, null],
  ['no trace', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }, null],
  ['no span', { traceparent: `00-${'1'.repeat(32)}-${'0'.repeat(16)}-01` }, null],
  ['two of them', { traceparent: `${parent}-01, ${parent}-01` }, null],
  ['no flags', { traceparent: parent }, null],
  ['a long one', { traceparent: `cc${parent.slice(2)}-01-${'a'.repeat(1_000)}` }, null],
  ['none', {}, null],
]
for (const [name, headers, sampled] of contexts) {
  test(`traceparent: ${name}`, () => {
    assert.equal(readTraceContext(headers)?.isSampled ?? null, sampled)
  })
}
