/** A store used by two threads: the order of their transactions, and the changes that each receives from the other. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { temporaryDirectory } from '../../test/support/open-ledger.ts'
import { limitDefaults } from '../config/config.ts'
import { threadEntries } from '../server/thread-entries.ts'
import type { SharedChange } from './postgres/shared-changes.ts'
import { attachStore, openStore, type Store } from './store.ts'
import { inTransaction } from './transaction.ts'

interface Client {
  readonly store: Store
  readonly heard: SharedChange[]
}

function clientOn(store: Store): Client {
  const heard: SharedChange[] = []
  store.listen((change) => heard.push(change))
  return { store, heard }
}

/** A second client works over its ports in this thread as it does in another one. */
async function twoClients(
  context: TestContext,
): Promise<{ readonly first: Client; readonly second: Client }> {
  const place = {
    dataDirectory: temporaryDirectory(context),
    threads: threadEntries,
    clock: manualClock(),
    limits: limitDefaults,
  }
  const opened = await openStore({ ...place, onLost: assert.fail, clients: 1 })
  assert.ok(opened.kind === 'open')
  const [ports] = opened.store.ports
  assert.ok(ports !== undefined)
  // Closed with the threads, as after a thread has ended.
  context.after(() => opened.store.close())
  return { first: clientOn(opened.store), second: clientOn(attachStore({ ...place, ports })) }
}

const put = ({ store }: Client, name: string, value: string) =>
  store.database.insertInto('setting').values({ name, value }).execute()

const settingOf = async ({ store }: Client, name: string) =>
  (await store.database.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst())
    ?.value

test('a transaction of one makes the other wait, in both directions', async (context) => {
  const { first, second } = await twoClients(context)
  for (const [one, other] of [
    [first, second],
    [second, first],
  ] as const) {
    await put(one, 'count', '1')
    const [entered, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const transaction = inTransaction(one.store, async (queries) => {
      await queries.updateTable('setting').set({ value: '2' }).where('name', '=', 'count').execute()
      entered.resolve()
      await leave.promise
    })
    await entered.promise
    const behind = other.store.database
      .updateTable('setting')
      .set(({ eb }) => ({ value: eb('value', '||', '3') }))
      .where('name', '=', 'count')
      .execute()
    // A read is not held up, and sees what is committed.
    assert.equal(await settingOf(other, 'count'), '1')
    leave.resolve()
    await Promise.all([transaction, behind])
    assert.equal(await settingOf(one, 'count'), '23', 'the statement ran behind the transaction')
    await one.store.database.deleteFrom('setting').where('name', '=', 'count').execute()
  }
})

test('what a client had begun is undone when it is gone, and others continue', async (context) => {
  const { first, second } = await twoClients(context)
  const entered = Promise.withResolvers<void>()
  const transaction = inTransaction(second.store, async (queries) => {
    await queries.insertInto('setting').values({ name: 'half', value: 'done' }).execute()
    entered.resolve()
    await new Promise(() => {})
  })
  transaction.catch(() => {})
  await entered.promise
  // Closing its ports ends the first thread: nothing it sent is answered any more.
  const behind = put(first, 'other', 'done')
  for (const port of Object.values(first.store.ports[0]!)) port.close()
  await behind
  assert.deepEqual([await settingOf(first, 'half'), await settingOf(first, 'other')], [undefined, 'done'])
})

test('each hears of what the other has committed, and of nothing else', async (context) => {
  const { first, second } = await twoClients(context)
  await put(first, 'markup', '5%')
  await put(second, 'other', '1')
  await inTransaction(second.store, async (queries) => {
    await queries.insertInto('setting').values({ name: 'never', value: '1' }).execute()
    throw new Error('not now')
  }).catch(() => {})
  await first.store.run(['createAccount', newAccount(7n)])
  await first.store.run(['suspend', 7n, 1])
  await first.store.run(['suspend', 7n, 1])
  await first.store.run(['suspend', 7n, null])
  // Notices come before the replies to later requests.
  await put(second, 'last', '1')
  await first.store.run(['probe'])
  assert.deepEqual(first.heard, [
    { table: 'setting', id: null },
    { table: 'setting', id: null },
  ])
  assert.deepEqual(second.heard, [
    { table: 'setting', id: null },
    { table: 'account', id: 7n },
    { table: 'account', id: 7n },
  ])
})

function newAccount(id: bigint) {
  return { id, kind: 'personal', email: 'ada@example.org', name: 'Ada', owner: null, nowMs: 1 }
}
