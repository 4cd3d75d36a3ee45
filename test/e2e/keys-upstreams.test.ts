/**
 * Upstreams and a markup that operators set while the server runs: the next request uses them, running ones keep
 * theirs, and a credential goes only to the URL it was entered for, and into no text.
 */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import { testGateway } from '../support/gateway.ts'
import { eventually, meteredModels } from '../support/metered-gateway.ts'
import { asking, controlOf, personActor } from '../support/operators.ts'
import { rejectionIn, Sent } from '../support/paying-client.ts'
import { storedIn } from '../support/test-database.ts'

/** Assembled here, so that nothing like a secret is in the repository. */
const canary = (what: string): string => ['canary', what, '7'.repeat(24), 'tail'].join('')

const logged: string[] = []
const log = createLog({ level: 'trace', destination: { write: (line: string) => void logged.push(line) } })
const sandbox = await startSandbox({ clock: systemClock, logBodies: true })
const gate = await testGateway({ models: meteredModels(), log })
const control = controlOf(gate)
const operator = asking(control, personActor('ada', { operator: true }))
const servers: Server[] = []
after(async () => {
  await gate.close()
  await sandbox.close()
  for (const server of servers) server.close()
})

/** Records the received credentials, and rejects each with a message that repeats them. */
async function thief(): Promise<{ readonly origin: string; readonly seen: string[] }> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const credential = String(request.headers.authorization ?? request.headers['x-api-key'])
    seen.push(credential)
    request.resume()
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${credential}` } }))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

function ask(key: string, model: string, text = 'tokens=4', more: object = {}): Sent {
  const body = { model, max_tokens: 8_000, messages: [{ role: 'user', content: text }], ...more }
  return new Sent(gate.origin, { key, format: 'chat', body })
}

const models = [{ model: 'chat-stream' }]

async function put(upstream: string, more: object) {
  return operator.done('upstreams.put', { upstream, provider: 'openai', models, ...more })
}

test('an upstream that was added serves the next request, without a restart, and stops serving when it is removed', async () => {
  const account = await gate.account('5')
  const before = await ask(account.key, 'chat-stream').whole()
  assert.deepEqual([before.status, rejectionIn(before.text).code], [404, 'model_not_found'])
  const credential = canary('first')
  const made = await put('first', { url: `${sandbox.origin}/v1/`, credential })
  assert.deepEqual(made, {
    name: 'first',
    provider: 'openai',
    url: `${sandbox.origin}/v1`,
    weight: 1,
    models,
    serves: ['chat-stream'],
    from: 'console',
    disabled: false,
    formats: null,
    tags: null,
    limits: null,
    credentialEnd: 'tail',
    custom: null,
    health: {
      ...{ state: 'unused', until: null, failures: 0, requests: 0 },
      ...{ failing: false, failingModel: null, lastError: null },
    },
  })
  assert.equal((await ask(account.key, 'chat-stream').whole()).status, 200)
  const listed = (await operator.done('upstreams.list', {})).find(({ name }) => name === 'first')
  assert.deepEqual([listed?.health.state, listed?.health.requests], ['healthy', 1])

  const running = ask(account.key, 'chat-stream', 'tokens=200 rate=100', { stream: true })
  await running.contents(3)
  await operator.done('upstreams.remove', { upstream: 'first' })
  assert.equal((await ask(account.key, 'chat-stream').whole()).status, 404)
  assert.match((await running.whole()).text, /\[DONE\]/, 'what runs keeps its upstream')
  assert.equal(
    (await operator.rejected('upstreams.remove', { upstream: 'first' })).code,
    'upstream_not_found',
  )
})

test('a credential is never sent to another URL than the one it was entered for', async () => {
  const account = await gate.account('5')
  const credential = canary('bound')
  const { origin, seen } = await thief()
  await put('bound', { url: sandbox.origin, credential })
  const url = `${sandbox.origin}/elsewhere`
  for (const elsewhere of [
    { url: origin },
    {},
    { url },
    { url: origin, models: 'all', provider: 'anthropic' },
    { url: origin, disabled: true },
  ]) {
    const rejected = await operator.rejected('upstreams.put', {
      upstream: 'bound',
      provider: 'openai',
      models,
      ...elsewhere,
    })
    assert.deepEqual([rejected.status, rejected.code, rejected.param], [400, 'missing_field', 'credential'])
  }
  // Neither through a disabled one, nor under another name.
  await put('bound', { url: sandbox.origin, disabled: true })
  const renamed = await operator.rejected('upstreams.put', {
    upstream: 'other',
    provider: 'openai',
    models,
    url: sandbox.origin,
  })
  assert.equal(renamed.param, 'credential')
  await control.catalog.reload()
  await ask(account.key, 'chat-stream').whole()
  assert.equal(seen.length, 0)
  await put('bound', { url: origin, credential: canary('given-to-thief') })
  await ask(account.key, 'chat-stream').whole()
  assert.ok(seen.length > 0 && seen.every((one) => one.includes('given-to-thief') && !one.includes('bound')))
  await operator.done('upstreams.remove', { upstream: 'bound' })
})

const wrong: readonly (readonly [what: string, ask: object, param: string])[] = [
  ['plain HTTP elsewhere', { url: 'http://10.0.0.5:8000' }, 'url'],
  ['the path of an endpoint', { url: 'https://api.example.com/v1/responses' }, 'url'],
  ['a name and a password', { url: 'https://a:b@api.example.com' }, 'url'],
  ['another scheme', { url: 'ftp://api.example.com' }, 'url'],
  ['a model of another provider', { models: [{ model: 'messages-stream' }] }, 'models'],
  ['no such provider', { provider: 'nobody' }, 'provider'],
  ['a line break', { credential: `${canary('a')}\r\nx-evil: 1` }, 'credential'],
  ['a space', { credential: `${canary('a')} b` }, 'credential'],
]

for (const [what, more, param] of wrong) {
  test(`an upstream is rejected with ${what}`, async () => {
    const asked = {
      upstream: 'wrong',
      provider: 'openai',
      models,
      url: 'https://api.example.com',
      credential: canary('w'),
    }
    const rejected = await operator.rejected('upstreams.put', { ...asked, ...more })
    assert.deepEqual([rejected.code, rejected.param], ['invalid_value', param])
    assert.ok(!(await operator.done('upstreams.list', {})).some(({ name }) => name === 'wrong'))
  })
}

test('upstreams need an operator with a recent sign-in', async () => {
  const asked = { upstream: 'mine', provider: 'openai', credential: canary('mine') }
  const dayMs = 86_400_000
  const actors = [
    ['not_allowed', personActor('bo')],
    ['login_too_old', personActor('ada', { operator: true, loginMs: systemClock.wallMs() - dayMs })],
    ['not_signed_in', { kind: 'anyone', address: null }],
  ] as const
  for (const [code, actor] of actors) {
    assert.equal((await asking(control, actor).rejected('upstreams.put', asked)).code, code)
    assert.equal((await asking(control, actor).rejected('upstreams.remove', { upstream: 'x' })).code, code)
  }
})

test('an upstream that rejects our credential is reported with our message, and a new credential resets its health', async () => {
  const account = await gate.account('5')
  const { origin } = await thief()
  await put('rejecting', { url: origin, credential: canary('rejected') })
  await ask(account.key, 'chat-stream').whole()
  const listed = (await operator.done('upstreams.list', {})).find(({ name }) => name === 'rejecting')
  assert.equal(listed?.health.state, 'cooling')
  assert.match(
    listed?.health.lastError ?? '',
    /^The provider rejected the API key\. POST http:\/\/127\.0\.0\.1:\d+\/v1\/[a-z/]+ returned HTTP 40\d\./,
  )
  const renewed = await put('rejecting', { url: origin, credential: canary('renewed') })
  assert.equal(renewed.health.state, 'unused')
  await operator.done('upstreams.remove', { upstream: 'rejecting' })
})

test('a running request settles at the price that it began with; the next one pays the markup', async () => {
  const account = await gate.account('5')
  await put('priced', { url: sandbox.origin, credential: canary('priced') })
  const before = (await operator.done('models.prices', { model: 'chat-stream' })).at(-1)
  const text = 'tokens=60 rate=100'
  const running = ask(account.key, 'chat-stream', text, { stream: true })
  await running.contents(3)
  const set = await operator.done('markup.set', { markup: '100%' })
  assert.deepEqual(set, { markup: '100%', from: 'console' })
  await ask(account.key, 'chat-stream', text, { stream: true }).whole()
  await running.whole()
  const { ledger } = gate.gateway.services
  const receipts = await eventually(
    'two receipts',
    () => ledger.receipts(account.id, 10, null),
    (rows) => rows.length === 2,
  )
  const [dear, plain] = receipts
  const after = await operator.done('models.prices', { model: 'chat-stream' })
  const [was, is] = after.slice(-2)
  assert.equal(was?.id, before?.id)
  for (const name of ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const) {
    assert.equal(Number(is?.[name]), Number(was?.[name]) * 2, name)
  }
  assert.deepEqual([is?.options, is?.fees], [was?.options, was?.fees], 'a markup is on rates alone')
  assert.ok(dear !== undefined && plain !== undefined && plain.charged > 0n)
  assert.equal(dear.charged, plain.charged * 2n)
  assert.equal(dear.upstreamCost, plain.upstreamCost, 'what the provider takes is the same')
  assert.notEqual(dear.priceVersion, plain.priceVersion)
  assert.deepEqual((await operator.done('markup.set', { markup: null })).markup, null)
})

test('no credential is in a file, a log line, a response or the audit', async () => {
  await put('hidden', { url: sandbox.origin, credential: canary('hidden') })
  await operator.rejected('upstreams.put', {
    upstream: 'hidden',
    provider: 'openai',
    credential: `${canary('hidden')} x`,
  })
  const answers = JSON.stringify([
    await operator.done('upstreams.list', {}),
    await operator.done('audit.list', { limit: 1_000 }),
    await operator.done('models.list', {}),
  ])
  assert.ok(answers.includes('"upstreams.put"') && answers.includes('(not stored)'))
  const stored = (await storedIn(gate.dataFolder)).map(([, text]) => text)
  assert.ok(stored.length > 2)
  for (const text of [answers, ...logged, ...stored]) assert.ok(!text.includes('7'.repeat(24)))
})
