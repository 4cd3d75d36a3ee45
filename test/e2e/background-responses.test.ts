/**
 * A background response has a hold like any request, is owned by its account, is settled once when it ends, by its
 * client's poll or the server's, and survives a restart. The official library sends the requests; the sandbox runs them.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import OpenAI from 'openai'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import type { TestAccount } from '../support/gateway.ts'
import { eventually, type MeteredGateway, meteredGateway } from '../support/metered-gateway.ts'

type Created = OpenAI.Responses.Response

const quick = { backgroundPollMsMin: 20, backgroundPollMsMax: 50 }
/** Only the client polls. */
const patient = { backgroundPollMsMin: 3_600_000, backgroundPollMsMax: 3_600_000 }

const own = await meteredGateway({ limits: patient })
const polled = await meteredGateway({ limits: { ...quick, backgroundResponsesPerAccountMax: 2 } })
after(async () => {
  await own.end()
  await polled.end()
})

let owner: TestAccount
beforeEach(async () => {
  owner = await own.account('1')
})

const clientOf = ({ origin }: Pick<MeteredGateway, 'origin'>, { key }: TestAccount) =>
  new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0, logLevel: 'off' })

const begin = (gate: MeteredGateway, account: TestAccount, input: string, more: object = {}) =>
  clientOf(gate, account).responses.create({
    model: 'responses-stream',
    input,
    max_output_tokens: 2_000,
    background: true,
    ...more,
  }) as Promise<Created>

const short = 'tokens=100'
/** One minute. */
const long = 'tokens=1000 rate=16'

const ended = (client: OpenAI, id: string): Promise<Created> =>
  eventually(
    `${id} ends`,
    () => client.responses.retrieve(id) as Promise<Created>,
    ({ status }) => status !== 'queued' && status !== 'in_progress',
  )

/** Nano-USD, from the price list of the metered gateway. */
function priceOf({ inputUncached, cacheRead, output }: ReceiptRow): bigint {
  return BigInt(inputUncached) * 3_000n + BigInt(cacheRead) * 300n + BigInt(output) * 15_000n
}

test('a response is polled, and its charge is what its provider reports', async () => {
  const client = clientOf(own, owner)
  const begun = await begin(own, owner, short)
  assert.equal(begun.status, 'queued')
  const open = await own.balance(owner.id)
  assert.equal(open.openHolds, 1)
  assert.ok(open.held > 0n)
  const done = await ended(client, begun.id)
  assert.equal(done.status, 'completed')
  assert.ok(done.output_text.length > 0)
  const receipt = await own.receiptOf(owner)
  assert.equal(receipt.background, true)
  assert.deepEqual([receipt.endReason, receipt.usageSource, receipt.output], ['complete', 'reported', 100])
  assert.equal(receipt.output, done.usage?.output_tokens)
  assert.equal(receipt.charged, priceOf(receipt))
  assert.ok(receipt.charged <= receipt.hold)
  assert.deepEqual(await own.balance(owner.id), {
    posted: 1_000_000_000n - receipt.charged,
    held: 0n,
    openHolds: 0,
  })
  // Another poll costs nothing and returns the same.
  const again = await client.responses.retrieve(begun.id).withResponse()
  assert.equal(again.data.output_text, done.output_text)
  assert.match(again.response.headers.get('x-tollgate-cost') ?? '', /^0\.00\d+$/)
  await own.receiptOf(owner)
})

test('concurrent polls settle once', async () => {
  const client = clientOf(own, owner)
  const { id } = await begin(own, owner, short)
  const polls = await Promise.all(Array.from({ length: 20 }, () => ended(client, id)))
  assert.deepEqual(new Set(polls.map(({ status }) => status)), new Set(['completed']))
  const { charged } = await own.receiptOf(owner)
  assert.equal((await own.balance(owner.id)).posted, 1_000_000_000n - charged)
})

test('a response that its client never polls is settled too', async () => {
  const account = await polled.account('1')
  await begin(polled, account, 'tokens=100 rate=1000')
  const receipt = await polled.receiptOf(account)
  assert.deepEqual([receipt.endReason, receipt.output, receipt.background], ['complete', 100, true])
  assert.equal(receipt.charged, priceOf(receipt))
})

test('a canceled response is charged as reported, and canceling again changes nothing', async () => {
  const client = clientOf(own, owner)
  const { id } = await begin(own, owner, long)
  await eventually(
    'it runs',
    () => client.responses.retrieve(id),
    ({ status }) => status === 'in_progress',
  )
  const cancelled = await client.responses.cancel(id)
  assert.equal(cancelled.status, 'cancelled')
  const receipt = await own.receiptOf(owner)
  assert.equal(receipt.endReason, 'client_abort')
  assert.equal(receipt.output, cancelled.usage?.output_tokens)
  assert.ok(receipt.output < 1_000)
  assert.equal(receipt.charged, priceOf(receipt))
  assert.equal((await client.responses.cancel(id)).status, 'cancelled')
  assert.equal((await own.balance(owner.id)).posted, 1_000_000_000n - receipt.charged)
})

