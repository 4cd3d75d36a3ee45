/**
 * One key or account cannot use up the memory that all share: at its share it is rejected in its caller's format, and
 * others are served.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  asking,
  formats,
  goodBody,
  type HostileGateway,
  headerOf,
  hostileGateway,
  readRejection,
} from '../support/hostile-gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { RawClient } from '../support/raw-client.ts'

const budgetBytes = 1024 * 1024
/** Just below the share of a key: while a body is copied into its whole buffer, its first piece counts too. */
const heldBytes = budgetBytes / 2 - 64 * 1024
let gateway: HostileGateway

before(async () => {
  gateway = await hostileGateway({ limits: { bodyBudgetBytes: budgetBytes } })
})
after(() => gateway.end())

/** A valid body of about this many bytes. */
const bodyOf = (format: (typeof formats)[number], bytes: number) =>
  goodBody(format) + ' '.repeat(bytes - goodBody(format).length)

for (const format of formats) {
  test(`${format}: a key at its share gets an error, and others are served`, async () => {
    const account = await gateway.account('5')
    const other = await gateway.account('5')
    const { bodies } = gateway.gateway.deps
    const body = bodyOf(format, heldBytes)
    const { path, keyHeader } = asking[format]
    const held = new RawClient(gateway.port)
    held.send(
      `POST ${path} HTTP/1.1\r\nHost: a\r\n${keyHeader(account.key)}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    held.send(body.slice(0, -1))
    await eventually(
      'all but one byte is held',
      () => bodies.used,
      (taken) => taken >= heldBytes - 8_192,
    )
    const rejected = await gateway.post(format, bodyOf(format, 100_000), { key: account.key })
    assert.ok(rejected !== undefined)
    const { status, code, message } = readRejection(format, rejected)
    assert.deepEqual([status, code], [429, 'concurrency_limited'], message)
    assert.match(message, /request bodies of this key/)
    assert.equal(headerOf(rejected, 'retry-after'), '1')
    // Small bodies use no shared memory.
    const small = await gateway.post(format, goodBody(format), { key: account.key })
    assert.equal(small?.status, 200, small?.body)
    const others = await gateway.post(format, bodyOf(format, 100_000), { key: other.key })
    assert.equal(others?.status, 200, others?.body)
    held.send(body.slice(-1))
    assert.equal((await held.answer())?.status, 200)
    held.close()
    await eventually(
      'nothing is held',
      () => bodies.used,
      (taken) => taken === 0,
    )
    assert.equal(bodies.holders, 0)
  })
}
