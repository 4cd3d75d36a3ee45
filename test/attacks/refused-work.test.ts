/** Requests that are refused take of the rate of who sends them, and keep nobody else from being served. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type AttackedGateway,
  attackedGateway,
  describeMeasured,
  measureUnderAttack,
  payingNeighbor,
  startAttack,
} from '../support/attacks.ts'

const attacker = new URL('./refused-work.ts', import.meta.url)
const perMinute = 30
let gateway: AttackedGateway

before(async () => {
  gateway = await attackedGateway({
    yaml: `limits: { requestsPerMinute: none, tokensPerMinute: none, requestsWithoutKeyPerMinute: ${perMinute} }`,
  })
})
after(() => gateway.end())

/** A key with a rate of its own, so that the neighbor has none. */
async function limitedKey(credit: string): Promise<string> {
  const { account } = await gateway.account(credit)
  const asked = { account, name: 'limited', limits: { requestsPerMinute: perMinute } }
  const { key } = await gateway.installation.ask('key.create', asked as never)
  return key
}

const attacks = [
  ['a balance, for a model that nobody sells', () => limitedKey('1'), 'status404'],
  ['no balance', () => limitedKey('0'), 'status402'],
  ['no valid key', () => Promise.resolve(['sk', 'tg', 'x'.repeat(40)].join('-')), 'status401'],
] as const

for (const [who, makeKey, refused] of attacks) {
  test(`two connections with ${who}, as fast as they are answered`, async (context) => {
    const { port } = gateway
    const neighbor = await gateway.account('10')
    const values = { connections: 2, bytes: 256_000, path: '/v1/chat/completions', key: await makeKey() }
    let refusals = 0
    const measured = await measureUnderAttack({
      neighbor: payingNeighbor(port, neighbor.key),
      rounds: 2,
      async attack() {
        const running = await startAttack(attacker, { port, values })
        return {
          counts: running.counts,
          async stop() {
            await running.stop()
            refusals += running.counts()[refused] ?? 0
          },
        }
      },
    })
    context.diagnostic(describeMeasured(measured))
    const line = describeMeasured(measured)
    assert.deepEqual(
      measured.attacked.flatMap(({ failures }) => failures),
      [],
      line,
    )
    // What the attack may cost is asserted by its pace: on a busy machine its few requests do not show in a p99.
    const { status429 = 0 } = measured.counts
    assert.ok(status429 > 0 && status429 <= 80, line)
    // The attack is begun anew for each round, and the rounds take minutes at most.
    assert.ok(refusals <= perMinute * 3, `${refusals} were read or looked up`)
  })
}
