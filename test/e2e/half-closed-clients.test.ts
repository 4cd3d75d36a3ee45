/**
 * Clients that send a whole request, close their sending side and wait: they get their response and pay for it like
 * others; those that then disconnect stop the upstream, and those without funds leave nothing behind.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dialectClients } from '../support/dialect-clients.ts'
import type { TestAccount } from '../support/gateway.ts'
import { eventually, meteredGateway, upstreamNames } from '../support/metered-gateway.ts'
import { contentEvents } from '../support/paying-client.ts'
import { RawClient } from '../support/raw-client.ts'

const gate = await meteredGateway({ limits: { requestsPerMinute: null, concurrent: null } })
after(() => gate.end())
const port = Number(new URL(gate.origin).port)

interface Asked {
  readonly path: string
  readonly keyHeader: string
  readonly body: object
}

/** Sends the whole request, and then FIN. */
function askHalfClosed({ key }: Pick<TestAccount, 'key'>, { path, keyHeader, body }: Asked): RawClient {
  const client = new RawClient(port)
  const bytes = Buffer.from(JSON.stringify(body))
  const secret = keyHeader === 'authorization' ? `Bearer ${key}` : key
  client.send(
    `POST ${path} HTTP/1.1\r\nHost: gateway.test\r\n${keyHeader}: ${secret}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`,
  )
  client.send(bytes)
  client.socket.end()
  return client
}

function chat(settings: string, more: object = {}): Asked {
  const messages = [{ role: 'user', content: settings }]
  const body = { model: 'chat-stream', max_tokens: 2_000, stream: true, messages, ...more }
  return { path: '/v1/chat/completions', keyHeader: 'authorization', body }
}

for (const [index, client] of dialectClients.entries()) {
  test(`${client.format}: a half-closed client gets its response, streamed and whole, and pays for it`, async () => {
    for (const stream of [true, false]) {
      const account = await gate.account('1')
      const model = `${upstreamNames[index]}-stream`
      const raw = askHalfClosed(account, {
        path: client.path(model, stream),
        keyHeader: client.keyHeader,
        body: client.body(model, 'tokens=12 delay=60', stream),
      })
      const answer = await raw.answer()
      assert.equal(answer?.status, 200, answer?.body)
      if (stream) assert.match(answer.body, client.finishes)
      await raw.untilClosed()
      const receipt = await gate.receiptOf(account)
      assert.deepEqual([receipt.endReason, receipt.usageSource], ['complete', 'reported'])
      const meter = gate.sandbox.requestLog().at(-1)
      assert.equal(meter?.outcome, 'complete')
      assert.equal(receipt.output, meter?.outputTokens)
    }
  })
}

test('half-closed clients are rejected like any other', async () => {
  const account = await gate.account('1')
  const poor = await gate.account('0')
  const cases = [
    [{ key: 'sk-nobody' }, chat('tokens=2'), 401],
    [poor, chat('tokens=2'), 402],
    [account, chat('tokens=2', { model: 'no-such-model' }), 404],
    [account, { ...chat('tokens=2'), path: '/v1/nowhere' }, 404],
  ] as const
  for (const [caller, asked, status] of cases) {
    const raw = askHalfClosed(caller, asked)
    assert.equal((await raw.answer())?.status, status)
    await raw.untilClosed()
  }
})

for (const [moment, settings, contents] of [
  ['before any content', 'tokens=5 delay=60000', 0],
  ['in the midst of a stream', 'tokens=2000 rate=100', 20],
] as const) {
  test(`a half-closed client that disconnects ${moment}: the upstream is stopped, and what was delivered is charged`, async () => {
    const account = await gate.account('1')
    const before = gate.sandbox.requests()
    const raw = askHalfClosed(account, chat(settings))
    await eventually(
      'the request reaches the upstream',
      () => gate.sandbox.requests(),
      (count) => count > before,
    )
    let text = ''
    raw.socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
    })
    await eventually(
      'the content comes',
      () => contentEvents(text),
      (count) => count >= contents,
    )
    raw.close()
    const receipt = await gate.receiptOf(account)
    assert.equal(receipt.endReason, 'client_abort')
    const { requestId } = gate.sandbox.requestLog().at(-1) ?? assert.fail('it was asked')
    const meter = await gate.sandbox.until(requestId, ({ outcome }) => outcome !== 'running')
    assert.equal(meter.outcome, 'client_gone')
    assert.ok(receipt.output >= contents && receipt.output <= meter.outputTokens)
    assert.ok(meter.outputTokens < 2_000)
  })
}

test('1,000 half-closed clients with a balance of 0 leave nothing behind', async () => {
  const poor = await gate.account('0')
  const { deps } = gate.gateway
  const requests = gate.sandbox.requests()
  const statuses = await Promise.all(
    Array.from({ length: 1_000 }, async () => {
      const raw = askHalfClosed(poor, chat('tokens=2'))
      const answer = await raw.answer()
      await raw.untilClosed()
      return answer?.status
    }),
  )
  assert.deepEqual([...new Set(statuses)], [402])
  assert.equal(gate.sandbox.requests(), requests)
  assert.equal(deps.inFlight.count, 0)
  assert.equal(deps.bodies.used, 0)
  assert.deepEqual(await gate.balance(poor.id), { posted: 0n, held: 0n, openHolds: 0 })
})
