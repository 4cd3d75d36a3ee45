/** A replica that is closed: what is asked for meanwhile and afterwards is read at the primary, and nothing starts again. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { eventually } from '../../../test/support/metered-gateway.ts'
import { postgresIsMissing, runSql, sharedPostgres } from '../../../test/support/postgres-server.ts'
import { withSeparateThreads } from '../../../test/support/shared-threads.ts'
import { systemClock } from '../../base/clock.ts'
import { limitDefaults } from '../../config/config.ts'
import { postgresThreads } from '../../server/thread-entries.ts'
import { workers } from '../../threads/thread.ts'
import { readingOn } from '../database.ts'
import { statementOperation } from '../sqlite/writer.ts'
import { openReplica } from './replica.ts'

withSeparateThreads()

const read = (sql: string) => [statementOperation, sql, []] as const

async function open() {
  const url = await (await sharedPostgres()).createDatabase()
  const troubles: unknown[] = []
  const replica = openReplica({
    primary: async () => 'primary',
    thread: {
      ...readingOn({
        path: url,
        threads: postgresThreads,
        clock: systemClock,
        limits: limitDefaults,
        postgres: {
          statements: postgresThreads.statements,
          processName: 'closed replica',
          connectMsMax: limitDefaults.databaseConnectMs,
          statementMsMax: limitDefaults.databaseStatementMs,
          reportMsMax: limitDefaults.databaseReportMs,
        },
      }),
      name: 'replica reader',
    },
    values: [],
    clock: systemClock,
    waitMs: 60_000,
    retryMs: 0,
    onTrouble: (error) => void troubles.push(error),
  })
  return { url, replica, troubles }
}

/** How many threads are started while it runs. */
async function threadsStartedBy(run: () => Promise<unknown>): Promise<number> {
  const { start } = workers
  let started = 0
  Object.assign(workers, {
    start: (...given: Parameters<typeof start>) => {
      started += 1
      return start(...given)
    },
  })
  try {
    await run()
  } finally {
    Object.assign(workers, { start })
  }
  return started
}

suite('a replica that is closed', { skip: postgresIsMissing ?? false }, () => {
  test('starts no thread for a later read', async () => {
    const { replica } = await open()
    await replica.close()
    const started = await threadsStartedBy(async () =>
      assert.equal(await replica.read(read('SELECT 1')), 'primary'),
    )
    assert.equal(started, 0)
  })

  test('leaves the read that it was executing to the primary, without a warning', async () => {
    const { url, replica, troubles } = await open()
    assert.notEqual(await replica.read(read('SELECT 1')), 'primary')
    const reading = replica.read(read('SELECT pg_sleep(60)'))
    const sleeping = "SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)' AND state = 'active'"
    await eventually(
      'it is being executed',
      () => runSql(url, sleeping),
      ({ length }) => length > 0,
    )
    await replica.close()
    assert.equal(await reading, 'primary')
    const started = await threadsStartedBy(async () =>
      assert.equal(await replica.read(read('SELECT 1')), 'primary'),
    )
    assert.equal(started, 0)
    assert.deepEqual(troubles, [])
  })
})
