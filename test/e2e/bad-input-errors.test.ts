/**
 * Every error of the table that a request can cause is produced here or in the named file, is reported
 * in the caller's format with the status of its row, and is parsed by the official
 * libraries. Rows that nothing can produce are listed, so that they are not taken for tested.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { type ErrorCode, errors } from '../../contract/errors.ts'
import { policyDefaults } from '../../src/access/policy.ts'
import type { KeyPolicy } from '../../src/access/types.ts'
import { systemClock } from '../../src/base/clock.ts'
import { type TestAccount, undividedBudgets } from '../support/gateway.ts'
import {
  asking,
  type Format,
  formats,
  goodBody,
  type HostileGateway,
  headerOf,
  hostileGateway,
  pathOf,
  postBytes,
  readRejection,
} from '../support/hostile-gateway.ts'
import { plainAsk, plainDraft } from '../support/ledger-values.ts'
import { insertUnitPrice, pricedLedger } from '../support/priced-usage.ts'
import { type RawAnswer, RawClient } from '../support/raw-client.ts'

const noRates = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }

let gateway: HostileGateway
/** One with fast upstream deadlines, one with tiny bodies, and one that shuts down. */
let hasty: HostileGateway
let tiny: HostileGateway
let draining: HostileGateway
before(async () => {
  gateway = await hostileGateway({
    // Google's responses are read to the end after their client disconnects; here only briefly.
    limits: { ...noRates, bodyBytesMax: 100_000, holdWaitMs: 20, writeOffNanoPerDayMax: 1n, readOnMs: 50 },
  })
  hasty = await hostileGateway({ limits: { contentGapReasoningMs: 50 } })
  tiny = await hostileGateway({ limits: { bodyBudgetBytes: 16, ...undividedBudgets } })
  draining = await hostileGateway()
  // As from the end of the time that running requests have, until the server is gone.
  Object.assign(draining.gateway.deps.draining, { rejects: true })
})
after(async () => {
  for (const each of [gateway, hasty, tiny, draining]) await each.end()
})

interface Asked {
  /** A model of the sandbox; by default the one that echoes. */
  readonly model?: string
  /** Appended to the fields of a small request: `,"n":2`. */
  readonly more?: string
  readonly body?: string
  readonly path?: string
  readonly usd?: string
  readonly policy?: Partial<KeyPolicy>
  readonly account?: TestAccount
  readonly key?: string
  readonly headers?: string
  readonly from?: HostileGateway
}

function bodyOf(format: Format, asked: Asked): string {
  const body = asked.body ?? goodBody(format, asked.more)
  return asked.model === undefined ? body : body.replace(asking[format].model, asked.model)
}

async function ask(format: Format, asked: Asked): Promise<RawAnswer | undefined> {
  const from = asked.from ?? gateway
  const key = asked.key ?? (asked.account ?? (await from.account(asked.usd ?? '3', asked.policy))).key
  return from.post(format, bodyOf(format, asked), {
    key,
    path: asked.path ?? pathOf(format, asked.model),
    ...(asked.headers === undefined ? {} : { headers: asked.headers }),
  })
}

/** A small request with this output limit, streamed where the body says so. */
function limited(format: Format, tokens: number, more = ''): string {
  return format === 'gemini'
    ? goodBody(format, `,"generationConfig":{"maxOutputTokens":${tokens}}`)
    : goodBody(format, more).replace(':16', `:${tokens}`)
}

function line(format: Format, start: string, more = ''): Promise<RawAnswer | undefined> {
  const { path } = asking[format]
  return gateway.raw(`${start.replace('@', path)} HTTP/1.1\r\nHost: a\r\n${more}\r\n`)
}

/** Turns of the event loop in which a request reaches its upstream. */
const turnsMax = 20_000

/** Runs `then` while a request of the account runs at an upstream that never responds. */
async function whileRunning<Result>(
  format: Format,
  asked: Asked & { readonly account: TestAccount },
  then: (client: RawClient) => Promise<Result>,
): Promise<Result> {
  const client = new RawClient(gateway.port)
  const body = bodyOf(format, { ...asked, model: 'sandbox-hang' })
  const sandbox = gateway.gateway.sandbox
  const reached = sandbox?.requests()
  const path = pathOf(format, 'sandbox-hang').replace(':generateContent', ':streamGenerateContent?alt=sse')
  client.send(postBytes(format, body, { key: asked.account.key, path }))
  for (let turns = 0; sandbox?.requests() === reached; turns += 1) {
    assert.ok(turns < turnsMax && client.received === '', `it never runs: ${client.received}`)
    await new Promise<void>((resolve) => systemClock.after(1, resolve))
  }
  try {
    return await then(client)
  } finally {
    client.close()
  }
}

