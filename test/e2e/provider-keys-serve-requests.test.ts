/**
 * Requests on accounts' own provider keys, over real HTTP: each key serves its own account alone, at its provider's address
 * alone, and what is charged is the fee. A failing key affects neither the operator's upstreams nor other accounts.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { formatId, parseId } from '../../src/base/ids.ts'
import { createLog } from '../../src/base/log.ts'
import { limitDefaults } from '../../src/config/config.ts'
import { formatUsd } from '../../src/ledger/rules/money.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import { commandStatus } from '../../src/server/server-status.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { type KeyHost, keyHost } from '../support/key-host.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type Asking, asking } from '../support/operators.ts'
import { type Path, rejectionIn, Sent } from '../support/paying-client.ts'
import { standInUsage } from '../support/stand-in.ts'
import { storedIn } from '../support/test-database.ts'

/** Assembled here, so that nothing like a secret is in the repository. */
const secret = (what: string): string => ['own', what, '7'.repeat(16)].join('')
const [ofAda, ofBob, ofCy] = [secret('ada'), secret('bob'), secret('cy')]

const listPrice = { input: '3', output: '15' }
const listCost = BigInt(standInUsage.input) * 3_000n + BigInt(standInUsage.output) * 15_000n
/** The markup doubles the operator's price. */
const operatorCost = 2n * listCost

let operatorHost: KeyHost
/** Where keys for OpenAI are sent, and those for Groq. */
let openaiHost: KeyHost
let groqHost: KeyHost
const folders: string[] = []
const logged: string[] = []
let free: World

interface World {
  readonly gate: TestGateway
  readonly local: Asking
  close(): Promise<void>
}

async function world(providerKeys: Readonly<Record<string, string>>, dataFolder?: string): Promise<World> {
  const folder = dataFolder ?? mkdtempSync(join(tmpdir(), 'tollgate-own-keys-'))
  if (dataFolder === undefined) folders.push(folder)
  const lines = Object.entries(providerKeys).map(([name, value]) => `  ${name}: ${value}`)
  const urls = [`    openai: ${openaiHost.origin}`, `    groq: ${groqHost.origin}/openai/v1`]
  writeFileSync(join(folder, 'tollgate.yaml'), ['providerKeys:', ...lines, '  urls:', ...urls, ''].join('\n'))
  const shape = { context: 200_000, maxOutput: 1_000, markup: '100%', prices: [listPrice] }
  const operators = { url: operatorHost.origin, credential: 'operators-credential', weight: 1 }
  const gate = await testGateway({
    dataFolder: folder,
    offers: 'as configured',
    upstreams: [
      {
        ...operators,
        name: 'operators-openai',
        provider: 'openai',
        models: [{ id: 'gpt-a' }, { id: 'gpt-b' }],
      },
      { ...operators, name: 'operators-groq', provider: 'groq', models: [{ id: 'groq/llama-a' }] },
    ],
    models: [
      { ...shape, id: 'gpt-a', formats: ['openai-chat'], fallbacks: ['groq/llama-a'] },
      { ...shape, id: 'gpt-b', formats: ['openai-chat', 'openai-responses'] },
      { ...shape, id: 'groq/llama-a' },
    ],
    limits: { providerKeyTestsPerMinute: 1_000 },
    log: createLog({ level: 'trace', destination: { write: (line: string) => void logged.push(line) } }),
  })
  const control = gate.gateway.services.control(gate.origin, commandStatus(systemClock, limitDefaults))
  return { gate, local: asking(control, { kind: 'local' }), close: () => gate.close() }
}

before(async () => {
  operatorHost = await keyHost('by the operator', ['operators-credential'])
  openaiHost = await keyHost('by openai', [ofAda, ofBob])
  groqHost = await keyHost('by groq', [ofCy])
  free = await world({ accounts: 'all' })
})

after(async () => {
  await free.close()
  for (const host of [operatorHost, openaiHost, groqHost]) await host.close()
  for (const folder of folders) rmSync(folder, { recursive: true })
})

