/**
 * The lists match what is served and what it costs; a request can be looked up only by its own account, while it
 * runs and afterwards; and an unknown model name tells the operator what to do.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLog } from '../../src/base/log.ts'
import { type Answer, bearer, send } from '../support/bytes-client.ts'
import { ask, formatClients } from '../support/format-clients.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { formats, Sent } from '../support/paying-client.ts'

interface Logged {
  readonly level: string
  readonly err?: { readonly code: string; readonly detail?: string }
}
const logged: Logged[] = []
const log = createLog({
  level: 'info',
  destination: { write: (line) => void logged.push(JSON.parse(line) as Logged) },
})

let gateway: TestGateway
let account: TestAccount

before(async () => {
  gateway = await testGateway({
    log,
    // An address without a listener: nothing here calls it.
    openai: 'http://127.0.0.1:9',
    models: [
      {
        id: 'gpt-sold',
        context: 1_000,
        maxOutput: 100,
        prices: [{ input: '1.25', output: '10' }],
      },
      {
        id: 'gpt-halted',
        context: 1_000,
        maxOutput: 100,
        prices: [{ input: '1', output: '1' }],
      },
      { id: 'gpt-gratis', context: 1_000, maxOutput: 100 },
    ],
    limits: { requestsPerMinute: null, modelListsPerMinute: 200 },
  })
  await gateway.gateway.services.catalog.disable('gpt-halted')
  account = await gateway.account('10')
})
after(() => gateway.close())

type Json = Readonly<Record<string, unknown>>
const everyFormat = formatClients.map(({ format }) => format).sort()

function get(path: string, headers: Json = bearer(account.key)): Promise<Answer> {
  return send(gateway.origin, { path, headers: headers as Record<string, string> })
}

async function rowsAt(path: string, headers?: Json): Promise<readonly Json[]> {
  const answer = await get(path, headers)
  assert.equal(answer.status, 200, answer.text)
  return (JSON.parse(answer.text) as { data: readonly Json[] }).data
}

function bodyOf(model: string, more: object = {}): object {
  return { model, max_tokens: 300, messages: [{ role: 'user', content: 'hello' }], ...more }
}

test('every listed model is served under its listed name in every format that its row names', async () => {
  const rows = await rowsAt('/v1/models')
  for (const name of ['sandbox-echo', 'sandbox-stream', 'sandbox-tool', 'sandbox-think']) {
    const row = rows.find(({ id }) => id === name)
    assert.ok(row !== undefined, name)
    assert.deepEqual([...(row.formats as readonly string[])].sort(), everyFormat)
    for (const client of formatClients) {
      for (const stream of [true, false]) {
        const asked = { key: account.key, model: name, text: 'hello', stream }
        const answer = await ask(gateway.origin, client, asked)
        const text = await answer.text()
        assert.equal(answer.status, 200, `${name} as ${client.format}: ${text}`)
        assert.match(text, new RegExp(name), 'under the name that was asked for')
      }
    }
  }
})

const namesIn = (rows: readonly Json[], field: string): readonly string[] =>
  rows.map((row) => String(row[field])).filter((name) => name.startsWith('sandbox-'))

test('lists show five test models, and one that fails on purpose still works by its name', async () => {
  const five = ['sandbox-echo', 'sandbox-stream', 'sandbox-think', 'sandbox-tool', 'sandbox-tools']
  assert.deepEqual(namesIn(await rowsAt('/v1/models'), 'id').toSorted(), five)
  assert.equal((await get('/v1/models/sandbox-429')).status, 200)
  const answer = await send(gateway.origin, {
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { ...bearer(account.key), 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf('sandbox-400-context')),
  })
  assert.equal(answer.status, 400, answer.text)
  const limited = await gateway.account('1', { models: ['sandbox-429'] })
  const own = await get('/v1/models', bearer(limited.key))
  assert.deepEqual(namesIn((JSON.parse(own.text) as { data: Json[] }).data, 'id'), ['sandbox-429'])
})

test('the public price list has no test models once a provider is connected', async () => {
  assert.deepEqual(namesIn(await rowsAt('/api/pricing', {}), 'model'), [])
  assert.ok(namesIn(await rowsAt('/api/pricing?models=all', {}), 'model').includes('sandbox-429'))
  const alone = await testGateway()
  try {
    const { text } = await send(alone.origin, { path: '/api/pricing' })
    assert.equal(namesIn((JSON.parse(text) as { data: Json[] }).data, 'model').length, 5)
  } finally {
    await alone.close()
  }
})

test('all list formats, a single model and the price list show the same price', async () => {
  const everything = await rowsAt('/api/pricing?models=all', {})
  const pricing = everything.filter(({ testModel }) => testModel !== 'special')
  const openai = await rowsAt('/v1/models')
  const anthropic = await rowsAt('/v1/alt/v1/models?limit=1000')
  assert.deepEqual(
    openai.map(({ id }) => id),
    pricing.map(({ model }) => model),
  )
  const google = await get('/v1beta/models?pageSize=1000')
  const gemini = (JSON.parse(google.text) as { models: readonly Json[] }).models
  for (const [at, { model, price }] of pricing.entries()) {
    const listed = openai[at]!.pricing as Json
    assert.deepEqual([anthropic[at]!.pricing, gemini[at]!.pricing], [listed, listed])
    assert.equal(gemini[at]!.name, `models/${String(model)}`)
    const { id, input, output, cacheRead } = price as Record<string, string>
    assert.equal(listed.version, id, String(model))
    for (const [perToken, perMillion] of [
      [listed.prompt, input],
      [listed.completion, output],
      [listed.input_cache_read, cacheRead],
    ]) {
      assert.equal(picoUsd(String(perToken), 15), picoUsd(String(perMillion), 9), String(model))
    }
  }
  const one = JSON.parse((await get('/v1/models/gpt-sold')).text) as Json
  assert.deepEqual(
    one,
    openai.find(({ id }) => id === 'gpt-sold'),
  )
  assert.equal((one.pricing as Json).prompt, '0.00000125')
})

/** A decimal with this many places as an integer. */
function picoUsd(decimal: string, places: number): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  assert.ok(fraction.length <= places)
  return BigInt(whole + fraction.padEnd(places, '0'))
}