async function revokedMidway(format: Format): Promise<RawAnswer | undefined> {
  const account = await gateway.account('3')
  return whileRunning(format, { account }, async (client) => {
    await gateway.gateway.services.access.revoke(account.keyId)
    return client.answer()
  })
}

async function suspended(format: Format): Promise<RawAnswer | undefined> {
  const account = await gateway.account('3')
  await gateway.gateway.services.ledger.suspend(account.id, 1)
  return ask(format, { account })
}

/** Causes a write-off above the daily limit, then sends a request that could cause another. */
async function restricted(format: Format): Promise<RawAnswer | undefined> {
  const account = await gateway.account('0.01')
  const { ledger: real, nextId, store } = gateway.gateway.services
  await insertUnitPrice(store)
  const ledger = pricedLedger(real)
  const [id, nowMs] = [nextId(), systemClock.wallMs()]
  const asked = { ...plainAsk, id, account: account.id, key: account.keyId, nowMs, inputAmount: 1_000n }
  await ledger.admit({ ...asked, needsUnrestrictedAccount: true })
  await ledger.settle({
    ...{ id, nowMs, cost: 1_000_000n, excessCausedBy: 'account', writtenOff: 0n, writeOffEntryId: nextId() },
    ...{ providerObjects: [], receipt: plainDraft },
  })
  return ask(format, { account, body: withDocument[format], model: 'sandbox-echo' })
}

/** A request whose cost cannot be bounded in advance. */
const withDocument: Readonly<Record<Format, string>> = {
  chat: inContent('chat', '[{"type":"file","file":{"file_url":"https://a.test/a.pdf"}}]'),
  messages: inContent(
    'messages',
    '[{"type":"document","source":{"type":"url","url":"https://a.test/a.pdf"}}]',
  ),
  responses: inContent('responses', '[{"type":"input_file","file_url":"https://a.test/a.pdf"}]'),
  gemini: goodBody('gemini').replace(
    '{"text":"hello"}',
    '{"fileData":{"mimeType":"application/pdf","fileUri":"https://a.test/a.pdf"}}',
  ),
}

function inContent(format: Format, content: string): string {
  return goodBody(format).replace('"hello"', () => content)
}

async function revoked(format: Format): Promise<RawAnswer | undefined> {
  const account = await gateway.account('3')
  await gateway.gateway.services.access.revoke(account.keyId)
  return ask(format, { account })
}

async function expired(format: Format): Promise<RawAnswer | undefined> {
  const { id } = await gateway.account('3')
  const { access, control } = gateway.gateway.services
  assert.ok(control !== undefined)
  const { secret } = await access.create({ account: id, name: 'old', expiresMs: 1, policy: policyDefaults })
  return ask(format, { key: secret })
}

async function heldElsewhere(format: Format): Promise<RawAnswer | undefined> {
  const account = await gateway.account('0.02')
  const running = limited(format, 40_000, ',"stream":true')
  return whileRunning(format, { account, body: running }, () =>
    ask(format, { account, body: limited(format, 1_200) }),
  )
}

async function twoAtOnce(format: Format): Promise<RawAnswer | undefined> {
  const account = await gateway.account('3', { rates: { ...noRates, concurrent: 1 } })
  return whileRunning(format, { account, body: limited(format, 16, ',"stream":true') }, () =>
    ask(format, { account }),
  )
}

async function twice(format: Format, asked: Asked): Promise<RawAnswer | undefined> {
  const account = await gateway.account('3', asked.policy)
  await ask(format, { ...asked, account })
  return ask(format, { ...asked, account })
}

type Provoke = (format: Format) => Promise<RawAnswer | undefined>

/** Something that the provider would have to have stored. */
const references: Readonly<Record<Format, string>> = {
  chat: ',"previous_response_id":"a"',
  messages: ',"container":"a"',
  responses: ',"previous_response_id":"resp_a"',
  gemini: ',"cachedContent":"cachedContents/a"',
}

