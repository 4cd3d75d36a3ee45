/**
 * The usage that users see, after real requests in every format: the same to the nano-dollar as the
 * receipts, the balance and the files that they download; and rejected requests, with the reason that the client got.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { scopes } from '../../contract/operation.ts'
import type { OperationOutput } from '../../contract/operations.ts'
import { formatId, parseId } from '../../src/base/ids.ts'
import { formatUsd, parseUsd } from '../../src/ledger/rules/money.ts'
import { ControlClient } from '../support/control-client.ts'
import { formatClients } from '../support/format-clients.ts'
import { type TestAccount, testGateway, undividedBudgets } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { noonClock } from '../support/noon-clock.ts'
import { rejectionIn, Sent } from '../support/paying-client.ts'

const clock = noonClock()
const gate = await testGateway({ clock, limits: { bodyBytesMax: 64 * 1024, peekMs: 250 } })
after(() => gate.close())
const { services, deps } = gate.gateway

async function consoleOf(account: TestAccount): Promise<ControlClient> {
  const asked = { account: account.id, name: 'console', scopes, expiresMs: null }
  const { secret } = await services.managementKeys.create(asked)
  return new ControlClient(gate.origin, secret)
}

const chat = (model: string, content: string, more: object = {}) => ({
  model,
  max_tokens: 20_000,
  messages: [{ role: 'user', content }],
  ...more,
})

const ask = (key: string, body: object | string) => new Sent(gate.origin, { key, format: 'chat', body })

/** Rejections are written after their requests. */
async function written(): Promise<void> {
  deps.rejections.flush()
  await deps.background.drained()
}

const sum = (amounts: readonly string[]): bigint =>
  amounts.reduce((total, text) => total + (parseUsd(text) ?? 0n), 0n)

test('requests in every format, one rejected and one abandoned: all sums agree', async () => {
  const account = await gate.account('10')
  const client = await consoleOf(account)
  assert.equal((await client.done('overview.show', {})).firstRequest, null)
  for (const format of formatClients) {
    for (const stream of [false, true]) {
      const body = format.body('sandbox-echo', `Say it in ${format.format}.`, stream)
      const answer = await new Sent(gate.origin, {
        key: account.key,
        format: format.path('sandbox-echo', stream),
        body,
      }).whole()
      assert.equal(answer.status, 200, answer.text)
    }
  }
  const rejected = await ask(account.key, chat('no-such-model', 'Hello')).whole()
  assert.equal(rejected.status, 404)
  const left = ask(account.key, chat('sandbox-stream', 'tokens=5000 rate=200', { stream: true }))
  await left.contents(3)
  left.leave()
  const made = formatClients.length * 2 + 1
  const receipts = await eventually(
    'every request has its receipt',
    () => services.ledger.receipts(account.id, 100, null),
    (rows) => rows.length === made,
  )
  await written()

  const charged = receipts.reduce((total, row) => total + row.charged, 0n)
  assert.ok(charged > 0n)
  const { posted } = await gate.balance(account.id)
  assert.equal(10_000_000_000n - posted, charged)
  const overview = await client.done('overview.show', {})
  assert.equal(overview.posted, formatUsd(posted))
  for (const sums of [overview.today, overview.month]) {
    assert.deepEqual([sums.requests, sums.errors, sums.rejected], [made, 1, 1])
    assert.equal(sums.charged, formatUsd(charged))
    assert.ok(
      sums.latencyMs !== null && sums.firstByteMs !== null && sums.latencyMs.p50 <= sums.latencyMs.p95,
    )
  }
  assert.deepEqual([overview.hours.length, overview.days.length], [24, 30])
  assert.equal(sum(overview.hours.map((row) => row.charged)), charged)
  // One day says little about the next ones.
  assert.equal(overview.daysLeft, null)
  assert.ok(overview.firstRequest !== null)

  const tokens = (of: OperationOutput<'usage.show'>[number]['tokens']) =>
    Object.values(of).reduce((a, b) => a + b, 0)
  const due = receipts.reduce(
    (total, row) =>
      total +
      row.inputUncached +
      row.cacheRead +
      row.cacheWrite5m +
      row.cacheWrite1h +
      row.inputAudio +
      row.output +
      row.outputAudio +
      row.reasoning,
    0,
  )
  for (const group of ['none', 'model', 'key', 'member'] as const) {
    const rows = await client.done('usage.show', { by: 'hour', group })
    assert.equal(sum(rows.map((row) => row.charged)), charged, group)
    assert.equal(
      rows.reduce((total, row) => total + tokens(row.tokens), 0),
      due,
    )
    assert.equal(
      rows.reduce((total, row) => total + row.rejected, 0),
      1,
    )
  }
  const [own] = await client.done('usage.show', {
    by: 'month',
    group: 'key',
    key: formatId('key', account.keyId),
  })
  assert.deepEqual([own?.group, own?.label], [formatId('key', account.keyId), 'test'])

  const usageFile = await client.ask('usage.csv', { by: 'month', group: 'model' })
  assert.match(usageFile.headers['content-type'] ?? '', /^text\/csv/)
  const [header = '', ...lines] = usageFile.text.trim().split('\r\n')
  const place = header.split(',').indexOf('charged_usd')
  assert.equal(sum(lines.map((line) => line.split(',')[place] ?? '')), charged)
  const requestsFile = await client.ask('requests.csv')
  const [names = '', ...rows] = requestsFile.text.trim().split('\r\n')
  assert.equal(rows.length, made)
  assert.equal(sum(rows.map((row) => row.split(',')[names.split(',').indexOf('charged_usd')] ?? '')), charged)

  const listed = await client.done('requests.list', { limit: 100 })
  assert.equal(sum(listed.map((row) => row.charged)), charged)
  const failed = await client.done('requests.list', { outcome: 'failed', model: 'sandbox-stream' })
  assert.deepEqual(
    failed.map(({ endReason }) => endReason),
    ['client_abort'],
  )
  const { rates, ...shown } = await client.done('request.show', { request: failed[0]?.id ?? '' })
  assert.deepEqual(shown, failed[0])
  assert.deepEqual(rates?.fees, {})
  const page = await client.done('requests.list', { limit: 2, before: listed[1]?.id, outcome: 'succeeded' })
  assert.deepEqual(
    page,
    listed
      .filter(({ endReason }) => endReason === 'complete')
      .filter(({ id }) => id < (listed[1]?.id ?? ''))
      .slice(0, 2),
  )
  assert.deepEqual((await services.ledger.verify()).drift, [])
})

