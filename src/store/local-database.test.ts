/** A database in the thread that opens it: what is committed, what is rolled back, and what its failures mean. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { temporaryDirectory } from '../../test/support/open-ledger.ts'
import { isUniqueViolation, StatementError } from './errors.ts'
import { type LocalDatabaseResult, openLocalDatabase } from './local-database.ts'

interface Tables {
  readonly note: { readonly id: number; readonly text: string }
}

const migrations = [
  {
    number: 1,
    name: 'begin',
    statements: ['CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)'],
  },
]
const unavailable = { code: 'store_unavailable', status: 503 }

function opened(path: string, onLost = (error: Error): void => assert.fail(error)) {
  return openLocalDatabase<Tables>({ path, migrations, nowMs: 0, onLost })
}

function open(context: TestContext, result: LocalDatabaseResult<Tables>) {
  assert.ok(result.kind === 'open')
  context.after(result.database.close)
  return result.database
}

test('several queries are one transaction: all of them or none', async (context) => {
  const { database, transact } = open(context, opened(join(temporaryDirectory(context), 'a.db')))
  const note = (id: number) => database.insertInto('note').values({ id, text: 'x' })
  const count = async () => (await database.selectFrom('note').select('id').execute()).map(({ id }) => id)
  transact(({ change }) => assert.equal(change(note(1)) + change(note(2)), 2))
  const both = () => transact(({ change }) => change(note(3)) + change(note(1)))
  assert.throws(both, (error) => isUniqueViolation(error))
  assert.deepEqual(await count(), [1, 2])
  const thrown = new Error('a mistake of the caller')
  assert.throws(
    () =>
      transact(({ change }) => {
        change(note(4))
        throw thrown
      }),
    thrown,
  )
  assert.deepEqual(await count(), [1, 2])
  const listed = transact(({ row, rows }) => [
    row(database.selectFrom('note').selectAll()),
    rows(note(5).returning('id')),
  ])
  assert.deepEqual(listed, [{ id: 1, text: 'x' }, [{ id: 5 }]])
  await assert.rejects(note(1).execute(), StatementError)
  await assert.rejects(
    database.transaction().execute(async () => {}),
    /use transact/,
  )
})

test('a full disk rejects new writes as unavailable, reads continue, and it recovers when there is space', async (context) => {
  const { database, transact } = open(context, opened(join(temporaryDirectory(context), 'a.db')))
  const pagesMax = (count: number) => sql.raw(`PRAGMA max_page_count = ${count}`).execute(database)
  const big = (id: number) => database.insertInto('note').values({ id, text: 'x'.repeat(100_000) })
  await database.insertInto('note').values({ id: 1, text: 'small' }).execute()
  await pagesMax(1)
  await assert.rejects(big(2).execute(), unavailable)
  assert.throws(() => transact(({ change }) => change(big(2))), unavailable)
  assert.deepEqual(await database.selectFrom('note').select('id').execute(), [{ id: 1 }])
  await pagesMax(1_000_000)
  await big(2).execute()
  assert.equal((await database.selectFrom('note').select('id').execute()).length, 2)
})

test('the latest to open it for writing owns it; the one before writes nothing more, and says so once', async (context) => {
  const path = join(temporaryDirectory(context), 'a.db')
  const lost: Error[] = []
  const before = open(
    context,
    opened(path, (error) => lost.push(error)),
  )
  const after = open(context, opened(path))
  const note = ({ database }: typeof after, id: number) =>
    database.insertInto('note').values({ id, text: 'x' })
  await note(after, 1).execute()
  await assert.rejects(note(before, 2).execute(), unavailable)
  assert.throws(() => before.transact(({ change }) => change(note(before, 2))), unavailable)
  assert.deepEqual(
    lost.map(({ name }) => name),
    ['TollgateError'],
  )
  assert.deepEqual(await after.database.selectFrom('note').select('id').execute(), [{ id: 1 }])
})

test('what was committed is there when it is opened again, and nothing runs once it is closed', async (context) => {
  const path = join(temporaryDirectory(context), 'a.db')
  const first = open(context, opened(path))
  await first.database.insertInto('note').values({ id: 1, text: 'x' }).execute()
  first.close()
  await assert.rejects(first.database.selectFrom('note').selectAll().execute(), unavailable)
  const { database } = open(context, opened(path))
  assert.equal((await database.selectFrom('note').selectAll().execute()).length, 1)
  const older = openLocalDatabase({ path, migrations: [], nowMs: 0, onLost: assert.fail })
  assert.ok(older.kind === 'rejected' && older.reason === 'newer_schema', JSON.stringify(older))
})