/** A field, and a model whose format has nothing equivalent. */
const untranslatable: Readonly<Record<Format, { readonly more: string; readonly model: string }>> = {
  chat: { more: ',"n":2', model: asking.messages.model },
  messages: { more: ',"tools":[{"type":"bash_20250124","name":"bash"}]', model: asking.gemini.model },
  responses: { more: ',"tools":[{"type":"apply_patch"}]', model: asking.gemini.model },
  gemini: { more: ',"generationConfig":{"candidateCount":2}', model: asking.messages.model },
}

const provoked: Partial<Readonly<Record<ErrorCode, Provoke>>> = {
  missing_api_key: (format) => line(format, 'POST @'),
  invalid_api_key: (format) => ask(format, { key: 'nobody' }),
  revoked_api_key: revoked,
  expired_api_key: expired,
  provider_api_key: (format) => ask(format, { key: ['sk', '-ant-', 'api03-x'].join('') }),
  repeated_credential: (format) => ask(format, { headers: 'api-key: a\r\napi-key: b\r\n' }),
  account_suspended: suspended,
  model_not_allowed: (format) => ask(format, { policy: { models: ['sandbox-echo'] } }),
  account_restricted: restricted,
  // /v1/responses has subpaths, also for each response.
  unknown_path: (format) => line(format, 'POST @/nowhere/at/all'),
  model_not_found: (format) => ask(format, { model: 'nothing' }),
  no_matching_upstream: (format) => ask(format, { headers: 'X-Tollgate-Route: require=nowhere\r\n' }),
  method_not_allowed: (format) => line(format, 'GET @'),
  unsupported_media_type: (format) => ask(format, { headers: 'Content-Encoding: compress\r\n' }),
  expectation_failed: (format) => ask(format, { headers: 'Expect: wonders\r\n' }),
  gateway_loop: (format) => ask(format, { headers: 'X-Tollgate-Hops: 4\r\n' }),
  malformed_http: (format) => ask(format, { headers: 'Host: b\r\n' }),
  headers_too_large: (format) => ask(format, { headers: 'a: b\r\n'.repeat(100) }),
  body_too_large: (format) => ask(format, { body: ' '.repeat(100_001) }),
  invalid_json: (format) => ask(format, { body: '{' }),
  missing_field: (format) => ask(format, { body: '{}' }),
  invalid_value: (format) => ask(format, { more: ',"tools":[{"type":1}],"stream":1,"generationConfig":1' }),
  ambiguous_field: (format) => ask(format, { more: ',"tools":[],"tools":[]' }),
  unpriced_option: (format) => ask(format, { more: ',"service_tier":"priority"' }),
  reference_not_owned: (format) => ask(format, { more: references[format] }),
  untranslatable: (format) =>
    ask(format, { more: untranslatable[format].more, model: untranslatable[format].model }),
  // A model for embeddings does not support conversations.
  format_not_supported: (format) => ask(format, { model: 'text-embedding-small' }),
  insufficient_balance: (format) => ask(format, { usd: '0' }),
  balance_held: heldElsewhere,
  key_budget_exhausted: (format) => ask(format, { policy: { budget: { amount: 1n, window: 'total' } } }),
  rate_limited: (format) => twice(format, { policy: { rates: { ...noRates, requestsPerMinute: 1 } } }),
  token_rate_limited: (format) => twice(format, { policy: { rates: { ...noRates, tokensPerMinute: 30 } } }),
  concurrency_limited: twoAtOnce,
  upstream_rate_limited: (format) => ask(format, { model: 'sandbox-429' }),
  upstream_error: (format) => ask(format, { model: 'sandbox-500' }),
  upstream_unavailable: (format) => ask(format, { model: 'sandbox-401' }),
  upstream_overloaded: (format) => ask(format, { model: 'sandbox-529' }),
  upstream_timeout: (format) => ask(format, { model: 'sandbox-hang', from: hasty }),
  upstream_truncated: (format) => ask(format, { model: 'sandbox-cut-after' }),
  upstream_invalid: (format) => ask(format, { model: 'sandbox-html' }),
  overloaded: (format) => ask(format, { from: tiny }),
  draining: (format) => ask(format, { from: draining }),
  key_revoked_midway: revokedMidway,
}

/** Where the user can do something about it: the page's URL on this server is included. */
const named: Partial<Readonly<Record<ErrorCode, string>>> = {
  missing_api_key: '/console/keys',
  invalid_api_key: '/console/keys',
  revoked_api_key: '/console/keys?account=acct_',
  expired_api_key: '/console/keys?account=acct_',
  provider_api_key: '/console/keys',
  account_suspended: '/console?account=acct_',
  insufficient_balance: '/console/billing?account=acct_',
  key_budget_exhausted: '/console/keys/key_',
}

