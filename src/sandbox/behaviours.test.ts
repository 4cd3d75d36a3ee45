/** Every behaviour that fails on purpose, over real HTTP and in both dialects. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import {
  type DialectPath,
  eventsIn,
  exchange,
  openExchange,
  plainBody,
  type Reply,
} from '../../test/support/sandbox-client.ts'
import { behaviours, findModel } from './behaviours.ts'
import { parameters } from './parameters.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

const clock = manualClock()
let sandbox: Sandbox
let sent = 0

before(async () => {
  sandbox = await startSandbox({ clock })
})
after(() => sandbox.close())

const chat: DialectPath = '/v1/chat/completions'
const messages: DialectPath = '/v1/messages'

interface Told extends Reply {
  readonly id: string
  readonly events: readonly unknown[]
  /** How many events carry made tokens. */
  readonly contents: number
}

function isContent(event: unknown): boolean {
  const text = JSON.stringify(event)
  return text.includes('"text_delta"') || text.includes('"delta":{"content":" ')
}

async function ask(path: DialectPath, model: string, content = 'hi', more: object = {}): Promise<Told> {
  sent += 1
  const id = `request-${sent}`
  const body = plainBody(model, content, more)
  const reply = await exchange(sandbox.origin, { path, body, headers: { 'x-request-id': id } })
  const events = eventsIn(reply.body)
  return { ...reply, id, events, contents: events.filter(isContent).length }
}

interface ErrorShape {
  readonly error: { readonly type: string; readonly code?: string | null }
}

const refusals: readonly (readonly [
  model: string,
  chat: readonly unknown[],
  messages: readonly unknown[],
])[] = [
  [
    'sandbox-401',
    [401, 'invalid_request_error', 'invalid_api_key'],
    [401, 'authentication_error', undefined],
  ],
  ['sandbox-402-quota', [429, 'insufficient_quota', 'insufficient_quota'], [402, 'billing_error', undefined]],
  [
    'sandbox-400-context',
    [400, 'invalid_request_error', 'context_length_exceeded'],
    [400, 'invalid_request_error', undefined],
  ],
  ['sandbox-429', [429, 'requests', 'rate_limit_exceeded'], [429, 'rate_limit_error', undefined]],
  ['sandbox-500', [500, 'server_error', null], [500, 'api_error', undefined]],
  ['sandbox-529', [529, 'server_error', null], [529, 'overloaded_error', undefined]],
  ['sandbox-error-json', [200, 'server_error', null], [200, 'api_error', undefined]],
]