beforeEach(() => {
  for (const host of [operatorHost, openaiHost, groqHost]) host.failing.clear()
  for (const key of [ofAda, ofBob]) openaiHost.accepted.add(key)
})

interface Stored {
  readonly provider?: 'openai' | 'groq'
  readonly credential: string
  readonly use?: 'first' | 'only'
}

async function store({ local }: World, { id }: TestAccount, key: Stored): Promise<void> {
  await local.done('provider-keys.put', {
    account: formatId('acct', id),
    provider: 'openai',
    use: 'first',
    ...key,
  })
}

async function ask({ gate }: World, { key }: TestAccount, more: object = {}, format: 'chat' | Path = 'chat') {
  const body = { model: 'gpt-a', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }], ...more }
  const { status, headers, text } = await new Sent(gate.origin, { key, format, body }).whole()
  return { status, headers, text, code: status === 200 ? null : rejectionIn(text).code }
}

function receiptOf(
  { gate }: World,
  { headers }: Awaited<ReturnType<typeof ask>>,
): Promise<ReceiptRow | undefined> {
  const id = parseId('req', String(headers['x-request-id'])) ?? 0n
  return eventually(
    'the receipt',
    () => gate.gateway.services.ledger.receipt(id),
    (receipt) => receipt !== undefined,
  )
}

async function assertVerified({ gate }: World): Promise<void> {
  assert.deepEqual((await gate.gateway.services.ledger.verify()).drift, [])
}

for (const stream of [false, true]) {
  test(`without a balance an own key serves, free of charge: ${stream ? 'streamed' : 'whole'}`, async () => {
    const ada = await free.gate.account('0')
    await store(free, ada, { credential: ofAda })
    const before = operatorHost.requests.length
    const response = await ask(free, ada, { stream })
    assert.deepEqual([response.status, response.code], [200, null], response.text)
    assert.match(response.text, /by openai/)
    assert.equal(response.headers['x-tollgate-upstream'], 'own:openai')
    assert.equal(openaiHost.requests.at(-1)?.credential, ofAda)
    assert.equal(operatorHost.requests.length, before)
    const receipt = await receiptOf(free, response)
    assert.deepEqual(
      [receipt?.ownKey, receipt?.charged, receipt?.hold, receipt?.upstreamCost, receipt?.writtenOff],
      [true, 0n, 0n, listCost, 0n],
    )
    await assertVerified(free)
  })
}

test('the cost in a response is the fee, and says that the rest is paid elsewhere', async () => {
  const ada = await free.gate.account('1', { showCost: true })
  await store(free, ada, { credential: ofAda })
  const streamed = { stream: true, stream_options: { include_usage: true } }
  for (const [format, more] of [
    ['chat', {}],
    ['chat', streamed],
    ['/v1/messages', {}],
    ['/v1/messages', { stream: true }],
  ] as const) {
    const own = await ask(free, ada, more, format)
    assert.match(own.text, /"cost":0\.00,"is_byok":true\}/)
    const { text } = await ask(free, ada, { ...more, model: 'groq/llama-a' }, format)
    assert.match(text, /"cost":0\.0\d*[1-9]\}/)
  }
})

test('receipts, CSV and usage say what ran on own keys, and what it costs at list price', async () => {
  const ada = await free.gate.account('1')
  const account = formatId('acct', ada.id)
  await store(free, ada, { credential: ofAda })
  await receiptOf(free, await ask(free, ada))
  await receiptOf(free, await ask(free, ada, { model: 'groq/llama-a' }))
  const { local } = free
  const [groq, openai] = await local.done('requests.list', { account })
  assert.deepEqual(
    [openai?.ownKey, openai?.charged, openai?.upstreamCost],
    [true, '0.00', formatUsd(listCost)],
  )
  assert.deepEqual([groq?.ownKey, groq?.charged], [false, formatUsd(operatorCost)])
  const control = free.gate.gateway.services.control(
    free.gate.origin,
    commandStatus(systemClock, limitDefaults),
  )
  const nowMs = systemClock.wallMs()
  const span = { fromMs: nowMs - 7_200_000, toMs: nowMs + 7_200_000, step: 'hour', group: 'none' } as const
  const rows = await control.usage.sums({ ...span, account: ada.id, model: null, key: null })
  const total = (name: 'charged' | 'ownKeyCost') => rows.reduce((sum, row) => sum + row.sums[name], 0n)
  assert.deepEqual([total('charged'), total('ownKeyCost')], [operatorCost, listCost])
})