test('rejected requests are shown with their reason, for the key and for the account', async () => {
  const account = await gate.account('0.5', { models: ['sandbox-echo', 'sandbox-stream'] })
  const client = await consoleOf(account)
  const limits = { requestsPerMinute: 1, tokensPerMinute: null, concurrent: null }
  const { policy } = await callerOf(account.key)
  const slow = await services.access.create({
    ...newKey(account),
    name: 'slow',
    policy: { ...policy, rates: limits },
  })
  const old = await services.access.create({
    ...newKey(account),
    expiresMs: clock.wallMs() - 1,
    policy,
  })
  const gone = await services.access.create({ ...newKey(account), policy })
  await services.access.revoke(gone.id)
  assert.equal(
    (await ask(slow.secret, chat('sandbox-echo', 'Hello', { max_tokens: 10 })).whole()).status,
    200,
  )
  const long = { messages: [{ role: 'user', content: 'x'.repeat(100_000) }], model: 'sandbox-echo' }
  const cases: readonly (readonly [key: string, body: object | string, status: number])[] = [
    [account.key, chat('no-such-model', 'Hello'), 404],
    [account.key, chat('sandbox-think', 'Hello'), 403],
    [account.key, '{', 400],
    [account.key, { model: 'sandbox-echo' }, 400],
    [account.key, long, 413],
    [account.key, chat('sandbox-endless', 'Hello'), 403],
    [slow.secret, chat('sandbox-echo', 'Hello'), 429],
    [old.secret, chat('sandbox-echo', 'Hello'), 401],
    [gone.secret, chat('sandbox-echo', 'Hello'), 401],
  ]
  const due: { readonly code: string; readonly status: number; readonly message: string }[] = []
  for (const [key, body, status] of cases) {
    const answer = await ask(key, body).whole()
    assert.equal(answer.status, status, answer.text)
    const { code, message } = rejectionIn(answer.text)
    due.unshift({ code, status, message })
  }
  await written()
  const { counts, latest } = await client.done('rejections.list', {})
  assert.deepEqual(
    latest.map(({ code, status, message }) => ({ code, status, message })),
    due,
  )
  assert.equal(
    counts.reduce((total, { count }) => total + count, 0),
    cases.length,
  )
  assert.deepEqual(counts[0], { code: 'model_not_allowed', count: 2 })
  // The body named the model before it was rejected for what it lacks.
  const incomplete = latest.find(({ code }) => code === 'missing_field') ?? assert.fail('it is listed')
  assert.equal(incomplete.model, 'sandbox-echo')
  const alone = await client.done('rejections.list', { request: incomplete.request })
  assert.deepEqual(alone.latest, [incomplete])
  const ofModel = await client.done('rejections.list', { model: 'sandbox-echo' })
  assert.deepEqual(
    ofModel.latest.map(({ request }) => request),
    latest.filter(({ model }) => model === 'sandbox-echo').map(({ request }) => request),
  )
  const ofKey = await client.done('key.rejections', { key: formatId('key', slow.id) })
  assert.deepEqual(ofKey.counts, [{ code: 'rate_limited', count: 1 }])
  // A rate is checked before the body, so the model is not known.
  assert.deepEqual([ofKey.latest[0]?.model, ofKey.latest[0]?.key], [null, formatId('key', slow.id)])
  const groups = await client.done('usage.show', { by: 'month', group: 'model' })
  assert.deepEqual(
    new Map(groups.map(({ group, rejected }) => [group, rejected])),
    new Map([
      ['', 6],
      ['sandbox-echo', 1],
      ['sandbox-endless', 1],
      ['sandbox-think', 1],
    ]),
  )
  assert.deepEqual((await services.ledger.verify()).drift, [])
})