for (const [model, inChat, inMessages] of refusals) {
  for (const [path, expected] of [
    [chat, inChat],
    [messages, inMessages],
  ] as const) {
    test(`${model} on ${path}`, async () => {
      const reply = await ask(path, model)
      const { error } = JSON.parse(reply.body) as ErrorShape
      assert.deepEqual([reply.status, error.type, error.code], expected)
      assert.equal(sandbox.meter(reply.id)?.outputTokens, 0)
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

for (const path of [chat, messages]) {
  test(`sandbox-429 tells the wait it is told to, on ${path}`, async () => {
    assert.equal((await ask(path, 'sandbox-429')).headers['retry-after'], '2')
    assert.equal((await ask(path, 'sandbox-429', 'retry=-1')).headers['retry-after'], '-1')
    const date = 'Wed,_21_Oct_2026_07:28:00_GMT'
    assert.equal(
      (await ask(path, 'sandbox-429', `retry=${date}`)).headers['retry-after'],
      date.replaceAll('_', ' '),
    )
  })

  for (const [how, broken, announced] of cutLooks) {
    test(`sandbox-cut-after by ${how} on ${path}`, async () => {
      for (const events of [0, 1, 5]) {
        const reply = await ask(path, `sandbox-cut-after:how=${how}`, `events=${events}`)
        assert.deepEqual([reply.status, reply.broken, reply.contents], [200, broken, events])
        assert.ok(!reply.body.includes('"stop"') && !reply.body.includes('message_delta'))
        const told = ['transfer-encoding', 'content-length'].filter((name) => name in reply.headers)
        assert.deepEqual(told, announced)
        const metered = sandbox.meter(reply.id)
        assert.deepEqual([metered?.outputTokens, metered?.outcome], [events, 'broken_off'])
      }
      const whole = await ask(path, 'sandbox-cut-after', `how=${how}`, { stream: false })
      assert.equal(whole.broken, broken)
      assert.throws(() => JSON.parse(whole.body))
    })
  }

  test(`sandbox-error-first on ${path}`, async () => {
    const reply = await ask(path, 'sandbox-error-first')
    assert.deepEqual([reply.status, reply.broken, reply.events.length], [200, null, 1])
    assert.ok('error' in (reply.events[0] as object))
    assert.equal((await ask(path, 'sandbox-error-first', '', { stream: false })).status, 529)
  })

  test(`sandbox-error-after on ${path}`, async () => {
    const reply = await ask(path, 'sandbox-error-after', 'events=7')
    assert.deepEqual([reply.contents, reply.broken], [7, null])
    assert.ok('error' in (reply.events.at(-1) as object))
    assert.equal((await ask(path, 'sandbox-error-after')).contents, 3)
    assert.equal((await ask(path, 'sandbox-error-after', '', { stream: false })).status, 500)
  })

  test(`sandbox-garbage on ${path}: cut JSON, then the rest`, async () => {
    const reply = await ask(path, 'sandbox-garbage', 'tokens=10 events=4')
    assert.equal(reply.contents, 10)
    const odd = reply.events.filter((event) => typeof event === 'string' && event !== '[DONE]')
    assert.equal(odd.length, 1)
    assert.equal(sandbox.meter(reply.id)?.outcome, 'complete')
  })

  test(`sandbox-no-end on ${path}: all but the end mark`, async () => {
    const reply = await ask(path, 'sandbox-no-end', 'tokens=5')
    assert.deepEqual([reply.contents, reply.broken], [5, null])
    assert.ok(!reply.body.includes('[DONE]') && !reply.body.includes('message_stop'))
    assert.ok(reply.body.includes('"stop"') || reply.body.includes('"end_turn"'))
  })

  test(`sandbox-after-end on ${path}: more than one end mark`, async () => {
    const { body } = await ask(path, 'sandbox-after-end', 'tokens=5')
    assert.equal(body.split(/\[DONE\]|event: message_stop/).length, 4)
  })

  test(`sandbox-no-usage on ${path}`, async () => {
    for (const stream of [true, false]) {
      const reply = await ask(path, 'sandbox-no-usage', 'tokens=5', { stream })
      assert.ok(!/"usage":\{/.test(reply.body))
      assert.equal(sandbox.meter(reply.id)?.reportedOutputTokens, undefined)
    }
  })

  test(`sandbox-odd-usage on ${path}: the count as it was asked for`, async () => {
    for (const value of ['-5', '1e20', 'null', '"12"', 'NaN']) {
      const options = path === chat ? { stream_options: { include_usage: true } } : {}
      const streamed = await ask(path, 'sandbox-odd-usage', `value=${value}`, options)
      const whole = await ask(path, 'sandbox-odd-usage', `value=${value}`, { stream: false })
      for (const { body } of [streamed, whole]) assert.match(body, new RegExp(`_tokens":${value}[,}]`))
    }
  })

  test(`sandbox-over on ${path}: reports more than it may make`, async () => {
    const reply = await ask(path, 'sandbox-over', 'tokens=50 extra=7', { max_tokens: 20, stream: false })
    const metered = sandbox.meter(reply.id)
    assert.deepEqual([metered?.outputTokens, metered?.reportedOutputTokens], [20, 27])
    assert.match(reply.body, /_tokens":27[,}]/)
  })

  test(`sandbox-endless on ${path}: makes more than it may`, async () => {
    const reply = await ask(path, 'sandbox-endless', 'extra=30', { max_tokens: 20 })
    assert.equal(reply.contents, 50)
    assert.equal(sandbox.meter(reply.id)?.outputTokens, 50)
  })

  test(`sandbox-split on ${path}: the same text, byte by byte`, async () => {
    const text = 'Grüße, 世界 🌍!'
    const reply = await ask(path, 'sandbox-split', text)
    const pieces = reply.events.map(
      (event) => JSON.stringify(event).match(/"(?:content|text)":"([^"]+)"/)?.[1] ?? '',
    )
    assert.equal(pieces.join(''), text)
  })

  test(`sandbox-refuse on ${path}: reset without a byte`, async () => {
    const reply = await ask(path, 'sandbox-refuse')
    assert.deepEqual([reply.status, reply.broken], [0, 'ECONNRESET'])
    assert.equal(sandbox.meter(reply.id)?.status, undefined)
  })

  test(`sandbox-html, sandbox-empty and sandbox-redirect on ${path}`, async () => {
    const page = await ask(path, 'sandbox-html')
    assert.match(page.headers['content-type'] ?? '', /^text\/html/)
    assert.deepEqual([(await ask(path, 'sandbox-empty')).body, page.status], ['', 200])
    const moved = await ask(path, 'sandbox-redirect')
    assert.deepEqual([moved.status, moved.headers.location], [302, '/v1/redirected'])
  })

  test(`sandbox-long-line on ${path}`, async () => {
    const { body } = await ask(path, 'sandbox-long-line', 'bytes=200000 events=2')
    const longest = Math.max(...body.split('\n').map((line) => line.length))
    assert.ok(longest >= 200_000)
  })

  test(`sandbox-hang on ${path}: no headers, until the client leaves`, async () => {
    const id = `hang-${path}`
    const leaving = new AbortController()
    const body = JSON.stringify(plainBody('sandbox-hang', 'hi'))
    const headers = { authorization: 'Bearer any', 'anthropic-version': '2023-06-01', 'x-request-id': id }
    const hanging = fetch(`${sandbox.origin}${path}`, {
      method: 'POST',
      body,
      headers,
      signal: leaving.signal,
    })
    await sandbox.until(id, ({ model }) => model === 'sandbox-hang')
    leaving.abort()
    await assert.rejects(hanging)
    const metered = await sandbox.until(id, ({ outcome }) => outcome !== 'running')
    assert.deepEqual([metered.outcome, metered.status, metered.inputTokens], ['client_gone', undefined, 0])
  })

  test(`sandbox-hang-stream on ${path}: some events, then silence`, async () => {
    const headers = { 'x-request-id': `silent-${path}` }
    const body = plainBody('sandbox-hang-stream', 'events=4')
    const response = await openExchange(sandbox.origin, { path, body, headers })
    const metered = await sandbox.until(headers['x-request-id'], ({ outputTokens }) => outputTokens === 4)
    assert.equal(metered.outcome, 'running')
    response.destroy()
    const left = await sandbox.until(headers['x-request-id'], ({ outcome }) => outcome !== 'running')
    assert.deepEqual([left.outcome, left.outputTokens], ['client_gone', 4])
  })

  test(`sandbox-pings on ${path}: nothing but pings, one a second`, async () => {
    const id = `pings-${path}`
    const response = await openExchange(sandbox.origin, {
      path,
      body: plainBody('sandbox-pings', 'hi'),
      headers: { 'x-request-id': id },
    })
    clock.advance(3_000)
    response.setEncoding('utf8')
    let read = ''
    for await (const chunk of response) {
      read += chunk
      if (read.split('ping').length > 3) break
    }
    const left = await sandbox.until(id, ({ outcome }) => outcome !== 'running')
    assert.deepEqual([left.outputTokens, left.outcome], [0, 'client_gone'])
  })
}

test('sandbox-slow sends no headers before its time', async () => {
  const answer = ask(chat, 'sandbox-slow:delay=60000')
  const id = `request-${sent}`
  await sandbox.until(id, ({ model }) => model !== '')
  clock.advance(59_999)
  assert.equal(sandbox.meter(id)?.status, undefined)
  clock.advance(1)
  assert.equal((await answer).status, 200)
})

test('sandbox-flaky fails every other time', async () => {
  const statuses: number[] = []
  for (const _ of Array(4)) statuses.push((await ask(chat, 'sandbox-flaky')).status)
  assert.deepEqual(statuses, [500, 200, 500, 200])
})

test('the table is complete: names are unique, every row says what it does and reads known parameters', () => {
  assert.equal(new Set(behaviours.map(({ name }) => name)).size, behaviours.length)
  for (const { name, does, parameters: read, defaults } of behaviours) {
    assert.match(name, /^sandbox-[a-z0-9-]+$/)
    assert.match(does, /^[A-Z].*\.$/)
    for (const parameter of read) assert.ok(parameter in parameters)
    for (const parameter of Object.keys(defaults))
      assert.ok(read.includes(parameter as never), `${name} ${parameter}`)
  }
})

test('parameters stand in the name, only those that the model reads', () => {
  assert.deepEqual(
    [...(findModel('sandbox-stream:tokens=5:rate=2')?.given ?? [])],
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
  assert.equal((await ask(chat, 'sandbox-stream:tokens=5', 'tokens=9')).contents, 5)
})