test("another account's response looks like a missing one, and its provider is not called", async () => {
  const other = clientOf(own, await own.account('1'))
  const { id } = await begin(own, owner, long)
  const stored = await clientOf(own, owner).responses.create({ model: 'responses-echo', input: 'plum' })
  const before = own.sandbox.requests()
  for (const wanted of [id, stored.id, 'resp_unknown']) {
    const expected = { status: 404, code: 'response_not_found' }
    await assert.rejects(other.responses.retrieve(wanted), expected)
    await assert.rejects(other.responses.cancel(wanted), expected)
    await assert.rejects(other.responses.delete(wanted), expected)
    await assert.rejects(async () => other.responses.inputItems.list(wanted), expected)
  }
  assert.equal(own.sandbox.requests(), before)
  await clientOf(own, owner).responses.cancel(id)
})

test('any stored response can be shown, listed and deleted by its account', async () => {
  const client = clientOf(own, owner)
  const { id } = await client.responses.create({ model: 'responses-echo', input: 'plum' })
  const receipt = await own.receiptOf(owner)
  assert.equal(receipt.background, false)
  assert.equal(((await client.responses.retrieve(id)) as Created).output_text, 'plum')
  assert.equal((await client.responses.inputItems.list(id)).data.length, 1)
  await assert.rejects(client.responses.cancel(id), { status: 400 })
  await client.responses.delete(id)
  await assert.rejects(client.responses.retrieve(id), { status: 404, code: 'response_not_found' })
  assert.equal((await own.balance(owner.id)).posted, 1_000_000_000n - receipt.charged)
})

test('a running response cannot be deleted before it is paid', async () => {
  const client = clientOf(own, owner)
  const { id } = await begin(own, owner, long)
  await assert.rejects(client.responses.delete(id), { status: 409 })
  await client.responses.cancel(id)
  await client.responses.delete(id)
  await own.receiptOf(owner)
  await assert.rejects(client.responses.retrieve(id), { status: 404 })
})

test('an account has a limited number of concurrent background responses', async () => {
  const account = await polled.account('1')
  const client = clientOf(polled, account)
  const [first, second] = [await begin(polled, account, long), await begin(polled, account, long)]
  await assert.rejects(begin(polled, account, long), (error) => {
    assert.ok(error instanceof OpenAI.RateLimitError)
    assert.match(error.message, /2 background responses concurrently/)
    const { details } = error.error as { readonly details: object }
    assert.deepEqual(details, { code: 'background_limit_reached', responses: 2 })
    return true
  })
  assert.equal((await polled.balance(account.id)).openHolds, 2)
  await client.responses.cancel(first.id)
  const third = await begin(polled, account, long)
  for (const { id } of [second, third]) await client.responses.cancel(id)
  await polled.receiptOf(account, 3)
})

test('the hold is the maximum cost: with insufficient funds the request is rejected', async () => {
  const poor = await own.account('0.0001')
  await assert.rejects(begin(own, poor, short), { status: 402 })
  assert.equal((await own.balance(poor.id)).openHolds, 0)
})

test('suspending an account cancels its running responses, and settles what is reported', async () => {
  const account = await polled.account('1')
  const { id } = await begin(polled, account, long)
  await eventually(
    'it runs',
    () => clientOf(polled, account).responses.retrieve(id),
    ({ status }) => status === 'in_progress',
  )
  await polled.ledger.suspend(account.id, Date.now())
  const receipt = await polled.receiptOf(account)
  assert.deepEqual([receipt.endReason, receipt.errorCode], ['interrupted', 'account_suspended'])
  assert.equal(receipt.charged, priceOf(receipt))
  await assert.rejects(clientOf(polled, account).responses.retrieve(id), { status: 403 })
})

const rejections: readonly (readonly [what: string, body: object, code: string])[] = [
  ['store: false', { store: false }, 'invalid_value'],
  ['a stream', { stream: true }, 'invalid_value'],
  ['Claude', { model: 'messages-echo' }, 'untranslatable'],
  ['a model of Chat Completions', { model: 'chat-echo' }, 'untranslatable'],
]
for (const [what, body, code] of rejections) {
  test(`${what} in the background is rejected`, async () => {
    const before = own.sandbox.requests()
    await assert.rejects(begin(own, owner, short, body), { status: 400, code })
    assert.equal(own.sandbox.requests(), before)
    assert.equal((await own.balance(owner.id)).openHolds, 0)
  })
}

test('a start continues running responses, and cancels expired ones', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-background-'))
  try {
    const first = await meteredGateway({ dataFolder, limits: patient })
    const account = await first.account('1')
    const { id } = await begin(first, account, long)
    assert.match(id, /^resp_/)
    await first.close()
    // The sandbox is a new one: it does not know the response.
    await first.sandbox.close()
    const second = await meteredGateway({ dataFolder, limits: { ...quick, backgroundLostMs: 0 } })
    const receipt = await second.receiptOf(account)
    assert.deepEqual(
      [receipt.charged, receipt.endReason, receipt.errorCode],
      [0n, 'upstream_error', 'response_not_found'],
    )
    await second.end()
  } finally {
    rmSync(dataFolder, { recursive: true, force: true })
  }
})
