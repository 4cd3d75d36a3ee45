/** Requests to each provider, and the meaning of responses: recorded and documented errors. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { fixtureCases } from '../../test/support/fixtures.ts'
import type { Media, UpstreamProblem } from '../wire/format.ts'
import type { FormatName } from '../wire/format-names.ts'
import type { UpstreamOperation } from '../wire/upstream-paths.ts'
import { readProblem } from '../wire/upstream-problem.ts'
import type { Connector, OutgoingRequest, UpstreamFailure } from './connector.ts'
import { connectorOf, connectors } from './registry.ts'

const openai = connectorOf('openai')
const anthropic = connectorOf('anthropic')
const google = connectorOf('google')
const sandbox = connectorOf('sandbox')
const none = new Map<string, string>()

function outgoing(format: FormatName, more: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return {
    format,
    operation: 'generate',
    model: 'some-model',
    basePath: '',
    credential: 'ours',
    streamed: true,
    query: '',
    headers: {},
    requestId: 'req_1',
    hops: null,
    ...more,
  }
}

function headersOf(connector: Connector, given: OutgoingRequest): Record<string, string> {
  const { headers } = connector.prepare(given)
  const pairs: Record<string, string> = {}
  for (let at = 0; at < headers.length; at += 2) {
    assert.equal(Object.hasOwn(pairs, headers[at]!), false, `${headers[at]} once`)
    pairs[headers[at]!] = headers[at + 1]!
  }
  return pairs
}

/** Headers that a caller may send; only the ones on a list are forwarded. */
const callerHeaders = {
  host: 'gateway.test',
  authorization: 'Bearer theirs',
  'x-api-key': 'theirs',
  'api-key': 'theirs',
  'x-goog-api-key': 'theirs',
  cookie: 'a=b',
  'content-length': '99',
  'transfer-encoding': 'chunked',
  'accept-encoding': 'gzip, br',
  connection: 'keep-alive',
  'x-forwarded-for': '10.0.0.1',
  'idempotency-key': 'theirs',
  'openai-organization': 'theirs',
  'openai-project': 'theirs',
  'x-client-request-id': 'theirs',
  'x-request-id': 'theirs',
  'x-stainless-lang': 'js',
  'x-claude-code-session-id': 'theirs',
  'user-agent': 'client/1',
  'openai-beta': 'x=1',
  originator: 'theirs',
  'session-id': 'theirs',
  'thread-id': 'theirs',
  'x-codex-turn-metadata': 'theirs',
  'x-goog-user-project': 'theirs',
  'x-goog-api-client': 'theirs',
  'anthropic-version': '2026-10-21',
  'anthropic-beta': 'zz-2030-01-01,context-1m-2025-08-07',
  ['__proto__']: 'x',
}

test('OpenAI is sent our credential and what its list names', () => {
  const { path } = openai.prepare(outgoing('openai-chat', { query: '?a=b&api-version=1' }))
  assert.equal(path, '/v1/chat/completions?api-version=1')
  assert.deepEqual(headersOf(openai, outgoing('openai-chat', { headers: callerHeaders })), {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
    'user-agent': 'client/1',
    authorization: 'Bearer ours',
    'x-client-request-id': 'req_1',
    'openai-beta': 'x=1',
  })
})

test('Anthropic is sent our credential, the version and the betas as the caller wrote them', () => {
  const { path } = anthropic.prepare(outgoing('anthropic', { query: '?beta=true' }))
  assert.equal(path, '/v1/messages?beta=true')
  assert.deepEqual(headersOf(anthropic, outgoing('anthropic', { headers: callerHeaders, streamed: false })), {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'client/1',
    'x-api-key': 'ours',
    'anthropic-version': '2026-10-21',
    'anthropic-beta': 'zz-2030-01-01,context-1m-2025-08-07',
  })
  const bare = headersOf(anthropic, outgoing('anthropic'))
  assert.equal(bare['anthropic-version'], '2023-06-01')
  assert.equal(bare['user-agent'], 'tollgate')
  const repeated = headersOf(anthropic, outgoing('anthropic', { headers: { 'anthropic-beta': ['a', 'b'] } }))
  assert.equal(repeated['anthropic-beta'], 'a, b')
})