test('an account’s key is never used for another account, nor sent to another host', async () => {
  const [ada, bob, cy, dora] = [
    await free.gate.account('1'),
    await free.gate.account('1'),
    await free.gate.account('1'),
    await free.gate.account('1'),
  ]
  await store(free, ada, { credential: ofAda })
  await store(free, bob, { credential: ofBob, use: 'only' })
  await store(free, cy, { credential: ofCy, provider: 'groq' })
  const people = { ada, bob, cy, dora }
  const from = openaiHost.requests.length
  const seenByGroq = groqHost.requests.length
  const seenByOperator = operatorHost.requests.length
  const rounds = Array.from({ length: 8 }, () => Object.entries(people)).flat()
  const answers = await Promise.all(
    rounds.flatMap(([name, account]) =>
      ['gpt-a', 'groq/llama-a'].map((model) =>
        ask(free, account, { model, messages: [{ role: 'user', content: `I am ${name}.` }] }),
      ),
    ),
  )
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  const expected = { ada: ofAda, bob: ofBob, cy: ofCy } as Readonly<Record<string, string>>
  const senderOf = (body: string) => /I am (\w+)\./.exec(body)?.[1] ?? ''
  for (const { credential, body } of openaiHost.requests.slice(from))
    assert.equal(credential, expected[senderOf(body)])
  for (const { credential, body } of groqHost.requests.slice(seenByGroq)) {
    assert.deepEqual([credential, senderOf(body)], [ofCy, 'cy'])
  }
  for (const { credential } of operatorHost.requests.slice(seenByOperator))
    assert.equal(credential, 'operators-credential')
  assert.equal(openaiHost.requests.length - from, 16)
  assert.equal(groqHost.requests.length - seenByGroq, 8)
  for (const [host, theirs] of [
    [openaiHost, [ofCy]],
    [groqHost, [ofAda, ofBob]],
    [operatorHost, [ofAda, ofBob, ofCy]],
  ] as const)
    for (const key of theirs) assert.ok(!host.seen.has(key))
  await assertVerified(free)
})

test('a rejected key is reported as the provider key, is not sent again, and affects no one else', async () => {
  const [ada, bob] = [await free.gate.account('1'), await free.gate.account('1')]
  await store(free, ada, { credential: ofAda, use: 'only' })
  await store(free, bob, { credential: ofBob, use: 'only' })
  openaiHost.accepted.delete(ofAda)
  const before = { own: openaiHost.requests.length, operator: operatorHost.requests.length }
  const first = await ask(free, ada)
  assert.deepEqual([first.status, first.code], [424, 'provider_key_failed'], first.text)
  assert.match(first.text, /OpenAI rejected the provider key of this account \(HTTP 401\)/)
  assert.doesNotMatch(first.text, new RegExp(ofAda))
  const second = await ask(free, ada)
  assert.deepEqual([second.status, second.code], [424, 'provider_key_failed'], second.text)
  assert.equal(openaiHost.requests.length - before.own, 1, 'it was sent once')
  assert.equal(operatorHost.requests.length, before.operator)
  const listed = await free.local.done('provider-keys.list', { account: formatId('acct', ada.id) })
  assert.equal(listed.keys[0]?.state, 'rejected')
  assert.match(listed.keys[0]?.lastError ?? '', /HTTP 401/)

  assert.equal((await ask(free, bob)).status, 200)
  const { health } = free.gate.gateway.services
  assert.notEqual(health.report('operators-openai').state, 'cooling')
  assert.equal(health.report('own:openai').state, 'unused')

  openaiHost.accepted.add(ofAda)
  await store(free, ada, { credential: ofAda, use: 'only' })
  assert.equal((await ask(free, ada)).status, 200)
})

