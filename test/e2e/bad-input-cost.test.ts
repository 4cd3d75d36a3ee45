/**
 * Hostile input is not amplified: rejecting it costs about as much CPU time as reading an ordinary
 * request of the same length, and a path costs in proportion to its length. Ratios within one run, no clock.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestAccount } from '../support/gateway.ts'
import {
  asking,
  type Format,
  goodBody,
  type HostileGateway,
  hostileGateway,
  pathOf,
} from '../support/hostile-gateway.ts'

const runs = 3

let gateway: HostileGateway
let account: TestAccount
before(async () => {
  gateway = await hostileGateway({
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrent: null },
  })
  account = await gateway.account('3')
})
after(async () => {
  await gateway.assertUntouched(account, '3')
  await gateway.assertServes()
  await gateway.end()
})

/** The minimum CPU time of a run (microseconds, all threads of the process). */
async function cost(ask: () => Promise<number>, expected: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run += 1) {
    const before = process.cpuUsage()
    const status = await ask()
    const { user, system } = process.cpuUsage(before)
    assert.equal(status, expected)
    least = Math.min(least, user + system)
  }
  return least
}

async function costOfBody(format: Format, body: string, expected: number): Promise<number> {
  const bytes = Buffer.from(body)
  const path = pathOf(format, unsoldModel)
  return cost(
    async () => (await gateway.post(format, bytes, { key: account.key, path }))?.status ?? 0,
    expected,
  )
}

/** Read to its end before its model is found to be unknown. */
const unsoldModel = 'no-such-model'

function unsold(format: Format, body: string): string {
  return body.replace(asking[format].model, unsoldModel)
}

/** A conversation of the same length that is read to its end before it is rejected. */
function honestBody(format: Format, length: number): string {
  const text = JSON.stringify('As they say, all that glitters is not gold. '.repeat(40))
  const content = format === 'gemini' ? `"parts":[{"text":${text}}]` : `"content":${text}`
  const message = `{"role":"user",${content}}`
  const count = Math.max(1, Math.floor(length / message.length))
  const messages = Array.from({ length: count }, () => message).join(',')
  return unsold(
    format,
    goodBody(format).replace(/\[\{.*\}\]/, () => `[${messages}]`),
  )
}

function many(count: number, piece: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join(',')
}

interface Hostile {
  readonly name: string
  readonly format: Format
  readonly body: string
  readonly status: number
  /** The maximum ratio to the ordinary request; quadratic work is thousands of times as expensive. */
  readonly ratioMax: number
}

