/**
 * A hostile path is not amplified: rejecting it costs CPU time in proportion to its length. Ratios within one run, no clock;
 * test/conformance/expensive-requests.test.ts has the bodies.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestAccount } from '../support/gateway.ts'
import { type HostileGateway, hostileGateway } from '../support/hostile-gateway.ts'

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
