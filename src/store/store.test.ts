/** The store from outside: one owner, one schema, queries and transactions over the threads, bounded queues. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { openTestLedger, temporaryDirectory } from '../../test/support/open-ledger.ts'
import { withSeparateThreads } from '../../test/support/shared-threads.ts'
import { TollgateError } from '../base/errors.ts'
import { limitDefaults } from '../config/config.ts'
import { threadEntries } from '../server/thread-entries.ts'
import { openThread } from '../threads/thread.ts'
import { openChannel } from './channel.ts'
import { databaseErrors, isUniqueViolation, StatementError, storeUnavailable } from './errors.ts'
import { takeLock } from './lock.ts'
import { migrate } from './migrate.ts'
import { schema } from './migrations/0001-schema.ts'
import { migrations } from './migrations/index.ts'
import { openForWriting, prepare } from './sqlite/connection.ts'
import type { WriterRequests } from './sqlite/messages.ts'
import { openStore } from './store.ts'
import { inTransaction } from './transaction.ts'

withSeparateThreads()

const isUnavailable = (error: unknown): boolean =>
  error instanceof TollgateError && error.code === 'store_unavailable'

function open(dataDirectory: string) {
  return openStore({
    dataDirectory,
    threads: threadEntries,
    clock: manualClock(),
    limits: limitDefaults,
    onLost: assert.fail,
  })
}

/** Lets everything run that can run without time passing. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('a data directory has one owner, and is free again when that one is gone', async (context) => {
  const { dataDirectory, shut } = await openTestLedger(context)
  const second = await open(dataDirectory)
  assert.equal(second.kind, 'rejected')
  assert.ok(second.kind === 'rejected' && second.reason === 'locked')
  assert.ok(second.message.includes(dataDirectory))
  await shut()
  const third = await open(dataDirectory)
  assert.ok(third.kind === 'open')
  await third.store.close()
})

test('files are for their owner alone, and the log is gone after closing', async (context) => {
  const dataDirectory = join(temporaryDirectory(context), 'data')
  const { shut } = await openTestLedger(context, { dataDirectory })
  assert.equal(statSync(dataDirectory).mode & 0o777, 0o700)
  for (const name of readdirSync(dataDirectory)) {
    assert.equal(statSync(join(dataDirectory, name)).mode & 0o777, 0o600, name)
  }
  await shut()
  assert.equal(existsSync(join(dataDirectory, 'tollgate.db-wal')), false)
})

test('migrations run once, in order, and leave a foreign table alone', (context) => {
  const database = openForWriting(join(temporaryDirectory(context), 'a.db'))
  context.after(() => database.close())
  database.exec('CREATE TABLE foreign_table (id INTEGER) STRICT')
  assert.deepEqual(migrate(database, 5), { kind: 'migrated', applied: migrations.map(({ name }) => name) })
  assert.deepEqual(migrate(database, 6), { kind: 'migrated', applied: [] })
  const rows = prepare(database, 'SELECT number, name, applied_ms FROM migration').rows()
  assert.deepEqual(
    rows,
    migrations.map(({ name }, index) => [BigInt(index + 1), name, 5n]),
  )
  assert.deepEqual(prepare(database, 'SELECT count(*) FROM foreign_table').row(), [0n])
})

test('a migration that fails has not happened, and runs again', (context) => {
  const database = openForWriting(join(temporaryDirectory(context), 'a.db'))
  context.after(() => database.close())
  const second = {
    number: 2,
    name: 'second',
    statements: ['CREATE TABLE half (id INTEGER) STRICT', 'nonsense'],
  }
  assert.throws(() => migrate(database, 5, [schema, second]), /nonsense/)
  const tables = prepare(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'half'")
  assert.deepEqual(tables.row(), [0n])
  const mended = { ...second, statements: second.statements.slice(0, 1) }
  assert.deepEqual(migrate(database, 6, [schema, mended]), { kind: 'migrated', applied: ['second'] })
})

test('a database of a newer program is not touched', async (context) => {
  const { dataDirectory, shut } = await openTestLedger(context)
  await shut()
  const database = openForWriting(join(dataDirectory, 'tollgate.db'))
  database.exec("INSERT INTO migration (number, name, applied_ms) VALUES (99, 'later', 1)")
  database.close()
  const opened = await open(dataDirectory)
  assert.ok(opened.kind === 'rejected' && opened.reason === 'newer_schema')
  assert.match(opened.message, /schema 99.* newer version .*backup/)
  const again = takeLock(join(dataDirectory, 'lock.db'))
  assert.ok(again !== undefined, 'the rejection gave the lock back')
  again.release()
})

test('what is not a database is rejected with a reason', async (context) => {
  const { dataDirectory, shut } = await openTestLedger(context)
  await shut()
  writeFileSync(join(dataDirectory, 'tollgate.db'), 'x'.repeat(8_192))
  const opened = await open(dataDirectory)
  assert.ok(opened.kind === 'rejected' && opened.reason === 'failed')
  assert.match(opened.message, /tollgate\.db cannot be used: .*not a database/)
})

const losses = {
  'is missing': (file: string) => rmSync(file),
  'is empty': (file: string) => truncateSync(file),
  'has nothing but what was in its lost log': (file: string) => {
    rmSync(file)
    openForWriting(file).close()
  },
}
for (const [name, lose] of Object.entries(losses)) {
  test(`a database that ${name} is not begun again where an installation left files`, async (context) => {
    const { dataDirectory, shut } = await openTestLedger(context)
    await shut()
    lose(join(dataDirectory, 'tollgate.db'))
    for (const left of ['secret', 'identity.db', 'server.json']) {
      const file = join(dataDirectory, left)
      writeFileSync(file, '')
      for (const start of ['first', 'second']) {
        const opened = await open(dataDirectory)
        assert.ok(opened.kind === 'rejected' && opened.reason === 'failed', `${left}, ${start} start`)
        assert.match(opened.message, new RegExp(`tollgate\\.db .*missing or empty.* has ${left}\\..*backup`))
      }
      rmSync(file)
    }
    // A first start that was killed before it had a secret leaves the folder as it is now.
    const { shut: end } = await openTestLedger(context, { dataDirectory })
    await end()
  })
}

test('queries write through one thread and read through the other', async (context) => {
  const { store } = await openTestLedger(context)
  const { database } = store
  const big = 2n ** 62n + 1n
  await database
    .insertInto('account_profile')
    .values({ id: big, kind: 'personal', email: null, name: 'n', created_ms: 2 ** 53 - 1 })
    .execute()
  const row = await database
    .selectFrom('account_profile')
    .select(['id', 'created_ms', 'email'])
    .where('id', '=', big)
    .executeTakeFirstOrThrow()
  assert.deepEqual(row, { id: big, created_ms: 2n ** 53n - 1n, email: null })
  const updated = await database.updateTable('account_profile').set({ name: 'm' }).executeTakeFirstOrThrow()
  assert.equal(updated.numUpdatedRows, 1n)
  const returned = await database
    .insertInto('setting')
    .values({ name: 'a', value: 'b' })
    .returning('value')
    .executeTakeFirst()
  assert.deepEqual(returned, { value: 'b' })
})

test('a row that a constraint rejects is a separate error', async (context) => {
  const { store } = await openTestLedger(context)
  const insert = (kind: string) =>
    store.database
      .insertInto('account_profile')
      .values({ id: 1n, kind, email: null, name: 'n', created_ms: 1 })
      .execute()
  await insert('personal')
  await assert.rejects(insert('personal'), isUniqueViolation)
  await assert.rejects(
    insert('robot'),
    (error) => error instanceof StatementError && !isUniqueViolation(error),
  )
})

test('a transaction is all or nothing, and others see none of it before its end', async (context) => {
  const { store } = await openTestLedger(context)
  const count = async (): Promise<number> =>
    (await store.database.selectFrom('setting').selectAll().execute()).length
  await assert.rejects(
    inTransaction(store, async (transaction) => {
      await transaction.insertInto('setting').values({ name: 'a', value: '1' }).execute()
      assert.equal((await transaction.selectFrom('setting').selectAll().execute()).length, 1)
      assert.equal(await count(), 0)
      throw new Error('changed my mind')
    }),
    /changed my mind/,
  )
  assert.equal(await count(), 0)
  await inTransaction(store, (transaction) =>
    transaction.insertInto('setting').values({ name: 'a', value: '1' }).execute(),
  )
  assert.equal(await count(), 1)
})

test('transactions and batches take turns: none starves', async (context) => {
  const { store, nextId, ledger } = await openTestLedger(context)
  const order: string[] = []
  const create = async (): Promise<void> => {
    await ledger.createAccount({ id: nextId(), kind: 'personal', email: null, name: 'n', nowMs: 1 })
    order.push('batch')
  }
  const change = (name: string): Promise<void> =>
    inTransaction(store, async (transaction) => {
      await transaction.insertInto('setting').values({ name, value: '1' }).execute()
      order.push('transaction')
    })
  const transactions = Array.from({ length: 20 }, (_, index) => change(String(index)))
  const batches = (async () => {
    for (let index = 0; index < 20; index += 1) await create()
  })()
  await Promise.all([...transactions, batches])
  const half = order.slice(0, 20).filter((what) => what === 'batch').length
  assert.ok(half >= 8 && half <= 12, order.join(' '))
})

test('a transaction that takes too long is rolled back, and the ledger continues', async (context) => {
  const clock = manualClock()
  const { store, nextId, ledger } = await openTestLedger(context, { clock })
  const create = () =>
    ledger.createAccount({ id: nextId(), kind: 'personal', email: null, name: 'n', nowMs: 1 })
  let isStuck = false
  const stuck = inTransaction(store, async (transaction) => {
    await transaction.insertInto('setting').values({ name: 'a', value: '1' }).execute()
    const inside = store.database.insertInto('setting').values({ name: 'b', value: '1' }).execute()
    isStuck = true
    await inside
  })
  const outcome = assert.rejects(stuck, isUnavailable)
  const created = create()
  while (!isStuck) await turns(1)
  clock.advance(limitDefaults.transactionMs)
  await outcome
  assert.equal((await created).kind, 'created')
  const names = await store.database.selectFrom('setting').select('name').execute()
  assert.deepEqual(names, [{ name: 'b' }])
})

test('a full queue rejects, and takes again when there is room', async (context) => {
  const { store, nextId } = await openTestLedger(context, { limits: { operationsQueuedMax: 10 } })
  const create = () =>
    store.run(['createAccount', { id: nextId(), kind: 'personal', email: null, name: 'n', nowMs: 1 }])
  const outcomes = await Promise.allSettled(Array.from({ length: 15 }, create))
  const rejected = outcomes.filter((outcome) => outcome.status === 'rejected')
  assert.equal(rejected.length, 5)
  assert.ok(rejected.every(({ reason }) => isUnavailable(reason)))
  assert.deepEqual(await create(), { kind: 'created' })
  const reads = await Promise.allSettled(
    Array.from({ length: 15 }, () => store.read(['accounts', 1, 0n, null])),
  )
  assert.equal(reads.filter(({ status }) => status === 'rejected').length, 5)
})

test('closing finishes what was accepted and rejects the rest', async (context) => {
  const { store, nextId, shut, dataDirectory } = await openTestLedger(context)
  const create = () =>
    store.run(['createAccount', { id: nextId(), kind: 'personal', email: null, name: 'n', nowMs: 1 }])
  const accepted = Array.from({ length: 600 }, create)
  const closed = store.close()
  const late = assert.rejects(create(), isUnavailable)
  await Promise.all([...accepted, closed, late])
  await shut()
  const again = await openTestLedger(context, { dataDirectory })
  assert.equal((await again.ledger.accounts(1_000, 0n, null)).length, 600)
})

test('a directory that cannot be made is rejected with a reason', async (context) => {
  const file = join(temporaryDirectory(context), 'a-file')
  writeFileSync(file, '')
  const opened = await open(join(file, 'data'))
  assert.ok(opened.kind === 'rejected' && opened.reason === 'failed')
  assert.match(opened.message, /cannot be used: .*ENOTDIR/)
})

test('what cannot be sent to a thread fails its sender, and the next one is served', async (context) => {
  const { store, nextId } = await openTestLedger(context)
  await assert.rejects(store.read(['account', () => {}]), /could not be cloned/)
  await assert.rejects(store.run(['suspend', nextId(), () => {}]), /could not be cloned/)
  assert.equal(await store.read(['account', nextId()]), undefined)
  assert.equal(await store.run(['suspend', nextId(), null]), undefined)
})

test('long reads have separate threads, up to a limit', async (context) => {
  const { store } = await openTestLedger(context, { limits: { readThreadsMax: 2 } })
  const reads = await Promise.allSettled([1, 2, 3].map(() => store.readApart(['verify', 10])))
  assert.deepEqual(reads.map(({ status }) => status).sort(), ['fulfilled', 'fulfilled', 'rejected'])
  assert.deepEqual(((await store.readApart(['verify', 10])) as { drift: unknown }).drift, [])
})

test('an operation that is waited for when its thread dies fails as unavailable', async () => {
  const serve = new URL('../threads/serve-thread.ts', import.meta.url)
  const program = `import { greet, serveThread } from '${serve}'
    const handlers = { batch: () => process.exit(7) }
    serveThread({ handlers })
    greet(null)`
  const lost: Error[] = []
  const started = await openThread<WriterRequests>({
    entry: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
    ...{ name: 'mortal', waitingMax: 10, errors: databaseErrors, lostError: storeUnavailable },
    onLost: (error) => lost.push(error),
  })
  assert.ok(started.kind === 'open')
  const channel = openChannel(started.thread, manualClock(), limitDefaults)
  const waiting = Array.from({ length: 3 }, () => assert.rejects(channel.run(['anything']), isUnavailable))
  waiting.push(assert.rejects(channel.begin(), isUnavailable))
  await Promise.all(waiting)
  await assert.rejects(channel.run(['anything']), isUnavailable)
  assert.equal(lost.length, 1)
  await channel.drain()
})