const hostile: readonly Hostile[] = [
  {
    name: '1,000,000 empty messages',
    format: 'chat',
    body: `{"model":"a","messages":[${many(1_000_000, () => '{}')}]}`,
    status: 400,
    ratioMax: 20,
  },
  {
    name: '1,000,000 numbers for messages',
    format: 'messages',
    body: `{"model":"a","max_tokens":5,"messages":[${many(1_000_000, () => '1')}]}`,
    status: 400,
    ratioMax: 20,
  },
  { name: '5,000,000 levels', format: 'chat', body: '['.repeat(5_000_000), status: 400, ratioMax: 10 },
  {
    name: '120,000 tools at the provider',
    format: 'messages',
    body: goodBody('messages', `,"tools":[${many(120_000, () => '{"type":"search"}')}]`),
    status: 400,
    ratioMax: 50,
  },
  {
    name: '120,000 tools of the caller',
    format: 'messages',
    body: unsold('messages', goodBody('messages', `,"tools":[${many(120_000, () => '{"type":"custom"}')}]`)),
    status: 400,
    ratioMax: 100,
  },
  {
    name: '240,000 modalities',
    format: 'chat',
    body: goodBody('chat', `,"modalities":[${many(240_000, () => '"a"')}]`),
    status: 400,
    ratioMax: 100,
  },
  {
    name: '80,000 edits of the context',
    format: 'messages',
    body: goodBody(
      'messages',
      `,"context_management":{"edits":[${many(80_000, (at) => `{"type":"x${at}"}`)}]}`,
    ),
    status: 400,
    ratioMax: 100,
  },
  {
    name: '200,000 names in one object',
    format: 'chat',
    body: unsold('chat', goodBody('chat', `,${many(200_000, (at) => `"a${at}":1`)}`)),
    status: 400,
    ratioMax: 200,
  },
  {
    name: '60,000 pictures',
    format: 'chat',
    body: unsold(
      'chat',
      goodBody('chat').replace('"hello"', `[${many(60_000, () => '{"image_url":{"url":"data:,a"}}')}]`),
    ),
    status: 400,
    ratioMax: 100,
  },
  {
    name: 'blocks in blocks in blocks',
    format: 'messages',
    body: unsold(
      'messages',
      goodBody('messages').replace(
        '"hello"',
        `${'[{"content":'.repeat(20)}[${many(60_000, () => '{"type":"a"}')}]${'}]'.repeat(20)}`,
      ),
    ),
    status: 400,
    ratioMax: 100,
  },
  {
    name: '1,000,000 empty items',
    format: 'responses',
    body: `{"model":"a","input":[${many(1_000_000, () => '{}')}]}`,
    status: 400,
    ratioMax: 20,
  },
  {
    name: '60,000 tools at the provider',
    format: 'responses',
    body: unsold(
      'responses',
      goodBody('responses', `,"tools":[${many(60_000, () => '{"type":"web_search"}')}]`),
    ),
    status: 400,
    ratioMax: 100,
  },
  {
    name: '60,000 items that are named alone',
    format: 'responses',
    body: unsold(
      'responses',
      goodBody('responses').replace(/\[\{.*\}\]/, () => `[${many(60_000, (at) => `{"id":"msg_${at}"}`)}]`),
    ),
    status: 400,
    ratioMax: 100,
  },
  {
    name: '40,000 pictures among items',
    format: 'responses',
    body: unsold(
      'responses',
      goodBody('responses').replace(
        '"hello"',
        () => `[${many(40_000, () => '{"type":"input_image","image_url":"data:,a"}')}]`,
      ),
    ),
    status: 404,
    ratioMax: 100,
  },
  {
    name: 'namespaces in namespaces',
    format: 'responses',
    body: unsold(
      'responses',
      goodBody(
        'responses',
        `,"tools":[${'{"type":"namespace","tools":['.repeat(25)}${many(40_000, () => '{"type":"function"}')}${']}'.repeat(25)}]`,
      ),
    ),
    status: 404,
    ratioMax: 100,
  },
  {
    name: '1,000,000 empty contents',
    format: 'gemini',
    body: `{"contents":[${many(1_000_000, () => '{}')}]}`,
    status: 400,
    ratioMax: 20,
  },
  {
    name: '200,000 parts',
    format: 'gemini',
    body: `{"contents":[{"parts":[${many(200_000, () => '{}')}]}]}`,
    status: 400,
    ratioMax: 100,
  },
  {
    name: '100,000 tools',
    format: 'gemini',
    body: goodBody('gemini', `,"tools":[${many(100_000, () => '{"googleSearch":{}}')}]`),
    status: 400,
    ratioMax: 100,
  },
  {
    name: '100,000 kinds of output',
    format: 'gemini',
    body: goodBody('gemini', `,"generationConfig":{"responseModalities":[${many(100_000, () => '"TEXT"')}]}`),
    status: 400,
    ratioMax: 100,
  },
  {
    name: '100,000 names in its settings',
    format: 'gemini',
    body: goodBody('gemini', `,"generationConfig":{${many(100_000, (at) => `"a${at}":1`)}}`),
    status: 400,
    ratioMax: 200,
  },
  {
    name: '30,000 pictures',
    format: 'gemini',
    body: goodBody('gemini').replace('{"text":"hello"}', () =>
      many(30_000, () => '{"inlineData":{"mimeType":"image/png","data":"aGk="}}'),
    ),
    status: 400,
    ratioMax: 100,
  },
  {
    name: 'a name of 500,000 escapes',
    format: 'chat',
    body: `{"model":"${'\\u0041'.repeat(500_000)}","messages":[]}`,
    status: 404,
    ratioMax: 20,
  },
]

for (const { name, format, body, status, ratioMax } of hostile) {
  test(`a body of ${name} costs little more than an ordinary one of its length`, async (t) => {
    const honest = await costOfBody(format, honestBody(format, body.length), 404)
    const spent = await costOfBody(format, body, status)
    const ratio = spent / honest
    t.diagnostic(`${ratio.toFixed(1)} times ${honest} µs`)
    assert.ok(ratio <= ratioMax, `${ratio.toFixed(1)} times the cost of an honest body`)
  })
}

/** Paths of the maximum length; each is checked without a key. */
const paths: readonly (readonly [name: string, path: string])[] = [
  ['slashes', `/${'/'.repeat(8_000)}x`],
  ['slashes behind a base', `/v1/${'/'.repeat(8_000)}x`],
  ['segments', `/v1${'/v1'.repeat(2_600)}`],
  ['escapes', `/v1/models/${'%41'.repeat(2_600)}`],
  ['broken escapes', `/v1/models/${'%c3'.repeat(2_600)}`],
  ['parameters', `/v1/x?${'key=a&'.repeat(1_300)}`],
  ['question marks', `/v1/x${'?key='.repeat(1_600)}`],
  ['dots', `/v1${'/..'.repeat(2_600)}`],
]

test('a path costs in proportion to its length', async (t) => {
  const requests = 20
  async function ask(path: string): Promise<number> {
    for (let sent = 0; sent < requests; sent += 1) {
      const answer = await gateway.raw(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
      assert.ok(answer !== undefined && answer.status >= 401 && answer.status <= 404, answer?.body)
    }
    return 0
  }
  const honest = await cost(() => ask(`/v1/${'x'.repeat(8_000)}`), 0)
  for (const [name, path] of paths) {
    const ratio = (await cost(() => ask(path), 0)) / honest
    t.diagnostic(`${name}: ${ratio.toFixed(1)} times ${honest} µs`)
    assert.ok(ratio <= 8, `${name}: ${ratio.toFixed(1)} times the cost of an honest address`)
  }
})
