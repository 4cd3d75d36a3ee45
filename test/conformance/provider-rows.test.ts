/**
 * Every host with Chat Completions against a strict imitation of it, through the whole gateway: what it receives, what it
 * responds, what that costs, and how its errors are reported. The facts of the imitations are from the pages of the hosts.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type CustomHostKind, customHostOf } from '../../contract/custom-hosts.ts'
import type { UpstreamDefinition } from '../../src/catalog/definition.ts'
import { priceAt } from '../../src/catalog/types.ts'
import { customHostRows } from '../../src/providers/hosts/custom-connector.ts'
import { hosts as hostRows } from '../../src/providers/hosts/hosts-table.ts'
import { connectorOf } from '../../src/providers/registry.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { type HostFacts, type HostImitation, hostUsage, imitateHost } from '../support/host-imitation.ts'
import { eventually } from '../support/metered-gateway.ts'

const forbidden = ['store', 'metadata', 'service_tier', 'prompt_cache_key', 'safety_identifier', 'verbosity']

interface RowFacts {
  /** Fields of a chat request that the host has, and the format's vendor does not. */
  readonly own?: readonly ('cache_control' | 'reasoning')[]
  readonly custom?: CustomHostKind
  readonly cancel: 'stops' | 'bills_on'
  /** Where a request in Messages goes, if the host has a better format for it than Chat Completions. */
  readonly translated?: string
}