test('Google is sent our credential and no header of the caller but its name', () => {
  const given = outgoing('gemini', { headers: callerHeaders })
  assert.deepEqual(headersOf(google, given), {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
    'user-agent': 'client/1',
    'x-goog-api-key': 'ours',
  })
})

type Asked = readonly [Connector, FormatName, Partial<OutgoingRequest>, path: string]

const googleQuery = { query: '?alt=media&fields=candidates' }

const addresses: readonly Asked[] = [
  [openai, 'openai-chat', { query: '?api-version=1' }, '/v1/chat/completions?api-version=1'],
  [openai, 'openai-responses', { query: '?api-version=1' }, '/v1/responses?api-version=1'],
  [openai, 'openai-responses', { operation: 'compact' }, '/v1/responses/compact'],
  [openai, 'openai-responses', { operation: 'count_tokens' }, '/v1/responses/input_tokens'],
  [openai, 'openai-embeddings', { operation: 'embed' }, '/v1/embeddings'],
  [anthropic, 'anthropic', { query: '?beta=true' }, '/v1/messages?beta=true'],
  [anthropic, 'anthropic', { operation: 'count_tokens' }, '/v1/messages/count_tokens'],
  [google, 'gemini', { streamed: false, ...googleQuery }, '/v1beta/models/some-model:generateContent'],
  [google, 'gemini', googleQuery, '/v1beta/models/some-model:streamGenerateContent?alt=sse'],
  [google, 'gemini', { operation: 'count_tokens' }, '/v1beta/models/some-model:countTokens'],
  [google, 'gemini', { model: 'a/b?c', streamed: false }, '/v1beta/models/a%2Fb%3Fc:generateContent'],
  [google, 'gemini-embeddings', { operation: 'embed' }, '/v1beta/models/some-model:embedContent'],
  [google, 'gemini-embeddings', { operation: 'embed_batch' }, '/v1beta/models/some-model:batchEmbedContents'],
  [google, 'openai-embeddings', { operation: 'embed' }, '/v1beta/openai/embeddings'],
]

for (const [connector, format, more, path] of addresses) {
  test(`${connector.provider} is asked at ${path}`, () => {
    const given = outgoing(format, more)
    assert.equal(connector.prepare(given).path, path)
    assert.equal(connector.offers(given.operation, format), true)
  })
}

const offersNothing: readonly (readonly [Connector, UpstreamOperation, FormatName])[] = [
  [openai, 'count_tokens', 'openai-chat'],
  [openai, 'compact', 'openai-chat'],
  [openai, 'generate', 'openai-embeddings'],
  [openai, 'generate', 'anthropic'],
  [anthropic, 'generate', 'openai-chat'],
  [anthropic, 'embed', 'anthropic'],
  [google, 'embed', 'gemini'],
  [google, 'embed_batch', 'openai-embeddings'],
  [google, 'generate', 'anthropic'],
  [sandbox, 'embed', 'openai-embeddings'],
]

for (const [connector, operation, format] of offersNothing) {
  test(`${connector.provider} cannot be asked for ${operation} as ${format}`, () => {
    assert.equal(connector.offers(operation, format), false)
  })
}

test('the sandbox is asked as the real ones are, with the id that its meter is read by', () => {
  const likes: readonly (readonly [FormatName, Connector])[] = [
    ['openai-chat', openai],
    ['openai-responses', openai],
    ['anthropic', anthropic],
    ['gemini', google],
  ]
  for (const [format, like] of likes) {
    const given = outgoing(format, { headers: callerHeaders })
    assert.equal(sandbox.prepare(given).path, like.prepare(given).path)
    assert.deepEqual(headersOf(sandbox, given), { ...headersOf(like, given), 'x-request-id': 'req_1' })
  }
})

