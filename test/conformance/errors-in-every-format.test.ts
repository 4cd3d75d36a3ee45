/**
 * Upstream errors, as clients of every format see them: in the provider's own bytes where both use one
 * format, else with the status and the type that the client's agents act on; and the operator's
 * errors never look like the customer's.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ErrorCategory, type ErrorCode, errors } from '../../contract/errors.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { type Answer, receiptOf, send } from '../support/bytes-client.ts'
import { type FixtureCase, type FixtureProvider, fixtureCases } from '../support/fixtures.ts'
import { clientOf, formatClients } from '../support/format-clients.ts'
import { contextPhrases, errorReaders, wordsOf } from '../support/format-errors.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { type ReplayUpstream, replayUpstream } from '../support/replay-upstream.ts'

let upstream: ReplayUpstream
let tollgate: TestGateway
let account: TestAccount

/** A model that is called in this format, whatever its caller uses. */
const models: Readonly<Record<ConversationFormat, string>> = {
  'openai-chat': 'gpt-of-chat',
  'openai-responses': 'gpt-of-responses',
  anthropic: 'claude-of-messages',
  gemini: 'gemini-of-google',
}
const providers = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
} as const
const formats = Object.keys(models) as ConversationFormat[]

before(async () => {
  upstream = await replayUpstream()
  tollgate = await testGateway({
    openai: upstream.origin,
    anthropic: upstream.origin,
    google: upstream.origin,
    models: formats.map((format) => ({
      id: models[format],
      provider: providers[format],
      formats: [format],
      context: 10_000,
      maxOutput: 1_000,
      reasoning: false,
      prices: [{ input: '1', output: '1' }],
    })),
    limits: {
      requestsPerMinute: null,
      tokensPerMinute: null,
      cooldownMsMax: 0,
      failuresBeforeEjection: 1_000,
    },
  })
  account = await tollgate.account('10')
})
after(async () => {
  await tollgate.close()
  await upstream.close()
})

/** What becomes of an error: its bytes where the formats are the same, and its message in any other. */
interface RelayedError {
  readonly code: 'upstream_rejected' | 'context_too_long'
  /** The status for clients of other formats; default: the provider's. */
  readonly status?: number
}

/** Reported in our words, with the wait in seconds where there is one. */
interface OwnError {
  readonly code: Exclude<ErrorCode, RelayedError['code']>
  readonly retrySeconds?: number
}

type ExpectedError = RelayedError | OwnError

const rejected: ExpectedError = { code: 'upstream_rejected' }
const context: ExpectedError = { code: 'context_too_long' }
const ours: ExpectedError = { code: 'upstream_unavailable' }
const overloaded: ExpectedError = { code: 'upstream_overloaded' }

const recordedErrors: Readonly<Record<FixtureProvider, Readonly<Record<string, ExpectedError>>>> = {
  'openai-chat': {
    'error-400-image-url': rejected,
    'error-400-max-tokens': rejected,
    'error-400-param': rejected,
    'error-400-role': rejected,
    'error-400-tools-with-reasoning': rejected,
    'error-404-model': ours,
    'error-429-insufficient-quota': ours,
    // Waiting does not help, so clients must not retry.
    'error-429-tpm': { code: 'upstream_rejected', status: 400 },
  },
  'openai-responses': {
    'error-400-model': ours,
    'error-400-reasoning-orphan': rejected,
    'error-400-temperature': rejected,
    'error-401': ours,
  },
  anthropic: {
    'error-400-context': context,
    'error-400-effort': rejected,
    'error-400-forced-tool-choice': rejected,
    'error-401': ours,
    'error-404-model': ours,
    'error-429-retry-after': { code: 'upstream_rate_limited', retrySeconds: 16 },
    'error-529-overloaded': overloaded,
  },
  gemini: {
    'error-400-api-key': ours,
    'error-400-missing-thought-signature': rejected,
    'error-404-model': ours,
    'error-429-quota-retryinfo': { code: 'upstream_rate_limited', retrySeconds: 48 },
    'error-503-overloaded': overloaded,
  },
}

interface Rejection {
  readonly name: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly expected: ExpectedError
}

function recordedRejections(format: ConversationFormat): readonly Rejection[] {
  return fixtureCases(format)
    .filter(({ kind }) => kind === 'error')
    .map((recorded) => {
      const expected = recordedErrors[format][recorded.name]
      assert.ok(expected !== undefined, `${format}/${recorded.name} has a row`)
      const headers = { 'content-type': 'application/json', ...recorded.headers }
      return { name: recorded.name, status: recorded.status, headers, body: textOf(recorded), expected }
    })
}

