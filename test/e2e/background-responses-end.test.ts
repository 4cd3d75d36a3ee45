/**
 * However a background response ends, and whatever its provider reports, it is settled once and never above its
 * hold. An upstream with scripted responses replaces OpenAI.
 */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import OpenAI from 'openai'
import type { Config, Limits } from '../../src/config/config.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { replayUpstream } from '../support/replay-upstream.ts'

const upstream = await replayUpstream()
/** 1,000 nano-USD per input token, 2,000 per output token. */
const model: Config['models'][number] = {
  id: 'gpt-background',
  provider: 'openai',
  formats: ['openai-responses'],
  context: 50_000,
  maxOutput: 20_000,
  prices: [{ input: '1', output: '2' }],
}
const gatewayWith = (limits: Partial<Limits>): Promise<TestGateway> =>
  testGateway({ openai: upstream.origin, models: [model], limits })
const never = { backgroundPollMsMin: 3_600_000, backgroundPollMsMax: 3_600_000 }
const often = { backgroundPollMsMin: 10, backgroundPollMsMax: 20 }
/** Large enough that unreported usage is always the full output. */
const unreported = { hiddenReasoningTokensPerSecond: 1e9, writeOffNanoPerDayMax: 3_000_000n }
const gates = {
  asked: await gatewayWith({ ...never, ...unreported, backgroundLostMs: 3_600_000 }),
  polled: await gatewayWith({ ...often, ...unreported, backgroundLostMs: 0 }),
}
after(async () => {
  for (const gate of Object.values(gates)) await ended(gate)
  await upstream.close()
})

async function ended(gate: TestGateway): Promise<void> {
  const { drift, openHolds } = await gate.gateway.services.ledger.verify()
  await gate.close()
  assert.deepEqual([drift, openHolds], [[], 0])
}

let count = 0
let id = ''
beforeEach(() => {
  count += 1
  id = `resp_${count}`
})

const usage = (input: number, output: number) => ({
  usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
})
const output = [
  { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'plum' }] },
]

function answer(more: object, status = 200): void {
  const response = {
    id,
    object: 'response',
    background: true,
    store: true,
    output: [],
    error: null,
    usage: null,
  }
  const bytes = Buffer.from(JSON.stringify({ ...response, ...more }))
  upstream.play({ status, headers: { 'content-type': 'application/json' }, bytes })
}
const reject = (status: number): void =>
  upstream.play({
    status,
    headers: { 'content-type': 'application/json' },
    bytes: Buffer.from(
      JSON.stringify({ error: { message: 'no', type: 'invalid_request_error', code: null } }),
    ),
  })

const clientOf = ({ origin }: TestGateway, { key }: TestAccount) =>
  new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0, logLevel: 'off' })

async function begun(
  gate: TestGateway,
  status = 'queued',
): Promise<{ account: TestAccount; client: OpenAI }> {
  const account = await gate.account('1')
  const client = clientOf(gate, account)
  answer({ status })
  const body = { model: 'gpt-background', input: 'hello', max_output_tokens: 1_000, background: true }
  assert.equal(
    (await client.responses.create(body as OpenAI.Responses.ResponseCreateParamsNonStreaming)).id,
    id,
  )
  return { account, client }
}

const receiptOf = async (gate: TestGateway, { id: account }: TestAccount) => {
  const all = () => gate.gateway.services.ledger.receipts(account, 10, null)
  const [receipt, ...more] = await eventually('a receipt', all, (rows) => rows.length > 0)
  assert.ok(receipt !== undefined && more.length === 0)
  assert.equal(receipt.background, true)
  assert.equal((await gate.balance(account)).posted, 1_000_000_000n - receipt.charged)
  assert.equal((await gate.balance(account)).openHolds, 0)
  return receipt
}

interface Case {
  readonly says: object
  readonly charged: bigint
  readonly writtenOff?: bigint
  readonly reason: string
  readonly error?: string
}

const cases: Readonly<Record<string, Case>> = {
  completed: {
    says: { status: 'completed', output, ...usage(10, 20) },
    charged: 50_000n,
    reason: 'complete',
  },
  incomplete: {
    says: { status: 'incomplete', output, ...usage(10, 20) },
    charged: 50_000n,
    reason: 'complete',
  },
  // The request is no longer there: its input is estimated by its size, 21 tokens.
  'completed without usage': { says: { status: 'completed', output }, charged: 25_000n, reason: 'complete' },
  'completed with no usage beside text': {
    says: { status: 'completed', output, ...usage(0, 0) },
    charged: 25_000n,
    reason: 'complete',
  },
  'completed with more output than can be': {
    says: { status: 'completed', output, ...usage(10, 1_000_000_000) },
    charged: 14_000n,
    reason: 'complete',
  },
  'completed with more input than can be': {
    says: { status: 'completed', output, ...usage(1_000_000_000, 20) },
    charged: 61_000n,
    reason: 'complete',
  },
  'canceled with more than can be': {
    says: { status: 'cancelled', output, ...usage(10, 1_000_000_000) },
    charged: 14_000n,
    reason: 'client_abort',
  },
  failed: {
    says: { status: 'failed', error: { code: 'server_error', message: 'no' }, ...usage(10, 20) },
    charged: 0n,
    writtenOff: 50_000n,
    reason: 'upstream_error',
    error: 'upstream_error',
  },
  'failed without usage': {
    says: { status: 'failed', error: { code: 'server_error', message: 'no' } },
    charged: 0n,
    reason: 'upstream_error',
    error: 'upstream_error',
  },
  'cancelled without usage': {
    says: { status: 'cancelled' },
    charged: 0n,
    writtenOff: 2_000_000n,
    reason: 'client_abort',
  },
}

