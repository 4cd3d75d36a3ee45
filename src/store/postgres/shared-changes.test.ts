/** The connection that receives changes: closing it works even while it is reconnecting. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/metered-gateway.ts'
import { postgresIsMissing, runSql, sharedPostgres } from '../../../test/support/postgres-server.ts'
import { openTcpProxy } from '../../../test/support/tcp-proxy.ts'
import { systemClock } from '../../base/clock.ts'
import { receiveChanges } from './shared-changes.ts'

test('no connection stays where it ends while another one is opened', {
  skip: postgresIsMissing,
}, async () => {
  const url = await (await sharedPostgres()).createDatabase()
  const proxy = await openTcpProxy(url)
  const due: (() => void)[] = []
  const clock = {
    ...systemClock,
    after(_ms: number, run: () => void) {
      due.push(run)
      return { cancel() {} }
    },
  }
  const lost = Promise.withResolvers<void>()
  const stop = await receiveChanges({
    ...{ url: proxy.url, clock, processName: 'name', connectMsMax: 10_000 },
    onChange() {},
    onLost: lost.resolve,
    schema: [],
    onNewerSchema() {},
  })
  proxy.cutAll()
  due.shift()?.()
  await lost.promise
  due.shift()?.()
  await stop()
  const count =
    "SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name LIKE 'tollgate name%'"
  await eventually(
    'the server has no connection of it',
    async () => (await runSql(url, count))[0]?.open,
    (open) => open === 0,
  )
  assert.equal(due.length, 0, 'and none is opened later')
  await proxy.close()
})
