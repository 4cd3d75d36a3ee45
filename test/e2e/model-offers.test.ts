/**
 * The offers of a model, read, previewed and replaced as a whole over HTTP: requests follow the list, what could never serve is
 * rejected before it is saved, two administrators do not overwrite each other, and the configuration's list comes back.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { OperationRawInput } from '../../contract/operations.ts'
import { ControlClient } from '../support/control-client.ts'
import { testGateway } from '../support/gateway.ts'
import { manualClock } from '../support/manual-clock.ts'
import { asking, controlOf } from '../support/operators.ts'
import { Sent } from '../support/paying-client.ts'
import { recordingHost } from '../support/recording-hosts.ts'

/** A Monday, before the peak hours of the prices below. */
const clock = manualClock(Date.UTC(2026, 10, 23, 0, 30))
const [own, groq, spare] = [await recordingHost(), await recordingHost(), await recordingHost()]
const limits = { context: 100_000, maxOutput: 1_000 }
const upstream = (name: string, provider: string, url: string) => ({
  ...{ name, provider, url: `${url}/v1`, credential: `credential-of-${name}`, weight: 1, models: [] },
})
const gate = await testGateway({
  clock,
  offers: 'as configured',
  limits: { upstreamWaitMs: 0, retriesMin: 99, cooldownMsMax: 0, failuresBeforeEjection: 1_000 },
  models: [
    {
      ...{ id: 'llama', provider: 'openai', formats: ['openai-chat'], ...limits },
      prices: [
        {
          ...{ input: '1', output: '4' },
          schedule: [{ times: ['Mon-Fri 01:00-04:00'], input: '0.5', output: '4' }],
        },
      ],
      offers: [{ upstream: 'own', model: 'gpt-4.1', cost: { input: '0.8', output: '3' } }],
    },
    {
      ...{ id: 'other', provider: 'openai', formats: ['openai-chat'], ...limits },
      ...{ prices: [{ input: '9', output: '9' }], offers: [{ upstream: 'own', model: 'gpt-4.1' }] },
    },
    {
      ...{ id: 'vectors', provider: 'openai', formats: ['openai-embeddings'], context: 8_000 },
      ...{ outputs: ['embeddings'], prices: [{ input: '1', output: '0' }] },
      offers: [{ upstream: 'own', model: 'text-embedding-3-small' }],
    },
  ],
  upstreams: [
    upstream('own', 'openai', own.origin),
    upstream('groq-1', 'groq', groq.origin),
    upstream('spare', 'openai', spare.origin),
    upstream('claude', 'anthropic', spare.origin),
  ],
  environment: {},
})
const account = await gate.account('5')
const client = new ControlClient(gate.origin)
const { start } = gate.gateway
assert.ok(start.kind === 'first')
const token = new URL(start.setupLink).searchParams.get('token') ?? ''
const signIn = { email: 'ada@example.org', password: 'a long enough password' }
await client.done('setup.claim', { token, name: 'ada', ...signIn })
assert.equal((await client.post('/api/auth/sign-in/email', signIn)).status, 200)
const operator = asking(controlOf(gate), { kind: 'local' })
after(async () => {
  await gate.close()
  for (const host of [own, groq, spare]) await host.close()
})

type Offers = NonNullable<OperationRawInput<'offers.set'>['offers']>

const show = (model = 'llama') => client.done('offers.show', { model })
const check = (offers: Offers | null) => client.done('offers.check', { model: 'llama', offers })
const set = (offers: Offers | null, more: object = {}) =>
  client.done('offers.set', { model: 'llama', offers, ...more })

async function rejected(name: 'offers.set' | 'offers.check' | 'offers.show', input: object) {
  const { status, body } = await client.ask(name, { model: 'llama', ...input })
  const { error } = body as {
    readonly error: { readonly code: string; readonly param: string; message: string }
  }
  return [status, error.code, error.param, error.message] as const
}

async function served(model = 'llama'): Promise<string> {
  const body = { model, max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] }
  const sent = await new Sent(gate.origin, { key: account.key, format: 'chat', body }).whole()
  return sent.status === 200 ? String(sent.headers['x-tollgate-upstream']) : String(sent.status)
}

const groqName = 'llama-3.1-8b-instant'
const two: Offers = [
  { upstream: 'groq-1', upstreamModel: groqName, priority: 1, weight: 3 },
  { upstream: 'own', priority: 2 },
]