/** What canceling stops is documented at openrouter.ai/docs/api/reference/streaming. */
const facts: Readonly<Record<string, HostFacts & RowFacts>> = {
  alibaba: {
    translated: '/apps/anthropic/v1/messages',
    path: '/compatible-mode/v1/chat/completions',
    own: ['cache_control'],
    limit: 'max_tokens',
    streamUsage: 'asked',
    thought: 'reasoning_content',
    balance: { status: 400, body: { error: { code: 'Arrearage', message: 'overdue payment of account 7' } } },
    overload: { status: 429, body: { error: { code: 'insufficient_quota', message: 'rate' } } },
    cancel: 'bills_on',
  },
  baseten: { path: '/v1/chat/completions', limit: 'max_tokens', streamUsage: 'asked', cancel: 'bills_on' },
  cerebras: {
    path: '/v1/chat/completions',
    limit: 'max_completion_tokens',
    streamUsage: 'unasked',
    rejects: ['frequency_penalty', 'presence_penalty', 'logit_bias'],
    rejectsInMessages: ['reasoning_content'],
    thought: 'reasoning',
    overload: {
      status: 429,
      body: { message: 'busy', type: 'too_many_requests_error', param: '', code: 'queue_exceeded' },
    },
    cancel: 'bills_on',
  },
  cohere: {
    path: '/compatibility/v1/chat/completions',
    limit: 'max_tokens',
    streamUsage: 'unasked',
    rejects: ['n', 'logit_bias', 'store'],
    balance: { status: 402, body: { message: 'billing of account 7' } },
    cancel: 'stops',
  },
  deepinfra: {
    translated: '/anthropic/v1/messages',
    path: '/v1/openai/chat/completions',
    own: ['reasoning'],
    limit: 'max_tokens',
    streamUsage: 'asked',
    thought: 'reasoning_content',
    balance: { status: 402, body: { detail: { error: 'inference prohibited for account 7' } } },
    cancel: 'stops',
  },
  deepseek: {
    translated: '/anthropic/v1/messages',
    path: '/chat/completions',
    limit: 'max_tokens',
    streamUsage: 'asked',
    cached: 'prompt_cache_hit_tokens',
    thought: 'reasoning_content',
    needsThoughts: true,
    cancel: 'stops',
  },
  digitalocean: { path: '/v1/chat/completions', streamUsage: 'asked', cancel: 'bills_on' },
  fireworks: {
    translated: '/inference/v1/messages',
    path: '/inference/v1/chat/completions',
    limit: 'max_tokens',
    streamUsage: 'asked',
    thought: 'reasoning_content',
    demands: { context_length_exceeded_behavior: 'error' },
    balance: { status: 412, body: { error: 'account 7 is suspended' } },
    overload: { status: 503, body: { fault: { faultstring: 'no capacity', detail: { errorcode: 'x' } } } },
    cancel: 'stops',
  },
  groq: {
    path: '/openai/v1/chat/completions',
    streamUsage: 'x_groq',
    rejects: ['logprobs', 'top_logprobs', 'logit_bias'],
    rejectsInMessages: ['name'],
    thought: 'reasoning',
    overload: {
      status: 498,
      body: { error: { message: 'flex capacity', type: 'flex', code: 'capacity_exceeded' } },
    },
    cancel: 'bills_on',
  },
  huggingface: {
    path: '/v1/chat/completions',
    limit: 'max_tokens',
    streamUsage: 'asked',
    cancel: 'bills_on',
  },
  inception: { path: '/v1/chat/completions', limit: 'max_tokens', streamUsage: 'asked', cancel: 'bills_on' },
  minimax: {
    translated: '/anthropic/v1/messages',
    path: '/v1/chat/completions',
    limit: 'max_tokens',
    streamUsage: 'asked',
    rejects: ['n'],
    demands: { reasoning_split: true },
    wrongKey: { status: 200, body: { base_resp: { status_code: 1004, status_msg: 'login fail' } } },
    balance: { status: 200, body: { base_resp: { status_code: 1008, status_msg: 'balance of account 7' } } },
    overload: { status: 200, body: { base_resp: { status_code: 1002, status_msg: 'too many' } } },
    cancel: 'bills_on',
  },
  mistral: {
    path: '/v1/chat/completions',
    limit: 'max_tokens',
    streamUsage: 'unasked',
    cached: 'num_cached_tokens',
    thought: 'parts',
    finish: 'model_length',
    rejects: [...forbidden, 'seed', 'user', 'logprobs'],
    rejectsInMessages: ['name', 'reasoning_content'],
    rejectedStatus: 422,
    toolIds: /^[a-zA-Z0-9]{9}$/,
    balance: {
      status: 402,
      body: { object: 'error', message: 'payment of account 7', type: 'x', param: null, code: '1' },
    },
    overload: {
      status: 429,
      body: { object: 'error', message: 'tier full', type: 'x', param: null, code: '3505' },
    },
    cancel: 'bills_on',
  },
  moonshot: {
    translated: '/anthropic/v1/messages',
    path: '/v1/chat/completions',
    limit: 'max_tokens',
    streamUsage: 'asked',
    cached: 'cached_tokens',
    thought: 'reasoning_content',
    needsThoughts: true,
    balance: { status: 429, body: { error: { type: 'exceeded_current_quota_error', message: 'account 7' } } },
    overload: { status: 429, body: { error: { type: 'engine_overloaded_error', message: 'busy' } } },
    cancel: 'bills_on',
  },
  nebius: { path: '/v1/chat/completions', limit: 'max_tokens', streamUsage: 'asked', cancel: 'bills_on' },
  novita: {
    path: '/openai/v1/chat/completions',
    limit: 'max_tokens',
    streamUsage: 'asked',
    balance: {
      status: 403,
      body: { code: 403, reason: 'NOT_ENOUGH_BALANCE', message: 'account 7', metadata: {} },
    },
    cancel: 'stops',
  },
  nvidia: {
    path: '/v1/chat/completions',
    limit: 'max_tokens',
    streamUsage: 'asked',
    rejects: forbidden,
    cancel: 'bills_on',
  },
  openrouter: {
    translated: '/api/v1/messages',
    path: '/api/v1/chat/completions',
    own: ['cache_control', 'reasoning'],
    streamUsage: 'unasked',
    thought: 'reasoning',
    overload: {
      status: 503,
      body: { error: { code: 503, message: 'no host', metadata: { error_type: 'provider_overloaded' } } },
    },
    cancel: 'bills_on',
  },
  ovh: { path: '/v1/chat/completions', limit: 'max_tokens', streamUsage: 'asked', cancel: 'bills_on' },
  scaleway: { path: '/v1/chat/completions', limit: 'max_tokens', streamUsage: 'asked', cancel: 'bills_on' },
  siliconflow: {
    path: '/v1/chat/completions',
    limit: 'max_tokens',
    streamUsage: 'asked',
    thought: 'reasoning_content',
    balance: { status: 403, body: { code: 30_001, message: 'balance of account 7', data: null } },
    cancel: 'bills_on',
  },
  together: {
    path: '/v1/chat/completions',
    limit: 'max_tokens',
    streamUsage: 'asked',
    own: ['reasoning'],
    finish: 'eos',
    overload: { status: 529, body: { error: 'overloaded' } },
    cancel: 'stops',
  },
  xai: {
    translated: '/v1/responses',
    path: '/v1/chat/completions',
    streamUsage: 'asked',
    thought: 'reasoning_content',
    rejects: ['presence_penalty', 'frequency_penalty'],
    wrongKey: { status: 400, body: { code: 'x', error: 'Incorrect API key provided: 7' } },
    balance: { status: 403, body: { code: 'x', error: 'account 7 has no credits' } },
    cancel: 'stops',
  },
  zai: {
    translated: '/api/anthropic/v1/messages',
    path: '/api/paas/v4/chat/completions',
    limit: 'max_tokens',
    streamUsage: 'asked',
    thought: 'reasoning_content',
    balance: { status: 429, body: { error: { code: '1113', message: 'account 7 has no balance' } } },
    overload: { status: 429, body: { error: { code: '1305', message: 'busy' } } },
    cancel: 'bills_on',
  },
  // Servers of an operator's own, whose row says little.
  ...Object.fromEntries(
    (['custom', 'vllm', 'litellm'] as const).map((kind) => [
      `own-${kind}`,
      {
        path: '/v1/chat/completions',
        streamUsage: 'asked' as const,
        custom: kind,
        ...(kind === 'litellm' ? { own: ['cache_control', 'reasoning'] as const } : {}),
        cancel: customHostRows[kind].onCancel ?? 'bills_on',
      },
    ]),
  ),
}

