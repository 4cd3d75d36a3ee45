/**
 * Hosts that serve Messages or Responses too, in the caller's own format, against a strict imitation of each, with the official
 * libraries: text, stream, tool, usage, a canceled stream, and errors in the words of that format. Chat Completions is
 * in provider-rows.test.ts. The facts are from the hosts' pages, apart from the rows under test.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { priceAt } from '../../src/catalog/types.ts'
import { connectorOf, connectors } from '../../src/providers/registry.ts'
import { cloudUsage } from '../support/cloud-answers.ts'
import {
  type CloudFacts,
  type CloudImitation,
  type CloudRejection,
  imitateCloud,
} from '../support/cloud-imitation.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'

type Format = 'messages' | 'responses'

interface RowFacts {
  readonly path: string
  /** The header of the key; left out: a bearer token. */
  readonly keyHeader?: 'x-api-key'
  readonly cancel: 'stops' | 'bills_on'
  readonly wrongKey?: CloudRejection
  readonly balance?: CloudRejection
  readonly overload?: CloudRejection
}

/** What canceling stops is documented at openrouter.ai/docs/api/reference/streaming. */
const facts: Readonly<Record<string, Partial<Record<Format, RowFacts>>>> = {
  alibaba: {
    messages: {
      path: '/apps/anthropic/v1/messages',
      cancel: 'bills_on',
      balance: messagesError(400, 'invalid_request_error', 'overdue, account 7', { code: 'Arrearage' }),
    },
  },
  deepinfra: {
    messages: {
      path: '/anthropic/v1/messages',
      cancel: 'stops',
      balance: { status: 402, body: { detail: { error: 'inference prohibited for account 7' } } },
    },
  },
  deepseek: {
    messages: { path: '/anthropic/v1/messages', keyHeader: 'x-api-key', cancel: 'stops' },
    responses: { path: '/responses', cancel: 'stops' },
  },
  fireworks: {
    messages: {
      path: '/inference/v1/messages',
      cancel: 'stops',
      balance: { status: 412, body: { error: 'account 7 is suspended' } },
    },
    responses: {
      path: '/inference/v1/responses',
      cancel: 'stops',
      overload: { status: 503, body: { fault: { faultstring: 'no capacity', detail: { errorcode: 'x' } } } },
    },
  },
  minimax: {
    messages: {
      path: '/anthropic/v1/messages',
      cancel: 'bills_on',
      wrongKey: { status: 200, body: { base_resp: { status_code: 2049, status_msg: 'invalid key 7' } } },
      balance: {
        status: 200,
        body: { base_resp: { status_code: 1008, status_msg: 'balance of account 7' } },
      },
      overload: { status: 200, body: { base_resp: { status_code: 1002, status_msg: 'too many' } } },
    },
  },
  moonshot: {
    messages: {
      path: '/anthropic/v1/messages',
      cancel: 'bills_on',
      balance: messagesError(429, 'exceeded_current_quota_error', 'account 7 is suspended'),
      overload: messagesError(429, 'engine_overloaded_error', 'busy'),
    },
  },
  openrouter: {
    messages: {
      path: '/api/v1/messages',
      cancel: 'bills_on',
      overload: messagesError(503, 'api_error', 'no host', { error_type: 'provider_overloaded' }),
    },
    responses: {
      path: '/api/v1/responses',
      cancel: 'bills_on',
      overload: {
        status: 503,
        body: { error: { code: 'server_error', message: 'no host' }, error_type: 'provider_overloaded' },
      },
    },
  },
  perplexity: {
    responses: {
      path: '/v1/responses',
      cancel: 'bills_on',
      // It has no other status for an account without credit.
      balance: { status: 401, body: { error: { message: 'no credit, account 7', type: 'auth', code: 401 } } },
    },
  },
  xai: {
    responses: {
      path: '/v1/responses',
      cancel: 'stops',
      wrongKey: { status: 400, body: { code: 'x', error: 'Incorrect API key provided: 7' } },
      balance: { status: 403, body: { code: 'x', error: 'account 7 has no credits' } },
    },
  },
  zai: {
    messages: {
      path: '/api/anthropic/v1/messages',
      cancel: 'bills_on',
      balance: { status: 429, body: { error: { code: '1113', message: 'account 7 has no balance' } } },
      overload: { status: 429, body: { error: { code: '1305', message: 'busy' } } },
    },
  },
}

