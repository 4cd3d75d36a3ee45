/** The names of a host's models: requested with the credential at one URL, bounded, in the shapes that hosts use. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { systemClock } from '../base/clock.ts'
import { listHostModels, testCredential } from './host-models.ts'
import { connectorOf } from './registry.ts'
import { openSender } from './send.ts'

let answers: (response: ServerResponse) => void
const seen: string[] = []
const server = createServer((request, response) => {
  seen.push(
    `${request.method} ${request.url} ${request.headers.authorization ?? request.headers['x-goog-api-key']}`,
  )
  answers(response)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const limits = {
  ...{ connectMs: 5_000, socketsPerOriginMax: 9, idleSocketMs: 1_000, upstreamHeaderBytesMax: 9_999 },
  ...{ tokenRequestMs: 1_000, tokenResponseBytesMax: 1_024, tokenRefreshMs: 1_000 },
  ...{ hostModelsMs: 60_000, hostModelsBytesMax: 1_000, hostModelsMax: 3, hostErrorBytesMax: 500 },
}
const sender = openSender({ limits, clock: systemClock })
after(async () => {
  await sender.close()
  server.close()
})

function asked(provider = 'openai', at = origin, hostModelsMs = limits.hostModelsMs) {
  const host = { origin: at, basePath: '/openai/v1', credential: 'ours', requestId: 'req_1' }
  return listHostModels(
    { sender, clock: systemClock, limits: { ...limits, hostModelsMs } },
    connectorOf(provider),
    host,
  )
}

const lists: readonly (readonly [what: string, body: unknown])[] = [
  ['as OpenAI says it', { object: 'list', data: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] }],
  ['as Google says it', { models: [{ name: 'models/a' }, { name: 'models/b' }] }],
  ['as a bare list', [{ id: 'a' }, null, 7, { id: 'with a space' }, { id: 'b' }]],
]

for (const [what, body] of lists) {
  test(`the list is read ${what}`, async () => {
    answers = (response) => response.end(JSON.stringify(body))
    const { names, problem } = await asked()
    assert.deepEqual([names, problem], [['a', 'b'], null])
  })
}

const problems: readonly (readonly [
  what: string,
  answer: (response: ServerResponse) => void,
  problem: RegExp,
])[] = [
  ['a wrong credential', (response) => response.writeHead(401).end(), /rejected the API key/],
  ['no list', (response) => response.writeHead(404).end(), /Check the path/],
  [
    'a redirect',
    (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    /not followed/,
  ],
  ['words', (response) => response.end('<html>'), /not a model list/],
  ['another JSON', (response) => response.end('{"data":7}'), /not a model list/],
  ['too much', (response) => response.end(' '.repeat(5_000)), /too long/],
  ['silence', () => undefined, /in time/],
]

for (const [what, answer, problem] of problems) {
  test(`${what} is reported in our words`, async () => {
    answers = answer
    // A request may arrive after its time is up, and would be taken for one of the next test.
    const arrived = once(server, 'request')
    const found = await asked('openai', origin, what === 'silence' ? 50 : limits.hostModelsMs)
    await arrived
    assert.deepEqual(found.names, [])
    assert.match(found.problem ?? '', problem)
  })
}

test('it is asked once, at its own address, with its own credential, for no more names than the limit', async () => {
  seen.length = 0
  answers = (response) => response.end(JSON.stringify({ data: ['a', 'b', 'c', 'd'].map((id) => ({ id })) }))
  assert.equal((await asked()).names.length, limits.hostModelsMax)
  await asked('google')
  assert.deepEqual(seen, ['GET /openai/v1/models Bearer ours', 'GET /openai/v1/models?pageSize=1000 ours'])
  assert.match((await asked('openai', 'http://127.0.0.1:1')).problem ?? '', /Could not connect/)
})

function tested(provider = 'openai', at = origin, hostModelsMs = limits.hostModelsMs) {
  return testCredential(
    { sender, clock: systemClock, limits: { ...limits, hostModelsMs } },
    connectorOf(provider),
    { origin: at, basePath: '', credential: 'ours', requestId: 'req_1' },
  )
}

const list = JSON.stringify({ data: [{ id: 'a' }] })

/** Accepts the credential `ours` alone, as providers do. */
function guarded(status: number, words: string): typeof answers {
  return (response) => {
    const isOurs = seen.at(-1)?.endsWith('ours') === true
    if (isOurs) response.end(list)
    else response.writeHead(status).end(words)
  }
}