test('the list of the configuration is shown with cost, margin and what each offer did', async () => {
  assert.equal(await served(), 'own')
  const { offers, from, price, sold, reason } = await show()
  assert.deepEqual(
    { from, price, sold, reason },
    {
      ...{ from: 'configuration', sold: true, reason: null },
      price: { input: '1.00', output: '4.00' },
    },
  )
  assert.equal(offers.length, 1)
  const { status, ...offer } = offers[0] ?? assert.fail('there is an offer')
  const cost = { input: '0.80', output: '3.00' }
  assert.deepEqual(offer, {
    ...{ upstream: 'own', provider: 'openai', upstreamModel: 'gpt-4.1', priority: 1, weight: 1 },
    ...{ formats: ['openai-chat'], enabled: true, trouble: null, cost, costNow: cost },
    costFrom: 'offer',
    margin: { input: '20.0%', output: '25.0%' },
  })
  assert.deepEqual([status.state, status.requests, status.failures], ['serving', 1, 0])
  // 3 tokens at 0.80 and 2 at 3.00 per million.
  assert.equal(status.cost, '0.0000084')
  const [receipt] = await gate.gateway.services.ledger.receipts(account.id, 1, null)
  const { upstreamCost, offerCost, charged } = receipt ?? assert.fail('there is a receipt')
  // At its price, 1 and 4 per million, it is charged 0.000011.
  assert.deepEqual([upstreamCost, offerCost, charged], [8_400n, '800000000/3000000000', 11_000n])
})

test('a preview says what changes and what is below cost at any time of the week, and changes nothing', async () => {
  const before = await show()
  assert.deepEqual(
    before.belowCost.map(({ upstream, rate, price, cost, from, at }) => [
      upstream,
      rate,
      price,
      cost,
      from,
      at,
    ]),
    [['own', 'input', '0.50', '0.80', null, 'Mon 01:00']],
  )
  const preview = await check([
    { upstream: 'groq-1', upstreamModel: 'not-there', cost: { input: '2', output: '3' } },
    { upstream: 'own', priority: 5, weight: 7, enabled: true },
  ])
  assert.deepEqual(
    preview.changes.map(({ upstream, field, from, to }) => [upstream, field, from, to]),
    [
      ['groq-1', 'offer', null, 'group 1, weight 1'],
      ['own', 'group', '1', '2'],
      ['own', 'weight', '1', '7'],
    ],
  )
  assert.deepEqual(preview.warnings, [
    'not-there is not a known name at groq-1. Requests there fail with 404 if the provider does not have it.',
  ])
  assert.deepEqual(
    preview.belowCost.map(({ upstream, rate, at }) => [upstream, rate, at]),
    [
      ['groq-1', 'input', null],
      ['own', 'input', 'Mon 01:00'],
    ],
  )
  assert.deepEqual(
    preview.offers.map(({ margin }) => margin.input),
    ['-100.0%', '20.0%'],
  )
  const sameHost = await check([
    { upstream: 'groq-1', upstreamModel: 'one', cost: { input: '2', output: '0.1' } },
    { upstream: 'groq-1', upstreamModel: 'other', cost: { input: '3', output: '0.1' } },
  ])
  assert.deepEqual(
    sameHost.belowCost.map(({ upstream, upstreamModel, rate, cost }) => [
      upstream,
      upstreamModel,
      rate,
      cost,
    ]),
    [
      ['groq-1', 'one', 'input', '2.00'],
      ['groq-1', 'other', 'input', '3.00'],
    ],
  )
  const { since: _since, ...now } = await show()
  const { since: _then, ...then } = before
  assert.deepEqual(now, then)
})

test('a price to come that is below cost is a warning before it begins', async () => {
  await client.done('models.price', {
    model: 'llama',
    price: { input: '0.01', output: '9', effectiveFrom: '2026-12-01T00:00:00Z' },
  })
  const [row] = (await client.done('models.list', {})).filter(({ model }) => model === 'llama')
  assert.deepEqual(
    row?.details?.belowCost.filter(({ rate }) => rate === 'input').map(({ from, at }) => [from, at]),
    [
      [null, 'Mon 01:00'],
      ['2026-12-01T00:00:00.000Z', null],
    ],
  )
})