test('behind a failing first key come the operator’s offers, at their price; billing and models are its problems too', async () => {
  const ada = await free.gate.account('1')
  await store(free, ada, { credential: ofAda })
  for (const status of [402, 404, 429, 500]) {
    openaiHost.failing.set(ofAda, status)
    const response = await ask(free, ada)
    assert.equal(response.status, 200, response.text)
    assert.match(response.text, /by the operator/)
    const receipt = await receiptOf(free, response)
    assert.deepEqual([receipt?.ownKey, receipt?.charged], [false, operatorCost], String(status))
    const failure = status === 402 || status === 404 ? 'provider_key_failed' : undefined
    assert.equal(receipt?.attempts[0]?.upstream, 'own:openai')
    if (failure !== undefined) assert.equal(receipt?.attempts[0]?.failure, failure)
    openaiHost.failing.clear()
    await store(free, ada, { credential: ofAda })
  }
  await assertVerified(free)
})

test('where the connection of an own key is lost, the operator’s offers serve, or the key where they cannot', async () => {
  const served = async (usd: string) => {
    const ada = await free.gate.account(usd)
    await store(free, ada, { credential: ofAda })
    // A connection that is kept alive.
    await receiptOf(free, await ask(free, ada))
    openaiHost.dropping.add(ofAda)
    const response = await ask(free, ada)
    assert.equal(response.status, 200, response.text)
    const receipt = await receiptOf(free, response)
    const attempts = receipt?.attempts.map(({ upstream, failure }) => [upstream, failure])
    return {
      attempts: attempts?.filter(([, failure]) => failure !== 'hold_too_small'),
      charged: receipt?.charged,
    }
  }
  const lost = ['own:openai', 'upstream_error']
  assert.deepEqual(await served('1'), { attempts: [lost, ['operators-openai', null]], charged: operatorCost })
  assert.deepEqual(await served('0'), { attempts: [lost, ['own:openai', null]], charged: 0n })
  await assertVerified(free)
})

test('without a balance only the own key serves, and its failure is reported', async () => {
  const ada = await free.gate.account('0')
  await store(free, ada, { credential: ofAda })
  const before = operatorHost.requests.length
  openaiHost.failing.set(ofAda, 500)
  const response = await ask(free, ada)
  assert.deepEqual([response.status, response.code], [502, 'upstream_error'], response.text)
  assert.equal(operatorHost.requests.length, before)
  const receipt = await receiptOf(free, response)
  assert.deepEqual([receipt?.ownKey, receipt?.charged, receipt?.writtenOff], [true, 0n, 0n])
  await assertVerified(free)
})

test('a balance below the cost of the operator’s offers does not lower the output limit of an own key', async () => {
  const ada = await free.gate.account('0.001')
  await store(free, ada, { credential: ofAda })
  const response = await ask(free, ada, { max_tokens: 1_000 })
  assert.equal(response.status, 200, response.text)
  assert.equal(response.headers['x-tollgate-max-output'], undefined)
  const sent = openaiHost.requests.at(-1)
  assert.equal((JSON.parse(sent?.body ?? '') as { readonly max_tokens: number }).max_tokens, 1_000)
})

test('no credential is in the log or in the database', async () => {
  const stored = (await storedIn(free.gate.dataFolder)).map(([, text]) => text)
  assert.ok(logged.length > 0 && stored.length > 0)
  for (const text of [logged.join(''), ...stored])
    for (const key of [ofAda, ofBob, ofCy]) assert.ok(!text.includes(key))
})