/** Hosts whose models have no price until an operator sets one. */
const unpriced = ['perplexity']

function messagesError(status: number, type: string, message: string, more: object = {}): CloudRejection {
  return { status, body: { type: 'error', error: { type, message, ...more } } }
}

const usual: Readonly<Record<Format, Record<'wrongKey' | 'rate' | 'balance' | 'overload', CloudRejection>>> =
  {
    messages: {
      wrongKey: messagesError(401, 'authentication_error', 'invalid x-api-key 7'),
      rate: { ...messagesError(429, 'rate_limit_error', 'slow down'), headers: { 'retry-after': '1' } },
      balance: messagesError(402, 'billing_error', 'insufficient balance of account 7'),
      overload: messagesError(529, 'overloaded_error', 'Overloaded'),
    },
    responses: {
      wrongKey: {
        status: 401,
        body: { error: { message: 'invalid key 7', type: 'auth', code: 'invalid_api_key' } },
      },
      rate: {
        status: 429,
        headers: { 'retry-after': '1' },
        body: { error: { message: 'slow down', type: 'rate' } },
      },
      balance: { status: 402, body: { error: { message: 'insufficient balance of account 7' } } },
      overload: { status: 503, body: { error: { message: 'overloaded', type: 'server_error' } } },
    },
  }

const keyOf = (provider: string) => `key-of-${provider}`

/** An imitation of one format of a host: everything else is missing there. */
function imitationFacts(provider: string, format: Format, row: RowFacts): CloudFacts {
  return {
    route: (url) => (url === row.path ? { format } : null),
    mistake({ headers }) {
      const { authorization, 'x-api-key': key, 'user-agent': agent, 'anthropic-beta': beta } = headers
      if (agent !== 'tollgate' || beta !== undefined) return `the caller's headers: ${agent} ${beta}`
      if (format === 'messages' && !/^\d{4}-\d\d-\d\d$/.test(String(headers['anthropic-version'])))
        return 'anthropic-version'
      const [sent, other] = row.keyHeader === undefined ? [authorization, key] : [key, authorization]
      if (other !== undefined) return 'two keys'
      const expected = row.keyHeader === undefined ? `Bearer ${keyOf(provider)}` : keyOf(provider)
      return sent === expected ? '' : 'key'
    },
    bodyMistake: (_, { model }) => (String(model).startsWith(`${provider}/`) ? `model ${model}` : ''),
    rejections: {
      credential: row.wrongKey ?? usual[format].wrongKey,
      rate: usual[format].rate,
      overload: row.overload ?? usual[format].overload,
      balance: row.balance ?? usual[format].balance,
      missing: { status: 404, body: '<!DOCTYPE html><title>Not Found</title>' },
    },
  }
}

interface Row extends RowFacts {
  readonly provider: string
  readonly format: Format
}

const rows: readonly Row[] = Object.entries(facts).flatMap(([provider, formats]) =>
  (['messages', 'responses'] as const).flatMap((format) => {
    const row = formats[format]
    return row === undefined ? [] : [{ ...row, provider, format }]
  }),
)

interface Running {
  readonly tollgate: TestGateway
  readonly account: TestAccount
  readonly openai: OpenAI
  readonly anthropic: Anthropic
}

const hosts = new Map<Row, CloudImitation>()
/** One gateway for each format, since a host has one address for both. */
const running = new Map<Format, Running>()