interface Unsold {
  readonly model: string
  /** The listed model with a similar name, if any. */
  readonly nearest: string | null
  readonly command: RegExp
}

const unsold: readonly Unsold[] = [
  { model: 'gpt-solt', nearest: 'gpt-sold', command: /`tollgate models add`/ },
  { model: 'sandbox-ecko', nearest: 'sandbox-echo', command: /`tollgate models add`/ },
  { model: 'gpt-halted', nearest: null, command: /disabled.*`tollgate models enable`/ },
  { model: 'gpt-gratis', nearest: null, command: /no price.*`tollgate models price`/ },
]

for (const { model, nearest, command } of unsold) {
  test(`${model} is not available: the caller sees what is, the operator how to enable it`, async () => {
    for (const client of formatClients) {
      logged.length = 0
      const answer = await ask(gateway.origin, client, { key: account.key, model, text: 'hello' })
      const text = await answer.text()
      assert.equal(answer.status, 404, text)
      if (nearest !== null) assert.ok(text.includes(nearest), text)
      assert.doesNotMatch(text, /tollgate models|disabled|no price/, 'that is nobody’s business')
      const warnings = logged.filter(({ level }) => level === 'warn')
      assert.deepEqual(
        warnings.map(({ err }) => err?.code),
        ['model_not_found'],
      )
      assert.match(warnings[0]?.err?.detail ?? '', command)
    }
  })
}

test('a request is shown to its own account, while it runs and afterwards, and to no other', async () => {
  const own = await gateway.account('1')
  const sibling = await gateway.gateway.services.access.create({
    account: own.id,
    name: 'sibling',
    expiresMs: null,
    policy: (await gateway.gateway.services.access.list(own.id))[0]!.policy,
  })
  for (const format of formats) {
    const body = bodyOf('sandbox-hang-stream', { stream: true })
    const sent = new Sent(gateway.origin, { key: own.key, format, body })
    const { headers } = await sent.head
    const id = String(headers['x-request-id'])
    for (const key of [own.key, sibling.secret]) {
      const running = await get(`/v1/generations/${id}`, bearer(key))
      const { data } = JSON.parse(running.text) as { data: Json }
      assert.deepEqual(
        [data.id, data.status, data.model, data.streamed],
        [id, 'running', 'sandbox-hang-stream', true],
      )
      assert.equal(data.hold, headers['x-tollgate-hold'])
    }
    await assertHidden(id)
    await sent.contents(3)
    sent.leave()
    const done = await eventually(
      'there is a receipt',
      async () =>
        JSON.parse((await get(`/v1/generations/${id}`, bearer(sibling.secret))).text) as { data: Json },
      ({ data }) => data.status !== 'running',
    )
    assert.deepEqual([done.data.id, done.data.status], [id, 'client_abort'])
    await assertHidden(id)
  }
})

/** Another account's request looks exactly like a missing one. */
async function assertHidden(id: string): Promise<void> {
  const theirs = await get(`/v1/generations/${id}`)
  assert.equal(theirs.status, 404)
  const unknown = `${id.slice(0, -6)}000000`
  for (const other of [unknown, 'req_0000000000000', 'nothing', 'req_']) {
    const never = await get(`/v1/generations/${other}`)
    assert.deepEqual([never.status, never.text], [404, theirs.text])
    assert.deepEqual(Object.keys(never.headers).sort(), Object.keys(theirs.headers).sort())
  }
  assert.equal((await get(`/v1/generations/${id}`, {})).status, 401)
}

test('balance and limits are those of the calling key', async () => {
  const own = await gateway.account('2.5')
  const credits = JSON.parse((await get('/v1/credits', bearer(own.key))).text) as Json
  assert.deepEqual(credits, { balance: '2.50', held: '0.00', available: '2.50', currency: 'USD' })
  const blind = await gateway.account('2.5', {
    showBalance: false,
    showCost: false,
    models: ['sandbox-echo'],
    budget: { amount: 1_000_000_000n, window: 'day' },
  })
  assert.equal((await get('/v1/credits', bearer(blind.key))).status, 403)
  const { data } = JSON.parse((await get('/v1/key', bearer(blind.key))).text) as { data: Json }
  assert.deepEqual(
    [data.limit, data.limit_window, data.usage, data.limit_remaining, data.models],
    ['1.00', 'day', '0.00', '1.00', ['sandbox-echo']],
  )
})

test('lists of models are limited per account; one that must be written takes more of the limit', async () => {
  const [eager, other] = [await gateway.account('0'), await gateway.account('0')]
  const list = async ({ key }: TestAccount, path = '/v1/models') => await get(path, bearer(key))
  const { modelListsPerMinute } = gateway.gateway.deps.limits
  let answered = 0
  for (; answered <= modelListsPerMinute; answered += 1) if ((await list(eager)).status !== 200) break
  assert.ok(answered > 0 && answered <= modelListsPerMinute, `${answered}`)
  const rejected = await list(eager)
  assert.deepEqual(
    [rejected.status, rejected.headers['retry-after'] !== undefined],
    [429, true],
    rejected.text,
  )
  assert.match(rejected.text, /may list models/)
  assert.equal((await list(other)).status, 200)
  assert.equal((await list(eager, '/v1/models/gpt-sold')).status, 200)
})