for (const [what, { says, charged, writtenOff = 0n, reason, error = null }] of Object.entries(cases)) {
  for (const gate of ['asked', 'polled'] as const) {
    test(`${what}, ${gate === 'asked' ? 'retrieved by its client' : 'found by a poll'}`, async () => {
      const { account, client } = await begun(gates[gate])
      answer(says)
      if (gate === 'asked') await client.responses.retrieve(id)
      const receipt = await receiptOf(gates[gate], account)
      assert.deepEqual(
        [receipt.charged, receipt.writtenOff, receipt.endReason, receipt.errorCode],
        [charged, writtenOff, reason, error],
      )
    })
  }
}

test('an account whose canceled responses cost the operator too much can no longer cancel', async () => {
  const account = await gates.asked.account('1')
  const client = clientOf(gates.asked, account)
  const body = { model: 'gpt-background', input: 'hello', max_output_tokens: 1_000, background: true }
  for (const outcome of [200, 200, 403]) {
    count += 1
    id = `resp_${count}`
    answer({ status: 'queued' })
    await client.responses.create(body as OpenAI.Responses.ResponseCreateParamsNonStreaming)
    answer({ status: 'cancelled' })
    const cancelling = client.responses.cancel(id)
    if (outcome === 200) await cancelling
    else await assert.rejects(cancelling, { status: outcome, code: 'account_restricted' })
  }
  assert.equal((await gates.asked.balance(account.id)).openHolds, 1)
  await client.responses.retrieve(id)
})

test('a 404 for a response that the provider does not know yet settles nothing', async () => {
  const { account, client } = await begun(gates.asked)
  reject(404)
  await assert.rejects(client.responses.retrieve(id), { status: 404, code: 'response_not_found' })
  assert.equal((await gates.asked.balance(account.id)).openHolds, 1)
  answer({ status: 'completed', output, ...usage(10, 20) })
  await client.responses.retrieve(id)
  assert.equal((await receiptOf(gates.asked, account)).charged, 50_000n)
})

test('a response that its provider no longer knows is settled at zero', async () => {
  const { account, client } = await begun(gates.polled)
  reject(404)
  await assert.rejects(client.responses.retrieve(id), { status: 404, code: 'response_not_found' })
  const { charged, endReason, errorCode } = await receiptOf(gates.polled, account)
  assert.deepEqual([charged, endReason, errorCode], [0n, 'upstream_error', 'response_not_found'])
})

test('a provider that fails for a while is polled again', async () => {
  const { account, client } = await begun(gates.polled, 'in_progress')
  reject(500)
  await assert.rejects(client.responses.retrieve(id), { status: 502 })
  assert.equal((await gates.polled.balance(account.id)).openHolds, 1)
  answer({ status: 'completed', output, ...usage(10, 20) })
  assert.equal((await receiptOf(gates.polled, account)).charged, 50_000n)
})

test('a reply about another response settles nothing', async () => {
  const { account, client } = await begun(gates.asked)
  answer({ id: 'resp_other', status: 'completed', output, ...usage(10, 20) })
  await assert.rejects(client.responses.retrieve(id), { status: 502 })
  assert.equal((await gates.asked.balance(account.id)).openHolds, 1)
  answer({ status: 'cancelled' })
  await client.responses.cancel(id)
  await receiptOf(gates.asked, account)
})

test('an expired response is canceled, and charged as reported', async () => {
  const aged = await gatewayWith({ ...often, backgroundAgeMaxMs: 1, backgroundCancelMs: 60_000 })
  const { account } = await begun(aged, 'in_progress')
  await eventually(
    'it is cancelled',
    () => upstream.requests.at(-1)?.url ?? '',
    () =>
      upstream.requests.some(({ method, url }) => method === 'POST' && url === `/v1/responses/${id}/cancel`),
  )
  answer({ status: 'cancelled', ...usage(10, 5) })
  const { charged, endReason } = await receiptOf(aged, account)
  assert.deepEqual([charged, endReason], [20_000n, 'timeout'])
  await ended(aged)
})

test('an expired response that does not end after cancellation is settled at zero', async () => {
  const endless = await gatewayWith({ ...often, backgroundAgeMaxMs: 1, backgroundCancelMs: 1 })
  const { account } = await begun(endless, 'in_progress')
  const { charged, endReason, errorCode } = await receiptOf(endless, account)
  assert.deepEqual([charged, endReason, errorCode], [0n, 'timeout', 'upstream_timeout'])
  await ended(endless)
})

test('a response that has ended already is relayed like any other', async () => {
  const account = await gates.asked.account('1')
  answer({ status: 'completed', output, ...usage(10, 20) })
  const body = { model: 'gpt-background', input: 'hello', max_output_tokens: 1_000, background: true }
  await clientOf(gates.asked, account).responses.create(body)
  const [receipt] = await gates.asked.gateway.services.ledger.receipts(account.id, 10, null)
  assert.deepEqual([receipt?.charged, receipt?.background], [50_000n, false])
})

test('a key that shows costs gets them in the usage', async () => {
  const account = await gates.asked.account('1', { showCost: true })
  const client = clientOf(gates.asked, account)
  answer({ status: 'queued' })
  await client.responses.create({ model: 'gpt-background', input: 'hello', background: true })
  answer({ status: 'completed', output, ...usage(10, 20) })
  const { usage: told } = (await client.responses.retrieve(id)) as OpenAI.Responses.Response
  assert.equal((told as unknown as { cost: number }).cost, 0.00005)
})