test('requests follow the list that is set, and null brings the configuration back', async () => {
  const { revision } = await show()
  const written = await set(two, { revision })
  assert.deepEqual(
    written.offers.map(({ upstream, upstreamModel, priority, weight, cost }) => {
      return [upstream, upstreamModel, priority, weight, cost?.input ?? null]
    }),
    [
      ['groq-1', groqName, 1, 3, null],
      ['own', 'gpt-4.1', 2, 1, '0.80'],
    ],
    'what was not named stays: the name and the cost of the second one',
  )
  assert.equal(written.from, 'console')
  assert.notEqual(written.revision, revision)
  const known = { costNow: { input: '0.05', output: '0.08' }, costFrom: 'list' }
  const { costNow, costFrom } = written.offers[0] ?? assert.fail('there is an offer')
  assert.deepEqual({ costNow, costFrom }, known, 'the list price of the host is known')
  assert.equal(await served(), 'groq-1')
  assert.ok(groq.arrivals.at(-1)?.body.includes(groqName))
  groq.answers = () => 503
  assert.equal(await served(), 'own')
  groq.answers = () => 200
  await controlOf(gate).catalog.reload()
  assert.equal(await served(), 'groq-1', 'it is stored')
  const back = await set(null)
  assert.deepEqual([back.from, back.offers.map((one) => one.upstream)], ['configuration', ['own']])
  assert.equal(await served(), 'own')
  assert.equal((await show()).revision, revision)
})

test('of two administrators who read the same list the second one gets a conflict', async () => {
  const { revision } = await show()
  const outcomes = await Promise.all(
    [two, [{ upstream: 'spare', upstreamModel: 'gpt-4.1' }]].map(
      async (offers) => (await client.ask('offers.set', { model: 'llama', offers, revision })).status,
    ),
  )
  assert.deepEqual([...outcomes].sort(), [200, 409])
  const winner = outcomes[0] === 200 ? ['groq-1', 'own'] : ['spare']
  assert.deepEqual(
    (await show()).offers.map((one) => one.upstream),
    winner,
  )
  const [status, code, param, message] = await rejected('offers.set', { offers: two, revision })
  assert.deepEqual([status, code, param], [409, 'conflict', 'revision'])
  assert.match(message, /changed after they were read/)
  await set(null)
})

test('a switch at an upstream and a change of its price there make another revision', async () => {
  const { revision } = await show()
  await client.done('upstreams.disable', { upstream: 'own', upstreamModel: 'gpt-4.1', allowUnserved: true })
  assert.equal((await rejected('offers.set', { offers: two, revision }))[1], 'conflict')
  await client.done('upstreams.enable', { upstream: 'own', upstreamModel: 'gpt-4.1' })
  assert.equal((await show()).revision, revision)
})

const mistakes: readonly (readonly [offers: unknown, param: string, message: RegExp])[] = [
  [[], 'offers', /must not be empty/],
  [[{ upstream: 'absent' }], 'offers.0.upstream', /there is no upstream named absent/],
  [
    [two[0], two[1], { ...two[0], priority: 3 }],
    'offers.2.upstreamModel',
    /llama-3.1-8b-instant at groq-1 is listed twice/,
  ],
  [
    [{ upstream: 'own' }, { upstream: 'own', upstreamModel: 'gpt-4.1' }],
    'offers.1.upstreamModel',
    /listed twice/,
  ],
  [[{ upstream: 'own', priority: 0 }], 'offers.0.priority', /priority/],
  [[{ upstream: 'own', weight: 1_001 }], 'offers.0.weight', /weight/],
  [
    [{ upstream: 'own', cost: { input: '-1', output: '1' } }],
    'offers.0.cost.input',
    /enter an amount in USD/,
  ],
  [
    [{ upstream: 'own', cost: { input: '1e3', output: '1' } }],
    'offers.0.cost.input',
    /enter an amount in USD/,
  ],
  [[{ upstream: 'own', formats: ['gemini'] }], 'offers.0.upstream', /no format/],
]
for (const [offers, param, message] of mistakes) {
  test(`rejected when previewed and when saved: ${JSON.stringify(offers).slice(0, 70)}`, async () => {
    const before = await show()
    for (const name of ['offers.check', 'offers.set'] as const) {
      const [status, code, at, words] = await rejected(name, { offers })
      assert.deepEqual([status, code, at], [400, 'invalid_value', param])
      assert.match(words, message)
    }
    assert.equal((await show()).revision, before.revision)
  })
}

