/**
 * Large requests are read, translated and counted outside of the relaying thread: from every format to every other one
 * the outcome equals that of a small request, with less work on this thread. Work is measured in function calls,
 * which do not depend on other load.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { limitDefaults } from '../../src/config/config.ts'
import { type Answer, bearer, send } from '../support/bytes-client.ts'
import { openCallCounts } from '../support/calls-on-thread.ts'
import { type TestAccount, testGateway } from '../support/gateway.ts'
import { isWholeRun } from '../support/sampled.ts'

const gate = await testGateway({
  limits: { requestsPerMinute: null, tokensPerMinute: null, concurrent: null },
})
const calls = await openCallCounts()
after(async () => {
  calls.close()
  await gate.close()
})
/** Enough to be read and too little for any of the requests, so that none reaches the upstream in this process. */
const poor = await gate.account('0.000001')
const rich = await gate.account('1000')

/** Reads, translates and counts. */
const workFolders = ['/src/wire/', '/src/bodies/', '/src/tokens/']

interface Shape {
  readonly path: (model: string) => string
  readonly countPath: ((model: string) => string) | null
  readonly body: (model: string, turns: string) => string
  readonly turn: (text: string) => string
}

const shapes: Readonly<Record<string, Shape>> = {
  chat: {
    path: () => '/v1/chat/completions',
    countPath: null,
    body: (model, turns) => `{"model":"${model}","max_tokens":5,"messages":[${turns}]}`,
    turn: (text) => `{"role":"user","content":"${text}"}`,
  },
  responses: {
    path: () => '/v1/responses',
    countPath: () => '/v1/responses/input_tokens',
    body: (model, turns) => `{"model":"${model}","max_output_tokens":16,"store":false,"input":[${turns}]}`,
    turn: (text) => `{"role":"user","content":"${text}"}`,
  },
  messages: {
    path: () => '/v1/alt/v1/messages',
    countPath: () => '/v1/alt/v1/messages/count_tokens',
    body: (model, turns) => `{"model":"${model}","max_tokens":5,"messages":[${turns}]}`,
    turn: (text) => `{"role":"user","content":"${text}"}`,
  },
  gemini: {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    countPath: (model) => `/v1beta/models/${model}:countTokens`,
    body: (_, turns) => `{"contents":[${turns}]}`,
    turn: (text) => `{"role":"user","parts":[{"text":"${text}"}]}`,
  },
}

const megabyte = 1_000_000
const prose = 'As they say, all that glitters is not gold. '

/** Turns with about this many bytes, by content. */
const contents: Readonly<Record<string, (shape: Shape) => string>> = {
  prose: ({ turn }) => turn(prose.repeat(megabyte / prose.length)),
  escapes: ({ turn }) => turn('\\u0041\\u0062'.repeat(megabyte / 12)),
  'tiny messages': ({ turn }) => Array.from({ length: 15_000 }, () => turn('a')).join(','),
}

function ask(account: TestAccount, path: string, body: Buffer | string): Promise<Answer> {
  return send(gate.origin, { path, headers: bearer(account.key), body: Buffer.from(body) })
}

const formats = Object.keys(shapes)

for (const [at, format] of formats.entries()) {
  const shape = shapes[format]!
  // Each format is reached from itself and from another one.
  const reached = isWholeRun ? formats : [format, formats[(at + 1) % formats.length]!]
  test(`${format}: large requests are read, translated and bounded in other threads`, async () => {
    for (const to of reached) {
      const model = `sandbox-${to}-echo`
      const rejected = async (turns: string): Promise<void> => {
        const { status, text } = await ask(poor, shape.path(model), shape.body(model, turns))
        assert.equal(status, 402, text)
      }
      // A small request is processed here, once its code is loaded.
      await rejected(shape.turn('a'))
      const smallCalls = await calls.count(workFolders, () => rejected(shape.turn('a')))
      for (const [what, turns] of Object.entries(contents)) {
        const largeCalls = await calls.count(workFolders, () => rejected(turns(shape)))
        // Text is skipped, so that reading it takes as much work as a small request.
        const callsMax = what === 'prose' ? smallCalls * 1.1 : smallCalls / 2
        assert.ok(largeCalls < callsMax, `${what} to ${to}: ${largeCalls} calls, a small one ${smallCalls}`)
      }
    }
  })

  test(`${format}: a large request is answered like a small one, and counted`, async () => {
    for (const to of reached) {
      const model = `sandbox-${to}-echo`
      const text = `${prose.repeat(10_000)}the end`
      const answer = await ask(rich, shape.path(model), shape.body(model, shape.turn(text)))
      assert.equal(answer.status, 200, `${to}: ${answer.text.slice(0, 300)}`)
      assert.match(answer.text, /As they/)
      if (shape.countPath === null) continue
      for (const account of [rich, poor]) {
        const counted = await ask(account, shape.countPath(model), shape.body(model, shape.turn(text)))
        assert.equal(counted.status, 200, `${to}: ${counted.text.slice(0, 300)}`)
        assert.match(String(counted.headers['x-tollgate-tokens']), /reported|estimated/)
      }
    }
  })

  test(`${format}: what is rejected in a small request is rejected in a large one, with the same message`, async () => {
    const model = 'sandbox-echo'
    const large = shape.turn(prose.repeat(10_000))
    const small = shape.turn('a')
    for (const broken of [',{}]', ',{"role":7}', '']) {
      const [one, other] = await Promise.all(
        [small, large].map((turns) =>
          ask(rich, shape.path(model), `${shape.body(model, turns).slice(0, -2)}${broken}`),
        ),
      )
      assert.equal(one?.status, 400)
      assert.equal(other?.status, 400)
      const plain = (text = '') => text.replace(/req_\w+|at byte \d+/g, '')
      assert.equal(plain(other?.text), plain(one?.text))
    }
  })
}

test('the memory of every body is released', () => {
  assert.equal(gate.gateway.deps.bodies.used, 0)
  assert.ok(limitDefaults.bodyThreadBytesMin < prose.length * 10_000)
})