async function start(format: Format): Promise<Running> {
  const own = rows.filter((row) => row.format === format)
  for (const row of own) hosts.set(row, await imitateCloud(imitationFacts(row.provider, format, row)))
  const tollgate = await testGateway({
    upstreams: own.map((row) => ({
      name: row.provider,
      provider: row.provider,
      url: hosts.get(row)?.origin ?? '',
      credential: keyOf(row.provider),
      weight: 1,
      models: 'all' as const,
    })),
    models: unpriced.map((provider) => ({
      id: `${provider}/a-model`,
      context: 100_000,
      maxOutput: 8_000,
      tools: true,
      prices: [{ input: '1', output: '2' }],
    })),
    limits: { cooldownMsMax: 0, failuresBeforeEjection: 1_000, attemptsMax: 1, readOnMs: 300 },
  })
  const account = await tollgate.account('1000')
  const client = { apiKey: account.key, maxRetries: 0 }
  const openai = new OpenAI({ ...client, baseURL: `${tollgate.origin}/v1` })
  const anthropic = new Anthropic({ ...client, authToken: null, baseURL: tollgate.origin, logLevel: 'off' })
  return { tollgate, account, openai, anthropic }
}

before(async () => {
  for (const format of ['messages', 'responses'] as const) running.set(format, await start(format))
})
after(async () => {
  for (const { tollgate } of running.values()) await tollgate.close()
  await Promise.all([...hosts.values()].map((host) => host.close()))
})

function placeOf({ format }: Row): Running {
  return running.get(format) ?? assert.fail('not started')
}

/** The first priced model of a host that takes tools. */
function modelAt(row: Row): string {
  const { models } = placeOf(row).tollgate.gateway.services.catalog.snapshot
  const name = [...models.keys()].sort().find((model) => model.startsWith(`${row.provider}/`))
  return name ?? assert.fail(`${row.provider} sells nothing`)
}

/** What the imitation's usage costs, in nano-USD. */
function costOf(row: Row): bigint {
  const found = placeOf(row).tollgate.gateway.services.catalog.snapshot.models.get(modelAt(row))
  assert.ok(found !== undefined)
  const { input, cacheRead, output } = priceAt(found, Date.now()).rates
  const { input: whole, cached, output: written } = cloudUsage
  const total = input * BigInt(whole - cached) + cacheRead * BigInt(cached) + output * BigInt(written)
  return (total + 999_999n) / 1_000_000n
}

async function spent(row: Row, work: () => Promise<void>): Promise<bigint> {
  const { tollgate, account } = placeOf(row)
  const { posted } = await tollgate.balance(account.id)
  await work()
  await eventually(
    'the request is settled',
    () => tollgate.balance(account.id),
    ({ openHolds }) => openHolds === 0,
  )
  return posted - (await tollgate.balance(account.id)).posted
}

const lastAt = (row: Row) => hosts.get(row)?.requests.at(-1)
const schema = { type: 'object' as const, properties: {} }

/** The text, or the arguments of the call, as a whole answer. */
async function whole(row: Row, say: string): Promise<unknown> {
  const { openai, anthropic } = placeOf(row)
  const model = modelAt(row)
  if (row.format === 'responses') {
    const tools = [{ type: 'function' as const, name: 'look', parameters: schema, strict: false }]
    const { output, output_text: text } = await openai.responses.create({ model, input: `say ${say}`, tools })
    const [call] = output
    return call?.type === 'function_call' ? JSON.parse(call.arguments) : text
  }
  const { content } = await anthropic.messages.create({
    ...{ model, max_tokens: 100, tools: [{ name: 'look', input_schema: schema }] },
    messages: [{ role: 'user', content: `say ${say}` }],
  })
  const [block] = content
  return block?.type === 'tool_use' ? block.input : block?.type === 'text' ? block.text : block?.type
}

/** The text of a stream that ended completely. */
async function streamed(row: Row): Promise<string> {
  const { openai, anthropic } = placeOf(row)
  const model = modelAt(row)
  if (row.format === 'responses') {
    const stream = openai.responses.stream({ model, input: 'say text' })
    return (await stream.finalResponse()).output_text
  }
  const body = { model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'say text' }] }
  const message = await anthropic.messages.stream(body).finalMessage()
  assert.equal(message.stop_reason, 'end_turn')
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

