/**
 * Over random catalogs with offers at several providers, tags, strategies and fallbacks, and random wishes of requests and keys: a
 * prompt reaches only upstreams that have an offer for its model or a fallback, and that neither the request nor its key excludes.
 * What may reach which upstream is computed here, independent of the product.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { routingStrategies } from '../../contract/routing-strategies.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { recordingHost } from '../support/recording-hosts.ts'

const names = ['one', 'two', 'three', 'four', 'five'] as const
const models = ['house-a', 'house-b', 'house-c'] as const
const tags = ['eu', 'no-training'] as const
const providers = ['openai', 'anthropic', 'google'] as const
const hosts = await Promise.all(names.map(() => recordingHost()))
after(async () => {
  for (const host of hosts) await host.close()
})

const upstreamsAsked = fc.tuple(
  ...names.map((name) =>
    fc.record({
      name: fc.constant(name),
      provider: fc.constantFrom(...providers),
      tags: fc.subarray([...tags]),
      isFailing: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
    }),
  ),
)

const modelsAsked = fc.tuple(
  ...models.map((id) =>
    fc.record({
      id: fc.constant(id),
      strategy: fc.constantFrom(...routingStrategies),
      offers: fc
        .subarray([...names], { minLength: 1 })
        .chain((chosen) =>
          fc.tuple(
            ...chosen.map((upstream) =>
              fc.record({ upstream: fc.constant(upstream), priority: fc.integer({ min: 1, max: 3 }) }),
            ),
          ),
        ),
      fallbacks: fc.subarray(models.filter((other) => other !== id)),
    }),
  ),
)

/** A catalog with no upstream of a provider rejects its name. */
const someNames = fc.option(fc.subarray([...names, 'openai', 'google'], { minLength: 1, maxLength: 3 }), {
  freq: 1,
})
const wishAsked = fc.record({
  only: someNames,
  avoid: someNames,
  order: someNames,
  require: fc.option(fc.subarray([...tags], { minLength: 1 }), { freq: 2 }),
})

const catalog = fc.record({
  upstreams: upstreamsAsked,
  models: modelsAsked,
  keyTags: fc.option(fc.subarray([...tags], { minLength: 1 }), { freq: 2 }),
  wishes: fc.array(wishAsked, { minLength: 3, maxLength: 6 }),
})

type Catalog = typeof catalog extends fc.Arbitrary<infer Made> ? Made : never
type Wish = Catalog['wishes'][number]
type Upstream = Catalog['upstreams'][number]

const credentialOf = (name: string) => `credential-of-${name}`
const nameThere = (model: string, upstream: string) => `${model}-at-${upstream}`

function opened({ upstreams, models: asked }: Catalog): Promise<TestGateway> {
  return testGateway({
    offers: 'as configured',
    upstreams: upstreams.map(({ name, provider, tags: own }, index) => ({
      ...{ name, provider, url: hosts[index]!.origin, credential: credentialOf(name), weight: 1, models: [] },
      ...(own.length === 0 ? {} : { tags: own }),
    })),
    models: asked.map(({ id, strategy, offers, fallbacks }) => ({
      ...{ id, strategy, context: 100_000, maxOutput: 1_000, prices: [{ input: '1', output: '1' }] },
      ...(fallbacks.length === 0 ? {} : { fallbacks }),
      offers: offers.map((offer) => ({ ...offer, model: nameThere(id, offer.upstream) })),
    })),
    limits: {
      ...{ requestsPerMinute: null, tokensPerMinute: null, concurrent: null, eventLoopDelayMsMax: 60_000 },
      ...{ countRequestsPerMinute: 1e6, countsPerAccountMax: 1_000 },
      ...{ cooldownMsMax: 0, failuresBeforeEjection: 1e6, retriesMin: 99, attemptsMax: 20 },
    },
  })
}

function isLeft({ name, provider, tags: own }: Upstream, wish: Wish, keyTags: Catalog['keyTags']): boolean {
  const isNamed = (list: readonly string[]) => list.includes(name) || list.includes(provider)
  if (wish.only !== null && !isNamed(wish.only)) return false
  if (wish.avoid !== null && isNamed(wish.avoid)) return false
  return [...(wish.require ?? []), ...(keyTags ?? [])].every((tag) => own.includes(tag))
}

