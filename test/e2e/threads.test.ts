/**
 * Two threads of one process on one port: money and limits are exact over both, on both databases, what changes in one of them
 * holds in both, and no client notices which of them it has reached.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { scopes } from '../../contract/operation.ts'
import type { OperationInput, OperationName, OperationOutput } from '../../contract/operations.ts'
import { operations } from '../../contract/operations.ts'
import { formatId, parseId } from '../../src/base/ids.ts'
import { limitDefaults } from '../../src/config/config.ts'
import { callServer, findServer } from '../../src/server/admin-socket.ts'
import { ControlClient } from '../support/control-client.ts'
import type { TestAccount } from '../support/gateway.ts'
import {
  echoBody,
  endlessBody,
  eventually,
  type MeteredGateway,
  meteredGateway,
} from '../support/metered-gateway.ts'
import { rejectionAtEnd, rejectionIn, type Sent } from '../support/paying-client.ts'
import { postgresIsMissing, sharedPostgres } from '../support/postgres-server.ts'

const metricsToken = 'scrape-this-server'

interface Threads {
  readonly gate: MeteredGateway
  end(): Promise<void>
}

const engines: Readonly<Record<string, () => Promise<Threads>>> = {
  SQLite: async () => {
    const gate = await twoThreads({})
    await new Promise<void>((ready) => gate.gateway.finishStart(ready))
    return { gate, end: gate.end }
  },
  PostgreSQL: async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const gate = await twoThreads({
      DATABASE_URL: url,
      TOLLGATE_SECRET: 'root secret of two threads on a database',
    })
    return { gate, end: gate.end }
  },
}

function twoThreads(environment: Readonly<Record<string, string>>): Promise<MeteredGateway> {
  return meteredGateway({
    environment: { ...environment, TOLLGATE_THREADS: '2' },
    metricsToken,
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrent: null, holdWaitMs: 0 },
  })
}

/** So many new connections reach both threads. */
const manyTimes = 16

