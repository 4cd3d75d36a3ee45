/** No read of usage scans a table that grows with the installation. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openTestLedger } from '../../test/support/open-ledger.ts'
import { type Database, openForReading, prepare } from '../store/sqlite/connection.ts'
import { usageReads } from './reads.ts'

/** Holds are those of requests that run now; the recent ones of an account are read with a limit. */
const mayBeScanned = /^SCAN (hold|recent)\b/

test('every read finds its rows by an index', async () => {
  const { dataDirectory } = await openTestLedger({ after })
  const database = openForReading(join(dataDirectory, 'tollgate.db'))
  after(() => database.close())
  const asked: string[] = []
  usageReads(recordStatements(database, asked))
  assert.ok(asked.length > 10)
  const plans = asked.flatMap((sql) => prepare(database, `EXPLAIN QUERY PLAN ${sql}`).rows())
  const scans = plans.map((row) => String(row[3])).filter((step) => /^SCAN\b/.test(step))
  assert.deepEqual(
    scans.filter((step) => !mayBeScanned.test(step)),
    [],
  )
  // An account may have many keys, and each is read.
  assert.ok(plans.some((row) => /\(shared=\?\)/.test(String(row[3]))))
})

/** The same database; the statements that are prepared on it are recorded. */
function recordStatements(database: Database, asked: string[]): Database {
  return new Proxy(database, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name)
      return (sql: string) => {
        asked.push(sql)
        return target.prepare(sql)
      }
    },
  })
}
