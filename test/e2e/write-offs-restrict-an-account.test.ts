/**
 * An account that causes more write-offs per day than allowed loses access to what cannot be bounded in advance, and
 * nothing else, until an operator has intervened. Upstream failures do not count.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseUsd } from '../../contract/usd.ts'
import { formatId } from '../../src/base/ids.ts'
import type { ClientFormatName } from '../../src/wire/format-names.ts'
import { formatClients } from '../support/format-clients.ts'
import type { TestAccount } from '../support/gateway.ts'
import { type AskedAs, eventually, listPrice, meteredGateway } from '../support/metered-gateway.ts'
import { type Format, formats, rejectionIn, Sent } from '../support/paying-client.ts'

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
  return { status: answer.status, code: answer.status === 200 ? '' : rejectionIn(answer.text).code }
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

const tomorrow = { more: { member_of_tomorrow: { agents: 8 } } }
/** By the format of the client: unknown members and betas, and their names. */
const unknowns: readonly (readonly [format: string, asked: Partial<AskedAs>, name: string])[] = [
  ['openai-chat', tomorrow, 'member_of_tomorrow'],
  ['anthropic', tomorrow, 'member_of_tomorrow'],
  ['anthropic', { headers: { 'anthropic-beta': 'agents-2031-01-01' } }, 'anthropic-beta: agents-2031-01-01'],
  ['openai-responses', { headers: { 'openai-beta': 'agents=v2' } }, 'openai-beta: agents=v2'],
]

for (const [format, asked, name] of unknowns) {
  test(`${format}: what ${name} costs above its hold counts against the account`, async () => {
    const client = formatClients.find((one) => one.format === format)!
    const prefix = { anthropic: 'messages' }[format] ?? format.replace('openai-', '')
    const account = await gate.account('5')
    const ask = async (behavior: string, { more = {}, headers = {} }: Partial<AskedAs>) => {
      const limited = { ...client.limit(100), ...more }
      const sent = { model: `${prefix}-${behavior}`, text: 'tokens=3 extra=50000', more: limited, headers }
      return gate.askAs(account, client, sent).whole()
    }
    assert.equal((await ask('over', asked)).status, 200)
    const { charged, hold, writtenOff, implausible } = await gate.receiptOf(account)
    assert.ok(charged <= hold)
    assert.ok((implausible?.output ?? 0) > 50_000)
    // The model makes 32,000 tokens at most.
    assert.ok(writtenOff > 31_000n * 15_000n && writtenOff <= 32_000n * 15_000n, `${writtenOff}`)
    const again = await ask('over', asked)
    assert.equal(again.status, 403)
    assert.ok(again.text.includes(name), again.text)
    assert.equal((await ask('stream', {})).status, 200)
  })
}

test('an unknown member is listed for the administrator, who rejects it by name', async () => {
  const account = await gate.account('5')
  const { settings, catalog } = gate.gateway.services
  const ask = async () => {
    const answer = await gate
      .ask(account, { model: 'chat-stream', ...say([text]), style_of_tomorrow: 'x' })
      .whole()
    return [answer.status, answer.status === 200 ? '' : rejectionIn(answer.text).code] as const
  }
  assert.deepEqual(await ask(), [200, ''])
  const listed = await eventually(
    'it is listed',
    () => catalog.listUnknownMembers(),
    (rows) => rows.some(({ member }) => member === 'style_of_tomorrow'),
  )
  const row = listed.find(({ member }) => member === 'style_of_tomorrow')!
  assert.equal(row.seen?.account, formatId('acct', account.id))
  assert.equal((await settings.listByPrefix('unknown member: openai-chat style_of_tomorrow')).length, 1)
  const sent = gate.sandbox.requests()
  await catalog.setRejected(row, true)
  assert.deepEqual(await ask(), [400, 'unpriced_option'])
  assert.equal(gate.sandbox.requests(), sent)
  await catalog.setRejected(row, false)
  assert.deepEqual(await ask(), [200, ''])
})

const turn = { role: 'user', content: 'hello' }
const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]
const counting: readonly (readonly [path: `/${string}`, format: ClientFormatName, body: object])[] = [
  ['/v1/messages/count_tokens', 'anthropic', { model: 'messages-stream', messages: [turn] }],
  ['/v1/responses/input_tokens', 'openai-responses', { model: 'responses-stream', input: 'hello' }],
  ['/v1beta/models/gemini-stream:countTokens', 'gemini', { contents }],
]

for (const [path, format, body] of counting) {
  test(`${path}: a member and a beta that the administrator rejects are rejected where tokens are counted`, async () => {
    const { key } = await gate.account('5')
    const { catalog } = gate.gateway.services
    const ask = async (more: object, headers = {}) => {
      const answer = await new Sent(gate.origin, {
        key,
        format: path,
        body: { ...body, ...more },
        headers,
      }).whole()
      return answer.text.includes('does not allow this') ? 'rejected here' : answer.status
    }
    const member = 'count_of_tomorrow'
    // What becomes of it is the provider's affair.
    assert.notEqual(await ask({ [member]: 'x' }), 'rejected here')
    await catalog.setRejected({ format, member }, true)
    assert.equal(await ask({ [member]: 'x' }), 'rejected here')
    assert.equal(await ask({}), 200)
    if (format !== 'anthropic') return
    const beta = { 'anthropic-beta': 'tomorrow-2027-01-01' }
    await catalog.setRejected({ format, member: 'anthropic-beta: tomorrow-2027-01-01' }, true)
    assert.equal(await ask({}, beta), 'rejected here')
  })
}

for (const format of formats) {
  test(`${format}: what an abandoned response that is not streamed costs restricts, and then is read to its end and charged`, async () => {
    const account = await gate.account('5')
    const abandon = async (model: string, settings: string) => {
      const arrived = gate.sandbox.requests()
      const sent = gate.ask(account, { model: `${format}-${model}`, ...say(settings), max_tokens: 1_000 })
      await eventually(
        'it has arrived',
        () => gate.sandbox.requestLog().slice(arrived),
        (meters) => meters.some(({ bodyBytes }) => bodyBytes > 0),
      )
      sent.leave()
    }
    await abandon('hang', '')
    const { writtenOff, charged } = await gate.receiptOf(account)
    assert.equal(writtenOff, 15_000_000n)
    assert.ok(charged > 0n)
    assert.notEqual((await gate.ledger.account(account.id))?.restrictedMs ?? null, null)
    // Longer than others are read on.
    await abandon('stream', 'tokens=900 delay=6000')
    const receipt = await gate.receiptOf(account, 2)
    assert.deepEqual(
      [receipt.endReason, receipt.usageSource, receipt.output],
      ['client_abort', 'reported', 900],
    )
    assert.ok(receipt.charged > 900n * 15_000n)
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