/** Reported with the upstream's message and status, which are more specific; our code is on the receipt. */
const relayed: readonly (readonly [code: ErrorCode, asked: (format: Format) => Asked])[] = [
  ['context_too_long', () => ({ model: 'sandbox-400-context' })],
  ['upstream_rejected', (format) => ({ body: goodBody(format).replace('"role":"user"', '"role":"nobody"') })],
]

/** Errors that need more than one request, and the test file that covers them. */
const elsewhere: Partial<Readonly<Record<ErrorCode, string>>> = {
  not_supported: 'unsupported-endpoints.test.ts',
  file_not_found: 'files-are-owned.test.ts',
  file_limit_reached: 'files-are-owned.test.ts',
  response_not_found: 'background-responses.test.ts',
  background_limit_reached: 'background-responses.test.ts',
  request_timeout: 'bad-input-http.test.ts',
  store_unavailable: 'bad-input-keys.test.ts',
  settlement_delayed: 'terminal-event-waits-for-settlement.test.ts',
  request_stopped: 'usage-equals-receipts.test.ts',
  provider_key_failed: 'provider-keys-serve-requests.test.ts',
  slow_reader: 'memory-stays-bounded.test.ts',
  upgrade_required: '../conformance/endpoint-paths.test.ts',
}

/** Only lookups return these, in one format. */
const lookedUp: Partial<Readonly<Record<ErrorCode, string>>> = {
  generation_not_found: '/v1/generations/req_0000000000001',
}

/** Errors of the control plane, and the test file that covers them. */
const controlPlane: Partial<Readonly<Record<ErrorCode, string>>> = {
  account_not_found: 'control-two-tenants.test.ts',
  key_not_found: 'control-two-tenants.test.ts',
  top_up_not_found: 'control-two-tenants.test.ts',
  not_signed_in: 'control-two-tenants.test.ts',
  not_allowed: 'control-two-tenants.test.ts',
  payment_provider_unavailable: 'control-two-tenants.test.ts',
  cross_site: 'control-cross-site.test.ts',
  login_too_old: 'keys-roles.test.ts',
  conflict: 'keys-roles.test.ts',
  provider_key_not_found: 'provider-keys-stored.test.ts',
  upstream_not_found: 'keys-upstreams.test.ts',
  upstream_test_failed: 'cli-upstreams.test.ts',
  setup_link_not_valid: 'bad-input-pages.test.ts',
  code_not_valid: '../../src/control/billing.test.ts',
  invoice_not_found: '../../src/control/billing.test.ts',
  payments_off: '../../src/control/billing.test.ts',
  person_not_found: '../../src/identity/identity.test.ts',
  sign_up_closed: '../../src/identity/auth-gateway/sign-in-methods.test.ts',
  too_many_attempts: '../../src/payments/payments.test.ts',
  key_disabled: 'keys-change.test.ts',
}

/** Rows that no request can cause: an internal error, and a card that a provider declines without a user present. */
const unreachable: readonly ErrorCode[] = ['internal', 'payment_failed']

test('every row of the table is produced, or listed as unreachable', () => {
  const known = [provoked, elsewhere, lookedUp, controlPlane].flatMap((rows) => Object.keys(rows))
  assert.deepEqual(
    [...known, ...relayed.map(([code]) => code), ...unreachable].sort(),
    Object.keys(errors).sort(),
  )
  for (const [code, file] of Object.entries({ ...elsewhere, ...controlPlane })) {
    assert.ok(
      readFileSync(new URL(file, import.meta.url), 'utf8').includes(`'${code}'`),
      `${code} in ${file}`,
    )
  }
})

interface Understood {
  readonly kind: string
  readonly status: number | undefined
  readonly message: string
  readonly id: string | null | undefined
  readonly type: string | null | undefined
}

/** How the official library of the format parses the response; Google's is not among the dependencies. */
function understood(format: Exclude<Format, 'gemini'>, { status, head, body }: RawAnswer): Understood {
  const headers = new Headers()
  for (const row of head.split('\r\n').slice(1))
    headers.append(row.slice(0, row.indexOf(':')), row.slice(row.indexOf(':') + 1).trim())
  const parsed = JSON.parse(body) as object
  const { APIError } = format === 'messages' ? Anthropic : OpenAI
  const error = APIError.generate(status, parsed, undefined, headers)
  assert.ok(error instanceof APIError)
  return {
    kind: error.constructor.name,
    status: error.status,
    message: error.message,
    id: error.requestID,
    type: error.type,
  }
}