/** code, retry, status, operator. */
const recorded: Readonly<Record<string, string>> = {
  'openai-chat/error-400-image-url': 'upstream_rejected never 400 -',
  'openai-chat/error-400-max-tokens': 'upstream_rejected never 400 -',
  'openai-chat/error-400-param': 'upstream_rejected never 400 -',
  'openai-chat/error-400-role': 'upstream_rejected never 400 -',
  'openai-chat/error-400-tools-with-reasoning': 'upstream_rejected never 400 -',
  'openai-chat/error-404-model': 'upstream_unavailable elsewhere null operator',
  'openai-chat/error-429-insufficient-quota': 'upstream_unavailable elsewhere null operator',
  'openai-chat/error-429-tpm': 'upstream_rejected never 429 -',
  'openai-responses/error-400-model': 'upstream_unavailable elsewhere null operator',
  'openai-responses/error-400-reasoning-orphan': 'upstream_rejected never 400 -',
  'openai-responses/error-400-temperature': 'upstream_rejected never 400 -',
  'openai-responses/error-401': 'upstream_unavailable elsewhere null operator',
  'anthropic/error-400-context': 'context_too_long never 400 -',
  'anthropic/error-400-effort': 'upstream_rejected never 400 -',
  'anthropic/error-400-forced-tool-choice': 'upstream_rejected never 400 -',
  'anthropic/error-401': 'upstream_unavailable elsewhere null operator',
  'anthropic/error-404-model': 'upstream_unavailable elsewhere null operator',
  'anthropic/error-429-retry-after': 'upstream_rate_limited elsewhere null -',
  'anthropic/error-529-overloaded': 'upstream_overloaded elsewhere null -',
  'gemini/error-400-api-key': 'upstream_unavailable elsewhere null operator',
  'gemini/error-400-missing-thought-signature': 'upstream_rejected never 400 -',
  'gemini/error-404-model': 'upstream_unavailable elsewhere null operator',
  'gemini/error-429-quota-retryinfo': 'upstream_rate_limited elsewhere null -',
  'gemini/error-503-overloaded': 'upstream_overloaded elsewhere null -',
}

/** The waits that recordings request, in a header or in the body. */
const waits: Readonly<Record<string, number>> = {
  'anthropic/error-429-retry-after': 16_000,
  'gemini/error-429-quota-retryinfo': 48_000,
}

function summary(failure: UpstreamFailure): string {
  return `${failure.code} ${failure.retry} ${failure.status} ${failure.operator ? 'operator' : '-'}`
}

for (const [provider, connector] of [
  ['openai-chat', openai],
  ['openai-responses', openai],
  ['anthropic', anthropic],
  ['gemini', google],
] as const) {
  for (const fixture of fixtureCases(provider).filter(({ kind }) => kind === 'error')) {
    const name = `${provider}/${fixture.name}`
    test(`recorded: ${name}`, () => {
      const problem = readProblem(fixture.response)
      const headers = new Map(Object.entries(fixture.headers))
      const failure = connector.classify(fixture.status, headers, problem)
      assert.equal(summary(failure), recorded[name])
      const theirs = problem.message.replace(/org-\w+/, 'org-…')
      // Whatever the caller can mend nothing of.
      const isOurs = failure.retry === 'elsewhere' || failure.operator
      if (isOurs) assert.equal(failure.message.includes(theirs), false, 'nothing of it is told')
      else assert.equal(failure.message, theirs, 'word for word')
      assert.equal(failure.retryAfterMs, waits[name] ?? null)
    })
  }
}

type Wording = readonly [status: number, problem: Partial<UpstreamProblem>, message: string]

// A limit without a wait gets the usual one.
const limitsItsRate = "The upstream's rate limit was exceeded. Try again in 5s."
const overloaded = 'The upstream is overloaded. Try again later.'

const wordings: readonly Wording[] = [
  // A provider's message about a failure that another upstream may not have can name the operator's account, plan and limits.
  [429, { message: 'Rate limit reached for gpt-5 in organization Acme GmbH on requests' }, limitsItsRate],
  [429, { message: "Quota exceeded for consumer 'project_number:123'." }, limitsItsRate],
  [429, { message: 'Your account team@acme.example is limited to the Build tier' }, limitsItsRate],
  [429, {}, limitsItsRate],
  [500, { message: 'Deployment acme-prod-eu failed' }, 'The upstream failed.'],
  [500, {}, 'The upstream failed.'],
  [502, { message: 'No healthy host in workspace acme' }, 'The upstream failed.'],
  [503, { message: 'Provisioned throughput of acme is exhausted' }, overloaded],
  [529, { message: 'Slow down, Acme' }, overloaded],
  [504, { message: 'Deadline of project acme expired' }, 'The upstream did not respond in time.'],
  [400, { message: 'Unknown field' }, 'Unknown field'],
  [
    400,
    { message: 'No such file in organization org-abc123, proj_9Z' },
    'No such file in organization org-…, proj_…',
  ],
  [400, {}, 'The upstream rejected the request.'],
  [400, { message: 'x'.repeat(5_000) }, 'x'.repeat(2_000)],
  [
    401,
    { message: 'Incorrect key' },
    'This model is currently unavailable. If this continues, contact the administrator of this server.',
  ],
  [
    404,
    { message: 'No such model' },
    'This model is currently unavailable. If this continues, contact the administrator of this server.',
  ],
  [302, { message: 'Moved' }, 'The upstream returned a redirect, which is not followed.'],
]

