/**
 * Receipts that are older than the operator keeps them: removed in small steps while requests are served, with every sum, entry
 * and balance as before, and a verification that still finds what was changed. On both databases.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { formatId } from '../../src/base/ids.ts'
import { dayMs, dayOf, firstDayOf, monthOf } from '../../src/limits/calendar.ts'
import { openForWriting } from '../../src/store/sqlite/connection.ts'
import type { TestAccount } from '../support/gateway.ts'
import { eventually, type MeteredGateway, meteredGateway } from '../support/metered-gateway.ts'
import { asking, controlOf } from '../support/operators.ts'
import { postgresIsMissing, runSql, sharedPostgres } from '../support/postgres-server.ts'
import { isOnPostgres } from '../support/test-database.ts'

interface LaterClock extends Clock {
  /** Sets the date to the middle of the next month; timers run as before. */
  nextMonth(): void
}

function laterClock(): LaterClock {
  let aheadMs = 0
  const wallMs = (): number => systemClock.wallMs() + aheadMs
  return {
    ...systemClock,
    wallMs,
    nextMonth() {
      aheadMs += (firstDayOf(monthOf(dayOf(wallMs())) + 1) + 14) * dayMs - wallMs()
    },
  }
}

interface Database {
  readonly name: string
  readonly skip: string | undefined
  readonly variables: () => Promise<Readonly<Record<string, string>>>
  /** Executes a statement behind the program's back. */
  readonly change: (gate: MeteredGateway, statement: string) => Promise<void>
}

let url = ''
const databases: readonly Database[] = [
  {
    name: 'the embedded database',
    skip: isOnPostgres ? 'gateways of this run are on PostgreSQL' : undefined,
    variables: async () => ({}),
    async change({ dataFolder }, statement) {
      const database = openForWriting(`${dataFolder}/tollgate.db`)
      try {
        database.exec(statement)
      } finally {
        database.close()
      }
    },
  },
  {
    name: 'PostgreSQL',
    skip: postgresIsMissing,
    async variables() {
      url = await (await sharedPostgres()).createDatabase()
      return { DATABASE_URL: url, TOLLGATE_SECRET: 'root secret of receipts that are removed' }
    },
    change: async (_, statement) => void (await runSql(url, statement)),
  },
]

for (const { name, skip, variables, change } of databases) {
  describe(`on ${name}`, { skip }, () => {
    test('old receipts are removed, and nothing that was charged changes', async () => {
      const clock = laterClock()
      const gate = await meteredGateway({
        clock,
        environment: { ...(await variables()), TOLLGATE_RECEIPT_MONTHS: '1' },
        limits: { receiptsRemovedMax: 2, receiptRemovalMs: 1, receiptRemovalRoundMs: 5 },
      })
      const { services } = gate.gateway
      const operator = asking(controlOf(gate), { kind: 'local' })
      const account = await gate.account('5')
      const id = formatId('acct', account.id)
      const answer = (of: TestAccount) =>
        gate
          .ask(of, { model: 'chat-echo', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] })
          .whole()
      const fromMs = clock.wallMs() - dayMs
      const sums = () =>
        services.usage.sums({
          ...{ account: account.id, fromMs, toMs: fromMs + 120 * dayMs },
          ...{ step: 'month', group: 'key', model: null, key: null },
        })
      for (let asked = 0; asked < 5; asked += 1) assert.equal((await answer(account)).status, 200)
      const oldest = await gate.receiptOf(account, 5)
      clock.nextMonth()
      for (let asked = 0; asked < 2; asked += 1) assert.equal((await answer(account)).status, 200)
      await gate.receiptOf(account, 7)
      const [before, balance] = [await sums(), await gate.balance(account.id)]
      assert.deepEqual((await gate.ledger.verify()).drift, [])

      clock.nextMonth()
      await eventually(
        'the receipts of the first month are removed',
        () => gate.ledger.receipts(account.id, 100, null),
        (receipts) => receipts.length === 2,
      )
      assert.deepEqual(await sums(), before)
      assert.deepEqual(await gate.balance(account.id), balance)
      assert.equal(await gate.ledger.receipt(oldest.id), undefined)
      assert.notEqual(await services.usage.firstRequestMs(account.id), null)
      const report = await gate.ledger.verify()
      const from = new Date(firstDayOf(monthOf(dayOf(clock.wallMs())) - 1) * dayMs).toISOString()
      assert.deepEqual([report.drift, report.receiptsFrom], [[], from])
      assert.equal((await answer(account)).status, 200)
      assert.equal((await operator.done('requests.list', { account: id })).length, 3)
      const audited = await eventually(
        'an audit row',
        () => operator.done('audit.list', { operation: 'receipts.remove' }),
        (rows) => rows.length === 1,
      )
      assert.match(JSON.stringify(audited[0]?.input), /"receipts":5/)

      await assert.rejects(change(gate, 'DELETE FROM receipt'), /removed by age only/)
      await change(gate, `UPDATE usage_hour SET charged = charged + 1 WHERE account = ${account.id}`)
      const [drift = ''] = (await gate.ledger.verify()).drift
      assert.notEqual(drift, '')
      await change(gate, `UPDATE usage_hour SET charged = charged - 1 WHERE account = ${account.id}`)
      await gate.end()
    })
  })
}