/** The class that the libraries have for a status; any other is a plain APIError. */
const classes: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  429: 'RateLimitError',
  500: 'InternalServerError',
}

for (const [code, provoke] of Object.entries(provoked) as [ErrorCode, Provoke][]) {
  for (const format of formats) {
    test(`${format}: ${code}`, async () => {
      const answer = await provoke(format)
      const rejection = readRejection(format, answer)
      const { category, status } = errors[code]
      const expectedStatus = category === 'overloaded' && format === 'messages' ? 529 : status
      assert.deepEqual([rejection.status, rejection.code], [expectedStatus, code], answer?.body)
      checkAdvice(code, answer!)
      if (named[code] !== undefined) {
        assert.ok(rejection.message.includes(`${gateway.origin}${named[code]}`), rejection.message)
      }
      if (format === 'gemini') return
      const seen = understood(format, answer!)
      assert.equal(seen.status, expectedStatus)
      assert.equal(seen.id, headerOf(answer!, 'x-request-id'))
      // One library includes the whole error as JSON.
      const asJson = JSON.stringify(rejection.message).slice(1, -1)
      assert.ok(seen.message.includes(rejection.message) || seen.message.includes(asJson), seen.message)
      assert.equal(typeof seen.type, 'string')
      if (classes[expectedStatus] !== undefined) assert.equal(seen.kind, classes[expectedStatus])
    })
  }
}

/** A library that retries a hopeless request wastes its user's time. */
function checkAdvice(code: ErrorCode, answer: RawAnswer): void {
  const { status } = answer
  const isRetried = [401, 402, 403, 404, 408, 409, 429].includes(status) || status >= 500
  if (errors[code].retry === 'never' && isRetried) {
    assert.equal(headerOf(answer, 'x-should-retry'), 'false')
  }
  if (status === 429) assert.match(headerOf(answer, 'retry-after') ?? '', /^\d+$/)
}

for (const format of formats) {
  test(`${format}: an upstream error that the caller caused is relayed with its message`, async () => {
    for (const [code, asked] of relayed) {
      const account = await gateway.account('3')
      const answer = await ask(format, { ...asked(format), account })
      assert.equal(answer?.status, 400)
      if (format !== 'gemini') assert.equal(understood(format, answer!).kind, 'BadRequestError')
      const [receipt] = await gateway.gateway.services.ledger.receipts(account.id, 1, null)
      assert.deepEqual([receipt?.errorCode, receipt?.charged], [code, 0n])
      await gateway.assertUntouched(account, '3')
    }
  })
}

test('a lookup of a missing object', async () => {
  const { key } = await gateway.account('3')
  for (const [code, path] of Object.entries(lookedUp)) {
    const answer = await gateway.raw(`GET ${path} HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\n\r\n`)
    assert.equal(readRejection('chat', answer).code, code)
  }
})

test('the libraries raise their own error classes', async () => {
  const broke = await gateway.account('0.000001')
  const openai = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${gateway.origin}/v1`, maxRetries: 0 })
  const anthropic = (apiKey: string) =>
    new Anthropic({ apiKey, baseURL: `${gateway.origin}/v1/alt`, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'hello' }]
  const chat = (client: OpenAI, model: string, stream: boolean) =>
    client.chat.completions.create({ model, messages, max_tokens: 5, stream })
  const message = (client: Anthropic, model: string, stream: boolean) =>
    client.messages.create({ model, messages, max_tokens: 5, stream })
  for (const stream of [false, true]) {
    await assert.rejects(chat(openai('nobody'), 'sandbox-echo', stream), OpenAI.AuthenticationError)
    await assert.rejects(chat(openai(broke.key), 'nothing', stream), OpenAI.NotFoundError)
    await assert.rejects(chat(openai(broke.key), 'sandbox-echo', stream), {
      status: 402,
      code: 'insufficient_balance',
    })
    await assert.rejects(message(anthropic('nobody'), 'sandbox-echo', stream), Anthropic.AuthenticationError)
    await assert.rejects(message(anthropic(broke.key), 'nothing', stream), Anthropic.NotFoundError)
    await assert.rejects(message(anthropic(broke.key), 'sandbox-echo', stream), {
      status: 402,
      type: 'billing_error',
    })
  }
})
