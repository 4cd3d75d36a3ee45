/**
 * Prompts of requests that wait or are retried while their upstreams change: a removed upstream is not
 * called. And what a provider key with a compatible host gives an operator without further configuration.
 */
import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { asking, controlOf, personActor } from '../support/operators.ts'
import { type RecordingHost, recordingHost } from '../support/recording-hosts.ts'

const [first, second] = [await recordingHost(), await recordingHost()]
const price = { context: 100_000, maxOutput: 1_000, prices: [{ input: '1', output: '1' }] }
const at = (name: string, host: RecordingHost, models: string[], weight: number) => ({
  ...{ name, provider: 'openai', url: `${host.origin}/v1`, credential: `credential-of-${name}`, weight },
  models: models.map((id) => ({ id })),
})
const gate: TestGateway = await testGateway({
  offers: 'as configured',
  limits: { retriesMin: 99, cooldownMsMax: 0, failuresBeforeEjection: 1_000, eventLoopDelayMsMax: 60_000 },
  models: [
    { id: 'llama-house', provider: 'openai', formats: ['openai-chat', 'openai-responses'], ...price },
    { id: 'gpt-house', provider: 'openai', formats: ['openai-chat', 'openai-responses'], ...price },
  ],
  upstreams: [at('first', first, ['llama-house', 'gpt-house'], 1)],
})
const operator = asking(controlOf(gate), personActor('ada', { operator: true }))
const account: TestAccount = await gate.account('100')
after(async () => {
  await gate.close()
  await first.close()
  await second.close()
})
afterEach(async () => {
  first.answers = () => 200
  for (const host of [first, second]) host.arrivals.length = 0
  await operator.done('models.enable', { model: 'llama-house' })
})

async function ask(path: string, body: object, origin = gate.origin, key = account.key): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

const asSecond = { upstream: 'second', provider: 'openai', credential: 'credential-of-second' }
const models = [{ model: 'llama-house' }]
const messages = [{ role: 'user', content: 'hello' }]

const requests: readonly (readonly [what: string, path: string, body: (text: string) => object])[] = [
  [
    'a prompt',
    '/v1/chat/completions',
    (content) => ({ max_tokens: 9, messages: [{ role: 'user', content }] }),
  ],
  [
    'a translated prompt',
    '/v1/messages',
    (content) => ({ max_tokens: 9, messages: [{ role: 'user', content }] }),
  ],
  ['a count of tokens', '/v1/responses/input_tokens', (input) => ({ input })],
]
/** Which of the two is called first depends on the conversation. */
const conversationsMax = 60

const takenAway: readonly (readonly [what: string, change: () => Promise<unknown>])[] = [
  ['is removed', () => operator.done('upstreams.remove', { upstream: 'second' })],
  [
    'is disabled',
    () => operator.done('upstreams.put', { ...asSecond, url: second.origin, models, disabled: true }),
  ],
  [
    'serves other models',
    () => operator.done('upstreams.put', { ...asSecond, url: second.origin, models: [{ model: 'other' }] }),
  ],
  [
    'is somewhere else',
    () => operator.done('upstreams.put', { ...asSecond, url: `${second.origin}/elsewhere`, models }),
  ],
  [
    'loses the model',
    () => operator.done('offers.set', { model: 'llama-house', offers: [{ upstream: 'first', priority: 1 }] }),
  ],
  ['is left while the model is disabled', () => operator.done('models.disable', { model: 'llama-house' })],
]

for (const [what, path, body] of requests) {
  for (const [how, change] of takenAway) {
    test(`${what} that failed elsewhere is not retried where the upstream ${how} in the meantime`, async () => {
      await operator.done('offers.set', { model: 'llama-house', offers: null })
      await operator.done('upstreams.put', { ...asSecond, url: second.origin, models, weight: 1 })
      first.answers = async () => {
        await change()
        return 500
      }
      for (let number = 0; number < conversationsMax && first.arrivals.length === 0; number += 1) {
        second.arrivals.length = 0
        await (await ask(path, { model: 'llama-house', ...body(`conversation ${number}`) })).text()
      }
      assert.equal(first.arrivals.length, 1, 'it failed there')
      assert.deepEqual(second.arrivals, [])
    })
  }
}

