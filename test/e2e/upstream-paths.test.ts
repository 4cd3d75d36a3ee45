/**
 * An upstream at another URL may have fewer paths than its provider: they are found out when it is added, and requests of
 * every format go to those that exist.
 */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { parseId } from '../../src/base/ids.ts'
import { receiptFor } from '../../src/control/requests.ts'
import { testGateway } from '../support/gateway.ts'
import { asking, personActor, servingControlOf } from '../support/operators.ts'

const servers: Server[] = []
const gate = await testGateway({ limits: { hostModelsMs: 5_000 } })
const control = servingControlOf(gate)
const operator = asking(control, personActor('ada', { operator: true }))
const account = await gate.account('5')
after(async () => {
  await gate.close()
  for (const server of servers) server.close()
})

interface Seen {
  readonly path: string
  readonly model: unknown
}

const key = ['key', 'of', 'the', 'mirror', '4'.repeat(8)].join('-')
const chatAnswer = {
  id: 'c-1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'from chat' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
}

/** A host that has some paths; a request without a model is rejected there. */
async function host(paths: readonly string[], rejection: readonly [status: number, message: string]) {
  const seen: Seen[] = []
  const state = { isBroken: false }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const path = request.url ?? ''
      const send = (status: number, body: object): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      }
      if (request.headers.authorization !== `Bearer ${key}`) return send(401, { error: { message: 'no' } })
      if (request.method === 'GET' && path.endsWith('/models')) {
        return send(200, { object: 'list', data: [{ id: 'gpt-5-mini' }] })
      }
      const { model } = JSON.parse(Buffer.concat(pieces).toString() || '{}') as { model?: unknown }
      seen.push({ path, model })
      if (state.isBroken || !paths.includes(path)) return send(404, { error: { message: 'Not Found' } })
      return model === undefined
        ? send(rejection[0], { error: { message: rejection[1] } })
        : send(200, chatAnswer)
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen, state }
}

const chatOnly = ['/v1/chat/completions']
const noModel = [400, 'you must provide a model parameter'] as const
const mirror = (url: string, upstream: string) => ({
  ...{ upstream, provider: 'openai', url, credential: key },
  models: [{ model: 'gpt-5-mini' }, { model: 'text-embedding-3-small' }],
})

