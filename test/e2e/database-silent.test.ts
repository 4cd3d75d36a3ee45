/**
 * A database that accepts connections and never answers, as one whose machine hangs or whose network drops everything: requests are
 * rejected soon, running streams continue, and afterwards every response has the receipt that its end says, also where the server
 * was killed or stopped meanwhile.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { parseUsd } from '../../contract/usd.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { formatId } from '../../src/base/ids.ts'
import { freePort, unreachableOrigin } from '../support/free-port.ts'
import { makeInstallation } from '../support/gateway-process.ts'
import { eventually, type MeteredGateway, meteredGateway, requestIdIn } from '../support/metered-gateway.ts'
import { contentEvents, rejectionIn, Sent } from '../support/paying-client.ts'
import { postgresIsMissing, runSql, startPostgres } from '../support/postgres-server.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const secret = 'root secret of servers whose database is silent'
/** Nano-USD: of a token, and of a prompt at most. */
const outputRate = 15_000n
const promptCost = 1_000_000n

const words = { model: 'chat-echo', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }
const streamOf = (tokens: number) => ({
  model: 'chat-stream',
  stream: true,
  max_tokens: tokens,
  messages: [{ role: 'user', content: `tokens=${tokens} rate=100` }],
})

const settings = (origin: string): string =>
  [
    'sandbox: off',
    'limits: { drainMs: 1000, databaseLeaseMs: 1000, requestsPerMinute: none, tokensPerMinute: none, concurrent: none }',
    'upstreams:',
    `  - { name: openai, provider: openai, url: '${origin}', credential: any }`,
    'models:',
    '  - { id: chat-stream, provider: openai, offers: [openai], upstreamId: sandbox-stream, formats: [openai-chat], context: 200000, maxOutput: 10000, prices: [{ input: 3, output: 15 }] }',
    '',
  ].join('\n')

async function environmentOn(proxy: TcpProxy): Promise<Readonly<Record<string, string>>> {
  return { DATABASE_URL: proxy.url, TOLLGATE_SECRET: secret, TOLLGATE_PORT: String(await freePort()) }
}

const isComplete = (text: string): boolean => text.includes('[DONE]')

