/**
 * An account that causes more write-offs per day than allowed loses access to what cannot be bounded in advance, and
 * nothing else, until an operator has intervened. Upstream failures do not count.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseUsd } from '../../contract/usd.ts'
import type { TestAccount } from '../support/gateway.ts'
import { eventually, listPrice, meteredGateway } from '../support/metered-gateway.ts'
import { type Format, formats, refusalIn } from '../support/paying-client.ts'

const gate = await meteredGateway({
  limits: {
    writeOffNanoPerDayMax: parseUsd('0.01')!,
    readOnMs: 5_000,
    // A moment of hidden reasoning is expensive.
    hiddenReasoningTokensPerSecond: 1_000_000,
  },
  price: { ...listPrice, fees: { web_search: '0.01' } },
})
after(() => gate.end())

const say = (content: unknown, more: object = {}) => ({
  max_tokens: 100,
  messages: [{ role: 'user', content }],
  ...more,
})
const text = { type: 'text', text: 'tokens=3' }
const unbounded: readonly (readonly [what: string, format: Format, more: object])[] = [
  [
    'a document by its address',
    'messages',
    say([text, { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } }]),
  ],
  [
    'a file by its address',
    'chat',
    say([text, { type: 'file', file: { file_url: 'https://a.example/b.pdf' } }]),
  ],
  [
    'a tool at the provider',
    'messages',
    say([text], { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
  ],
]
const bounded: readonly (readonly [what: string, format: Format, more: object])[] = [
  ['words', 'chat', say([text])],
  [
    'a document in the body',
    'messages',
    say([text, { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hello' } }]),
  ],
  [
    'a tool of its own',
    'messages',
    say([text], { tools: [{ name: 'f', input_schema: { type: 'object' } }] }),
  ],
]

/** Disconnects while a model reasons, which its provider charges and no customer pays. */
async function lossy(): Promise<TestAccount> {
  const account = await gate.account('5')
  const arrived = gate.sandbox.requests()
  const thinking = { ...say('thinking=2000 rate=400', { stream: true }), max_tokens: 5_000 }
  const sent = gate.ask(account, { ...thinking, model: 'chat-think' })
  await eventually(
    'it reasons',
    () => gate.sandbox.requestLog().slice(arrived),
    (meters) => meters.some(({ reasoningTokens }) => reasoningTokens > 0),
  )
  sent.leave()
  const { writtenOff } = await gate.receiptOf(account)
  assert.ok(writtenOff > parseUsd('0.01')!, `${writtenOff}`)
  return account
}

async function statusOf(
  account: TestAccount,
  format: Format,
  more: object,
): Promise<{ status: number; code: string }> {
  const answer = await gate.ask(account, { model: `${format}-stream`, ...more }).whole()
  return { status: answer.status, code: answer.status === 200 ? '' : refusalIn(answer.text).code }
}

test('before any write-off an account may use everything', async () => {
  const account = await gate.account('5')
  for (const [what, format, more] of [...unbounded, ...bounded]) {
    assert.deepEqual(await statusOf(account, format, more), { status: 200, code: '' }, what)
  }
})

test('after too large a write-off unbounded requests are rejected, others are served', async () => {
  const account = await lossy()
  const before = gate.sandbox.requests()
  for (const [what, format, more] of unbounded) {
    assert.deepEqual(await statusOf(account, format, more), { status: 403, code: 'account_restricted' }, what)
  }
  assert.equal(gate.sandbox.requests(), before)
  for (const [what, format, more] of bounded) {
    assert.deepEqual(await statusOf(account, format, more), { status: 200, code: '' }, what)
  }
  await gate.ledger.unrestrict(account.id)
  for (const [what, format, more] of unbounded) {
    assert.deepEqual(await statusOf(account, format, more), { status: 200, code: '' }, what)
  }
})

for (const format of formats) {
  test(`${format}: after too large a write-off an abandoned stream is read to the end, and charged as reported`, async () => {
    const account = await lossy()
    const asked = { ...say('tokens=60 rate=200', { stream: true }), model: `${format}-stream` }
    for (const isRestricted of [true, false]) {
      if (!isRestricted) await gate.ledger.unrestrict(account.id)
      const sent = gate.ask(account, asked)
      await sent.contents(5)
      sent.leave()
      const receipt = await gate.receiptOf(account, isRestricted ? 2 : 3)
      const { outcome, inputTokens, outputTokens } = await gate.sandbox.until(
        receipt.upstreamRequestId!,
        (metered) => metered.outcome !== 'running',
      )
      assert.equal(receipt.endReason, 'client_abort')
      assert.equal(outcome, isRestricted ? 'complete' : 'client_gone')
      if (!isRestricted) continue
      assert.equal(receipt.usageSource, 'reported')
      assert.equal(receipt.charged, BigInt(inputTokens) * 3_000n + BigInt(outputTokens) * 15_000n)
      assert.equal(outputTokens, 60)
    }
  })
}

test('usage that an upstream reports above the hold does not count against the account', async () => {
  const account = await gate.account('5')
  for (const [times, extra] of [
    [1, 50_000],
    [2, 200_000],
  ] as const) {
    const tool = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }
    await gate.ask(account, { ...say(`tokens=3 extra=${extra}`, tool), model: 'messages-over' }).whole()
    const { charged, hold, implausible, writtenOff } = await gate.receiptOf(account, times)
    assert.ok(charged <= hold)
    assert.ok((implausible?.output ?? 0) > extra)
    assert.equal(writtenOff, 0n)
  }
  assert.equal((await gate.ledger.account(account.id))?.restrictedMs, null)
})

test('a charged failure of an upstream does not count against the account', async () => {
  const account = await gate.account('5')
  const words = 'window '.repeat(1_000)
  const asked = { ...say(`events=0 ${words}`, { stream: true }), model: 'messages-error-after' }
  for (let times = 1; times <= 5; times += 1) {
    await gate.ask(account, asked).whole()
    assert.ok((await gate.receiptOf(account, times)).writtenOff > parseUsd('0.0025')!)
  }
  assert.equal((await gate.ledger.account(account.id))?.restrictedMs, null)
})