/** Hosts whose models have no price until an operator sets one. */
const unpriced = Object.keys(facts).filter(
  (name) => name === 'huggingface' || facts[name]?.custom !== undefined,
)

const hosts = new Map<string, HostImitation>()
let tollgate: TestGateway
let account: TestAccount

before(async () => {
  for (const [provider, row] of Object.entries(facts))
    hosts.set(provider, await imitateHost(row, `key-of-${provider}`))
  tollgate = await testGateway({
    upstreams: [...hosts].map(([provider, { origin }]) => ({
      name: provider,
      provider,
      url: origin,
      credential: `key-of-${provider}`,
      ...customPart(provider),
      weight: 1,
      models: 'all' as const,
    })),
    models: unpriced.map((provider) => ({
      id: `${provider}/a-model`,
      context: 100_000,
      maxOutput: 8_000,
      prices: [{ input: '1', output: '2' }],
    })),
    limits: {
      cooldownMsMax: 0,
      failuresBeforeEjection: 1_000,
      attemptsMax: 1,
      silenceMs: 5_000,
      readOnMs: 300,
    },
  })
  account = await tollgate.account('1000')
})
after(async () => {
  await tollgate.close()
  await Promise.all([...hosts.values()].map((host) => host.close()))
})

function customPart(provider: string): Partial<UpstreamDefinition> {
  const kind = facts[provider]?.custom
  return kind === undefined ? {} : { custom: customHostOf(kind, { formats: ['openai-chat'] }) }
}

function connectorRow(provider: string) {
  const kind = facts[provider]?.custom
  const requests =
    kind === undefined ? connectorOf(provider).requestDifferences : customHostRows[kind].requests
  return requests?.['openai-chat'] ?? {}
}

/** The first priced model of a host. */
function modelAt(provider: string): string {
  const { models } = tollgate.gateway.services.catalog.snapshot
  const name = [...models.keys()].sort().find((model) => model.startsWith(`${provider}/`))
  assert.ok(name !== undefined, `${provider} sells nothing`)
  return name
}

/** What the imitation's usage costs with this model, in nano-USD. */
function costOf(model: string): bigint {
  const found = tollgate.gateway.services.catalog.snapshot.models.get(model)
  assert.ok(found !== undefined)
  const { input, cacheRead, output } = priceAt(found, Date.now()).rates
  const { prompt, cached, completion } = hostUsage
  const total = input * BigInt(prompt - cached) + cacheRead * BigInt(cached) + output * BigInt(completion)
  return (total + 999_999n) / 1_000_000n
}

interface Asked {
  readonly provider: string
  readonly say: string
  readonly more?: object
  readonly signal?: AbortSignal
}