for (const [status, problem, message] of wordings) {
  test(`${status} ${problem.message?.slice(0, 40)} is reported as: ${message.slice(0, 40)}`, () => {
    const failure = openai.classify(status, none, { message: '', type: '', code: '', ...problem })
    assert.equal(failure.message, message)
  })
}

type Case = readonly [
  connector: Connector,
  status: number,
  expect: string,
  problem?: Partial<UpstreamProblem> | undefined,
  headers?: Readonly<Record<string, string>>,
]

const cases: readonly Case[] = [
  [openai, 401, 'upstream_unavailable elsewhere null operator', { code: 'invalid_api_key' }],
  [openai, 402, 'upstream_unavailable elsewhere null operator'],
  [
    openai,
    403,
    'upstream_unavailable elsewhere null operator',
    { code: 'unsupported_country_region_territory' },
  ],
  [openai, 429, 'upstream_unavailable elsewhere null operator', { type: 'billing_not_active' }],
  [
    openai,
    429,
    'upstream_rate_limited elsewhere null -',
    { code: 'rate_limit_exceeded', message: 'Rate limit reached for gpt-5' },
  ],
  [
    openai,
    400,
    'context_too_long never 400 -',
    { code: 'context_length_exceeded', message: 'maximum context length' },
  ],
  [
    openai,
    400,
    'upstream_rejected never 400 -',
    { message: "Invalid value: 'your credit balance is too low'" },
  ],
  [openai, 400, 'upstream_unavailable elsewhere null operator', { code: 'model_not_found' }],
  [openai, 408, 'upstream_timeout elsewhere null -'],
  [openai, 409, 'upstream_error elsewhere null -'],
  [openai, 413, 'context_too_long never 400 -'],
  [openai, 422, 'upstream_rejected never 422 -'],
  [openai, 422, 'upstream_rejected elsewhere 422 -', undefined, { 'x-should-retry': 'true' }],
  [openai, 500, 'upstream_error elsewhere null -'],
  [openai, 500, 'upstream_error never null -', undefined, { 'x-should-retry': 'false' }],
  [openai, 502, 'upstream_error elsewhere null -'],
  [openai, 503, 'upstream_overloaded elsewhere null -'],
  [openai, 504, 'upstream_timeout elsewhere null -'],
  [openai, 520, 'upstream_error elsewhere null -'],
  [openai, 302, 'upstream_invalid elsewhere null operator'],
  [openai, 200, 'upstream_invalid elsewhere null -'],
  [
    anthropic,
    400,
    'upstream_unavailable elsewhere null operator',
    {
      type: 'invalid_request_error',
      message: 'Your credit balance is too low to access the Anthropic API.',
    },
  ],
  [
    anthropic,
    400,
    'upstream_rejected never 400 -',
    { type: 'invalid_request_error', message: 'messages.0: your credit balance is too low' },
  ],
  [anthropic, 402, 'upstream_unavailable elsewhere null operator', { type: 'billing_error' }],
  [anthropic, 403, 'upstream_unavailable elsewhere null operator', { type: 'permission_error' }],
  [
    anthropic,
    413,
    'upstream_rejected never 413 -',
    { type: 'request_too_large', message: 'Request exceeds the maximum size' },
  ],
  [
    anthropic,
    400,
    'context_too_long never 400 -',
    { message: 'input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000' },
  ],
  [anthropic, 500, 'upstream_error elsewhere null -', { type: 'api_error' }],
  // An error inside a 200, as reported by a wire format.
  [anthropic, 500, 'upstream_overloaded elsewhere null -', { type: 'overloaded_error' }],
  [
    openai,
    404,
    'upstream_rejected never 404 -',
    {
      type: 'invalid_request_error',
      message: "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
    },
  ],
  [
    sandbox,
    400,
    'context_too_long never 400 -',
    { type: 'invalid_request_error', message: 'prompt is too long: 3 tokens > 2 maximum' },
  ],
  [
    sandbox,
    429,
    'upstream_unavailable elsewhere null operator',
    { code: 'insufficient_quota', type: 'insufficient_quota' },
  ],
  [
    sandbox,
    400,
    'upstream_unavailable elsewhere null operator',
    { code: '400', type: 'INVALID_ARGUMENT', reason: 'API_KEY_INVALID' },
  ],
  [
    google,
    400,
    'context_too_long never 400 -',
    {
      type: 'INVALID_ARGUMENT',
      message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    },
  ],
  [
    google,
    400,
    'upstream_unavailable elsewhere null operator',
    { type: 'INVALID_ARGUMENT', message: 'API key expired. Please renew the API key.' },
  ],
  [
    google,
    400,
    'upstream_rejected never 400 -',
    { type: 'INVALID_ARGUMENT', message: 'Invalid value: "API key not valid"' },
  ],
  [
    google,
    400,
    'upstream_unavailable elsewhere null operator',
    {
      type: 'FAILED_PRECONDITION',
      message: 'Gemini API free tier is not available in your country.',
    },
  ],
  [
    google,
    400,
    'upstream_unavailable elsewhere null operator',
    {
      type: 'FAILED_PRECONDITION',
      message: 'User location is not supported for the API use.',
    },
  ],
  [
    google,
    400,
    'upstream_rejected never 400 -',
    { type: 'FAILED_PRECONDITION', message: 'The file is not in an ACTIVE state.' },
  ],
  [
    google,
    429,
    'upstream_unavailable elsewhere null operator',
    { type: 'RESOURCE_EXHAUSTED', message: 'Your prepayment credits are depleted.' },
  ],
  [google, 403, 'upstream_unavailable elsewhere null operator'],
  // An error inside a 200, as reported by a wire format.
  [google, 500, 'upstream_overloaded elsewhere null -', { type: 'UNAVAILABLE' }],
  [google, 499, 'upstream_error elsewhere null -', { type: 'CANCELLED' }],
]