test('an upstream without the format of the model is rejected for it', async () => {
  const offers = [{ upstream: 'claude', upstreamModel: 'claude-haiku-4-5' }]
  const [, , param, message] = await rejected('offers.set', { model: 'vectors', offers })
  assert.deepEqual(
    [param, message],
    ['offers.0.upstream', 'offers.0.upstream: claude has no format in which vectors can be called there.'],
  )
})

test('one offer at an upstream without the format of the model is rejected too', async () => {
  const input = { model: 'vectors', upstream: 'claude', upstreamModel: 'claude-haiku-4-5', priority: 2 }
  const { code, message } = await operator.rejected('models.offer', input)
  assert.deepEqual(
    [code, message],
    ['invalid_value', 'claude has no format in which vectors can be called there.'],
  )
})

test('an unknown model is named, with what may be meant', async () => {
  assert.deepEqual((await rejected('offers.show', { model: 'lama' })).slice(0, 2), [404, 'model_not_found'])
  assert.match((await rejected('offers.set', { model: 'lama', offers: two }))[3], /Did you mean llama/)
})

test('what disables the last offer of a model needs a confirmation, and other models are named', async () => {
  const off: Offers = [{ upstream: 'own', upstreamModel: 'gpt-4.1', enabled: false }]
  const preview = await check(off)
  assert.deepEqual(preview.unserved, ['llama', 'other'])
  assert.deepEqual(preview.warnings, ['The same offer is also disabled for other.'])
  assert.deepEqual(
    preview.changes.map(({ field, from, to }) => [field, from, to]),
    [['enabled', 'enabled', 'disabled']],
  )
  assert.deepEqual((await rejected('offers.set', { offers: off })).slice(0, 3), [
    409,
    'conflict',
    'allowUnserved',
  ])
  assert.equal(await served(), 'own')
  const spared = await set([...off, { upstream: 'spare', upstreamModel: 'gpt-4.1' }], { allowUnserved: true })
  assert.deepEqual(
    spared.offers.map(({ enabled }) => enabled),
    [false, true],
  )
  assert.equal(await served(), 'spare')
  assert.equal(await served('other'), '404')
  await set([{ upstream: 'own', upstreamModel: 'gpt-4.1', enabled: true }])
  assert.equal(await served('other'), 'own')
  await set(null)
})

test('an offer that is removed while it is disabled is enabled when it is added again', async () => {
  await set([...two, { upstream: 'spare', upstreamModel: 'gpt-4.1', enabled: false }])
  await set(two)
  const again = await set([...two, { upstream: 'spare', upstreamModel: 'gpt-4.1' }])
  assert.deepEqual(
    again.offers.map(({ enabled }) => enabled),
    [true, true, true],
  )
  await set(null)
})

test('one offer is added to the list or changed in it by name', async () => {
  const offer = (input: object) => operator.done('models.offer', { model: 'llama', ...input })
  await offer({
    upstream: 'groq-1',
    upstreamModel: groqName,
    priority: 2,
    cost: { input: '0.05', output: '0.08' },
  })
  const listed = async () =>
    (await show()).offers.map(
      (one) => `${one.upstream} ${one.priority} ${one.weight} ${one.cost?.input ?? '-'}`,
    )
  assert.deepEqual(await listed(), ['own 1 1 0.80', 'groq-1 2 1 0.05'])
  await offer({ upstream: 'own', weight: 9, cost: null })
  assert.deepEqual(await listed(), ['own 1 9 -', 'groq-1 2 1 0.05'])
  assert.equal(
    (await operator.rejected('models.offer', { model: 'llama', upstream: 'absent' })).code,
    'upstream_not_found',
  )
  await set(null)
  assert.equal((await show()).from, 'configuration')
})

test('a new model is offered at upstreams of two providers, with its price', async () => {
  await operator.done('models.offer', {
    ...{ model: 'mine', upstream: 'groq-1', upstreamModel: groqName, priority: 1 },
    ...{ contextTokens: 8_000, outputTokensMax: 500, price: { input: '1', output: '2' } },
  })
  await operator.done('models.offer', {
    model: 'mine',
    upstream: 'own',
    upstreamModel: 'gpt-4.1',
    priority: 2,
  })
  assert.equal(await served('mine'), 'groq-1')
  groq.answers = () => 503
  assert.equal(await served('mine'), 'own')
  groq.answers = () => 200
  const rejectedOne = await operator.rejected('offers.set', { model: 'mine', offers: null })
  assert.match(rejectedOne.message, /mine would not be enabled/)
})
