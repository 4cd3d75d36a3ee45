/** Every behavior that fails on purpose, over real HTTP and in every dialect. */
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
const refusals: Readonly<Record<string, Readonly<Record<ConversationFormat, Wording>>>> = {
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

for (const [model, wordings] of Object.entries(refusals)) {
  for (const format of sandboxFormats) {
    test(`${model} in ${format}`, async () => {
      const reply = await request(format, model)
      const { error } = JSON.parse(reply.body) as ErrorShape
      assert.deepEqual([reply.status, error.status ?? error.type, error.code], [...wordings[format]])
      assert.equal(sandbox.logged(reply.id)?.outputTokens, 0)
    })
  }
}

/** How each way to cut looks to a client: the error it gets, if any, and how the end of the body was announced. */
const cutLooks: readonly (readonly [how: string, broken: string | null, announced: readonly string[]])[] = [
  ['fin', 'ECONNRESET', ['transfer-encoding']],
  ['rst', 'ECONNRESET', ['transfer-encoding']],
  ['short', 'ECONNRESET', ['content-length']],
  ['clean', null, ['transfer-encoding']],
  ['until_close', null, []],
]

/** What only a finished answer holds. */
const finishMarks: Readonly<Record<ConversationFormat, string>> = {
  'openai-chat': '"stop"',
  'openai-responses': 'response.completed',
  anthropic: '"end_turn"',
  gemini: '"finishReason"',
}
/** What ends a stream, and what cuts off with it. */
const endMarks: Readonly<Record<ConversationFormat, RegExp>> = {
  'openai-chat': /\[DONE\]/,
  'openai-responses': /event: response\.completed/,
  anthropic: /event: message_stop/,
  gemini: /"finishReason"/,
}
const ownEndMarks: readonly ConversationFormat[] = ['openai-chat', 'anthropic']

for (const format of sandboxFormats) {
  test(`sandbox-429 reports the requested wait in ${format}`, async () => {
    for (const [retry, wait] of [
      [undefined, '2'],
      ['-1', '-1'],
      ['Wed,_21_Oct_2026_07:28:00_GMT', 'Wed, 21 Oct 2026 07:28:00 GMT'],
    ] as const) {
      const { headers, body } = await request(
        format,
        'sandbox-429',
        retry === undefined ? 'hi' : `retry=${retry}`,
      )
      assert.equal(headers['retry-after'], format === 'gemini' ? undefined : wait)
      if (format === 'gemini') assert.ok(body.includes(`"retryDelay": "${wait}s"`))
    }
  })

  for (const [how, broken, announced] of cutLooks) {
    test(`sandbox-cut-after by ${how} in ${format}`, async () => {
      for (const events of [0, 1, 5]) {
        const reply = await request(format, `sandbox-cut-after:how=${how}`, `events=${events}`)
        assert.deepEqual([reply.status, reply.broken, reply.contents], [200, broken, events])
        assert.ok(!reply.body.includes(finishMarks[format]))
        const framingHeaders = ['transfer-encoding', 'content-length'].filter((name) => name in reply.headers)
        assert.deepEqual(framingHeaders, announced)
        const logged = sandbox.logged(reply.id)
        assert.deepEqual([logged?.outputTokens, logged?.outcome], [events, 'broken_off'])
      }
      const whole = await request(format, 'sandbox-cut-after', `how=${how}`, { stream: false })
      assert.equal(whole.broken, broken)
      assert.throws(() => JSON.parse(whole.body))
    })
  }

  test(`sandbox-error-first in ${format}`, async () => {
    const reply = await request(format, 'sandbox-error-first')
    // Responses tells the answer that failed as well.
    const events = format === 'openai-responses' ? 2 : 1
    assert.deepEqual([reply.status, reply.broken, reply.events.length], [200, null, events])
    assert.ok('error' in (reply.events[0] as object))
    const { status } = await request(format, 'sandbox-error-first', '.', { stream: false })
    assert.equal(status, format === 'gemini' ? 503 : 529)
  })

  test(`sandbox-error-after in ${format}`, async () => {
    const reply = await request(format, 'sandbox-error-after', 'events=7')
    assert.deepEqual([reply.contents, reply.broken], [7, null])
    const error = reply.events.findIndex((event) => 'error' in (event as object))
    assert.equal(error, reply.events.length - (format === 'openai-responses' ? 2 : 1))
    assert.equal((await request(format, 'sandbox-error-after')).contents, 3)
    assert.equal((await request(format, 'sandbox-error-after', '.', { stream: false })).status, 500)
  })

  test(`sandbox-garbage in ${format}: cut JSON, then the rest`, async () => {
    const reply = await request(format, 'sandbox-garbage', 'tokens=10 events=4')
    assert.equal(reply.contents, 10)
    const invalidEvents = reply.events.filter((event) => typeof event === 'string' && event !== '[DONE]')
    assert.equal(invalidEvents.length, 1)
    assert.equal(sandbox.logged(reply.id)?.outcome, 'complete')
  })

  test(`sandbox-no-end in ${format}: all but the end mark`, async () => {
    const reply = await request(format, 'sandbox-no-end', 'tokens=5')
    assert.deepEqual([reply.contents, reply.broken], [5, null])
    assert.doesNotMatch(reply.body, endMarks[format])
    const isOwn = ownEndMarks.includes(format)
    assert.equal(reply.body.includes(finishMarks[format]), isOwn)
    assert.equal(sandbox.logged(reply.id)?.reportedOutputTokens, isOwn ? 5 : undefined)
  })

  test(`sandbox-after-end in ${format}: more than one end mark`, async () => {
    const { body } = await request(format, 'sandbox-after-end', 'tokens=5')
    assert.equal(body.split(endMarks[format]).length, 4)
  })

  test(`sandbox-no-usage in ${format}`, async () => {
    for (const stream of [true, false]) {
      const reply = await request(format, 'sandbox-no-usage', 'tokens=5', { stream })
      assert.doesNotMatch(reply.body, /"usage(Metadata)?": ?\{/)
      assert.equal(sandbox.logged(reply.id)?.reportedOutputTokens, undefined)
    }
  })

  test(`sandbox-odd-usage in ${format}: the count as it was asked for`, async () => {
    for (const value of ['-5', '1e20', 'null', '"12"', 'NaN']) {
      for (const stream of [true, false]) {
        const { body } = await request(format, 'sandbox-odd-usage', `value=${value}`, { stream })
        assert.match(body, new RegExp(`(_tokens|candidatesTokenCount)": ?${value}[,}]`))
      }
    }
  })

  test(`sandbox-over in ${format}: reports more than it may make`, async () => {
    const reply = await request(format, 'sandbox-over', 'tokens=50 extra=7', { limit: 20, stream: false })
    const logged = sandbox.logged(reply.id)
    assert.deepEqual([logged?.outputTokens, logged?.reportedOutputTokens], [20, 27])
    assert.match(reply.body, /(_tokens|candidatesTokenCount)": ?27[,}]/)
  })

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

  test(`sandbox-refuse in ${format}: reset without a byte`, async () => {
    const reply = await request(format, 'sandbox-refuse')
    assert.deepEqual([reply.status, reply.broken], [0, 'ECONNRESET'])
    assert.equal(sandbox.logged(reply.id)?.status, undefined)
  })

  test(`sandbox-html, sandbox-empty and sandbox-redirect in ${format}`, async () => {
    const page = await request(format, 'sandbox-html')
    assert.match(page.headers['content-type'] ?? '', /^text\/html/)
    assert.deepEqual([(await request(format, 'sandbox-empty')).body, page.status], ['', 200])
    const moved = await request(format, 'sandbox-redirect')
    assert.deepEqual([moved.status, moved.headers.location], [302, '/v1/redirected'])
  })

  test(`sandbox-long-line in ${format}`, async () => {
    const { body } = await request(format, 'sandbox-long-line', 'bytes=200000 events=2')
    const longest = Math.max(...body.split('\n').map((line) => line.length))
    assert.ok(longest >= 200_000)
  })

  test(`sandbox-hang in ${format}: no headers, until the client leaves`, async () => {
    const id = `hang-${format}`
    const leaving = new AbortController()
    const { path, body } = plainRequest(format, 'sandbox-hang', 'hi')
    const headers = { authorization: 'Bearer any', 'anthropic-version': '2023-06-01', 'x-request-id': id }
    const hanging = fetch(`${sandbox.origin}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers,
      signal: leaving.signal,
    })
    await sandbox.until(id, ({ model }) => model === 'sandbox-hang')
    leaving.abort()
    await assert.rejects(hanging)
    const logged = await sandbox.until(id, ({ outcome }) => outcome !== 'running')
    assert.deepEqual([logged.outcome, logged.status, logged.inputTokens], ['client_gone', undefined, 0])
  })

  test(`sandbox-hang-stream in ${format}: some events, then silence`, async () => {
    const headers = { 'x-request-id': `silent-${format}` }
    const request = plainRequest(format, 'sandbox-hang-stream', 'events=4')
    const response = await openExchange(sandbox.origin, { ...request, headers })
    const running = await sandbox.until(headers['x-request-id'], ({ outputTokens }) => outputTokens === 4)
    assert.equal(running.outcome, 'running')
    response.destroy()
    const logged = await sandbox.until(headers['x-request-id'], ({ outcome }) => outcome !== 'running')
    assert.deepEqual([logged.outcome, logged.outputTokens], ['client_gone', 4])
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

test('sandbox-slow sends no headers before its time', async () => {
  const answer = request(chat, 'sandbox-slow:delay=60000')
  const id = `request-${sent}`
  await sandbox.until(id, ({ model }) => model !== '')
  clock.advance(59_999)
  assert.equal(sandbox.logged(id)?.status, undefined)
  clock.advance(1)
  assert.equal((await answer).status, 200)
})

test('sandbox-flaky fails every other time', async () => {
  const statuses: number[] = []
  for (const _ of Array(4)) statuses.push((await request(chat, 'sandbox-flaky')).status)
  assert.deepEqual(statuses, [500, 200, 500, 200])
})

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