if (postgresIsMissing !== undefined) test('on PostgreSQL', { skip: postgresIsMissing })
else {
  const database = await startPostgres()
  const sandbox = await startSandbox({ clock: systemClock })
  describe('PostgreSQL does not answer', () => {
    after(async () => {
      await sandbox.close()
      await database.stop()
    })
    const answered = async (gate: MeteredGateway, key: string) => gate.ask({ key }, words).whole()
    const serves = (gate: MeteredGateway, key: string) =>
      eventually(
        'it serves',
        () => answered(gate, key),
        ({ status }) => status === 200,
      )

    test('requests get 503 soon, streams run on, and nothing that is cut is charged as complete', async () => {
      const proxy = await openTcpProxy(await database.createDatabase())
      const limits = {
        ...{ holdWaitMs: 0, storeWaitMs: 1_000, settleWaitMs: 200, databaseConnectMs: 1_000 },
        // However long the machine takes, it keeps its requests.
        databaseLeaseMs: 3_600_000,
      }
      const gate = await meteredGateway({ environment: await environmentOn(proxy), limits })
      const known = await gate.account('5')
      const [unknown, poor] = [await gate.account('5'), await gate.account('0')]
      await serves(gate, known.key)
      // The short one lasts three seconds: it must not end before the database is silent.
      const [long, short] = [gate.ask(known, streamOf(4_000)), gate.ask(known, streamOf(300))]
      await Promise.all([long.contents(1), short.contents(1)])
      await proxy.freezeBetweenTransactions()
      for (const { key } of [known, unknown, poor]) {
        const { status, headers, text } = await answered(gate, key)
        assert.deepEqual(
          [status, rejectionIn(text).code, headers['retry-after']],
          [503, 'store_unavailable', '1'],
        )
      }
      assert.equal((await fetch(`${gate.origin}/readyz`)).status, 503)
      assert.ok(await long.contents(contentEvents(long.text) + 20), 'it runs on')
      const cut = await short.whole()
      proxy.freeze(false)
      long.leave()
      await serves(gate, known.key)
      const receipt = await eventually(
        'the response that ended meanwhile has a receipt',
        async () => gate.ledger.receipt(requestIdIn(cut.headers)),
        (found) => found !== undefined,
      )
      assert.ok(!isComplete(cut.text), 'it was not acknowledged')
      assert.deepEqual([receipt?.endReason, receipt?.errorCode], ['interrupted', 'settlement_delayed'])
      assert.ok((receipt?.output ?? 0) <= 300, 'what was relayed is charged')
      await gate.end()
      await proxy.close()
    })

    test('a server that is killed meanwhile: every complete response has its receipt, and no hold stays', async () => {
      const url = await database.createDatabase()
      const proxy = await openTcpProxy(url)
      const installation = makeInstallation(settings(sandbox.origin), { fixed: { settleWaitMs: 500 } })
      const environment = await environmentOn(proxy)
      const server = await installation.start({ environment })
      const { account, key } = await installation.ask('account.create', {
        email: 'a@example.org',
        credit: '5',
      } as never)
      // Some end before it, some in it, some not at all.
      const streams = [10, 20, 30, 60, 90, 120, 2_000, 4_000].map(
        (tokens) => new Sent(server.origin, { key, format: 'chat', body: streamOf(tokens) }),
      )
      await Promise.all(streams.map((stream) => stream.contents(1)))
      await streams[0]?.whole()
      // A settlement whose commit was sent waits for its answer, however long that takes.
      await proxy.freezeBetweenTransactions()
      // Their settlements are known to the server alone.
      await Promise.all(streams.slice(0, 4).map((stream) => stream.whole()))
      server.signal('SIGKILL')
      await server.ended
      proxy.freeze(false)
      const wholes = await Promise.all(streams.map((stream) => stream.whole()))
      const [lease] = await runSql(url, 'SELECT max(lease_ends) > now() AS lives FROM process')
      if (lease?.lives === true) await runSql(url, 'UPDATE process SET lease_ends = now()')
      const again = await installation.start({ environment })
      const { drift, openHolds } = await installation.ask('ledger.verify', {})
      assert.deepEqual([drift, openHolds], [[], 0])
      const receipts = await installation.ask('requests.list', { account, limit: 100 } as never)
      assert.equal(receipts.length, streams.length, 'one for each request')
      for (const { headers, text } of wholes) {
        const receipt = receipts.find(({ id }) => id === formatId('req', requestIdIn(headers)))
        assert.ok(receipt !== undefined)
        if (isComplete(text)) assert.equal(receipt.endReason, 'complete')
        else {
          assert.equal(receipt.endReason, 'interrupted')
          const relayed = BigInt(contentEvents(text)) * outputRate
          assert.ok((parseUsd(receipt.charged) ?? 0n) <= relayed + promptCost, 'no more than was delivered')
        }
      }
      again.signal('SIGTERM')
      await again.ended
      await installation.remove()
      await proxy.close()
    })

    test('a server ends when it is asked to', async () => {
      const proxy = await openTcpProxy(await database.createDatabase())
      const installation = makeInstallation(settings(sandbox.origin), { fixed: { settleWaitMs: 500 } })
      const server = await installation.start({ environment: await environmentOn(proxy) })
      proxy.freeze(true)
      server.signal('SIGTERM')
      await server.ended
      await installation.remove()
      await proxy.close()
    })

    test('of several hosts the one that accepts writes is used, and one that is silent does not delay it', async () => {
      const url = await database.createDatabase()
      const standby = await startPostgres()
      const standbyUrl = new URL(await standby.createDatabase())
      const name = new URL(url).pathname
      if (standbyUrl.pathname !== name) await runSql(standbyUrl.href, `CREATE DATABASE ${name.slice(1)}`)
      await runSql(standbyUrl.href, 'ALTER SYSTEM SET default_transaction_read_only = on')
      await runSql(standbyUrl.href, 'SELECT pg_reload_conf()')
      const silent = await openTcpProxy(url)
      silent.freeze(true)
      const hosts = [silent.url, unreachableOrigin, standbyUrl.href, url].map((each) => new URL(each).host)
      const environment = {
        DATABASE_URL: `postgres://postgres@${hosts.join(',')}${name}?target_session_attrs=read-write`,
        TOLLGATE_SECRET: secret,
      }
      const gate = await meteredGateway({ environment })
      assert.equal((await answered(gate, (await gate.account('5')).key)).status, 200)
      await gate.close()
      await gate.sandbox.close()
      await silent.close()
      await standby.stop()
    })
  })
}
