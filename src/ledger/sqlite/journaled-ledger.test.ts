/** A data folder as a killed process leaves it, while rows of the ledger are in the journal alone. */
import assert from 'node:assert/strict'
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { plainAsk, plainDraft, unlimited } from '../../../test/support/ledger-values.ts'
import { openTestLedger, type TestLedger, temporaryDirectory } from '../../../test/support/open-ledger.ts'
import { openForReading, openForWriting, prepare } from '../../store/sqlite/connection.ts'
import { readRecord } from '../../store/sqlite/journal-codec.ts'
import { journaledTables, journalTable } from '../../store/sqlite/journaled-tables.ts'
import { databasePath } from '../../store/store.ts'
import { inTransaction } from '../../store/transaction.ts'
import { verifyFolder } from '../verify/verify-folder.ts'

const accounts = [7n, 8n]
const credited = 1_000_000n
const cost = 30n
const keyLimits = { ...unlimited, requestsPerMinute: 3 }

/** Two requests of each account are settled, and a third of the first one runs. */
async function used(context: TestContext): Promise<TestLedger> {
  const on = await openTestLedger(context)
  const { ledger } = on
  for (const account of accounts) {
    await ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'one', nowMs: 1 })
    const credit = { entryId: account, account, amount: credited, source: 'manual', note: null } as const
    await ledger.credit({ ...credit, reference: account.toString(), nowMs: 1 })
    for (const request of [1n, 2n]) {
      const id = account * 100n + request
      await ledger.admit({ ...plainAsk, id, account, key: account, inputAmount: 50n, keyLimits })
      const settled = { id, nowMs: plainAsk.nowMs, cost, writtenOff: 0n, writeOffEntryId: id + 50n }
      await ledger.settle({ ...settled, receipt: { ...plainDraft, inputUncached: 30 } })
    }
  }
  const [account = 0n] = accounts
  await ledger.admit({ ...plainAsk, id: 703n, account, key: account, inputAmount: 50n, keyLimits })
  assert.equal(await ledger.confirm(703n), true)
  return on
}

/** The folder as it is on disk now. */
function killed(context: TestContext, { dataDirectory }: TestLedger): string {
  const copy = temporaryDirectory(context)
  for (const name of readdirSync(dataDirectory).filter((file) => file.startsWith('tollgate.db')))
    copyFileSync(join(dataDirectory, name), join(copy, name))
  return copy
}

/** Rows that the tables themselves hold. */
function stored(folder: string) {
  const database = openForReading(databasePath(folder))
  const of = (sql: string): unknown[] => prepare(database, sql).rows().flat()
  const rows = {
    posted: of('SELECT posted FROM account ORDER BY id'),
    hours: of('SELECT requests FROM usage_hour ORDER BY account'),
    records: of(`SELECT rows FROM ${journalTable} ORDER BY seq`) as Uint8Array[],
  }
  database.close()
  return rows
}

test('what a killed process has left in the journal is verified there, and in the tables after a start', async (context) => {
  const folder = killed(context, await used(context))
  const left = credited - 2n * cost
  assert.deepEqual(stored(folder).posted, [0n, 0n], 'the tables are behind')

  const verified = verifyFolder(folder, 10)
  assert.deepEqual(verified.kind === 'read' && verified.result.drift, [])
  assert.deepEqual(stored(folder).posted, [0n, 0n], 'a verification writes nothing')

  const { ledger, shut, recovered } = await openTestLedger(context, { dataDirectory: folder })
  assert.equal(recovered, 1)
  assert.deepEqual([(await ledger.account(7n))?.posted, (await ledger.account(8n))?.posted], [left, left])
  assert.deepEqual((await ledger.verify()).drift, [])
  const again = { ...plainAsk, account: 7n, key: 7n, inputAmount: 5n, keyLimits }
  assert.equal((await ledger.admit({ ...again, id: 704n })).kind, 'rate', 'rates outlive the process')
  await shut()
  assert.deepEqual(stored(folder), { posted: [left, left], hours: [3n, 2n], records: [] })
})

test('the control plane leaves the rows of others where they are, and finds its own in the tables', async (context) => {
  const on = await used(context)
  const { store } = on
  const posted = credited - 2n * cost
  const behind = { posted: [0n, 0n], rows: [posted, posted] }
  const now = async () => ({
    posted: stored(killed(context, on)).posted,
    rows: await Promise.all(accounts.map(async (id) => (await on.ledger.account(id))?.posted)),
  })
  const rollBack = () =>
    inTransaction(store, async (transaction) => {
      const { rows } = await sql`SELECT posted FROM account ORDER BY id`.execute(transaction)
      throw Object.assign(new Error('rolled back'), { rows })
    })

  await inTransaction(store, (transaction) =>
    transaction.insertInto('setting').values({ name: 'one', value: '1' }).execute(),
  )
  await store.database.updateTable('setting').set({ value: '2' }).execute()
  assert.deepEqual(await now(), behind, 'a setting has nothing to do with them')

  await assert.rejects(rollBack, { message: 'rolled back', rows: [{ posted }, { posted }] })
  assert.deepEqual(await now(), behind, 'what was rolled back is valid in the journal')

  await inTransaction(store, (transaction) =>
    sql`UPDATE account SET posted = posted + 5 WHERE id = 7`.execute(transaction),
  )
  assert.deepEqual(await now(), { posted: [posted + 5n, posted], rows: [posted + 5n, posted] })

  await assert.rejects(rollBack, { message: 'rolled back', rows: [{ posted: posted + 5n }, { posted }] })
  const settled = { id: 703n, nowMs: plainAsk.nowMs, cost, writtenOff: 0n, writeOffEntryId: 753n }
  await on.ledger.settle({ ...settled, receipt: plainDraft })
  assert.equal((await on.ledger.account(7n))?.posted, posted + 5n - cost, 'a statement is not undone')
})

test('a record that is missing from the journal is found', async (context) => {
  const folder = killed(context, await used(context))
  const database = openForWriting(databasePath(folder))
  database.exec(`DELETE FROM ${journalTable} WHERE seq = (SELECT max(seq) FROM ${journalTable})`)
  database.close()
  const verified = verifyFolder(folder, 10)
  assert.match(
    JSON.stringify(verified.kind === 'read' ? verified.result.drift : verified),
    /account 7: held is/,
  )
})

test('the journal has every column of its tables', async (context) => {
  const folder = killed(context, await used(context))
  const database = openForReading(databasePath(folder))
  context.after(() => database.close())
  const journaled = new Map(
    stored(folder)
      .records.flatMap(readRecord)
      .map(({ table, columns }) => [table, columns.toSorted()]),
  )
  assert.deepEqual([...journaled.keys()].sort(), Object.keys(journaledTables).sort())
  for (const [table, columns] of journaled) {
    const all = prepare(database, `SELECT name FROM pragma_table_info('${table}')`).rows().flat()
    assert.deepEqual(columns, all.sort(), table)
  }
})
