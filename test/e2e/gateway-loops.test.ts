/** Gateways that are upstreams of each other or of themselves: requests end with an error, and nothing is charged. */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { asking, controlOf, personActor } from '../support/operators.ts'

interface Place {
  readonly gateway: TestGateway
  readonly account: TestAccount
}

const metricsToken = 'read-the-metrics'
const closing: (() => Promise<void> | void)[] = []
after(async () => {
  for (const close of closing) await close()
})

async function place(hopsMax?: number): Promise<Place> {
  const gateway = await testGateway({ metricsToken, limits: hopsMax === undefined ? {} : { hopsMax } })
  closing.push(() => gateway.close())
  return { gateway, account: await gateway.account('5') }
}

const model = {
  ...{ model: 'through/small', upstreamModel: 'through/small' },
  ...{ contextTokens: 8_192, outputTokensMax: 1_024 },
  price: { input: '1', output: '1' },
}

/** Gives the first gateway an upstream of this name and kind, with a model of the name `through/…` at it. */
async function connect(
  from: Place,
  to: { readonly url: string; readonly key: string },
  provider = 'tollgate',
) {
  const operator = asking(controlOf(from.gateway), personActor('ada', { operator: true }))
  const formats = provider === 'custom' ? { formats: ['openai-chat', 'anthropic'] } : {}
  const upstream = { upstream: 'through', provider, url: to.url, credential: to.key, ...formats }
  await operator.done('upstreams.put', upstream)
  await operator.done('models.add', model)
}

const at = ({ gateway, account }: Place) => ({ url: gateway.origin, key: account.key })

function ask({ gateway, account }: Place, path: string, headers: Record<string, string> = {}) {
  const body = { model: 'through/small', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] }
  return fetch(gateway.origin + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

/** How many requests for models have ended at a gateway. */
async function requestsAt({ gateway }: Place): Promise<number> {
  const answer = await fetch(`${gateway.origin}/metrics`, {
    headers: { authorization: `Bearer ${metricsToken}` },
  })
  const counts = [...(await answer.text()).matchAll(/^tollgate_requests_total\{.*\} (\d+)$/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

async function isUntouched({ gateway, account }: Place): Promise<void> {
  const { posted, held, openHolds } = await gateway.balance(account.id)
  assert.deepEqual([posted, held, openHolds], [5_000_000_000n, 0n, 0])
}

interface Recorded {
  readonly url: string
  readonly seen: IncomingMessage['headers'][]
}

/** A host that answers every chat request, and records the headers. */
async function recordingHost(): Promise<Recorded> {
  const seen: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    seen.push(request.headers)
    request.resume().on('end', () => {
      const message = { role: 'assistant', content: 'hello' }
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          id: 'c-1',
          object: 'chat.completion',
          choices: [{ index: 0, message, finish_reason: 'stop' }],
          usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
        }),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

for (const provider of ['tollgate', 'custom']) {
  test(`a gateway that is its own upstream (${provider}) ends the request with an error`, async () => {
    const alone = await place()
    await connect(alone, at(alone), provider)
    const answer = await ask(alone, '/v1/chat/completions')
    const { error } = (await answer.json()) as { error: { code: string } }
    assert.deepEqual([answer.status, error.code], [508, 'gateway_loop'])
    assert.equal(answer.headers.get('x-should-retry'), 'false')
    await isUntouched(alone)
    // The client's, three that were forwarded and allowed, and the one that was not.
    assert.equal(await requestsAt(alone), 5)
  })
}

test('two gateways that are upstreams of each other end the request, in every format', async () => {
  for (const path of ['/v1/chat/completions', '/v1/messages']) {
    const [first, second] = [await place(), await place()]
    await connect(first, at(second))
    await connect(second, at(first))
    const answer = await ask(first, path)
    const text = await answer.text()
    assert.equal(answer.status, 508, text)
    assert.match(text, /gateway_loop/)
    for (const one of [first, second]) await isUntouched(one)
    assert.deepEqual([await requestsAt(first), await requestsAt(second)], [3, 2])
  }
})

test('token counts do not loop either: they are estimated', async () => {
  const alone = await place()
  await connect(alone, at(alone))
  const answer = await ask(alone, '/v1/messages/count_tokens')
  assert.deepEqual([answer.status, answer.headers.get('x-tollgate-tokens')], [200, 'estimated'])
  assert.ok((await requestsAt(alone)) <= 5)
})

test('a chain of gateways works up to the limit, and the header of the last one counts all of them', async () => {
  const host = await recordingHost()
  const last = await place()
  await connect(last, { url: host.url, key: 'key-of-the-host' }, 'custom')
  const middle = await place()
  await connect(middle, at(last))
  const first = await place()
  await connect(first, at(middle))
  const answer = await ask(first, '/v1/chat/completions')
  assert.equal(answer.status, 200, await answer.text())
  assert.equal(host.seen.at(-1)?.['x-tollgate-hops'], '3')
})

test('a client that sends the header itself does not take a gateway behind this one out of rotation', async () => {
  const host = await recordingHost()
  const last = await place()
  await connect(last, { url: host.url, key: 'key-of-the-host' }, 'custom')
  const first = await place()
  await connect(first, at(last))
  const operator = asking(controlOf(first.gateway), personActor('ada', { operator: true }))
  for (let sent = 0; sent < 3; sent += 1) {
    const answer = await ask(first, '/v1/chat/completions', { 'x-tollgate-hops': '3' })
    assert.equal(answer.status, 508, await answer.text())
  }
  const [{ health, upstream } = assert.fail()] = (await operator.done('upstreams.list', {}))
    .filter(({ name }) => name === 'through')
    .map(({ health, name: upstream }) => ({ health, upstream }))
  assert.deepEqual([upstream, health.state], ['through', 'healthy'])
  assert.equal((await ask(first, '/v1/chat/completions')).status, 200)
})

test('a loop through several offers is not multiplied at each gateway', async () => {
  const alone = await place()
  const operator = asking(controlOf(alone.gateway), personActor('ada', { operator: true }))
  const { gateway, account } = alone
  const back = { provider: 'openai', url: `${gateway.origin}/v1`, credential: account.key }
  for (const upstream of ['first', 'second', 'third'])
    await operator.done('upstreams.put', { ...back, upstream, models: [{ model: 'through/small' }] })
  await operator.done('models.add', { ...model, provider: 'openai' })
  const answer = await ask(alone, '/v1/chat/completions')
  assert.equal(answer.status, 508, await answer.text())
  // The client's, and for each of its three attempts four that were forwarded.
  assert.equal(await requestsAt(alone), 13)
  await isUntouched(alone)
})

test("a client's value is counted, and invalid ones count as none", async () => {
  const host = await recordingHost()
  const alone = await place(1)
  await connect(alone, { url: host.url, key: 'key-of-the-host' }, 'custom')
  for (const [sent, forwarded] of [
    ['1', '2'],
    ['0, 1', '2'],
    ['-1', '1'],
    ['many', '1'],
  ] as const) {
    const answer = await ask(alone, '/v1/chat/completions', { 'x-tollgate-hops': sent })
    assert.equal(answer.status, 200, await answer.text())
    assert.equal(host.seen.at(-1)?.['x-tollgate-hops'], forwarded, sent)
  }
  const answer = await ask(alone, '/v1/chat/completions', { 'x-tollgate-hops': '2' })
  assert.equal(answer.status, 508)
})
