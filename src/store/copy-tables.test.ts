/** A copied table has the rows of its source, or the copy fails. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Lifetime, temporaryDirectory } from '../../test/support/open-ledger.ts'
import { postgresIsMissing, runSql, sharedPostgres } from '../../test/support/postgres-server.ts'
import { type CopySides, copyTable } from './copy-tables.ts'
import { connect } from './postgres/connection.ts'
import { openForWriting } from './sqlite/connection.ts'

const limits = { rowsMax: 3, bytesMax: 100 }

interface Sides extends CopySides {
  readonly url: string
}

/** A table of the same name on both sides, and a transaction on the target. */
async function sidesFor(context: Lifetime): Promise<Sides> {
  const url = await (await sharedPostgres()).createDatabase()
  await runSql(url, 'CREATE TABLE copied (id bigint PRIMARY KEY, text text)')
  const source = openForWriting(join(temporaryDirectory(context), 'source.db'))
  source.exec('CREATE TABLE copied (id INTEGER PRIMARY KEY, text TEXT) STRICT')
  const waits = { connectMsMax: 5_000, statementMsMax: 5_000 }
  const target = await connect(url, { name: 'test', ...waits, isForTables: true })
  await target.run({ name: '', text: 'BEGIN READ WRITE' })
  context.after(async () => {
    await target.close()
    source.close()
  })
  return { source, target, url }
}

test('rows arrive in pieces of few rows and few bytes', { skip: postgresIsMissing }, async (context) => {
  const { url, ...sides } = await sidesFor(context)
  const insert = sides.source.prepare('INSERT INTO copied (id, text) VALUES (?, ?)')
  for (let id = -5; id < 20; id += 1) insert.run(id, id % 4 === 0 ? null : 'ä'.repeat(Math.abs(id) * 10))
  assert.equal(await copyTable(sides, 'copied', limits), 25)
  await sides.target.run({ name: '', text: 'COMMIT' })
  const text = 'SELECT CAST(id AS text) AS id, text FROM copied ORDER BY copied.id'
  const here = sides.source.prepare(text).all() as object[]
  assert.deepEqual(
    (await runSql(url, text)).map((row) => ({ ...row })),
    here.map((row) => ({ ...row })),
  )
})

test('a row that arrives otherwise is noticed', { skip: postgresIsMissing }, async (context) => {
  const { source, target } = await sidesFor(context)
  for (const text of [
    `CREATE FUNCTION shorten() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.text = 'wrong'; RETURN NEW; END $$`,
    'CREATE TRIGGER shorten BEFORE INSERT ON copied FOR EACH ROW WHEN (NEW.id <> 3) EXECUTE FUNCTION shorten()',
  ])
    await target.run({ name: '', text })
  source.exec("INSERT INTO copied VALUES (2, 'wrong'), (3, 'right'), (4, 'longer')")
  await assert.rejects(copyTable({ source, target }, 'copied', limits), /the rows of copied differ/)
})
