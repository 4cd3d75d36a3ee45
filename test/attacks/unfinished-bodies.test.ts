/** Bodies that are announced and never completed do not keep those who pay from being served. */
import { after, before, test } from 'node:test'
import {
  type AttackedGateway,
  assertUnharmed,
  attackedGateway,
  describeMeasured,
  measureUnderAttack,
  payingNeighbor,
  startAttack,
} from '../support/attacks.ts'

const attacker = new URL('./bodies-that-do-not-end.ts', import.meta.url)
let gateway: AttackedGateway

before(async () => {
  gateway = await attackedGateway({
    yaml: 'limits: { requestsPerMinute: none, tokensPerMinute: none }',
  })
})
after(() => gateway.end())

test('17 bodies of 32 MiB less one byte from an account without a balance', async (context) => {
  const { port } = gateway
  const neighbor = await gateway.account('10')
  const broke = await gateway.account('0')
  const values = {
    ...{ connections: 17, bytes: 32 * 1024 * 1024, path: '/v1/chat/completions' },
    key: broke.key,
  }
  const measured = await measureUnderAttack({
    neighbor: payingNeighbor(port, neighbor.key),
    attack: () => startAttack(attacker, { port, values }),
  })
  context.diagnostic(describeMeasured(measured))
  assertUnharmed(measured)
})