function ask({ provider, say, more = {}, signal }: Asked): Promise<Response> {
  return fetch(`${tollgate.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: modelAt(provider), messages: [{ role: 'user', content: say }], ...more }),
    ...(signal === undefined ? {} : { signal }),
  })
}

async function spent(work: () => Promise<void>): Promise<bigint> {
  const { posted } = await tollgate.balance(account.id)
  await work()
  await eventually(
    'the request is settled',
    () => tollgate.balance(account.id),
    ({ openHolds }) => openHolds === 0,
  )
  return posted - (await tollgate.balance(account.id)).posted
}

/** Everything that some host rejects, as a client of OpenAI may send it. */
const everything = {
  max_completion_tokens: 50,
  seed: 1,
  user: 'u',
  n: 1,
  store: false,
  metadata: {},
  logprobs: false,
  logit_bias: {},
  frequency_penalty: 0,
  presence_penalty: 0,
  verbosity: 'low',
}

for (const provider of Object.keys(facts)) {
  const model = () => modelAt(provider)
  const requests = () => hosts.get(provider)?.requests ?? []

  test(`${provider}: a text is requested as the host expects it, and costs what the host counted`, async () => {
    const cost = await spent(async () => {
      const messages = [{ role: 'user', name: 'bob', content: 'text' }]
      const answer = await ask({ provider, say: 'text', more: { ...everything, messages } })
      const text = await answer.text()
      assert.equal(answer.status, 200, `${text} ${requests().at(-1)?.rejected}`)
      assert.match(text, /hello/)
    })
    assert.equal(cost, costOf(model()))
    assert.equal(requests().at(-1)?.body.model, model().slice(provider.length + 1))
  })

  test(`${provider}: a stream ends completely and is billed by its usage, wherever that is`, async () => {
    const cost = await spent(async () => {
      const answer = await ask({ provider, say: 'text', more: { stream: true } })
      const text = await answer.text()
      assert.equal(answer.status, 200, text)
      assert.match(text, /hello[\s\S]*\[DONE\]/)
    })
    assert.equal(cost, costOf(model()))
  })

  test(`${provider}: a stream is complete without an end mark, and not without a finish or after a cut`, async () => {
    const cost = await spent(async () => {
      const text = await (await ask({ provider, say: 'no mark', more: { stream: true } })).text()
      assert.match(text, /hello[\s\S]*"finish_reason":"[\s\S]*data: \[DONE\]\n\n$/)
      assert.equal(text.match(/\[DONE\]/g)?.length, 1)
    })
    assert.equal(cost, costOf(model()))
    for (const say of ['no finish', 'cut']) {
      const text = await (await ask({ provider, say, more: { stream: true } })).text()
      assert.match(text, /hello[\s\S]*upstream_truncated/)
      assert.doesNotMatch(text, /\[DONE\]/)
    }
  })

  const { own = [] } = facts[provider] ?? {}
  test(`${provider}: fields of its own arrive as they were written, and each change is reported`, async () => {
    const reasoning = own.includes('reasoning') ? { reasoning: { effort: 'high', exclude: false } } : {}
    const mark = own.includes('cache_control') ? { cache_control: { type: 'ephemeral' } } : {}
    const details = { reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'sig' }] }
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...mark }] },
      ...(own.length === 0 ? [] : [{ role: 'assistant', content: 'ok', ...details }]),
      { role: 'user', content: 'text' },
    ]
    const answer = await ask({ provider, say: '', more: { ...reasoning, messages, max_tokens: 50 } })
    assert.equal(answer.status, 200, `${await answer.text()} ${requests().at(-1)?.rejected}`)
    const { model: _, ...sent } = requests().at(-1)?.body ?? {}
    const { model: __, ...asked } = { model: '', messages, ...reasoning, max_tokens: 50 }
    const { adds = {}, limitField } = connectorRow(provider)
    const limit = limitField === 'max_completion_tokens' ? { max_completion_tokens: 50 } : { max_tokens: 50 }
    const { max_tokens: ___, ...rest } = asked
    const added = Object.fromEntries(
      Object.entries(adds).map(([name, text]) => [name, JSON.parse(text) as unknown]),
    )
    assert.deepEqual(sent, { ...rest, ...limit, ...added })
    const told = answer.headers.get('x-tollgate-adjusted') ?? ''
    assert.equal(/max_tokens/.test(told), limitField === 'max_completion_tokens', told)
  })

  test(`${provider}: a tool is called, and its result is returned as the host expects it`, async () => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
    const first = await ask({ provider, say: 'tool', more: { tools } })
    const { choices } = (await first.json()) as { choices: { message: { tool_calls: { id: string }[] } }[] }
    assert.equal(choices[0]?.message.tool_calls[0]?.id, 'abcDEF123')
    const id = 'toolu_01ABCDEFGHIJK'
    const call = { id, type: 'function', function: { name: 'look', arguments: '{}' } }
    const messages = [
      { role: 'user', content: 'tool' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content: 'text' },
    ]
    const second = await ask({ provider, say: '', more: { tools, messages } })
    assert.equal(second.status, 200, `${await second.text()} ${requests().at(-1)?.rejected}`)
  })

  test(`${provider}: a client of another format gets the same response, except for reasoning`, async () => {
    const answer = await fetch(`${tollgate.origin}/v1/messages`, {
      method: 'POST',
      headers: {
        'x-api-key': account.key,
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: model(), max_tokens: 50, messages: [{ role: 'user', content: 'text' }] }),
    })
    const body = (await answer.json()) as { content?: { type: string; text?: string }[] }
    const asked = facts[provider]
    // The imitation supports Chat Completions only.
    if (asked?.translated !== undefined) {
      assert.equal(requests().at(-1)?.rejected, `path ${asked.translated}`)
      return
    }
    assert.equal(answer.status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.content?.filter(({ type }) => type === 'text').map(({ text }) => text),
      ['hello'],
    )
    const thoughts = body.content?.filter(({ type }) => type === 'thinking').length
    assert.equal(thoughts, asked?.thought === undefined ? 0 : 1)
  })

  test(`${provider}: a client that disconnects ends the stream, read to the end where that does not stop billing`, async () => {
    if (facts[provider]?.custom === undefined)
      assert.equal(connectorOf(provider).onCancel, facts[provider]?.cancel)
    const stopper = new AbortController()
    await spent(async () => {
      const answer = await ask({ provider, say: 'hold', more: { stream: true }, signal: stopper.signal })
      const reader = answer.body?.getReader()
      await reader?.read()
      stopper.abort()
      await reader?.closed.catch(() => undefined)
    })
    await eventually(
      'the connection to the host is closed',
      () => requests().at(-1)?.closed,
      (closed) => closed === true,
    )
  })

  for (const say of ['rate', 'overload', 'balance', 'wrong key'] as const) {
    test(`${provider}: ${say} is not the caller's error`, async () => {
      const cost = await spent(async () => {
        const answer = await ask({ provider, say })
        const text = await answer.text()
        assert.ok([429, 500, 502, 503].includes(answer.status), `${answer.status} ${text}`)
        const isOperators = say === 'balance' || say === 'wrong key'
        const { code } = (JSON.parse(text) as { error: { code: string } }).error
        assert.equal(code === 'upstream_unavailable', isOperators, text)
        if (isOperators) assert.doesNotMatch(text, /account 7|: 7/)
      })
      assert.equal(cost, 0n)
    })
  }

  test(`${provider}: an error inside a 200 is a failure and costs nothing`, async () => {
    const cost = await spent(async () => {
      const answer = await ask({ provider, say: 'fault' })
      assert.ok(answer.status >= 500, await answer.text())
    })
    assert.equal(cost, 0n)
  })
}

test('every host with Chat Completions has facts here', () => {
  const served = Object.entries(hostRows).flatMap(([name, { prefixes }]) =>
    prefixes['openai-chat'] === undefined ? [] : [name],
  )
  const presets = Object.keys(facts).filter((name) => facts[name]?.custom === undefined)
  assert.deepEqual(presets, served)
})

test('one variable enables the known models of its host, at that host only', async () => {
  const own = await testGateway({
    environment: { GROQ_API_KEY: 'a-key-of-groq', OPENAI_API_KEY: 'a-key-of-openai' },
  })
  try {
    const { models } = own.gateway.services.catalog.snapshot
    const providers = new Map([...models.values()].map(({ name, provider }) => [name, provider]))
    assert.equal(providers.get('groq/llama-3.3-70b-versatile'), 'groq')
    assert.equal(providers.get('gpt-4.1'), 'openai')
    assert.ok([...models.keys()].every((name) => !name.includes('/') || name.startsWith('groq/')))
    for (const { name, provider, offers } of models.values()) {
      for (const { upstream } of offers) assert.equal(upstream.provider, provider, name)
    }
  } finally {
    await own.close()
  }
})
