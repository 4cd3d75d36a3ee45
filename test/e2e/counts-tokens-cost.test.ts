/**
 * The CPU time of counting tokens of hostile text, measured in this process and compared with ordinary text.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitDefaults } from '../../src/config/config.ts'
import { bearer, send } from '../support/bytes-client.ts'
import { testGateway } from '../support/gateway.ts'

/** Processor time of all threads of this process. */
async function cpuMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

test('hostile text costs less CPU time than the deadline allows, or about as much as ordinary text', async (context) => {
  // A busy machine needs time to start the token-counting thread.
  const gate = await testGateway({ limits: { countMs: 60_000 } })
  const account = await gate.account('0.01')
  const bytes = 2 * 1024 * 1024
  const prose = 'As they say, all that glitters is not gold. '
  const ask = (text: string) => async () => {
    const messages = [{ role: 'user', content: text }]
    const answer = await send(gate.origin, {
      path: '/v1/messages/count_tokens',
      headers: bearer(account.key),
      body: { model: 'sandbox-chat-echo', messages },
    })
    assert.equal(answer.headers['x-tollgate-tokens'], 'estimated', answer.text)
  }
  await ask(prose)()
  const honest = await cpuMs(ask(prose.repeat(bytes / prose.length)))
  for (const hostile of ['a', ' ', '\u0301', '\\', '9']) {
    const spent = await cpuMs(ask(hostile.repeat(bytes / Buffer.byteLength(hostile))))
    context.diagnostic(`${JSON.stringify(hostile)}: ${Math.round(spent)} ms, prose: ${Math.round(honest)} ms`)
    assert.ok(spent < Math.max(limitDefaults.countMs, 10 * honest), JSON.stringify(hostile))
  }
  await gate.close()
})
