/**
 * Reports of past hours read a replica, a real one that follows the database: while it is current. Where it lags or is away they
 * read the primary, and balances always do.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { formatId } from '../../src/base/ids.ts'
import type { Limits } from '../../src/config/config.ts'
import type { TestAccount } from '../support/gateway.ts'
import { echoBody, eventually, type MeteredGateway, meteredGateway } from '../support/metered-gateway.ts'
import { asking, controlOf, personActor } from '../support/operators.ts'
import { type PostgresStandby, postgresIsMissing, runSql, startPostgres } from '../support/postgres-server.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const hourMs = 3_600_000
const hoursAgo = 5
const leaseMs = 3_000
const lagMsMax = 4_000
/** Whether a standby lags more than the strict server accepts. */
const lagging = `SELECT now() - max(lease_ends) > interval '${lagMsMax - leaseMs} ms' AS lags FROM process`

interface Opened {
  readonly url: string
  readonly standby: PostgresStandby
  /** Between the strict server and the standby. */
  readonly proxy: TcpProxy
  /** Accepts any lag. */
  readonly patient: MeteredGateway
  /** Accepts little more than the time between two renewals of a lease. */
  readonly strict: MeteredGateway
  readonly stop: () => Promise<void>
}

async function open(): Promise<Opened> {
  const database = await startPostgres()
  const url = await database.createDatabase()
  const standby = await database.standby()
  const proxy = await openTcpProxy(standby.urlOf(url))
  const server = (replica: string, limits: Partial<Limits>) =>
    meteredGateway({
      environment: {
        DATABASE_URL: url,
        DATABASE_REPLICA_URL: replica,
        TOLLGATE_SECRET: 'root secret of servers with a replica',
      },
      limits: { databaseLeaseMs: leaseMs, databaseReplicaRetryMs: 50, ...limits },
    })
  const patient = await server(standby.urlOf(url), {
    databaseReplicaLagMs: 24 * hourMs,
    databaseReplicaWaitMs: 60_000,
  })
  const strict = await server(proxy.url, { databaseReplicaLagMs: lagMsMax, databaseReplicaWaitMs: 500 })
  return { url, standby, proxy, patient, strict, stop: database.stop }
}

/** What a report shows of a day that ends with this hour. */
async function requestsShown(gate: MeteredGateway, account: TestAccount): Promise<number> {
  const rows = await asking(controlOf(gate), personActor('operator', { operator: true })).done('usage.show', {
    account: formatId('acct', account.id),
    from: new Date(Date.now() - 24 * hourMs).toISOString(),
    to: new Date(Date.now() + hourMs).toISOString(),
    by: 'day',
  })
  return rows.reduce((sum, { requests }) => sum + requests, 0)
}

if (postgresIsMissing !== undefined) test('a replica', { skip: postgresIsMissing })
else {
  const { url, standby, proxy, patient, strict, stop } = await open()
  describe('reports with a read replica', () => {
    after(async () => {
      for (const { gateway, sandbox } of [patient, strict]) {
        await gateway.close()
        await sandbox.close()
      }
      await proxy.close()
      await stop()
    })

    test('past hours are read there while it is current, the rest and balances at the primary', async () => {
      const account = await patient.account('1')
      assert.equal((await patient.ask(account, echoBody('hello')).whole()).status, 200)
      await patient.receiptOf(account)
      const past = `UPDATE usage_hour SET hour = hour - ${hoursAgo}`
      await runSql(url, past)
      await eventually(
        'the replica has the past hour',
        () => requestsShown(patient, account),
        (shown) => shown === 1,
      )

      await runSql(standby.urlOf(url), 'SELECT pg_wal_replay_pause()')
      await runSql(url, 'UPDATE usage_hour SET requests = requests + 100')
      assert.equal((await patient.ask(account, echoBody('hello')).whole()).status, 200)
      const receipt = await patient.receiptOf(account, 2)
      assert.equal(await requestsShown(patient, account), 2, 'one of the replica, and one of this hour')
      assert.ok(receipt.charged > 0n)
      const { posted } = await patient.balance(account.id)
      const receipts = await patient.ledger.receipts(account.id, 10, null)
      assert.equal(posted + receipts.reduce((sum, { charged }) => sum + charged, 0n), 1_000_000_000n)

      await eventually(
        'the replica lags more than the strict server accepts',
        () => runSql(standby.urlOf(url), lagging),
        ([row]) => row?.lags === true,
      )
      assert.equal(await requestsShown(strict, account), 102, 'a lagging replica is not read')
      await runSql(url, 'UPDATE usage_hour SET requests = requests + 100 WHERE requests > 100')
      assert.equal(await requestsShown(strict, account), 202, 'as the primary has it now')
      await runSql(standby.urlOf(url), 'SELECT pg_wal_replay_resume()')
      await eventually(
        'it has caught up',
        () => requestsShown(patient, account),
        (shown) => shown === 202,
      )

      proxy.freeze(true)
      await runSql(url, 'UPDATE usage_hour SET requests = requests + 100 WHERE requests > 100')
      assert.equal(await requestsShown(strict, account), 302, 'without a reply of the replica')

      await standby.stop()
      await runSql(url, 'UPDATE usage_hour SET requests = requests + 100 WHERE requests > 100')
      assert.equal(await requestsShown(patient, account), 402, 'without the replica')
      assert.equal((await patient.ask(account, echoBody('hello')).whole()).status, 200)
    })
  })
}