for (const [connector, status, expect, problem, headers] of cases) {
  test(`${connector.provider} ${status} ${JSON.stringify({ ...problem, ...headers })}`, () => {
    const full = { message: '', type: '', code: '', ...problem }
    const failure = connector.classify(
      status,
      headers === undefined ? none : new Map(Object.entries(headers)),
      full,
    )
    assert.equal(summary(failure), expect)
    assert.ok(failure.message.length > 0)
  })
}

test('a wait that the upstream asks for keeps it alone for as long', () => {
  const failure = openai.classify(429, new Map([['retry-after', '40']]), { message: '', type: '', code: '' })
  assert.equal(failure.retryAfterMs, 40_000)
  assert.equal(failure.cooldownMs, 40_000)
})

test('a wait that only the body asks for counts too, and is capped', () => {
  const problem = { message: '', type: 'RESOURCE_EXHAUSTED', code: '429', retryAfterMs: 86_400_000 }
  assert.equal(google.classify(429, none, problem).retryAfterMs, 300_000)
  assert.equal(google.classify(429, new Map([['retry-after', '7']]), problem).retryAfterMs, 7_000)
  assert.equal(google.classify(400, none, { ...problem, type: 'INVALID_ARGUMENT' }).retryAfterMs, null)
})

function media(kind: Media['kind'], bytes: number | null, mediaType = ''): Media {
  return { kind, span: bytes === null ? null : { start: 10, end: 10 + bytes }, mediaType }
}