for (const [name, open] of Object.entries(engines)) {
  const skip = name === 'PostgreSQL' ? postgresIsMissing : undefined
  if (skip !== undefined) test(`two threads on ${name}`, { skip })
  else {
    const { gate, end } = await open()
    describe(`two threads on ${name}`, () => {
      after(end)
      /** For what does not depend on the database. */
      const onceTest = name === 'SQLite' ? test : () => undefined

      const answered = async (account: TestAccount, body = echoBody('hello')) =>
        (await gate.ask(account, body).whole()).status
      const statusesOf = (account: TestAccount, count = manyTimes) =>
        Promise.all(Array.from({ length: count }, () => answered(account)))
      /** Until all new requests are answered so, at whichever thread. */
      const untilAll = (account: TestAccount, status: number) =>
        eventually(
          `all are answered ${status}`,
          () => statusesOf(account),
          (all) => all.every((one) => one === status),
        )

      async function operate<Name extends OperationName>(
        operation: Name,
        input: Partial<OperationInput<Name>>,
      ): Promise<OperationOutput<Name>> {
        const found = findServer(gate.dataFolder)
        assert.ok(found.kind === 'named')
        const call = await callServer(found.server, operation, input, limitDefaults)
        assert.ok(call.kind === 'answered')
        assert.equal(call.reply.status, 200, JSON.stringify(call.reply.body))
        return operations[operation].output.parse(call.reply.body) as never
      }

      /** A stream in each thread: new ones begin until both have one. */
      async function streamInEach(
        account: TestAccount,
      ): Promise<{ readonly main: Sent; readonly other: Sent }> {
        const { inFlight } = gate.gateway.deps
        const streams: { main?: Sent; other?: Sent } = {}
        for (;;) {
          const before = inFlight.count
          const sent = gate.ask(account, endlessBody)
          await sent.contents(2)
          const place = inFlight.count > before ? 'main' : 'other'
          if (streams[place] === undefined) streams[place] = sent
          else sent.leave()
          const { main, other } = streams
          if (main !== undefined && other !== undefined) return { main, other }
          // One that was left has ended where it was counted.
          await eventually(
            'only the first streams run',
            () => inFlight.count,
            (count) => count === (main === undefined ? 0 : 1),
          )
        }
      }

      async function metric(line: string): Promise<number> {
        const answer = await fetch(`${gate.origin}/metrics`, {
          headers: { authorization: `Bearer ${metricsToken}`, connection: 'close' },
        })
        const text = await answer.text()
        const found = text.split('\n').find((one) => one.startsWith(`${line} `))
        return found === undefined ? 0 : Number(found.slice(line.length + 1))
      }

      onceTest('both serve, and metrics are their sum', async () => {
        const account = await gate.account('5')
        const before = await metric('tollgate_requests_total{format="openai-chat",outcome="ok"}')
        const [here] = await gate.gateway.deps.metrics.registry
          .getSingleMetric('tollgate_requests_total')!
          .get()
          .then(({ values }) => values)
        assert.ok(here === undefined || here.value <= before)
        assert.deepEqual(await statusesOf(account), Array(manyTimes).fill(200))
        assert.equal((await gate.ledger.receipts(account.id, 100, null)).length, manyTimes)
        const served = await gate.gateway.deps.metrics.registry
          .getSingleMetric('tollgate_requests_total')!
          .get()
        const own = served.values.reduce((sum, { value }) => sum + value, 0)
        assert.ok(own > 0 && own < manyTimes, `${own} of ${manyTimes} in the main thread`)
        await eventually(
          'all are counted',
          () => metric('tollgate_requests_total{format="openai-chat",outcome="ok"}'),
          (count) => count === before + manyTimes,
        )
      })

      test('a thousand requests at the same time cannot spend more than the money of ten', async () => {
        const probe = await gate.account('5')
        assert.equal(await answered(probe, echoBody('x')), 200)
        const { hold } = await gate.receiptOf(probe)
        const money = hold * 10n
        const account = await gate.account(`${Number(money) / 1e9}`)
        const statuses = await Promise.all(
          Array.from({ length: 1_000 }, () => answered(account, echoBody('x'))),
        )
        assert.ok(
          statuses.every((status) => status === 200 || status === 402),
          [...new Set(statuses)].join(),
        )
        const { posted, held } = await gate.balance(account.id)
        assert.ok(posted >= 0n && held === 0n, `${posted} and ${held}`)
        const receipts = await gate.ledger.receipts(account.id, 1_000, null)
        const served = statuses.filter((status) => status === 200).length
        assert.ok(served >= 10, `${served} were served`)
        assert.equal(receipts.length, served)
        assert.equal(posted + receipts.reduce((sum, { charged }) => sum + charged, 0n), money)
      })

      test('a limit on requests at the same time is exact', async () => {
        const rates = { requestsPerMinute: null, tokensPerMinute: null, concurrent: 3 }
        const account = await gate.account('5', { rates })
        const sent = Array.from({ length: 24 }, () => gate.ask(account, endlessBody))
        const heads = await Promise.all(sent.map(async (one) => ({ one, status: (await one.head).status })))
        const running = heads.filter(({ status }) => status === 200)
        assert.equal(running.length, 3)
        assert.equal(heads.filter(({ status }) => status === 429).length, 21)
        for (const { one } of running) one.leave()
        await gate.receiptOf(account, 3)
      })

      onceTest('a limit on requests per minute is exact', async () => {
        const rates = { requestsPerMinute: 10, tokensPerMinute: null, concurrent: null }
        const account = await gate.account('5', { rates })
        const statuses = await statusesOf(account, 40)
        assert.equal(statuses.filter((status) => status === 200).length, 10)
        assert.equal(statuses.filter((status) => status === 429).length, 30)
      })

      test('a budget of a key is exact', async () => {
        const probe = await gate.account('5')
        assert.equal(await answered(probe, echoBody('x')), 200)
        const { charged, hold } = await gate.receiptOf(probe)
        const amount = hold + charged * 4n
        const account = await gate.account('5', { budget: { amount, window: 'month' } })
        const statuses = await statusesOf(account, 40)
        const served = statuses.filter((status) => status === 200).length
        const receipts = await gate.ledger.receipts(account.id, 100, null)
        assert.equal(receipts.length, served)
        const spent = receipts.reduce((sum, row) => sum + row.charged, 0n)
        assert.ok(served > 0 && spent <= amount, `${spent} of ${amount}`)
      })

      test('a key that is revoked ends streams in both, and new requests at both', async () => {
        const account = await gate.account('5')
        const { main, other } = await streamInEach(account)
        await operate('key.revoke', { key: formatId('key', account.keyId) })
        for (const stream of [main, other])
          assert.equal(rejectionAtEnd((await stream.whole()).text).code, 'key_revoked_midway')
        await untilAll(account, 401)
      })

      onceTest('a suspension ends streams in both', async () => {
        const account = await gate.account('5')
        const { main, other } = await streamInEach(account)
        await operate('account.suspend', { account: formatId('acct', account.id) })
        for (const stream of [main, other])
          assert.equal(rejectionAtEnd((await stream.whole()).text).code, 'account_suspended')
        await untilAll(account, 403)
        await operate('account.resume', { account: formatId('acct', account.id) })
        await untilAll(account, 200)
      })

      onceTest(
        'requests of both are listed and counted, stopped in both, and their ends are published',
        async () => {
          const { services } = gate.gateway
          const account = await gate.account('5')
          const asked = { account: account.id, name: 'console', scopes, expiresMs: null }
          const { secret } = await services.managementKeys.create(asked)
          const client = new ControlClient(gate.origin, secret)
          const { main, other } = await streamInEach(account)
          const listed = await client.done('requests.running', {})
          assert.equal(listed.length, 2)
          assert.equal((await operate('system.show', {})).running, 2)
          assert.equal(await metric('tollgate_requests_running'), 2)
          const { inFlight } = gate.gateway.deps
          const idOf = ({ id }: { readonly id: string }) => parseId('req', id) ?? 0n
          const elsewhere = listed.find((one) => inFlight.ownerOf(idOf(one)) === null)
          assert.ok(elsewhere !== undefined)
          const received: string[] = []
          const unwatch = services.changes.watch(account.id, ({ topics }) => received.push(...topics))
          for (const { id } of [elsewhere, ...listed.filter((one) => one !== elsewhere)]) {
            assert.deepEqual(await client.done('request.stop', { request: id }), { id, stopped: true })
            await eventually(
              'its end is published',
              () => received.splice(0),
              (topics) => topics.includes('requests'),
            )
            assert.deepEqual(await client.done('request.stop', { request: id }), { id, stopped: false })
          }
          unwatch()
          for (const stream of [main, other])
            assert.equal(rejectionAtEnd((await stream.whole()).text).code, 'request_stopped')
          // Others left before both threads had one.
          for (const one of listed) {
            const receipt = await gate.ledger.receipt(idOf(one))
            assert.ok(receipt !== undefined && receipt.charged > 0n)
            assert.equal(receipt.errorCode, 'request_stopped')
          }
        },
      )

      onceTest('credit counts in both immediately', async () => {
        const account = await gate.account('0')
        await untilAll(account, 402)
        await operate('credit', { account: formatId('acct', account.id), amount: '1', reference: 'first' })
        await untilAll(account, 200)
      })

      onceTest('a price that is set is charged in both', async () => {
        const account = await gate.account('5')
        await operate('models.price', { model: 'messages-echo', price: { input: '3', output: '1500' } })
        const dear = echoBody('x', { model: 'messages-echo' })
        let count = 0
        await eventually(
          'the new price is charged in both',
          async () => {
            await Promise.all(Array.from({ length: manyTimes }, () => answered(account, dear)))
            count += manyTimes
            await gate.receiptOf(account, count)
            const receipts = await gate.ledger.receipts(account.id, manyTimes, null)
            return receipts.map(({ charged }) => charged)
          },
          (charges) => charges.every((charged) => charged === charges[0] && charged > 1_000_000n),
        )
      })

      onceTest('what only the main thread serves is served on every connection', async () => {
        const person = { email: `reader@${name.toLowerCase()}.example`, password: 'a long enough password' }
        const client = new ControlClient(gate.origin)
        const joined = await client.post('/api/auth/sign-up/email', { ...person, name: 'Reader' })
        assert.equal(joined.status, 200, joined.text)
        for (let at = 0; at < manyTimes; at += 1) {
          const ready = await fetch(`${gate.origin}/readyz`, { headers: { connection: 'close' } })
          assert.deepEqual([ready.status, await ready.text()], [200, 'ready\n'])
          const missing = await fetch(`${gate.origin}/api/nothing`, { headers: { connection: 'close' } })
          assert.equal(missing.status, 404)
          await missing.arrayBuffer()
          assert.equal((await client.ask('me.show')).status, 200)
        }
      })

      onceTest('a request without a key is rejected in the words of its format', async () => {
        const answers = await Promise.all(
          Array.from({ length: manyTimes }, () => gate.ask({ key: 'wrong' }, echoBody('x')).whole()),
        )
        for (const { status, text } of answers) {
          assert.equal(status, 401)
          assert.equal(rejectionIn(text).code, 'invalid_api_key')
        }
      })

      test('the ledger agrees with its entries', async () => {
        assert.deepEqual((await operate('ledger.verify', {})).drift, [])
      })
    })
  }
}
