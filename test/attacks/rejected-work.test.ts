/** Rejected requests count against the rate limit of their sender and do not slow down other clients. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import {
  type AttackedGateway,
  assertUnharmed,
  attackedGateway,
  describeMeasured,
  measureInTurn,
  measureUnderAttack,
  payingNeighbor,
  startAttack,
} from '../support/attacks.ts'
import { mainThreadWaitMs } from '../support/process-cost.ts'

const attacker = new URL('./rejected-work.ts', import.meta.url)
const perMinute = 30
let gateway: AttackedGateway

before(async () => {
  gateway = await attackedGateway({
    yaml: `limits: { requestsPerMinute: none, tokensPerMinute: none, requestsWithoutKeyPerMinute: ${perMinute} }`,
  })
})
after(() => gateway.end())

/** A key with its own rate limit, so that the neighbor has none. */
async function limitedKey(credit: string): Promise<string> {
  const { account } = await gateway.account(credit)
  const asked = { account, name: 'limited', limits: { requestsPerMinute: perMinute } }
  const { key } = await gateway.installation.ask('key.create', asked as never)
  return key
}

const attacks = [
  ['a balance, for an unknown model', () => limitedKey('1'), 'status404'],
  ['no valid key', () => Promise.resolve(['sk', 'tg', 'x'.repeat(40)].join('-')), 'status401'],
] as const

for (const [who, makeKey, rejected] of attacks) {
  test(`two connections with ${who}, as fast as they are answered`, async (context) => {
    const { port, server } = gateway
    const neighbor = await gateway.account('10')
    const values = { connections: 2, bytes: 256_000, path: '/v1/chat/completions', key: await makeKey() }
    const startedMs = systemClock.monoMs()
    let rejections = 0
    const measured = await measureUnderAttack({
      neighbor: payingNeighbor(port, neighbor.key),
      measure: measureInTurn,
      waitedMs: () => mainThreadWaitMs(server.pid) + mainThreadWaitMs(process.pid),
      async attack() {
        const running = await startAttack(attacker, { port, values })
        return {
          counts: running.counts,
          async stop() {
            await running.stop()
            rejections += running.counts()[rejected] ?? 0
          },
        }
      },
    })
    const line = describeMeasured(measured)
    context.diagnostic(line)
    assertUnharmed(measured)
    const { status429 = 0 } = measured.counts
    assert.ok(status429 > 0 && status429 <= 80, line)
    const minutes = 1 + Math.floor((systemClock.monoMs() - startedMs) / 60_000)
    assert.ok(rejections <= perMinute * minutes, `${rejections} were read or looked up in ${minutes} minutes`)
  })
}
