/**
 * A key that is changed, disabled, rotated or restricted to models takes effect at the next request, and its running
 * requests end where it no longer permits them. A management key cannot call models.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { formatId, parseId } from '../../src/base/ids.ts'
import type { TestAccount } from '../support/gateway.ts'
import { manualClock } from '../support/manual-clock.ts'
import { meteredGateway } from '../support/metered-gateway.ts'
import { asking, controlOf } from '../support/operators.ts'
import { type Format, formats, rejectionAtEnd, rejectionIn } from '../support/paying-client.ts'

const gate = await meteredGateway()
after(() => gate.end())
const control = controlOf(gate)
const local = asking(control, { kind: 'local' })

const body = (format: Format, text = 'tokens=4') => ({
  model: `${format}-stream`,
  max_tokens: 8_000,
  stream: true,
  messages: [{ role: 'user', content: text }],
})

const idOf = ({ keyId }: Pick<TestAccount, 'keyId'>): string => formatId('key', keyId)
/** Their responses would take longer. */
const streamsEndMs = 60_000

async function keyOf(account: TestAccount, id: string, key: string): Promise<TestAccount> {
  return { ...account, keyId: parseId('key', id) ?? 0n, key }
}

for (const format of formats) {
  test(`${format}: a disabled key is rejected immediately and its streams end; enabled, it works again`, async () => {
    const account = await gate.account('5')
    const running = gate.ask(account, body(format, 'tokens=8000 rate=100'))
    await running.contents(3)
    const shown = await local.done('key.update', { key: idOf(account), disabled: true })
    const disabledMs = systemClock.monoMs()
    assert.equal(shown.disabled, true)
    const { status, text } = await gate.ask(account, body(format)).whole()
    assert.deepEqual([status, rejectionIn(text).code], [403, 'key_disabled'])
    const cut = rejectionAtEnd((await running.whole()).text)
    assert.equal(cut.code, 'key_revoked_midway')
    assert.match(cut.message, /was disabled while this request ran/)
    assert.ok(systemClock.monoMs() - disabledMs < streamsEndMs)
    await local.done('key.update', { key: idOf(account), disabled: false })
    assert.equal((await gate.ask(account, body(format)).whole()).status, 200)
  })
}

test('changed permissions apply to the next request, and omitted fields stay', async () => {
  const account = await gate.account('5', { models: ['chat-stream', 'messages-stream'] })
  const key = idOf(account)
  const before = (await local.done('key.list', { account: formatId('acct', account.id) }))[0]
  assert.ok(before !== undefined)
  const narrowed = await local.done('key.update', {
    key,
    models: ['messages-stream'],
    budget: { amount: '0.000001', window: 'day' },
  })
  assert.deepEqual(narrowed, {
    ...before,
    models: ['messages-stream'],
    budget: { amount: '0.000001', window: 'day' },
    spentInWindow: '0.00',
  })
  const other = await gate.ask(account, body('chat')).whole()
  assert.deepEqual([other.status, rejectionIn(other.text).code], [403, 'model_not_allowed'])
  const spent = await gate.ask(account, body('messages')).whole()
  assert.deepEqual([spent.status, rejectionIn(spent.text).code], [402, 'key_budget_exhausted'])
  const open = await local.done('key.update', { key, models: null, budget: null, name: 'wide' })
  assert.deepEqual([open.models, open.budget, open.name], [null, null, 'wide'])
  assert.equal((await gate.ask(account, body('chat')).whole()).status, 200)
})

