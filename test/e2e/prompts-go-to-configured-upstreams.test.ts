/**
 * Prompts go only where the operator configured: random configurations, changed while the gateway runs, with every
 * operation. Real hosts record what they receive; what may reach which is computed here, independent of the product.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { builtinModels } from '../../src/catalog/builtin/builtin.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { asking, controlOf, personActor } from '../support/operators.ts'
import { type Arrival, type RecordingHost, recordingHost } from '../support/recording-hosts.ts'

const hosts = [await recordingHost(), await recordingHost(), await recordingHost()]
after(async () => {
  for (const host of hosts) await host.close()
})

// The operator's configuration.

interface ModelSaid {
  readonly id: string
  readonly provider: string
  readonly formats?: readonly ['openai-embeddings' | 'openai-responses']
  /** One of the provider's own, by its name. */
  readonly isOwn: boolean
  upstreams?: readonly string[] | undefined
  disabled?: boolean
}

interface UpstreamSaid {
  readonly name: string
  readonly provider: string
  readonly host: RecordingHost
  readonly basePath: string
  readonly models: 'all' | readonly { readonly model: string; readonly upstreamModel?: string }[]
  readonly disabled: boolean
}

const pool: readonly ModelSaid[] = [
  { id: 'gpt-4.1', provider: 'openai', isOwn: true },
  { id: 'gpt-house', provider: 'openai', isOwn: true, formats: ['openai-responses'] },
  { id: 'gpt-oss-house', provider: 'openai', isOwn: false },
  { id: 'llama-house', provider: 'openai', isOwn: false },
  { id: 'text-embedding-house', provider: 'openai', isOwn: true, formats: ['openai-embeddings'] },
  { id: 'bge-house', provider: 'openai', isOwn: false, formats: ['openai-embeddings'] },
  { id: 'claude-house', provider: 'anthropic', isOwn: true },
  { id: 'mythos-house', provider: 'anthropic', isOwn: false },
  { id: 'gemini-house', provider: 'google', isOwn: true },
  { id: 'gemma-house', provider: 'google', isOwn: false },
]
const builtin = builtinModels.map(({ id }) => id)

/** Whether a prompt for this model may reach this upstream. One rule for one of each, and nothing else. */
function isGiven(upstream: UpstreamSaid, model: ModelSaid): boolean {
  if (upstream.disabled || model.disabled) return false
  const isOfProvider = upstream.provider === model.provider
  // A host of any provider can have a named model, but other operations need their formats.
  if (model.upstreams !== undefined)
    return (
      model.upstreams.includes(upstream.name) &&
      (isOfProvider || !model.formats?.includes('openai-embeddings' as never))
    )
  if (!isOfProvider) return false
  if (upstream.models === 'all') return model.isOwn
  return upstream.models.some((listed) => listed.model === model.id)
}

// Random configurations and changes.

const names = ['one', 'two', 'three', 'four', 'five'] as const
const providers = ['openai', 'anthropic', 'google'] as const
const basePaths = ['', '/openai/v1', '/api', '/api/paas/v4', '/v1/inner']

const upstreamAsked = fc.record({
  name: fc.constantFrom(...names),
  provider: fc.constantFrom(...providers, 'openai' as const),
  host: fc.integer({ min: 0, max: hosts.length - 1 }),
  basePath: fc.constantFrom(...basePaths),
  isAll: fc.boolean(),
  listed: fc.subarray(pool.map(({ id }) => id)),
  renamed: fc.boolean(),
  disabled: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
})

type UpstreamAsked = typeof upstreamAsked extends fc.Arbitrary<infer Asked> ? Asked : never

function said(asked: UpstreamAsked): UpstreamSaid {
  const { name, provider, basePath, isAll, listed, renamed, disabled } = asked
  const host = hosts[asked.host]!
  const own = pool.filter((model) => model.provider === provider && listed.includes(model.id))
  const models = own.map(({ id }) => (renamed ? { model: id, upstreamModel: `vendor/${id}` } : { model: id }))
  return { name, provider, host, basePath, disabled, models: isAll || models.length === 0 ? 'all' : models }
}