/** Reads a stream up to its text, and disconnects. */
async function disconnect(row: Row): Promise<void> {
  const { tollgate, account } = placeOf(row)
  const model = modelAt(row)
  const [path, body] =
    row.format === 'responses'
      ? ['/v1/responses', { model, input: 'say hold' }]
      : ['/v1/messages', { model, max_tokens: 100, messages: [{ role: 'user', content: 'say hold' }] }]
  const stopper = new AbortController()
  const answer = await fetch(tollgate.origin + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
    signal: stopper.signal,
  })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let text = ''; !text.includes('hello'); ) text += (await reader?.read())?.value ?? assert.fail(text)
  stopper.abort()
  await reader?.closed.catch(() => undefined)
}

interface Failure {
  readonly status: number | undefined
  readonly code: string | undefined
  readonly text: string
}

/** The error that the library of the format throws. */
async function failure(row: Row, say: string): Promise<Failure> {
  const error: unknown = await whole(row, say).then(
    (answer) => assert.fail(JSON.stringify(answer)),
    (reason: unknown) => reason,
  )
  if (error instanceof OpenAI.APIError)
    return { status: error.status, code: error.code ?? undefined, text: error.message }
  assert.ok(error instanceof Anthropic.APIError, String(error))
  const body = error.error as { error?: { details?: { code?: string } } } | undefined
  return { status: error.status, code: body?.error?.details?.code, text: error.message }
}

for (const row of rows) {
  const { provider, format } = row

  test(`${provider}, ${format}: text, a stream and a call, each in the caller's own format at its price`, async () => {
    assert.equal(await spent(row, async () => assert.equal(await whole(row, 'text'), 'hello')), costOf(row))
    assert.equal(lastAt(row)?.url, row.path)
    assert.equal(await spent(row, async () => assert.equal(await streamed(row), 'hello')), costOf(row))
    assert.equal(
      await spent(row, async () => assert.deepEqual(await whole(row, 'tool'), { a: 1 })),
      costOf(row),
    )
    assert.equal(lastAt(row)?.rejected, '')
  })

  test(`${provider}, ${format}: a client that disconnects ends the stream, read to the end where that does not stop billing`, async () => {
    assert.equal(connectorOf(provider).onCancel, row.cancel)
    const cost = await spent(row, () => disconnect(row))
    assert.ok(cost > 0n)
    await eventually(
      'the connection to the host is closed',
      () => lastAt(row)?.closed,
      (closed) => closed === true,
    )
  })

  for (const say of ['rate', 'overload', 'balance', 'credential'] as const) {
    test(`${provider}, ${format}: ${say} is not the caller's error, and costs nothing`, async () => {
      const cost = await spent(row, async () => {
        const { status, code, text } = await failure(row, say)
        const isOperators = say === 'balance' || say === 'credential'
        assert.ok(status !== undefined && [429, 500, 502, 503, 529].includes(status), `${status} ${text}`)
        assert.equal(code === 'upstream_unavailable', isOperators, `${code} ${text}`)
        if (isOperators) assert.doesNotMatch(text, /account 7|key 7|: 7/)
      })
      assert.equal(cost, 0n)
    })
  }
}

test('each row that serves Messages or Responses is in this suite', () => {
  for (const [format, field] of [
    ['anthropic', 'messages'],
    ['openai-responses', 'responses'],
  ] as const) {
    const served = Object.keys(facts).filter((provider) => facts[provider]?.[field] !== undefined)
    const clouds = ['azure', 'bedrock', 'vertex']
    const others = ['anthropic', 'openai', 'google', 'sandbox', ...clouds]
    const expected = connectors
      .filter(({ formats, provider }) => formats.includes(format) && !others.includes(provider))
      .map(({ provider }) => provider)
    assert.deepEqual(served.sort(), expected.sort(), field)
  }
})