test('a credential is accepted where the list needs one', async () => {
  answers = guarded(401, '')
  assert.equal((await tested()).credential, 'accepted')
})

test('a public list proves nothing', async () => {
  answers = (response) => response.end(list)
  assert.equal((await tested()).credential, 'untested')
})

const rejections: readonly (readonly [provider: string, status: number, body: string, message: string])[] = [
  [
    'openai',
    401,
    '{"error":{"message":"Incorrect API key provided: ours.","code":"invalid_api_key"}}',
    'Incorrect API key provided: ….',
  ],
  [
    'anthropic',
    401,
    '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
    'invalid x-api-key',
  ],
  [
    'google',
    400,
    '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]',
    'API key not valid. Please pass a valid API key.',
  ],
]

for (const [provider, status, body, message] of rejections) {
  test(`${provider} rejects a credential in its own words, without the credential`, async () => {
    answers = (response) => response.writeHead(status).end(body)
    const { credential, hostMessage } = await tested(provider)
    assert.deepEqual([credential, hostMessage], ['rejected', message])
  })
}

/** Hosts without a list, with the response of each to an empty request with a valid and an invalid credential. */
const withoutList: readonly (readonly [
  provider: string,
  path: string,
  invalid: readonly [status: number, body: string],
  valid: readonly [status: number, body: string],
])[] = [
  [
    'bedrock',
    '/openai/v1/chat/completions',
    [403, '{"Message":"The security token included in the request is invalid."}'],
    [400, '{"message":"model is required"}'],
  ],
  [
    'vertex',
    '/v1/publishers/google/models/credential-test:generateContent',
    [400, '{"error":{"code":400,"status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}'],
    [404, '{"error":{"code":404,"status":"NOT_FOUND","message":"no such model"}}'],
  ],
  [
    'zai',
    '/api/paas/v4/chat/completions',
    [401, '{"error":{"code":"1000","message":"Authentication Failed"}}'],
    [400, '{"error":{"code":"1210","message":"model"}}'],
  ],
]

for (const [provider, path, invalid, valid] of withoutList) {
  test(`${provider} has no list: an empty request tests the credential, and costs nothing`, async () => {
    const reply =
      (onlyOurs: boolean): typeof answers =>
      (response) => {
        const isOurs = onlyOurs && seen.at(-1)?.endsWith('ours') === true
        const [status, body] = isOurs ? valid : invalid
        response.writeHead(status, { 'content-type': 'application/json' }).end(body)
      }
    seen.length = 0
    answers = reply(true)
    const accepted = await tested(provider)
    assert.deepEqual([accepted.credential, accepted.names], ['accepted', []])
    assert.ok(seen.every((request) => request.startsWith(`POST ${path} `)) && seen.length === 2, seen.join())
    answers = reply(false)
    assert.equal((await tested(provider)).credential, 'rejected')
  })
}

test('an empty request whose error is the same with any credential proves nothing', async () => {
  for (const [status, body] of [
    [400, '{"message":"model is required"}'],
    [429, '{"message":"slow down"}'],
    [500, ''],
    [402, '{"message":"no balance"}'],
  ] as const) {
    answers = (response) => response.writeHead(status).end(body)
    assert.equal((await tested('bedrock')).credential, 'untested', String(status))
  }
})

test('a page, a long answer and silence after a rejection are bounded', async () => {
  answers = (response) => response.writeHead(403).end(`<html>${' '.repeat(5_000)}`)
  assert.deepEqual([(await tested()).credential, (await tested()).hostMessage], ['rejected', null])
  answers = (response) => void response.writeHead(401).write('{"error":')
  assert.equal((await tested('openai', origin, 50)).credential, 'rejected')
})

test('a redirect is not followed, and an address where nothing answers is unreachable', async () => {
  seen.length = 0
  answers = (response) => response.writeHead(307, { location: `${origin}/elsewhere` }).end()
  assert.equal((await tested()).credential, 'untested')
  assert.equal(seen.length, 1)
  assert.equal((await tested('openai', 'http://127.0.0.1:1')).credential, 'unreachable')
})
