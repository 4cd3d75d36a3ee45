/** Buffered responses have their own memory budget: above it one request is rejected or truncated, and the others continue. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testGateway, undividedBudgets } from '../support/gateway.ts'

const gate = await testGateway({ limits: { eventBudgetBytes: 100_000, ...undividedBudgets } })
after(() => gate.close())

interface Case {
  readonly path: string
  readonly model: string
  readonly stream: boolean
  readonly words: string
  readonly status: number
  /** What the body must contain, and what it must not contain. */
  readonly has: RegExp
  readonly lacks: RegExp
}

const cases: readonly Case[] = [
  {
    path: '/v1/chat/completions',
    model: 'sandbox-echo',
    stream: false,
    words: 'x '.repeat(80_000),
    status: 503,
    has: /"code":"overloaded"/,
    lacks: /choices/,
  },
  {
    path: '/v1/alt/v1/messages',
    model: 'sandbox-echo',
    stream: false,
    words: 'x '.repeat(80_000),
    status: 529,
    has: /"overloaded_error"/,
    lacks: /"content"/,
  },
  {
    path: '/v1/chat/completions',
    model: 'sandbox-long-line:events=3:bytes=500000',
    stream: true,
    words: 'go',
    status: 200,
    has: /"code":"overloaded"/,
    lacks: /\[DONE\]/,
  },
  {
    path: '/v1/alt/v1/messages',
    model: 'sandbox-long-line:events=3:bytes=500000',
    stream: true,
    words: 'go',
    status: 200,
    has: /event: error/,
    lacks: /message_stop/,
  },
  {
    path: '/v1/chat/completions',
    model: 'sandbox-echo',
    stream: false,
    words: 'small',
    status: 200,
    has: /small/,
    lacks: /overloaded/,
  },
]

for (const { path, model, stream, words, status, has, lacks } of cases) {
  test(`${path} ${model} ${stream ? 'streamed' : 'whole'}: ${status}`, async () => {
    const account = await gate.account('5')
    const [name = '', ...settings] = model.split(':')
    const content = stream ? `${settings.join(' ')} ${words}` : words
    const response = await fetch(`${gate.origin}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: name,
        max_tokens: 100_000,
        stream,
        messages: [{ role: 'user', content }],
      }),
    })
    const body = await response.text()
    assert.equal(response.status, status, body.slice(0, 300))
    assert.match(body, has)
    assert.doesNotMatch(body, lacks)
    // The client may have its response before the server has removed the request.
    await gate.gateway.deps.inFlight.whenIdle()
    assert.equal(gate.gateway.deps.events.used, 0)
    const { held, openHolds } = await gate.balance(account.id)
    assert.deepEqual({ held, openHolds }, { held: 0n, openHolds: 0 })
  })
}
