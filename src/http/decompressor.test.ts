/** Compressed bodies that wait for a decoder: accounts take turns, and none waits for a body that fails. */
import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { edgeLimits } from '../../test/support/http-edge.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { SharedBudget } from '../base/shared-budget.ts'
import { Decompressor } from './decompressor.ts'

test('accounts take turns, and all memory is given back', async () => {
  const budget = new SharedBudget<never>(64 * 1024 * 1024, {})
  const reader = { allowance: budget.allowance({}), clock: manualClock(), limits: edgeLimits }
  const decompressor = new Decompressor()
  const ended: bigint[] = []
  const read = async (account: bigint, bytes: Uint8Array): Promise<string> => {
    const request = new IncomingMessage(new Socket())
    request.headers['content-length'] = String(bytes.length)
    request.headers['content-encoding'] = 'gzip'
    const client = { gone: false, sendContinue: () => {} }
    const reading = decompressor.read(account, reader, request, client)
    request.push(bytes)
    const outcome = await reading
    ended.push(account)
    if (outcome.kind !== 'body') return outcome.kind
    const { length } = outcome.bytes
    outcome.drop()
    return `${length} bytes`
  }
  const whole = gzipSync(Buffer.alloc(900_000, 'x'))
  const many = Array.from({ length: 8 }, (_, index) => read(1n, index % 2 === 0 ? whole : Buffer.from('x')))
  const one = read(2n, whole)
  assert.equal(await one, '900000 bytes')
  assert.deepEqual(new Set(await Promise.all(many)), new Set(['900000 bytes', 'corrupt']))
  assert.ok(ended.indexOf(2n) < 5, `account 2 was number ${ended.indexOf(2n)}`)
  assert.equal(budget.used, 0)
})