test('while a first key cools down, the operator’s offers come first', async () => {
  const ada = await free.gate.account('1')
  await store(free, ada, { credential: ofAda })
  openaiHost.failing.set(ofAda, 500)
  await ask(free, ada)
  const before = openaiHost.requests.length
  const next = await ask(free, ada)
  assert.match(next.text, /by the operator/)
  assert.equal(openaiHost.requests.length, before)
})

test('with only, no operator’s offer and no fallback is used, whatever fails', async () => {
  const ada = await free.gate.account('1')
  await store(free, ada, { credential: ofAda, use: 'only' })
  const before = operatorHost.requests.length
  openaiHost.failing.set(ofAda, 500)
  const response = await ask(free, ada)
  assert.deepEqual([response.status, response.code], [502, 'upstream_error'], response.text)
  assert.equal(operatorHost.requests.length, before)
  assert.equal((await free.gate.balance(ada.id)).posted, 1_000_000_000n)
})

test('a background response cannot run on an own key', async () => {
  const ada = await free.gate.account('1')
  await store(free, ada, { credential: ofAda, use: 'only' })
  const body = {
    model: 'gpt-b',
    input: 'Hello',
    background: true,
    messages: undefined,
    max_tokens: undefined,
  }
  const response = await ask(free, ada, body, '/v1/responses')
  assert.deepEqual([response.status, response.code], [501, 'format_not_supported'], response.text)
})

test('a removed key is not used, and models of other providers are paid as before', async () => {
  const ada = await free.gate.account('0')
  await store(free, ada, { credential: ofAda })
  assert.equal((await ask(free, ada, { model: 'groq/llama-a' })).code, 'insufficient_balance')
  await free.local.done('provider-keys.remove', { account: formatId('acct', ada.id), provider: 'openai' })
  const before = openaiHost.requests.length
  assert.equal((await ask(free, ada)).code, 'insufficient_balance')
  assert.equal(openaiHost.requests.length, before)
})

test('rates of a key apply to requests on own keys', async () => {
  const rates = { requestsPerMinute: 2, tokensPerMinute: null, concurrent: null }
  const ada = await free.gate.account('0', { rates })
  await store(free, ada, { credential: ofAda })
  assert.equal((await ask(free, ada)).status, 200)
  assert.equal((await ask(free, ada)).status, 200)
  assert.equal((await ask(free, ada)).code, 'rate_limited')
})

test('a fee is a share of the list price, rounded up, and held for', async (context) => {
  const paid = await world({ accounts: 'all', fee: '2.5%' })
  context.after(() => paid.close())
  const [ada, poor] = [await paid.gate.account('1'), await paid.gate.account('0')]
  await store(paid, ada, { credential: ofAda })
  const response = await ask(paid, ada)
  const receipt = await receiptOf(paid, response)
  const fee = (listCost * 25n + 999n) / 1_000n
  assert.deepEqual([receipt?.ownKey, receipt?.charged, receipt?.upstreamCost], [true, fee, listCost])
  assert.ok((receipt?.hold ?? 0n) >= fee)
  assert.equal((await paid.gate.balance(ada.id)).posted, 1_000_000_000n - fee)
  await store(paid, poor, { credential: ofBob })
  assert.equal((await ask(paid, poor)).code, 'insufficient_balance')
  await assertVerified(paid)
})

test('after provider keys are switched off, only still excludes the operator, and first does not', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-own-keys-'))
  folders.push(folder)
  const on = await world({ accounts: 'all' }, folder)
  const [ada, bob] = [await on.gate.account('1'), await on.gate.account('1')]
  await store(on, ada, { credential: ofAda, use: 'only' })
  await store(on, bob, { credential: ofBob })
  await on.close()
  const off = await world({ accounts: 'none' }, folder)
  context.after(() => off.close())
  const before = openaiHost.requests.length
  assert.deepEqual((await ask(off, ada)).code, 'provider_key_failed')
  const second = await ask(off, bob)
  assert.match(second.text, /by the operator/)
  assert.equal(openaiHost.requests.length, before)
})