const mediaCases: readonly (readonly [Connector, string, Media, number | 'window'])[] = [
  [openai, 'gpt-4o-2024-08-06', media('image', 1), 1_445],
  [openai, 'gpt-4o-mini', media('image', 1), 48_169],
  [openai, 'gpt-4.1-mini-2025-04-14', media('image', 1), 2_489],
  [openai, 'gpt-5.6-sol', media('image', 1), 24_600],
  [openai, 'gpt-7', media('image', 1), 48_169],
  [openai, 'gpt-4o', media('document', 100), 'window'],
  [openai, 'gpt-4o-audio-preview', media('audio', null), 'window'],
  [openai, 'gpt-4o-audio-preview', media('audio', 4_000), 70],
  [anthropic, 'claude-3-haiku-20240307', media('image', 1), 1_600],
  [anthropic, 'claude-opus-4-20250514', media('image', 1), 1_600],
  [anthropic, 'claude-opus-4-1-20250805', media('image', 1), 1_600],
  [anthropic, 'claude-opus-4-6', media('image', 1), 1_600],
  [anthropic, 'claude-sonnet-4-5', media('image', 1), 1_600],
  [anthropic, 'claude-opus-4-7', media('image', 1), 4_784],
  [anthropic, 'claude-opus-4-8', media('image', 1), 4_784],
  [anthropic, 'claude-sonnet-5', media('image', 1), 4_784],
  [anthropic, 'claude-unheard-of', media('image', 1), 4_784],
  [anthropic, 'claude-sonnet-4-5', media('document', null), 'window'],
  [google, 'gemini-2.5-flash', media('image', 1), 6_450],
  [google, 'gemini-3-flash-preview', media('image', null), 2_240],
  [google, 'gemini-flash-latest', media('image', 1), 2_240],
  [google, 'gemini-2.5-flash', media('audio', 4_000, 'audio/wav'), 224],
  [google, 'gemini-3-flash-preview', media('audio', 4_000, 'audio/mp3'), 224],
  [google, 'gemini-2.5-flash', media('audio', 4_000, 'audio/flac'), 'window'],
  [google, 'gemini-2.5-flash', media('audio', null, 'audio/wav'), 'window'],
  [google, 'gemini-2.5-flash', media('document', 100, 'application/pdf'), 'window'],
  [google, 'gemini-2.5-flash', media('document', 100, 'text/plain'), 75],
  [google, 'gemini-2.5-flash', media('document', 100, 'application/zip'), 'window'],
  [google, 'gemini-2.5-flash', media('document', null, 'application/pdf'), 'window'],
]

for (const [connector, model, medium, expect] of mediaCases) {
  test(`${model} takes at most ${expect} tokens for ${medium.kind}`, () => {
    assert.equal(connector.mediaTokensMax(medium, model), expect)
  })
}

test('every provider is found by its name, and no family belongs to two', () => {
  for (const connector of connectors) assert.equal(connectorOf(connector.provider), connector)
  assert.throws(() => connectorOf('nobody'), /no connector/)
  const families = connectors.flatMap((connector) => connector.families)
  assert.equal(new Set(families).size, families.length)
})

test('the facts bound what recorded answers report of text, tools and schemas', () => {
  let checked = 0
  for (const [provider, connector] of [
    ['openai-chat', openai],
    ['openai-responses', openai],
    ['anthropic', anthropic],
    ['gemini', google],
  ] as const) {
    for (const { name, model, request, response, kind } of fixtureCases(provider)) {
      const body = request?.toString() ?? ''
      if (kind === 'error' || body === '' || hasOwnBound.test(body)) continue
      // Another host than the connector's.
      if (provider === 'openai-chat' && model.includes('gemini')) continue
      const reported = reportedInput(response.toString())
      const { numerator, denominator } = connector.tokenFactor
      const bound = Math.ceil((encode(body).length * numerator) / denominator) + connector.hiddenInputTokens
      assert.ok(reported <= bound, `${provider}/${name}: ${reported} > ${bound}`)
      checked += 1
    }
  }
  assert.ok(checked === 0 || checked > 110, `${checked} recordings`)
})

/** Media, provider tools and state that is stored at the provider have separate bounds. */
const hasOwnBound =
  /base64|image|file|"url"|_20\d{6}"|inline_?data|cached_?content|google_?search|code_?execution|previous_response/i

/** The input in the first report of an answer or a stream, all classes added up. */
function reportedInput(answer: string): number {
  const count = (name: string): number => Number(new RegExp(`"${name}": ?(\\d+)`).exec(answer)?.[1] ?? 0)
  return (
    count('prompt_tokens') +
    count('promptTokenCount') +
    count('toolUsePromptTokenCount') +
    count('input_tokens') +
    count('cache_creation_input_tokens') +
    count('cache_read_input_tokens')
  )
}