const textOf = ({ response }: FixtureCase) => response.toString('utf8')

const json = { 'content-type': 'application/json' }
const html = { 'content-type': 'text/html' }
const openaiError = (type: string, code: string | null, message: string) =>
  JSON.stringify({ error: { message, type, param: null, code } })
const openaiRejects = (message: string, code: string | null = null) =>
  openaiError('invalid_request_error', code, message)
const messagesError = (type: string, message: string) =>
  JSON.stringify({ type: 'error', error: { type, message } })
const googleError = (code: number, status: string, message: string, reason?: string) => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }]
  return JSON.stringify({ error: { code, message, status, details: reason === undefined ? [] : details } })
}

const failed: ExpectedError = { code: 'upstream_error' }
const late: ExpectedError = { code: 'upstream_timeout' }
const invalid: ExpectedError = { code: 'upstream_invalid' }
const limited = (retrySeconds: number): ExpectedError => ({ code: 'upstream_rate_limited', retrySeconds })
const openaiRate = (where = '') =>
  openaiError('requests', 'rate_limit_exceeded', `Rate limit reached${where}`)

type Row = readonly [
  name: string,
  status: number,
  body: string,
  expected: ExpectedError,
  headers?: Readonly<Record<string, string>>,
]

const openaiRows: readonly Row[] = [
  [
    'context',
    400,
    openaiRejects("This model's maximum context length is 128000 tokens.", 'context_length_exceeded'),
    context,
  ],
  ['rate in seconds', 429, openaiRate(' in organization org-4wA9'), limited(7), { 'retry-after': '7' }],
  ['rate in milliseconds', 429, openaiRate(), limited(1.5), { 'retry-after-ms': '1500', 'retry-after': '2' }],
  [
    'rate in the words of resets',
    429,
    openaiRate(),
    limited(300),
    { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' },
  ],
  ['quota', 429, openaiError('insufficient_quota', 'insufficient_quota', 'Check quota and billing'), ours],
  ['credential', 401, openaiRejects('Incorrect API key: upstream-credential', 'invalid_api_key'), ours],
  ['payment', 402, openaiError('insufficient_quota', null, 'billing hard limit'), ours],
  ['forbidden', 403, openaiRejects('Project proj_1 has no access, see billing'), ours],
  ['a page of a firewall', 403, '<html>Attention Required! billing</html>', ours, html],
  ['a page in place of a path', 404, '<html>404</html>', ours, html],
  ['busy', 503, openaiError('server_error', null, 'The engine is overloaded'), overloaded],
  ['busy with another status', 529, openaiError('server_error', null, 'busy'), overloaded],
  ['broken', 500, openaiError('server_error', null, 'The server had an error'), failed],
  ['a page of a proxy', 502, '<html>Bad gateway</html>', failed, html],
  ['late', 504, openaiError('server_error', null, 'late'), late],
  ['late with another status', 408, openaiError('server_error', null, 'late'), late],
  ['a redirect', 302, '', invalid, { location: 'http://127.0.0.1:1/redirected' }],
  ['a page in place of a response', 200, '<html>a page</html>', invalid, html],
  ['nothing', 204, '', invalid],
  ['an error inside a 200', 200, openaiError('server_error', null, 'inside a 200'), failed],
  ['a response that is cut', 200, '{"choices":[{"message":{"content":"a', failed],
  [
    'ids of the operator in a rejection',
    400,
    openaiRejects('No such file in organization org-4wA9bC, project proj_Xy12'),
    rejected,
  ],
  ['our credential in a rejection', 400, openaiRejects('Invalid header value upstream-credential'), rejected],
  ['a rejection that quotes the client', 400, openaiRejects('you wrote insufficient_quota'), rejected],
  [
    'a rejection without a message',
    422,
    '{"detail":[{"loc":["body"],"msg":"value is not valid"}]}',
    rejected,
  ],
]

const rows: Readonly<Record<ConversationFormat, readonly Row[]>> = {
  'openai-chat': openaiRows,
  'openai-responses': openaiRows,
  anthropic: [
    [
      'context with output',
      400,
      messagesError(
        'invalid_request_error',
        'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
      ),
      context,
    ],
    [
      'bill',
      400,
      messagesError('invalid_request_error', 'Your credit balance is too low to access the Anthropic API'),
      ours,
    ],
    [
      'a rejection that quotes the client',
      400,
      messagesError('invalid_request_error', 'messages.0: you wrote "Your credit balance is too low"'),
      rejected,
    ],
    ['payment', 402, messagesError('billing_error', 'Your credit balance is too low'), ours],
    ['forbidden', 403, messagesError('permission_error', 'Your API key has no permission; billing'), ours],
    [
      'rate until a moment',
      429,
      messagesError('rate_limit_error', 'This request would exceed the rate limit'),
      limited(5),
      {
        date: 'Mon, 02 Jun 2025 15:14:40 GMT',
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2025-06-02T15:14:45Z',
      },
    ],
    [
      'rate with an impossible wait',
      429,
      messagesError('rate_limit_error', 'slow down'),
      limited(5),
      { 'retry-after': '-1' },
    ],
    ['too large', 413, messagesError('request_too_large', 'Request exceeds the maximum size'), rejected],
    ['broken', 500, messagesError('api_error', 'Internal server error'), failed],
    ['busy with another status', 503, messagesError('overloaded_error', 'busy'), overloaded],
    ['late', 504, messagesError('timeout_error', 'late'), late],
    ['a redirect', 307, '', invalid, { location: '/redirected' }],
    ['an empty 200', 200, '', failed],
    ['busy inside a 200', 200, messagesError('overloaded_error', 'inside a 200'), overloaded],
    ['credential inside a 200', 200, messagesError('authentication_error', 'invalid x-api-key'), ours],
  ],
  gemini: [
    [
      'context',
      400,
      googleError(
        400,
        'INVALID_ARGUMENT',
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      ),
      context,
    ],
    ['wrapped', 400, `[${googleError(400, 'INVALID_ARGUMENT', 'Invalid value at contents')}]`, rejected],
    [
      'key expired',
      400,
      googleError(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.', 'API_KEY_INVALID'),
      ours,
    ],
    [
      'service disabled',
      403,
      googleError(403, 'PERMISSION_DENIED', 'It has not been used in project 1234', 'SERVICE_DISABLED'),
      ours,
    ],
    [
      'place',
      400,
      googleError(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
      ours,
    ],
    ['billing', 429, googleError(429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted.'), ours],
    ['broken', 500, googleError(500, 'INTERNAL', 'An internal error has occurred.'), failed],
    ['late', 504, googleError(504, 'DEADLINE_EXCEEDED', 'late'), late],
  ],
}

function invented(format: ConversationFormat): readonly Rejection[] {
  return rows[format].map(([name, status, body, expected, headers = {}]) => ({
    ...{ name, status, body, expected },
    headers: { ...json, ...headers },
  }))
}

/** Only for the operator. */
const secrets = [/org-\w/, /proj_\w/, /upstream-credential/, /project 1234/]
/** What would send the customer to an invoice of the operator. */
const operatorsWords = [/quota/i, /billing/i, /credit/i, /api.key/i, /permission/i]

for (const format of formats) {
  for (const rejection of [...recordedRejections(format), ...invented(format)]) {
    test(`${format}: ${rejection.name} (${rejection.status}) is ${rejection.expected.code} in every format`, async () => {
      for (const client of formatClients) {
        for (const stream of [false, true]) {
          const answer = await rejectedTo(client.format, format, { rejection, stream })
          if (client.format === format && isRelayedError(rejection.expected)) checkBytes(answer, rejection)
          else checkWords(client.format, answer, rejection)
          for (const secret of secrets) assert.doesNotMatch(answer.text, secret, answer.text)
          assert.match(answer.headers['content-type'] ?? '', /^application\/json/)
          assert.equal(answer.headers['request-id'], answer.headers['x-request-id'])
          const receipt = await receiptOf(tollgate.origin, account.key, answer)
          assert.deepEqual(
            [receipt.status, receipt.error, receipt.cost],
            ['upstream_error', rejection.expected.code, '0.00'],
          )
        }
      }
      assert.deepEqual(await tollgate.balance(account.id), {
        posted: 10_000_000_000n,
        held: 0n,
        openHolds: 0,
      })
    })
  }
}

const isRelayedError = (expected: ExpectedError): expected is RelayedError =>
  expected.code === 'upstream_rejected' || expected.code === 'context_too_long'

function rejectedTo(
  caller: ConversationFormat,
  clientFormat: ConversationFormat,
  of: { readonly rejection: Rejection; readonly stream: boolean },
): Promise<Answer> {
  const { status, headers, body } = of.rejection
  upstream.play({ status, headers, bytes: Buffer.from(body) })
  const client = clientOf(caller)
  return send(tollgate.origin, {
    path: client.path(models[clientFormat], of.stream),
    headers: {
      [client.keyHeader]: client.keyHeader === 'authorization' ? `Bearer ${account.key}` : account.key,
    },
    body: client.body(models[clientFormat], 'hello', of.stream),
  })
}

test('an error without JSON is reported in the format of the client, with its status and words', async () => {
  const rejection = {
    name: '',
    status: 400,
    headers: { 'content-type': 'text/plain' },
    body: 'no such field',
  }
  const answer = await rejectedTo('anthropic', 'anthropic', {
    rejection: { ...rejection, expected: rejected },
    stream: false,
  })
  assert.equal(answer.status, 400)
  const { words, message } = errorReaders.anthropic(JSON.parse(answer.text))
  assert.deepEqual([words, message], [['invalid_request_error'], 'no such field'])
})

test("a counting endpoint does not reveal the operator's details either", async () => {
  const { key } = account
  const counting: Readonly<Partial<Record<ConversationFormat, `/${string}`>>> = {
    'openai-responses': '/v1/responses/input_tokens',
    anthropic: '/v1/alt/v1/messages/count_tokens',
    gemini: `/v1beta/models/${models.gemini}:countTokens`,
  }
  const message = 'No file in organization org-4wA9bC for upstream-credential'
  for (const clientFormat of formats) {
    for (const [caller, path] of Object.entries(counting) as [ConversationFormat, `/${string}`][]) {
      if (caller === 'gemini' && clientFormat !== 'gemini') continue
      const bytes = Buffer.from(openaiError('invalid_request_error', null, message))
      upstream.play({ status: 400, headers: json, bytes })
      const body = clientOf(caller).body(models[clientFormat], 'hello', false)
      const answer = await send(tollgate.origin, { path, headers: { 'x-api-key': key }, body })
      for (const secret of secrets) assert.doesNotMatch(answer.text, secret, `${caller} → ${clientFormat}`)
      if (answer.status !== 200) assert.match(answer.text, /in organization org-… for …/)
    }
  }
})

/** The provider's bytes, without what names the operator. */
function checkBytes(answer: Answer, { status, body, expected }: Rejection): void {
  assert.equal(answer.status, status, answer.text)
  if (!secrets.some((secret) => secret.test(body))) assert.equal(answer.text, body)
  else
    assert.equal(answer.text.replaceAll('…', ''), body.replace(/(?<=org-|proj_)\w+|upstream-credential/g, ''))
  const isRetried = status === 429 || status === 404
  assert.equal(answer.headers['x-should-retry'], isRetried ? 'false' : undefined, JSON.stringify(expected))
}

const statusOf = (format: ConversationFormat, code: ErrorCode): number =>
  code === 'upstream_overloaded' ? (format === 'anthropic' ? 529 : 503) : errors[code].status

function checkWords(caller: ConversationFormat, answer: Answer, { expected, status, body }: Rejection): void {
  const isRelayed = isRelayedError(expected)
  const category: ErrorCategory = errors[expected.code].category
  assert.equal(
    answer.status,
    isRelayed ? (expected.status ?? status) : statusOf(caller, expected.code),
    answer.text,
  )
  const read = errorReaders[caller](JSON.parse(answer.text))
  const isAway = caller === 'gemini' && expected.code === 'upstream_unavailable'
  const words = isAway ? ['UNAVAILABLE'] : wordsOf[caller][category]
  assert.deepEqual(read.words.slice(0, words?.length), words, answer.text)
  assert.deepEqual([read.code, read.source], [expected.code, 'upstream'])
  if (category === 'context_too_long') assert.match(answer.text, contextPhrases[caller])
  if (isRelayed) assert.ok(read.message.includes(sentenceOf(body)), answer.text)
  else for (const word of operatorsWords) assert.doesNotMatch(answer.text, word)
  // Only an administrator can mend it, so that no library repeats the request.
  if (expected.code === 'upstream_unavailable') assert.equal(answer.headers['x-should-retry'], 'false')
  const seconds = isRelayed ? undefined : expected.retrySeconds
  checkWait(caller, answer, seconds)
}

/** Every field in which the format's clients look for the wait. */
function checkWait(caller: ConversationFormat, answer: Answer, seconds: number | undefined): void {
  const { 'retry-after': whole, 'retry-after-ms': exact } = answer.headers
  if (seconds === undefined) return assert.deepEqual([whole, exact], [undefined, undefined])
  assert.deepEqual([whole, exact], [String(Math.ceil(seconds)), String(seconds * 1_000)])
  if (caller === 'gemini') assert.equal(errorReaders.gemini(JSON.parse(answer.text)).retrySeconds, seconds)
}

function sentenceOf(body: string): string {
  const [, sentence = ''] = /"message": ?"((?:[^"\\]|\\.)*)"/.exec(body) ?? []
  return (JSON.parse(`"${sentence}"`) as string)
    .replace(/(org-|proj_)\w+/g, '$1…')
    .replace('upstream-credential', '…')
}