for (const [what, path, body] of requests) {
  test(`${what} for a dated name that failed elsewhere is retried although something else changes in the meantime`, async () => {
    const both = [...models, { model: 'gpt-house' }]
    await operator.done('upstreams.put', { ...asSecond, url: second.origin, models: both, weight: 1 })
    first.answers = async () => {
      await operator.done('models.disable', { model: 'llama-house' })
      return 500
    }
    const model = 'gpt-house-2026-01-31'
    for (let number = 0; number < conversationsMax && first.arrivals.length === 0; number += 1) {
      second.arrivals.length = 0
      await (await ask(path, { model, ...body(`dated ${number}`) })).text()
    }
    assert.equal(first.arrivals.length, 1, 'it failed there')
    assert.deepEqual(
      second.arrivals.map((arrival) => (JSON.parse(arrival.body) as { model: string }).model),
      [model],
    )
  })
}

test('a provider key next to a compatible host: each model goes to its own host, by its name there', async () => {
  const both = await testGateway({
    offers: 'as configured',
    openai: first.origin,
    limits: { eventLoopDelayMsMax: 60_000 },
    models: [
      { id: 'llama-house', provider: 'openai', formats: ['openai-chat'], ...price },
      { id: 'unplaced', provider: 'openai', formats: ['openai-chat'], ...price },
    ],
    upstreams: [
      {
        ...at('house', second, [], 1),
        models: [{ id: 'llama-house', upstreamId: 'meta/llama' }],
      },
    ],
  })
  try {
    const { key } = await both.account('10')
    for (const model of ['gpt-4.1', 'llama-house']) {
      for (let times = 0; times < 6; times += 1) {
        const body = { model, max_tokens: 9, messages: [{ role: 'user', content: `${times}` }] }
        assert.equal((await ask('/v1/chat/completions', body, both.origin, key)).status, 200, model)
      }
    }
    const modelsAt = (host: RecordingHost) =>
      host.arrivals.map(({ body }) => (JSON.parse(body) as { model: string }).model)
    assert.deepEqual(new Set(modelsAt(first)), new Set(['gpt-4.1']))
    assert.deepEqual(new Set(modelsAt(second)), new Set(['meta/llama']))
    assert.deepEqual([first.arrivals.length, second.arrivals.length], [6, 6])
    assert.equal(
      (await ask('/v1/chat/completions', { model: 'unplaced', messages }, both.origin, key)).status,
      404,
    )
    const local = asking(controlOf(both), { kind: 'local' })
    const unplaced = (await local.done('models.list', {})).find(({ model }) => model === 'unplaced')
    assert.match(unplaced?.reason ?? '', /^it has no upstream/)
  } finally {
    await both.close()
  }
})

test('the URL of a compatible host alone enables no model', async () => {
  const bare = {
    upstream: 'deepseek',
    provider: 'openai',
    credential: 'credential-of-it',
    url: second.origin,
  }
  const rejected = await operator.rejected('upstreams.put', bare)
  assert.deepEqual([rejected.code, rejected.param], ['missing_field', 'models'])
  const shown = await operator.done('upstreams.check', { ...bare, models: 'all' })
  assert.ok(shown.sells.filter(({ isNew }) => isNew).length > 30, 'and says so where all are asked for')
  const before = (await operator.done('models.list', {})).filter(({ sold }) => sold).length
  const { serves } = await operator.done('upstreams.put', { ...bare, models: [{ model: 'gpt-4.1' }] })
  assert.deepEqual(serves, ['gpt-4.1'])
  assert.equal((await operator.done('models.list', {})).filter(({ sold }) => sold).length, before + 1)
  const host = await operator.done('upstreams.check', { ...bare, askHost: true })
  assert.deepEqual(host.host, { models: [], problem: 'No server is running.' })
  await operator.done('upstreams.remove', { upstream: 'deepseek' })
})
