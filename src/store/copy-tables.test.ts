/** A table that is copied while rows are added and removed ends with the rows of its source, in whatever order of IDs they came. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Lifetime, temporaryDirectory } from '../../test/support/open-ledger.ts'
import { postgresIsMissing, runSql, sharedPostgres } from '../../test/support/postgres-server.ts'
import { idsPerMs } from '../base/ids.ts'
import { type CopySides, completeTable, copyAhead } from './copy-tables.ts'
import { connect } from './postgres/connection.ts'
import { openForWriting } from './sqlite/connection.ts'

const limits = { rowsMax: 3, bytesMax: 100 }

interface Sides extends CopySides {
  readonly url: string
}

/** A table of the same name on both sides, and a transaction on the target. */
async function sidesFor(context: Lifetime): Promise<Sides> {
  const url = await (await sharedPostgres()).createDatabase()
  await runSql(url, 'CREATE TABLE grown (id bigint PRIMARY KEY, text text)')
  const source = openForWriting(join(temporaryDirectory(context), 'source.db'))
  source.exec('CREATE TABLE grown (id INTEGER PRIMARY KEY, text TEXT) STRICT')
  const waits = { connectMsMax: 5_000, statementMsMax: 5_000 }
  const target = await connect(url, { name: 'test', ...waits, isForTables: true })
  await target.run({ name: '', text: 'BEGIN READ WRITE' })
  context.after(async () => {
    await target.close()
    source.close()
  })
  return { source, target, url }
}

for (const [seconds, title] of [
  [10, 'rows that were added and removed after they were copied'],
  [3_600, 'the same of days, of which earlier ones have changed'],
] as const)
  test(title, { skip: postgresIsMissing }, async (context) => {
    const { url, ...sides } = await sidesFor(context)
    const { source, target } = sides
    const insert = source.prepare('INSERT INTO grown (id, text) VALUES (?, ?)')
    const id = (number: number): bigint => BigInt(number * seconds) * 1_000n * idsPerMs
    for (let number = 0; number < 40; number += 2) insert.run(id(number), `before ${number}`)
    assert.equal(await copyAhead(sides, 'grown', limits), 20)
    for (const number of [1, 5, 17, 39, 60]) insert.run(id(number), `after ${number}`)
    source.exec(`DELETE FROM grown WHERE id < ${id(3)} OR id = ${id(20)}`)
    insert.run(id(21), 'in the place of another')
    assert.equal(await completeTable(sides, 'grown', limits), 22)
    await target.run({ name: '', text: 'COMMIT' })
    const text = 'SELECT CAST(id AS text) AS id, text FROM grown ORDER BY grown.id'
    assert.deepEqual(
      (await runSql(url, text)).map((row) => ({ ...row })),
      source
        .prepare(text)
        .all()
        .map((row) => ({ ...(row as object) })),
    )
  })

test('a row that arrives otherwise is noticed, in either step', {
  skip: postgresIsMissing,
}, async (context) => {
  const { source, target } = await sidesFor(context)
  const sides = { source, target }
  source.exec("INSERT INTO grown VALUES (1, 'right')")
  await copyAhead(sides, 'grown', limits)
  for (const text of [
    `CREATE FUNCTION shorten() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.text = 'wrong'; RETURN NEW; END $$`,
    'CREATE TRIGGER shorten BEFORE INSERT ON grown FOR EACH ROW WHEN (NEW.id <> 3) EXECUTE FUNCTION shorten()',
  ])
    await target.run({ name: '', text })
  source.exec("INSERT INTO grown VALUES (2, 'wrong'), (3, 'right'), (4, 'longer')")
  await assert.rejects(completeTable(sides, 'grown', limits), /the rows of grown differ/)
  await target.run({ name: '', text: 'DELETE FROM grown' })
  await assert.rejects(copyAhead(sides, 'grown', limits), /the rows of grown differ/)
})