test('a key that is restricted to models sees only these, in every list', async () => {
  const account = await gate.account('5', { models: ['chat-stream', 'messages-stream'] })
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${gate.origin}${path}`, {
      headers: { authorization: `Bearer ${account.key}`, ...headers },
    })
    return { status: response.status, body: (await response.json()) as Record<string, never> }
  }
  const names = (rows: readonly { id?: string; name?: string }[]) =>
    rows.map(({ id, name }) => id ?? name?.replace('models/', '')).sort()
  const expected = ['chat-stream', 'messages-stream']
  assert.deepEqual(names((await get('/v1/models')).body.data ?? []), expected)
  assert.deepEqual(
    names((await get('/v1/models', { 'anthropic-version': '2023-06-01' })).body.data ?? []),
    expected,
  )
  assert.deepEqual(names((await get('/v1beta/models')).body.models ?? []), expected)
  assert.equal((await get('/v1/models/chat-stream')).status, 200)
  const hidden = await get('/v1/models/chat-think')
  assert.equal(hidden.status, 404)
  assert.doesNotMatch(JSON.stringify(hidden.body), /Did you mean[^"]*chat-(?!stream)/)
})

const rejectedFallbacks: readonly (readonly [what: string, asked: object, message: RegExp])[] = [
  ['is unknown', { fallbacks: ['chat-nowhere'] }, /^Unknown model "chat-nowhere"\.$/],
  [
    'the key may not use',
    { models: ['chat-stream'], fallbacks: ['chat-think'] },
    /^chat-think is not one of/,
  ],
]

for (const [what, asked, message] of rejectedFallbacks) {
  test(`a fallback that ${what} is rejected when it is saved`, async () => {
    const account = await gate.account('5')
    const input = { account: formatId('acct', account.id), name: 'with fallbacks', ...asked }
    const created = await local.rejected('key.create', input)
    const updated = await local.rejected('key.update', { key: idOf(account), ...asked })
    for (const rejected of [created, updated]) {
      assert.deepEqual([rejected.status, rejected.code, rejected.param], [400, 'invalid_value', 'fallbacks'])
      assert.match(rejected.message, message)
    }
  })
}

test('a key that replaces another one has the rest of its budget, and both share one limit', async () => {
  const account = await gate.account('5', { budget: { amount: 100_000_000n, window: 'total' } })
  await gate.ask(account, { ...body('chat', 'tokens=4'), max_tokens: 10 }).whole()
  const { charged } = await gate.receiptOf(account)
  assert.ok(charged > 0n)
  const made = await local.done('key.rotate', { key: idOf(account) })
  assert.equal(made.replaces, idOf(account))
  const next = await keyOf(account, made.id, made.key)
  const [was, is] = await local.done('key.list', { account: formatId('acct', account.id) })
  assert.deepEqual([was?.replacedBy, was?.expires], [made.id, made.expires])
  assert.equal(is?.spentInWindow, was?.spentInWindow)
  for (const one of [account, next])
    assert.equal((await gate.ask(one, { ...body('chat'), max_tokens: 10 }).whole()).status, 200)
  const both = await local.done('key.list', { account: formatId('acct', account.id) })
  assert.equal(both[0]?.spentInWindow, both[1]?.spentInWindow)
  const [, third] = await Promise.all([null, gate.ledger.keySpend(next.keyId, 'total', systemClock.wallMs())])
  const receipts = await gate.ledger.receipts(account.id, 10, null)
  assert.equal(
    third.spent,
    receipts.reduce((sum, receipt) => sum + receipt.charged, 0n),
  )
})

test('the old key works through the overlap and no longer, and its streams end with it', async () => {
  const clock = manualClock(systemClock.wallMs())
  // Only dates are the test's; waiting takes real time.
  const own = await meteredGateway({ clock: { ...systemClock, wallMs: clock.wallMs } })
  try {
    const asked = asking(controlOf(own), { kind: 'local' })
    const account = await own.account('5')
    const made = await asked.done('key.rotate', { key: idOf(account), overlapHours: 2 })
    const next = await keyOf(account, made.id, made.key)
    assert.equal(Date.parse(made.expires), clock.wallMs() + 7_200_000)
    clock.advance(7_199_999)
    for (const one of [account, next]) {
      assert.equal((await own.ask(one, body('chat')).whole()).status, 200)
    }
    clock.advance(1)
    const { status, text } = await own.ask(account, body('chat')).whole()
    assert.deepEqual([status, rejectionIn(text).code], [401, 'expired_api_key'])
    assert.equal((await own.ask(next, body('chat')).whole()).status, 200)

    const running = own.ask(next, body('messages', 'tokens=8000 rate=100'))
    await running.contents(3)
    const last = await asked.done('key.rotate', { key: idOf(next), overlapHours: 0 })
    assert.match(rejectionAtEnd((await running.whole()).text).message, /was revoked while this request ran/)
    const rejected = await own.ask(next, body('chat')).whole()
    assert.deepEqual([rejected.status, rejectionIn(rejected.text).code], [401, 'revoked_api_key'])
    assert.equal((await own.ask(await keyOf(account, last.id, last.key), body('chat')).whole()).status, 200)
  } finally {
    await own.end()
  }
})

test('a stream ends when its key expires', async () => {
  const account = await gate.account('5')
  const expires = new Date(systemClock.wallMs() + 500).toISOString()
  await local.done('key.update', { key: idOf(account), expires })
  const running = gate.ask(account, body('chat', 'tokens=8000 rate=100'))
  await running.contents(3)
  const { message } = rejectionAtEnd((await running.whole()).text)
  assert.match(message, /expired while this request ran/)
})

test('a management key cannot call models, and gets an error that says so in every format', async () => {
  const account = await gate.account('5')
  const { secret } = await gate.gateway.services.managementKeys.create({
    account: account.id,
    name: 'reports',
    scopes: ['usage:read'],
    expiresMs: null,
  })
  for (const format of formats) {
    const { status, text } = await gate.ask({ key: secret }, body(format)).whole()
    const { code, message } = rejectionIn(text)
    assert.deepEqual([status, code], [401, 'invalid_api_key'])
    assert.match(message, /management key/)
  }
})