const newKey = (account: TestAccount) => ({
  account: account.id,
  name: 'one',
  expiresMs: null,
  createdBy: null,
})

async function callerOf(key: string) {
  const identified = await services.access.identify(key)
  assert.ok(identified.kind === 'caller')
  return identified.caller
}

test('an empty balance is a rejection too, and a request without a key belongs to no account', async () => {
  const account = await gate.account('0')
  const client = await consoleOf(account)
  const key = `${account.key.slice(0, -1)}${account.key.endsWith('0') ? '1' : '0'}`
  assert.equal((await ask(key, chat('sandbox-echo', 'Hello')).whole()).status, 401)
  assert.equal((await ask(account.key, chat('sandbox-echo', 'Hello')).whole()).status, 402)
  await written()
  const { counts } = await client.done('rejections.list', {})
  assert.deepEqual(counts, [{ code: 'insufficient_balance', count: 1 }])
})

test('a rejection for lack of capacity is counted as well', async (context) => {
  const small = await testGateway({ limits: { bodyBudgetBytes: 1_000, ...undividedBudgets } })
  context.after(() => small.close())
  const account = await small.account('5')
  const body = chat('sandbox-echo', 'x'.repeat(2_000))
  const answer = await new Sent(small.origin, { key: account.key, format: 'chat', body }).whole()
  assert.equal(answer.status, 503)
  // The end of the process writes what is pending.
  await small.gateway.drain()
  const ask = { group: 'none', step: 'month', model: null, key: account.keyId } as const
  const [month] = await small.gateway.services.usage.sums({
    ...{ ...ask, account: account.id },
    ...{ fromMs: Date.now() - 60_000, toMs: Date.now() },
  })
  assert.equal(month?.sums.rejected, 1)
})

test('a running request is listed, and ends when it is stopped, with a charge for what was delivered', async () => {
  const account = await gate.account('5')
  const client = await consoleOf(account)
  const ids: string[] = []
  const stop = services.changes.watch(account.id, ({ topics, request }) =>
    ids.push(...topics, ...(request === null ? [] : [formatId('req', request)])),
  )
  const sent = ask(account.key, chat('sandbox-stream', 'tokens=20000 rate=200', { stream: true }))
  await sent.contents(5)
  const [running, ...more] = await client.done('requests.running', {})
  assert.ok(running !== undefined && more.length === 0)
  assert.deepEqual(
    [running.model, running.streamed, running.key],
    ['sandbox-stream', true, formatId('key', account.keyId)],
  )
  const missing = await client.ask('request.show', { request: running.id })
  assert.equal(missing.status, 404)
  assert.deepEqual(await client.done('request.stop', { request: running.id }), {
    id: running.id,
    stopped: true,
  })
  const { text } = await sent.whole()
  assert.match(text, /request_stopped/)
  assert.doesNotMatch(text, /\[DONE\]/)
  const receipt = await client.done('request.show', { request: running.id })
  assert.deepEqual([receipt.endReason, receipt.error], ['interrupted', 'request_stopped'])
  assert.ok((parseUsd(receipt.charged) ?? 0n) > 0n)
  assert.deepEqual(await client.done('request.stop', { request: running.id }), {
    id: running.id,
    stopped: false,
  })
  assert.deepEqual(await client.done('requests.running', {}), [])
  await eventually(
    'its end is told',
    () => ids,
    (topics) => topics.includes(running.id),
  )
  stop()
  for (const topic of ['running', 'balance', 'requests']) assert.ok(ids.includes(topic), topic)
})

test('IDs of receipts are those that responses contained', async () => {
  const account = await gate.account('5')
  const client = await consoleOf(account)
  const answer = await ask(account.key, chat('sandbox-echo', 'Hello', { max_tokens: 10 })).whole()
  const id = String(answer.headers['x-request-id'])
  assert.ok(parseId('req', id) !== undefined)
  const [listed] = await client.done('requests.list', { limit: 1 })
  assert.equal(listed?.id, id)
})
