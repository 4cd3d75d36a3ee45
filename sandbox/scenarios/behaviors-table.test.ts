/** The rejections of the sandbox in the words of every format, and its table; test/e2e meets the other failures. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { eventsIn, exchange, openExchange, type Reply } from '../../test/support/sandbox-client.ts'
import { type Asked, plainRequest, sandboxFormats, showsWords } from '../../test/support/sandbox-formats.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import { behaviors, findModel } from './behaviors-table.ts'
import { parameters } from './parameters.ts'

const clock = manualClock()
let sandbox: Sandbox
let sent = 0

before(async () => {
  sandbox = await startSandbox({ clock })
})
after(() => sandbox.close())

const chat = 'openai-chat'

interface TimedReply extends Reply {
  readonly id: string
  readonly events: readonly unknown[]
  /** How many events carry made tokens. */
  readonly contents: number
}

async function request(
  format: ConversationFormat,
  model: string,
  content = 'hi',
  options: Asked = {},
): Promise<TimedReply> {
  sent += 1
  const id = `request-${sent}`
  const request = plainRequest(format, model, content, options)
  const reply = await exchange(sandbox.origin, { ...request, headers: { 'x-request-id': id } })
  const events = eventsIn(reply.body)
  return { ...reply, id, events, contents: events.filter((event) => showsWords(format, event)).length }
}

interface ErrorShape {
  readonly error: {
    readonly type?: string
    readonly code?: string | number | null
    readonly status?: string
  }
}

type Wording = readonly [status: number, name: string, code: string | number | null | undefined]

/** Status, and what the format calls it: type and code at OpenAI, type at Anthropic, name at Google. */
const rejections: Readonly<Record<string, Readonly<Record<ConversationFormat, Wording>>>> = {
  'sandbox-401': {
    'openai-chat': [401, 'invalid_request_error', 'invalid_api_key'],
    'openai-responses': [401, 'invalid_request_error', 'invalid_api_key'],
    anthropic: [401, 'authentication_error', undefined],
    gemini: [400, 'INVALID_ARGUMENT', 400],
  },
  'sandbox-402-quota': {
    'openai-chat': [429, 'insufficient_quota', 'insufficient_quota'],
    'openai-responses': [429, 'insufficient_quota', 'insufficient_quota'],
    anthropic: [402, 'billing_error', undefined],
    gemini: [429, 'RESOURCE_EXHAUSTED', 429],
  },
  'sandbox-400-context': {
    'openai-chat': [400, 'invalid_request_error', 'context_length_exceeded'],
    'openai-responses': [400, 'invalid_request_error', 'context_length_exceeded'],
    anthropic: [400, 'invalid_request_error', undefined],
    gemini: [400, 'INVALID_ARGUMENT', 400],
  },
  'sandbox-429': {
    'openai-chat': [429, 'requests', 'rate_limit_exceeded'],
    'openai-responses': [429, 'requests', 'rate_limit_exceeded'],
    anthropic: [429, 'rate_limit_error', undefined],
    gemini: [429, 'RESOURCE_EXHAUSTED', 429],
  },
  'sandbox-500': {
    'openai-chat': [500, 'server_error', null],
    'openai-responses': [500, 'server_error', null],
    anthropic: [500, 'api_error', undefined],
    gemini: [500, 'INTERNAL', 500],
  },
  'sandbox-529': {
    'openai-chat': [529, 'server_error', null],
    'openai-responses': [529, 'server_error', null],
    anthropic: [529, 'overloaded_error', undefined],
    gemini: [503, 'UNAVAILABLE', 503],
  },
  'sandbox-error-json': {
    'openai-chat': [200, 'server_error', null],
    'openai-responses': [200, 'server_error', null],
    anthropic: [200, 'api_error', undefined],
    gemini: [200, 'INTERNAL', 500],
  },
}

for (const [model, wordings] of Object.entries(rejections)) {
  for (const format of sandboxFormats) {
    test(`${model} in ${format}`, async () => {
      const reply = await request(format, model)
      const { error } = JSON.parse(reply.body) as ErrorShape
      assert.deepEqual([reply.status, error.status ?? error.type, error.code], [...wordings[format]])
      assert.equal(sandbox.logged(reply.id)?.outputTokens, 0)
    })
  }
}

for (const format of sandboxFormats) {
  test(`sandbox-endless in ${format}: makes more than it may`, async () => {
    const reply = await request(format, 'sandbox-endless', 'extra=30', { limit: 20 })
    assert.equal(reply.contents, 50)
    assert.equal(sandbox.logged(reply.id)?.outputTokens, 50)
  })

  test(`sandbox-split in ${format}: the same text, byte by byte`, async () => {
    const text = 'Grüße, 世界 🌍!'
    const reply = await request(format, 'sandbox-split', text)
    const pieces = reply.events
      // Responses tells the whole text again where a part is done.
      .filter((event) => !/\.(done|completed)"/.test(JSON.stringify(event)))
      .map((event) => JSON.stringify(event).match(/"(?:content|text|delta)":"([^"]+)"/)?.[1] ?? '')
    assert.equal(pieces.join(''), text)
  })

  test(`sandbox-pings in ${format}: only pings, one per second`, async () => {
    const id = `pings-${format}`
    const response = await openExchange(sandbox.origin, {
      ...plainRequest(format, 'sandbox-pings', 'hi'),
      headers: { 'x-request-id': id },
    })
    clock.advance(3_000)
    response.setEncoding('utf8')
    let read = ''
    for await (const chunk of response) {
      read += chunk
      if (read.split(': ping').length > 3) break
    }
    const logged = await sandbox.until(id, ({ outcome }) => outcome !== 'running')
    assert.deepEqual([logged.outputTokens, logged.outcome], [0, 'client_gone'])
  })
}

test('the table is complete: names are unique, every row says what it does and reads known parameters', () => {
  assert.equal(new Set(behaviors.map(({ name }) => name)).size, behaviors.length)
  for (const { name, does, parameters: read, defaults } of behaviors) {
    assert.match(name, /^sandbox-[a-z0-9-]+$/)
    assert.match(does, /^[A-Z].*\.$/)
    for (const parameter of read) assert.ok(parameter in parameters)
    for (const parameter of Object.keys(defaults))
      assert.ok(read.includes(parameter as never), `${name} ${parameter}`)
  }
})

test('parameters are in the name, only those that the model reads', () => {
  assert.deepEqual(
    [...(findModel('sandbox-stream:tokens=5:rate=2')?.settings ?? [])],
    [
      ['tokens', '5'],
      ['rate', '2'],
    ],
  )
  for (const unknown of ['', 'sandbox', 'sandbox-echo:tokens=5', 'sandbox-stream:size=5', 'gpt-x']) {
    assert.equal(findModel(unknown), undefined)
  }
})

test('what the name sets wins over what the message says', async () => {
  assert.equal((await request(chat, 'sandbox-stream:tokens=5', 'tokens=9')).contents, 5)
})
