/** Bodies and connections that are held open do not block paying clients, even when many share one address. */
import assert from 'node:assert/strict'
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
import { mainThreadWaitMs } from '../support/process-cost.ts'

const attacker = new URL('./bodies-that-do-not-end.ts', import.meta.url)
let gateway: AttackedGateway

before(async () => {
  gateway = await attackedGateway({
    // A quarter of the connections is more than the company below needs.
    // Load is shed by how late timers are, and requests by how late the database is, which other programs on the machine cause too.
    yaml: 'limits: { requestsPerMinute: none, tokensPerMinute: none, concurrent: 200, connectionsMax: 4400 }',
    fixed: { eventLoopDelayMsMax: 60_000, storeWaitMs: 60_000 },
  })
})
after(() => gateway.end())

test('17 bodies of 32 MiB less one byte from an account that pays', async (context) => {
  const { port } = gateway
  const neighbor = await gateway.account('10')
  const { key } = await gateway.account('10')
  const values = {
    ...{ connections: 17, bytes: 32 * 1024 * 1024, path: '/v1/chat/completions' },
    key,
  }
  const measured = await measureUnderAttack({
    neighbor: payingNeighbor(port, neighbor.key),
    attack: () => startAttack(attacker, { port, values }),
  })
  context.diagnostic(describeMeasured(measured))
  assertUnharmed(measured)
})

/** Addresses of loopback other than 127.0.0.1 count as networks of their own. */
const company = '127.0.0.66'

test('a company behind one address: 1,000 concurrent requests with ten keys', async () => {
  const accounts = await Promise.all(Array.from({ length: 10 }, () => gateway.account('10')))
  const people = accounts.map(({ key }) => payingNeighbor(gateway.port, key, { from: company }))
  const asked = people.flatMap((person) => Array.from({ length: 100 }, () => person.ask()))
  assert.deepEqual(new Set(await Promise.all(asked)), new Set([undefined]))
})

test('a company behind one address: concurrent large bodies from several accounts', async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => gateway.account('10')))
  const url = `data:image/png;base64,${'A'.repeat(8 * 1024 * 1024)}`
  const content = [{ type: 'image_url', image_url: { url } }]
  const body = JSON.stringify({
    ...{ model: 'sandbox-slow', max_tokens: 64 },
    messages: [{ role: 'user', content: [{ type: 'text', text: 'delay=500' }, ...content] }],
  })
  const people = accounts.map(({ key }) => payingNeighbor(gateway.port, key, { from: company, body }))
  const asked = people.flatMap((person) => Array.from({ length: 4 }, () => person.ask()))
  assert.deepEqual(new Set(await Promise.all(asked)), new Set([undefined]))
})

test('4,500 silent connections from one network', async (context) => {
  const { key } = await gateway.account('10')
  const idle = new URL('./connections-that-say-nothing.ts', import.meta.url)
  const values = { connections: 4_500, attempts: 4_600, from: '127.0.0.67' }
  const measured = await measureUnderAttack({
    neighbor: payingNeighbor(gateway.port, key, { from: company }),
    attack: () => startAttack(idle, { port: gateway.port, values }),
    waitedMs: () => mainThreadWaitMs(gateway.server.pid) + mainThreadWaitMs(process.pid),
  })
  context.diagnostic(describeMeasured(measured))
  assertUnharmed(measured)
})