const change = fc.oneof(
  { weight: 4, arbitrary: upstreamAsked.map((asked) => ({ kind: 'put', asked }) as const) },
  { weight: 1, arbitrary: fc.constantFrom(...names).map((name) => ({ kind: 'remove', name }) as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('name' as const),
      model: fc.constantFrom(...pool.map(({ id }) => id)),
      upstreams: fc.option(fc.subarray([...names], { minLength: 1 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('switch' as const),
      model: fc.constantFrom(...pool.map(({ id }) => id)),
    }),
  },
)

const configuration = fc.record({
  first: upstreamAsked,
  second: upstreamAsked,
  changes: fc.array(change, { minLength: 4, maxLength: 7 }),
  /** Which hosts fail, so that requests are retried elsewhere. */
  failing: fc.subarray([0, 1, 2]),
})

// Every operation that reaches an upstream.

interface Operation {
  readonly path: (model: string) => string
  readonly body: (model: string, text: string, earlier: string) => object
  readonly embeds?: true
}

const operations: readonly Operation[] = [
  {
    path: () => '/v1/chat/completions',
    body: (model, text) => ({ model, max_tokens: 9, messages: [{ role: 'user', content: text }] }),
  },
  { path: () => '/v1/responses', body: (model, text) => ({ model, max_output_tokens: 16, input: text }) },
  {
    path: () => '/v1/responses',
    body: (model, text, earlier) => ({
      model,
      max_output_tokens: 16,
      input: text,
      previous_response_id: earlier,
    }),
  },
  { path: () => '/v1/responses/compact', body: (model, text) => ({ model, input: text }) },
  { path: () => '/v1/responses/input_tokens', body: (model, text) => ({ model, input: text }) },
  {
    path: () => '/v1/messages',
    body: (model, text) => ({ model, max_tokens: 9, messages: [{ role: 'user', content: text }] }),
  },
  {
    path: () => '/v1/messages/count_tokens',
    body: (model, text) => ({ model, messages: [{ role: 'user', content: text }] }),
  },
  {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: (_model, text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
  {
    path: (model) => `/v1beta/models/${model}:countTokens`,
    body: (_model, text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
  { path: () => '/v1/embeddings', body: (model, text) => ({ model, input: text }), embeds: true },
]

// The gateway under a configuration.

interface World {
  readonly gate: TestGateway
  readonly account: TestAccount
  readonly upstreams: Map<string, UpstreamSaid>
  /** Set in the file, and changed there. */
  readonly configured: ReadonlySet<string>
  readonly models: Map<string, ModelSaid>
  /** A stored response. */
  earlier: string
}

const credentialOf = (name: string) => `credential-of-${name}`

async function opened(initial: readonly UpstreamAsked[]): Promise<World> {
  const upstreams = new Map<string, UpstreamSaid>()
  for (const asked of initial) upstreams.set(asked.name, { ...said(asked), disabled: false })
  const gate = await testGateway({
    offers: 'as configured',
    limits: {
      // Everything is sent concurrently, on a machine that may be busy.
      eventLoopDelayMsMax: 60_000,
      requestsPerMinute: null,
      tokensPerMinute: null,
      countRequestsPerMinute: 1e6,
      countsPerAccountMax: 1_000,
      concurrent: null,
      cooldownMsMax: 0,
      retriesMin: 99,
    },
    models: pool.map(({ id, provider, formats }) => ({
      ...{ id, provider, context: 100_000, maxOutput: 1_000, prices: [{ input: '1', output: '1' }] },
      ...(formats === undefined ? {} : { formats }),
    })),
    upstreams: [...upstreams.values()].map(({ name, provider, host, basePath, models }) => ({
      ...{ name, provider, url: host.origin + basePath, credential: credentialOf(name), weight: 1 },
      models:
        models === 'all' ? models : models.map((one) => ({ id: one.model, upstreamId: one.upstreamModel })),
    })),
  })
  return {
    gate,
    account: await gate.account('1000'),
    upstreams,
    configured: new Set(upstreams.keys()),
    models: new Map(pool.map((model) => [model.id, { ...model }])),
    earlier: 'resp_0',
  }
}

type Change = typeof change extends fc.Arbitrary<infer Made> ? Made : never

/** Makes the change by console or CLI, where allowed, and records it. */
async function changed({ gate, upstreams, configured, models }: World, made: Change): Promise<void> {
  const control = controlOf(gate)
  const operator = asking(control, personActor('ada', { operator: true }))
  const local = asking(control, { kind: 'local' })
  if (made.kind === 'put') {
    const put = said(made.asked)
    if (configured.has(put.name)) return
    const { name: upstream, provider, host, basePath, disabled } = put
    const url = host.origin + basePath
    const asked = {
      upstream,
      provider,
      url,
      disabled,
      models: put.models,
      credential: credentialOf(upstream),
    }
    const { sells } = await operator.done('upstreams.check', asked)
    upstreams.set(upstream, put)
    const { serves } = await operator.done('upstreams.put', asked)
    assert.deepEqual(
      serves,
      sells.map(({ model }) => model),
      'it serves what was shown before',
    )
  } else if (made.kind === 'remove') {
    if (configured.has(made.name) || !upstreams.delete(made.name)) return
    await operator.done('upstreams.remove', { upstream: made.name })
  } else {
    const model = models.get(made.model)!
    if (made.kind === 'switch') {
      model.disabled = model.disabled !== true
      await local.done(model.disabled ? 'models.disable' : 'models.enable', { model: model.id })
      return
    }
    const known = (made.upstreams ?? []).filter((name) => upstreams.get(name)?.provider === model.provider)
    const chosen = known.length === 0 ? undefined : known
    // Offers without any upstream are rejected.
    if (![...upstreams.values()].some((one) => isGiven(one, { ...model, upstreams: chosen }))) return
    model.upstreams = chosen
    const offers = chosen?.map((upstream) => ({ upstream, priority: 1 })) ?? null
    await local.done('offers.set', { model: model.id, offers, allowUnserved: true })
  }
}

const counts = { prompts: 0, arrivals: 0, answers: 0 }

/** Every operation for every model concurrently; nothing reaches a host that is not configured for it, and every configured model is served. */
async function asked(world: World): Promise<void> {
  const { models } = world
  const sold = new Set([...models.values()].filter((model) => upstreamsFor(world, model).length > 0))
  await onlyTheseAreListed(
    world,
    [...sold].map(({ id }) => id),
  )
  for (const host of hosts) host.arrivals.length = 0
  const prompts = [...models.values()].flatMap((model) =>
    operations
      .filter(({ embeds }) => (embeds === true) === (model.formats?.[0] === 'openai-embeddings'))
      .map((operation, index) => ({ model, operation, text: `prompt ${index} for <${model.id}>` })),
  )
  await Promise.all(
    prompts.map(async (prompt) =>
      assert.equal(await isRejected(world, prompt), !sold.has(prompt.model), prompt.text),
    ),
  )
  counts.prompts += prompts.length
  for (const host of hosts) {
    for (const arrival of host.arrivals) {
      const prompt = prompts.find(({ text }) => arrival.body.includes(text))
      assert.ok(prompt !== undefined, arrival.body)
      arrivedWhereGiven(world, { host, arrival, model: prompt.model })
    }
    counts.arrivals += host.arrivals.length
  }
}

interface Prompt {
  readonly model: ModelSaid
  readonly operation: Operation
  readonly text: string
}

/** Sends a prompt; returns whether its model is reported as missing. */
async function isRejected(world: World, { model, operation, text }: Prompt): Promise<boolean> {
  const answer = await fetch(world.gate.origin + operation.path(model.id), {
    method: 'POST',
    headers: { authorization: `Bearer ${world.account.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(operation.body(model.id, text, world.earlier)),
  })
  const responseText = await answer.text()
  if (answer.ok) counts.answers += 1
  world.earlier = /"id":"(resp_\d+)"/.exec(responseText)?.[1] ?? world.earlier
  return answer.status === 404 && /does not exist or is not enabled here/.test(responseText)
}

function upstreamsFor({ upstreams }: World, model: ModelSaid): readonly UpstreamSaid[] {
  return [...upstreams.values()].filter((upstream) => isGiven(upstream, model))
}

function arrivedWhereGiven(
  { upstreams }: World,
  of: { host: RecordingHost; arrival: Arrival; model: ModelSaid },
): void {
  const { host, arrival, model } = of
  const upstream = [...upstreams.values()].find(({ name }) => credentialOf(name) === arrival.credential)
  const what = `${arrival.method} ${arrival.path} with ${arrival.credential}: ${arrival.body}`
  assert.ok(upstream !== undefined && upstream.host === host, `a credential at its own host: ${what}`)
  assert.ok(arrival.path.startsWith(`${upstream.basePath}/`), `at the path that was given: ${what}`)
  assert.ok(isGiven(upstream, model), `not given: ${what}`)
  const listed = upstream.models === 'all' ? undefined : upstream.models.find((one) => one.model === model.id)
  const nameThere = listed?.upstreamModel ?? model.id
  assert.ok(
    `${arrival.body} ${decodeURIComponent(arrival.path)}`.includes(nameThere),
    `by its name there, ${nameThere}: ${what}`,
  )
}

async function onlyTheseAreListed({ gate, account }: World, sold: readonly string[]): Promise<void> {
  const headers = { authorization: `Bearer ${account.key}` }
  const list = await (await fetch(`${gate.origin}/v1/models`, { headers })).json()
  const prices = await (await fetch(`${gate.origin}/api/pricing`)).json()
  const named = (rows: unknown, key: string) =>
    (rows as Record<string, string>[])
      .map((row) => row[key] ?? '')
      .filter((name) => !isUnrelated(name))
      .sort()
  assert.deepEqual(named((list as { data: unknown }).data, 'id'), [...sold].sort())
  assert.deepEqual(named((prices as { data: unknown }).data, 'model'), [...sold].sort())
}

/** The sandbox's models, and those of the built-in table that the test does not request. */
function isUnrelated(name: string): boolean {
  return name.startsWith('sandbox-') || (builtin.includes(name) && name !== 'gpt-4.1')
}

test('no request of any operation reaches an upstream that is not configured for its model, whatever changes', async (context) => {
  const seed = process.pid
  context.diagnostic(`seed ${seed}`)
  const property = fc.asyncProperty(configuration, async ({ first, second, changes, failing }) => {
    for (const [index, host] of hosts.entries()) host.answers = () => (failing.includes(index) ? 500 : 200)
    const world = await opened([first, second])
    try {
      await asked(world)
      for (const made of changes) {
        await changed(world, made)
        await asked(world)
      }
    } finally {
      await world.gate.close()
    }
  })
  await fc.assert(property, { numRuns: 5, seed, endOnFailure: true })
  context.diagnostic(JSON.stringify(counts))
  assert.ok(counts.arrivals > 100 && counts.answers > 100, 'what is given is asked')
})