function headerOf(wish: Wish): Readonly<Record<string, string>> {
  const parts = Object.entries(wish).flatMap(([clause, list]) =>
    list === null ? [] : [`${clause}=${list.join(',')}`],
  )
  return parts.length === 0 ? {} : { 'x-tollgate-route': parts.join('; ') }
}

const operations = [
  { path: '/v1/chat/completions', body: (text: string) => ({ messages: [{ role: 'user', content: text }] }) },
  { path: '/v1/messages', body: (text: string) => ({ messages: [{ role: 'user', content: text }] }) },
  {
    path: '/v1/messages/count_tokens',
    body: (text: string) => ({ messages: [{ role: 'user', content: text }] }),
  },
  { path: '/v1/responses', body: (text: string) => ({ input: text }) },
] as const

const limitOf: Readonly<Record<string, object>> = {
  '/v1/messages/count_tokens': {},
  '/v1/responses': { max_output_tokens: 16 },
}

const counts = { prompts: 0, arrivals: 0, rejected: 0, served: 0 }

interface Asked {
  readonly made: Catalog
  readonly gate: TestGateway
  readonly key: string
  readonly model: string
  readonly wish: Wish
  readonly operation: (typeof operations)[number]
}

async function prompted({ made, gate, key, model, wish, operation }: Asked): Promise<void> {
  for (const host of hosts) host.arrivals.length = 0
  const text = `prompt ${counts.prompts}`
  counts.prompts += 1
  const response = await fetch(gate.origin + operation.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headerOf(wish) },
    body: JSON.stringify({
      model,
      ...(limitOf[operation.path] ?? { max_tokens: 9 }),
      ...operation.body(text),
    }),
  })
  const answer = await response.text()
  // A name of no upstream in this catalog is a mistake of the request.
  const known = new Set<string>(made.upstreams.flatMap(({ name, provider }) => [name, provider]))
  const named = [wish.only, wish.avoid, wish.order].flatMap((list) => list ?? [])
  const isMistaken = named.some((name) => !known.has(name))
  const requested = made.models.find(({ id }) => id === model)!
  const routed = [requested, ...made.models.filter(({ id }) => requested.fallbacks.includes(id))]
  const left = made.upstreams.filter((upstream) => isLeft(upstream, wish, made.keyTags))
  const given = new Set(
    routed.flatMap(({ id, offers }) =>
      left
        .filter(({ name }) => offers.some(({ upstream }) => upstream === name))
        .map(({ name }) => `${name} ${nameThere(id, name)}`),
    ),
  )
  const what = `${operation.path} of ${model} with ${JSON.stringify(headerOf(wish))}: ${response.status} ${answer}`
  for (const [index, host] of hosts.entries()) {
    const name = names[index]!
    for (const arrival of host.arrivals) {
      counts.arrivals += 1
      assert.equal(arrival.credential, credentialOf(name), what)
      const sent = `${decodeURIComponent(arrival.path)} ${arrival.body}`
      const there = models.map((id) => nameThere(id, name)).find((called) => sent.includes(called))
      assert.ok(!isMistaken && given.has(`${name} ${there}`), `${name} was not given ${there}: ${what}`)
    }
  }
  if (isMistaken) assert.equal(response.status, 400, what)
  else if (given.size === 0) {
    assert.equal(response.status, 404, what)
    assert.match(answer, /no_matching_upstream/i)
    counts.rejected += 1
  } else if (response.ok) counts.served += 1
}

test('no prompt reaches an upstream without an offer, or one that its request or key excludes', async (context) => {
  const seed = process.pid
  context.diagnostic(`seed ${seed}`)
  const property = fc.asyncProperty(catalog, async (made) => {
    for (const [index, host] of hosts.entries())
      host.answers = () => (made.upstreams[index]!.isFailing ? 500 : 200)
    const gate = await opened(made)
    try {
      const { key } = await gate.account('1000', { requiredTags: made.keyTags })
      for (const wish of made.wishes)
        for (const model of models)
          for (const operation of operations) await prompted({ made, gate, key, model, wish, operation })
    } finally {
      await gate.close()
    }
  })
  await fc.assert(property, { numRuns: 12, seed, endOnFailure: true })
  context.diagnostic(JSON.stringify(counts))
  assert.ok(counts.arrivals > 50 && counts.served > 20 && counts.rejected > 10, JSON.stringify(counts))
})
