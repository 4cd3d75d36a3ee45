/** How often a batch waits for the server, and that what it knew before is not what it counts by. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  admit,
  assertBalanced,
  newAccount,
  openProcess,
  type Process,
  settle,
} from '../../../test/support/postgres-processes.ts'
import { postgresIsMissing, runSql } from '../../../test/support/postgres-server.ts'
import { openTcpProxy } from '../../../test/support/tcp-proxy.ts'

/** No renewal of the lease in between. */
const lasting = { leaseMs: 600_000 }

const requestsByModel = async ({ url }: Process): Promise<unknown> =>
  Object.fromEntries(
    (await runSql(url, 'SELECT model, sum(requests) AS requests FROM usage_hour GROUP BY model')).map(
      ({ model, requests }) => [model, Number(requests)],
    ),
  )

suite('round trips to PostgreSQL', { skip: postgresIsMissing ?? false }, () => {
  test('a hold takes two, its settlement two, also once its model has changed; that of another process one more', async (context) => {
    const direct = await openProcess(context, undefined, lasting)
    const account = await newAccount(direct, 1_000n)
    const proxy = await openTcpProxy(direct.url)
    const on = await openProcess(context, proxy.url, lasting)
    context.after(proxy.close)
    const tripsOf = async (run: () => Promise<unknown>): Promise<number> => {
      const before = proxy.requestCount
      await run()
      return proxy.requestCount - before
    }
    // Connects, and makes the statements known.
    const first = on.nextId()
    await admit(on, account, 10n, first)
    await settle(on, first, 1n)

    const [own, changed, foreign] = [on.nextId(), on.nextId(), direct.nextId()]
    assert.equal(await tripsOf(() => admit(on, account, 10n, own)), 2)
    assert.equal(await tripsOf(() => settle(on, own, 1n)), 2)
    await admit(on, account, 10n, changed)
    await on.ledger.setModel(changed, { model: 'another', priceVersion: 1n })
    assert.equal(await tripsOf(() => settle(on, changed, 1n)), 2)
    await admit(direct, account, 10n, foreign)
    assert.equal(await tripsOf(() => settle(on, foreign, 1n)), 3)
    assert.deepEqual(await requestsByModel(direct), { 'a-model': 3, another: 1 })
    await assertBalanced(direct)
  })

  test('a request is counted as the model that it was charged as, whatever its process knew of it', async (context) => {
    const on = await openProcess(context)
    const other = await openProcess(context, on.url)
    const account = await newAccount(on, 1_000n)
    const ids = Array.from({ length: 4 }, () => on.nextId())
    await Promise.all(ids.map((id) => admit(on, account, 10n, id)))
    const [changed = 0n] = ids
    await other.ledger.setModel(changed, { model: 'another', priceVersion: 1n })
    await Promise.all(ids.map((id) => settle(on, id, 1n)))
    assert.deepEqual(await requestsByModel(on), { 'a-model': 3, another: 1 })
    await assertBalanced(on)
  })

  test('two processes that settle concurrently count every request', async (context) => {
    const first = await openProcess(context)
    const second = await openProcess(context, first.url)
    const account = await newAccount(first, 1_000n)
    const settled = Array.from({ length: 40 }, async (_, index) => {
      const on = index % 2 === 0 ? first : second
      const id = on.nextId()
      await admit(on, account, 10n, id)
      await settle(on, id, 1n)
    })
    await Promise.all(settled)
    assert.deepEqual(await requestsByModel(first), { 'a-model': 40 })
    await assertBalanced(first)
  })
})