async function ask(path: string, body: object): Promise<string> {
  const headers = { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' }
  const answer = await fetch(gate.origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return text
}

test('requests of every format go to the only path that a host has', async () => {
  const { url, seen } = await host(chatOnly, noModel)
  const found = await operator.done('upstreams.check', { ...mirror(url, 'chat-only'), testCredential: true })
  assert.deepEqual(
    found.paths.map(({ format, state, status: code }) => [format, state, code]),
    [
      ['openai-chat', 'found', 400],
      ['openai-responses', 'missing', 404],
      ['openai-embeddings', 'missing', 404],
    ],
  )
  assert.equal(found.paths[0]?.url, `${url}/chat/completions`)
  assert.equal(found.credential?.state, 'accepted')
  assert.deepEqual(found.notSold, [
    { model: 'text-embedding-3-small', reason: 'no upstream of OpenAI has an API format for it' },
  ])
  // What is saved is what was reviewed; the host is not asked again.
  seen.length = 0
  const made = await operator.done('upstreams.put', mirror(url, 'chat-only'))
  assert.deepEqual(seen, [])
  assert.deepEqual([made.formats, made.serves], [['openai-chat'], ['gpt-5-mini']])

  seen.length = 0
  const messages = [{ role: 'user', content: 'hello' }]
  const asked = { model: 'gpt-5-mini', max_tokens: 16, messages }
  assert.match(await ask('/v1/messages', asked), /from chat/)
  assert.match(await ask('/v1/responses', { model: 'gpt-5-mini', input: 'hello' }), /from chat/)
  assert.match(await ask('/v1/chat/completions', asked), /from chat/)
  assert.deepEqual(
    seen.map(({ path }) => path),
    ['/v1/chat/completions', '/v1/chat/completions', '/v1/chat/completions'],
  )
  // A change of something else asks again, and keeps what it finds.
  const { credential: _kept, ...same } = mirror(url, 'chat-only')
  seen.length = 0
  const changed = await operator.done('upstreams.put', { ...same, weight: 2 })
  assert.equal(seen.length, 3)
  assert.deepEqual([changed.weight, changed.formats], [2, ['openai-chat']])
  const tested = await operator.done('upstreams.test', { upstream: 'chat-only' })
  assert.deepEqual(
    tested.paths.map(({ format, state }) => [format, state]),
    [['openai-chat', 'found']],
  )
  await operator.done('upstreams.remove', { upstream: 'chat-only' })
})

test('a status 404 about the model is not one about the path', async () => {
  const { url } = await host([...chatOnly, '/v1/responses', '/v1/embeddings'], [404, 'The model is unknown'])
  const made = await operator.done('upstreams.put', mirror(url, 'says-404'))
  assert.deepEqual([made.formats, made.serves], [null, ['gpt-5-mini', 'text-embedding-3-small']])
  await operator.done('upstreams.remove', { upstream: 'says-404' })
})

test('a URL that has none of the paths is saved only on request', async () => {
  const { url } = await host([], noModel)
  const asked = mirror(url, 'no-path')
  const { code, message, param } = await operator.rejected('upstreams.put', asked)
  assert.deepEqual([code, param], ['upstream_test_failed', 'url'])
  assert.ok(message.includes(`POST ${url}/responses (HTTP 404)`), message)
  const made = await operator.done('upstreams.put', { ...asked, saveAnyway: true })
  assert.equal(made.formats, null)
  await operator.done('upstreams.remove', { upstream: 'no-path' })
})

test('administrators see what was sent where and what the provider said; customers do not', async () => {
  const { url, state } = await host(chatOnly, noModel)
  await operator.done('upstreams.put', mirror(url, 'broken-later'))
  state.isBroken = true
  const asked = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'hello' }] }
  const headers = { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${gate.origin}/v1/chat/completions`, {
    ...{ method: 'POST', headers, body: JSON.stringify(asked) },
  })
  assert.equal(answer.status, 503)
  assert.equal(answer.headers.get('retry-after'), null)
  const text = await answer.text()
  assert.doesNotMatch(text, /notified|Not Found|127\.0\.0\.1/)
  const request = `POST ${url}/chat/completions`
  const failed = (await operator.done('upstreams.list', {})).find(({ name }) => name === 'broken-later')
  assert.equal(failed?.health.failing, true)
  assert.equal(
    failed?.health.lastError,
    `The upstream does not have this path or model. ${request} returned HTTP 404. The provider says: “Not Found”`,
  )
  const id = answer.headers.get('x-request-id') ?? ''
  const receipt = await operator.done('request.show', { request: id })
  const [attempt] = receipt.attempts
  assert.deepEqual([attempt?.request, attempt?.status, attempt?.message], [request, 404, 'Not Found'])
  const row = await gate.gateway.services.ledger.receipt(parseId('req', id) ?? 0n)
  assert.ok(row !== undefined)
  const shown = receiptFor(personActor('customer'), control, row)
  assert.ok(!JSON.stringify(shown.attempts).includes('127.0.0.1'))
  await operator.done('upstreams.remove', { upstream: 'broken-later' })
})

test('a provider that is gone: the client learns what to do, pays nothing, and the upstream is not called healthy', async () => {
  const { url } = await host(chatOnly, noModel)
  await operator.done('upstreams.put', mirror(url, 'gone'))
  const server = servers.at(-1)
  await new Promise((resolve) => {
    server?.close(resolve)
    server?.closeAllConnections()
  })
  const before = await gate.gateway.services.ledger.account(account.id)
  const answer = await fetch(`${gate.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'hello' }] }),
  })
  assert.equal(answer.status, 502)
  assert.match(
    await answer.text(),
    /The provider could not be reached\. Nothing was charged\. Try again, or use another model\./,
  )
  assert.equal((await gate.gateway.services.ledger.account(account.id))?.posted, before?.posted)
  const listed = await operator.done('upstreams.list', {})
  const health = listed.find(({ name }) => name === 'gone')?.health
  assert.ok(health?.state === 'failing' || health?.state === 'cooling', health?.state)
  assert.match(health.lastError ?? '', /got no response/)
  await operator.done('upstreams.remove', { upstream: 'gone' })
})
