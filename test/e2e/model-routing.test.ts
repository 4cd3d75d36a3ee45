/** Routing of a model that operators set while the server runs: strategy and fallbacks. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { asking, controlOf, personActor } from '../support/operators.ts'
import { recordingHost } from '../support/recording-hosts.ts'

const [dear, cheap, spare] = [await recordingHost(), await recordingHost(), await recordingHost()]
const limits = { context: 100_000, maxOutput: 1_000 }
const upstream = (name: string, url: string) => ({
  ...{ name, provider: 'openai', url: `${url}/v1`, credential: `credential-of-${name}`, weight: 1 },
  models: [{ id: `unused-${name}` }],
})
const sold = (id: string, offers: readonly (readonly [name: string, weight: number, price: string])[]) => ({
  ...{ id, ...limits, prices: [{ input: '9', output: '9' }] },
  offers: offers.map(([name, weight, price]) => ({
    ...{ upstream: name, model: 'gpt-4.1', formats: ['openai-chat' as const], weight },
    cost: { input: price, output: price },
  })),
})
const gate: TestGateway = await testGateway({
  offers: 'as configured',
  limits: { upstreamWaitMs: 0, retriesMin: 99, cooldownMsMax: 0, failuresBeforeEjection: 1_000 },
  models: [
    {
      ...sold('llama', [
        ['dear', 1, '5'],
        ['cheap', 0, '1'],
      ]),
      fallbacks: ['of-the-file'],
    },
    sold('spare', [['spare', 1, '1']]),
    sold('of-the-file', [['cheap', 1, '1']]),
  ],
  upstreams: [
    upstream('dear', dear.origin),
    upstream('cheap', cheap.origin),
    upstream('spare', spare.origin),
  ],
  environment: {},
})
const operator = asking(controlOf(gate), personActor('ada', { operator: true }))
const { key } = await gate.account('100')
after(async () => {
  await gate.close()
  for (const host of [dear, cheap, spare]) await host.close()
})

async function served(): Promise<string> {
  const response = await fetch(`${gate.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'llama', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] }),
  })
  const { headers, status } = response
  await response.text()
  return status === 200
    ? `${headers.get('x-tollgate-model')} at ${headers.get('x-tollgate-upstream')}`
    : `${status}`
}

const routing = (change: object) => operator.done('models.routing', { model: 'llama', ...change })

test('a strategy applies to new requests, and null goes back to the configuration', async () => {
  assert.equal(await served(), 'llama at dear')
  assert.equal((await routing({ strategy: 'price' })).details?.strategy, 'price')
  assert.equal(await served(), 'llama at cheap')
  assert.equal((await routing({ strategy: null })).details?.strategy, 'weight')
  assert.equal(await served(), 'llama at dear')
})

test('fallbacks replace those of the configuration, may be none, and leave the strategy', async () => {
  dear.answers = () => 503
  cheap.answers = () => 503
  await routing({ strategy: 'price' })
  assert.deepEqual((await routing({ fallbacks: ['spare'] })).details?.fallbacks, ['spare'])
  assert.equal(await served(), 'spare at spare')
  assert.equal((await routing({ fallbacks: [] })).details?.strategy, 'price')
  assert.equal(await served(), '503')
  assert.deepEqual((await routing({ fallbacks: null, strategy: null })).details?.fallbacks, ['of-the-file'])
  dear.answers = () => 200
  cheap.answers = () => 200
})

test('a change of its price leaves its routing', async () => {
  await routing({ strategy: 'price', fallbacks: ['spare'] })
  const { details } = await operator.done('models.price', {
    model: 'llama',
    price: { input: '8', output: '8' },
  })
  assert.deepEqual([details?.strategy, details?.fallbacks], ['price', ['spare']])
  await routing({ strategy: null, fallbacks: null })
})

const added = {
  upstream: 'added',
  provider: 'openai',
  url: `${spare.origin}/v1`,
  models: [{ model: 'gpt-4.1' }],
}
const put = (change: object) => operator.done('upstreams.put', { ...added, saveAnyway: true, ...change })

test('tags and limits of an added upstream stay until they are changed', async () => {
  const none = { concurrent: null, requestsPerMinute: null, tokensPerMinute: null }
  const limits = { ...none, concurrent: 3 }
  const made = await put({ credential: 'credential-of-added', tags: ['eu'], limits: { concurrent: 3 } })
  assert.deepEqual([made.tags, made.limits], [['eu'], limits])
  const weighed = await put({ weight: 2 })
  assert.deepEqual([weighed.tags, weighed.limits], [['eu'], limits])
  const both = await put({ limits: { requestsPerMinute: 60 } })
  assert.deepEqual(both.limits, { ...limits, requestsPerMinute: 60 })
  const less = await put({ tags: ['us', 'fast'], limits: { concurrent: null } })
  assert.deepEqual([less.tags, less.limits], [['us', 'fast'], { ...none, requestsPerMinute: 60 }])
  const removed = await put({ tags: null, limits: null })
  assert.deepEqual([removed.tags, removed.limits], [null, null])
})

test('tags and limits of an added upstream hold for requests', async () => {
  const status = async (require: string): Promise<number> => {
    const response = await fetch(`${gate.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        'x-tollgate-route': `require=${require}`,
      },
      body: JSON.stringify({
        model: 'gpt-4.1',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'hello' }],
      }),
    })
    await response.text()
    return response.status
  }
  await put({ credential: 'credential-of-added', tags: ['eu'], limits: { requestsPerMinute: 1 } })
  assert.equal(await status('us'), 404)
  assert.equal(await status('eu'), 200)
  assert.equal(await status('eu'), 503, 'the second one of this minute has no place')
})

const mistakes: readonly (readonly [change: object, code: string, message: RegExp])[] = [
  [{ fallbacks: ['llama'] }, 'invalid_value', /llama cannot be its own fallback/],
  [{ fallbacks: ['nothing'] }, 'invalid_value', /unknown model nothing/],
  [{ fallbacks: ['spare', 'spare'] }, 'invalid_value', /named twice/],
  [{ fallbacks: Array.from({ length: 9 }, (_, index) => `m${index}`) }, 'invalid_value', /fallbacks/],
  [{ strategy: 'luck' }, 'invalid_value', /strategy/],
  [{ model: 'nothing', strategy: 'price' }, 'model_not_found', /nothing/],
]
for (const [change, code, message] of mistakes) {
  test(`rejected: ${JSON.stringify(change).slice(0, 60)}`, async () => {
    const rejected = await operator.rejected('models.routing', { model: 'llama', ...change })
    assert.equal(rejected.code, code)
    assert.match(rejected.message, message)
  })
}
