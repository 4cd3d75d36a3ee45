/**
 * Two servers on one PostgreSQL database: money and limits are exact over both, what one changes the other knows, and
 * trouble of the database is rejected clearly and ends without a restart.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { formatId } from '../../src/base/ids.ts'
import { ControlClient } from '../support/control-client.ts'
import { type TestAccount, testGateway } from '../support/gateway.ts'
import {
  echoBody,
  endlessBody,
  eventually,
  listPrice,
  type MeteredGateway,
  meteredGateway,
} from '../support/metered-gateway.ts'
import { asking, controlOf } from '../support/operators.ts'
import { rejectionAtEnd, rejectionIn } from '../support/paying-client.ts'
import { type PostgresServer, postgresIsMissing, runSql, startPostgres } from '../support/postgres-server.ts'
import { openTcpProxy } from '../support/tcp-proxy.ts'

interface Servers {
  readonly database: PostgresServer
  readonly url: string
  readonly one: MeteredGateway
  readonly other: MeteredGateway
}

const secret = 'root secret of two servers on one database'
const limits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrent: null,
  holdWaitMs: 0,
  commitProbeMs: 50,
}

async function openServers(): Promise<Servers> {
  const database = await startPostgres()
  const url = await database.createDatabase()
  const environment = { DATABASE_URL: url, TOLLGATE_SECRET: secret }
  const one = await meteredGateway({ environment, limits })
  const other = await meteredGateway({ environment, limits })
  return { database, url, one, other }
}

if (postgresIsMissing !== undefined) test('on PostgreSQL', { skip: postgresIsMissing })
else {
  const { database, url, one, other } = await openServers()
  describe('two servers on one database', () => {
    after(async () => {
      await one.end()
      await other.end()
      await database.stop()
    })
    const local = asking(controlOf(one), { kind: 'local' })
    const localOfOther = asking(controlOf(other), { kind: 'local' })
    const answered = async (gate: MeteredGateway, account: TestAccount, body = echoBody('hello')) =>
      (await gate.ask(account, body).whole()).status

    test('of servers that start on an empty database together, one announces a key, which works at the others', async () => {
      const environment = { DATABASE_URL: await database.createDatabase(), TOLLGATE_SECRET: secret }
      const servers = await Promise.all([1, 2, 3].map(() => meteredGateway({ environment, limits })))
      const starts = servers.map(({ gateway }) => gateway.start)
      const firsts = starts.filter((start) => start.kind === 'first')
      assert.equal(firsts.length, 1)
      for (const server of servers)
        assert.equal((await server.ask({ key: firsts[0]?.key ?? '' }, echoBody('hello')).whole()).status, 200)
      for (const server of servers) await server.end()
    })

    test('an account and a key of one server work at the other, and both show all receipts', async () => {
      const account = await one.account('1')
      assert.equal(await answered(one, account), 200)
      assert.equal(await answered(other, account), 200)
      const receipt = await one.receiptOf(account, 2)
      assert.equal((await other.ledger.receipt(receipt.id))?.charged, receipt.charged)
      const listed = await localOfOther.done('requests.list', { account: formatId('acct', account.id) })
      assert.equal(listed.length, 2)
    })

    test('both show the statistics of offers that both counted', async () => {
      const account = await one.account('1')
      const requestsAt = async (server: typeof local) => {
        const { upstreams } = await server.done('upstreams.status', { period: 'day' })
        return upstreams.flatMap(({ offers }) => offers).reduce((sum, { requests }) => sum + requests, 0)
      }
      // Each server writes what it has counted when it is asked.
      await requestsAt(local)
      const before = await requestsAt(localOfOther)
      for (const gate of [one, other, one]) assert.equal(await answered(gate, account), 200)
      await one.receiptOf(account, 3)
      // Each writes what it counted before it reads.
      await requestsAt(local)
      assert.equal(await requestsAt(localOfOther), before + 3)
      assert.equal(await requestsAt(local), before + 3)
    })

    test('an account that gets another owner is found by that one, and its name is free for another account', async () => {
      const { ledger } = one
      const [id, left] = [one.gateway.services.nextId(), one.gateway.services.nextId()]
      const created = { kind: 'personal', email: null, nowMs: 1 } as const
      await ledger.createAccount({ ...created, id: left, owner: 'person:1', name: 'left' })
      await ledger.createAccount({ ...created, id, email: 'first@example.org', name: 'taken over' })
      const to = { owner: 'person:1', email: 'second@example.org', name: 'taken over' }
      assert.equal(await ledger.takeOver({ account: id, leaving: left, ...to }), 'taken_over')
      const asked = async (names: { readonly owner?: string; readonly email: string | null }) => {
        const created = await other.ledger.createAccount({
          ...{ id: other.gateway.services.nextId(), kind: 'personal', name: 'n', nowMs: 2 },
          ...names,
        })
        return created.kind === 'exists' ? created.id : created.kind
      }
      assert.equal(await asked({ owner: 'person:1', email: null }), id)
      assert.equal(await asked({ email: 'second@example.org' }), id)
      assert.equal(await asked({ email: 'first@example.org' }), 'created')
      assert.equal(await ledger.assign(left, { owner: 'person:2', email: null, name: 'n' }), 'assigned')
      assert.equal(await asked({ owner: 'person:2', email: null }), left)
    })

    test('requests at both servers together cannot overspend a balance', async () => {
      const account = await one.account('0.01')
      const asks = Array.from({ length: 60 }, (_, index) =>
        (index % 2 === 0 ? one : other).ask(account, echoBody('x', { max_tokens: 200 })).whole(),
      )
      const statuses = (await Promise.all(asks)).map(({ status }) => status)
      assert.ok(
        statuses.every((status) => status === 200 || status === 402),
        statuses.join(),
      )
      const { posted, held } = await other.balance(account.id)
      assert.ok(posted >= 0n && held === 0n, `${posted} and ${held}`)
      const served = statuses.filter((status) => status === 200).length
      const receipts = await other.ledger.receipts(account.id, 100, null)
      assert.equal(receipts.length, served)
      assert.equal(posted + receipts.reduce((sum, { charged }) => sum + charged, 0n), 10_000_000n)
    })

    test('a concurrency limit of a key holds over both', async () => {
      const account = await one.account('5', {
        rates: { requestsPerMinute: null, tokensPerMinute: null, concurrent: 2 },
      })
      const running = [one.ask(account, endlessBody), other.ask(account, endlessBody)]
      await Promise.all(running.map((sent) => sent.contents(1)))
      assert.equal(await answered(one, account), 429)
      assert.equal(await answered(other, account), 429)
      for (const sent of running) sent.leave()
      await one.receiptOf(account, 2)
    })

    test('a key that is revoked at one server ends at the other, with its streams', async () => {
      const account = await one.account('5')
      const running = other.ask(account, endlessBody)
      await running.contents(3)
      await local.done('key.revoke', { key: formatId('key', account.keyId) })
      assert.equal(rejectionAtEnd((await running.whole()).text).code, 'key_revoked_midway')
      await eventually(
        'the key is rejected',
        () => answered(other, account),
        (status) => status === 401,
      )
    })

    test('a suspension at one server ends streams at the other', async () => {
      const account = await one.account('5')
      const running = other.ask(account, endlessBody)
      await running.contents(3)
      await local.done('account.suspend', { account: formatId('acct', account.id) })
      assert.equal(rejectionAtEnd((await running.whole()).text).code, 'account_suspended')
      assert.equal(await answered(other, account), 403)
    })

    test('a price that is set at one server is charged at the other', async () => {
      const account = await one.account('5')
      assert.equal(await answered(other, account), 200)
      const before = await other.receiptOf(account)
      await local.done('models.price', { model: 'chat-echo', price: { ...listPrice, output: '1500' } })
      let count = 1
      await eventually(
        'the new price is charged',
        async () => {
          assert.equal(await answered(other, account), 200)
          count += 1
          return (await other.receiptOf(account, count)).charged
        },
        (charged) => charged > before.charged * 10n,
      )
    })

    test('a person who signs up at one server signs in at the other, and a session ends at both', async () => {
      const [there, here] = [new ControlClient(one.origin), new ControlClient(other.origin)]
      const person = { email: 'reader@example.org', password: 'a long enough password' }
      const joined = await there.post('/api/auth/sign-up/email', { ...person, name: 'Reader' })
      assert.equal(joined.status, 200, joined.text)
      const signedIn = await here.post('/api/auth/sign-in/email', person)
      assert.equal(signedIn.status, 200, signedIn.text)
      assert.equal((await here.ask('me.show')).status, 200)
      assert.equal((await there.post('/api/auth/revoke-other-sessions', {})).status, 200)
      await eventually(
        'the session has ended',
        () => here.ask('me.show'),
        ({ status }) => status === 401,
      )
    })

    test('a code is redeemed once, whichever server is asked', async () => {
      const account = await one.account('1')
      const { code } = await local.done('code.create', { amount: '2', usesMax: 5 })
      const ask = { account: account.id, code, address: '127.0.0.1' }
      const results = await Promise.allSettled(
        [one, other].map((gate) => gate.gateway.services.payments.redeem(ask)),
      )
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
      assert.equal((await one.balance(account.id)).posted, 3_000_000_000n)
    })

    test('a commit whose answer is lost is neither repeated nor called a mistake of the customer', async () => {
      const proxy = await openTcpProxy(url)
      const third = await meteredGateway({
        environment: { DATABASE_URL: proxy.url, TOLLGATE_SECRET: secret },
        limits,
      })
      const accounts = await Promise.all(Array.from({ length: 4 }, () => third.account('1')))
      const { id: codeId, code } = await local.done('code.create', { amount: '2', usesMax: 10 })
      const cut = proxy.cutNext('INSERT INTO code_use', 'reply')
      const { payments } = third.gateway.services
      const results = await Promise.allSettled(
        accounts.map(({ id }) => payments.redeem({ account: id, code, address: '127.0.0.1' })),
      )
      await cut
      // What the database has committed is credited once, and is no reason to reject the code.
      for (const result of results)
        if (result.status === 'rejected') assert.equal(result.reason.code, 'store_unavailable')
      assert.ok(results.some(({ status }) => status === 'rejected'))
      const shown = (await local.done('code.list', {})).find(({ id }) => id === codeId)
      const balances = await Promise.all(accounts.map(({ id }) => one.balance(id)))
      const credited = balances.filter(({ posted }) => posted === 3_000_000_000n).length
      assert.equal(credited, shown?.uses)
      await third.end()
      await proxy.close()
    })

    test('connections that were lost are opened again, each once', async () => {
      const proxy = await openTcpProxy(url)
      const environment = { DATABASE_URL: proxy.url, TOLLGATE_SECRET: secret }
      const third = await meteredGateway({ environment, limits })
      const operator = asking(controlOf(third), { kind: 'local' })
      const counted = `SELECT split_part(application_name, ' ', 3) AS name, count(*)::int AS count FROM pg_stat_activity
        WHERE application_name ~ ' (writer|reader|changes)$' AND datname = current_database() GROUP BY 1 ORDER BY 1`
      const before = await runSql(url, counted)
      for (let round = 0; round < 3; round += 1) {
        proxy.cutAll()
        await eventually(
          'it works again',
          () =>
            operator.done('code.create', { amount: '1' }).then(
              () => true,
              () => false,
            ),
          (works) => works,
        )
      }
      await eventually(
        'as many connections as before',
        () => runSql(url, counted),
        (now) => JSON.stringify(now) === JSON.stringify(before),
      )
      await third.end()
      await proxy.close()
    })

    test('a wrong statement is an error of the program, and not of the database', async () => {
      const { database: queries } = one.gateway.services.store
      const wrong = queries
        .selectFrom('setting')
        .select('value')
        .where('nowhere' as 'name', '=', 'x')
      await assert.rejects(wrong.execute(), { name: 'BrokenInvariant' })
      assert.ok(one.gateway.services.store.canCommit())
    })

    test('a server whose database is away rejects requests, is not ready, and stops when it is asked to', async () => {
      const proxy = await openTcpProxy(url)
      const environment = { DATABASE_URL: proxy.url, TOLLGATE_SECRET: secret }
      const third = await meteredGateway({ environment, limits })
      const account = await third.account('1')
      assert.equal(await answered(third, account), 200)
      await proxy.close()
      const { status, text } = await third.ask(account, echoBody('x')).whole()
      assert.deepEqual([status, rejectionIn(text).code], [503, 'store_unavailable'])
      await eventually(
        'it is not ready',
        () => fetch(`${third.origin}/readyz`),
        (answer) => answer.status === 503,
      )
      await third.close()
      await third.sandbox.close()
      assert.equal((await one.balance(account.id)).held, 0n)
    })

    test('a server whose database a newer version has migrated ends, and starts again with that version alone', async () => {
      const environment = { DATABASE_URL: await database.createDatabase(), TOLLGATE_SECRET: secret }
      const older = await testGateway({ environment, limits })
      const { DATABASE_URL: migrated } = environment
      await runSql(
        migrated,
        "INSERT INTO migration SELECT max(number) + 1, 'later', 1, '9.9.9' FROM migration",
      )
      await older.gateway.lost
      await older.close()
      await assert.rejects(testGateway({ environment, limits }), /Start Tollgate 9\.9\.9/)
    })

    test('a crash of the database rejects requests for a while, and needs no restart', async () => {
      const account = await one.account('5')
      assert.equal(await answered(one, account), 200)
      await database.crash()
      await eventually(
        'both serve again',
        async () => {
          const answers = [one, other].map((gate) => gate.ask(account, echoBody('x')).whole())
          return await Promise.all(answers)
        },
        (answers) => {
          for (const { status, text } of answers)
            if (status !== 200) assert.deepEqual([status, rejectionIn(text).code], [503, 'store_unavailable'])
          return answers.every(({ status }) => status === 200)
        },
      )
      const report = await local.done('ledger.verify', {})
      assert.deepEqual(report.drift, [])
    })
  })
}
