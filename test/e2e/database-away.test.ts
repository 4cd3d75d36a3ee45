/**
 * Trouble with PostgreSQL: it is away when a server starts, is lost during the start, is read-only or full. Requests are rejected
 * clearly, and the server needs no restart.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { formatClients } from '../support/format-clients.ts'
import { freePort } from '../support/free-port.ts'
import { testGateway } from '../support/gateway.ts'
import { makeInstallation } from '../support/gateway-process.ts'
import { eventually, type MeteredGateway, meteredGateway } from '../support/metered-gateway.ts'
import { rejectionIn, Sent } from '../support/paying-client.ts'
import { postgresIsMissing, runSql, startPostgres } from '../support/postgres-server.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const secret = 'root secret of servers whose database is away'
const limits = { holdWaitMs: 0, commitProbeMs: 50, databaseRetryMs: 50 }

/** Wants connections that write side by side, and more concurrent requests than a key may have. */
const crowd = { ...limits, databaseLaneOperationsMin: 1, concurrent: null, requestsPerMinute: null }

const words = (text: string) => ({
  model: 'chat-echo',
  max_tokens: 100,
  messages: [{ role: 'user', content: text }],
})

async function environmentOn(proxy: TcpProxy): Promise<Readonly<Record<string, string>>> {
  return { DATABASE_URL: proxy.url, TOLLGATE_SECRET: secret, TOLLGATE_PORT: String(await freePort()) }
}

/** The status of a page, once the server answers. */
const statusOf = (url: string): Promise<number> =>
  eventually(
    `${url} answers`,
    () =>
      fetch(url).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status > 0,
  )

if (postgresIsMissing !== undefined) test('on PostgreSQL', { skip: postgresIsMissing })
else {
  const database = await startPostgres()
  const url = await database.createDatabase()
  const proxy = await openTcpProxy(url)
  const one = await meteredGateway({
    environment: { DATABASE_URL: url, TOLLGATE_SECRET: secret },
    limits,
  })
  describe('PostgreSQL is away', () => {
    after(async () => {
      await one.end()
      await proxy.close()
      await database.stop()
    })
    const answered = async (gate: MeteredGateway, key: string) => gate.ask({ key }, words('hello')).whole()

    test('a server that starts without it rejects requests with 503 in their format, and serves once it is there', async () => {
      const account = await one.account('5')
      const environment = await environmentOn(proxy)
      const origin = `http://127.0.0.1:${environment.TOLLGATE_PORT}`
      proxy.reject(true)
      const starting = meteredGateway({ environment, limits })
      assert.equal(await statusOf(`${origin}/livez`), 200)
      assert.equal(await statusOf(`${origin}/readyz`), 503)
      for (const path of ['/console', '/api/auth/get-session', '/v1/models'])
        assert.equal(await statusOf(`${origin}${path}`), 503, path)
      for (const client of formatClients) {
        const asked = { key: account.key, format: client.path('chat-echo', false) }
        const { status, headers, text } = await new Sent(origin, {
          ...asked,
          body: client.body('chat-echo', 'hello', false),
        }).whole()
        assert.deepEqual([status, headers['retry-after']], [503, '1'], client.format)
        assert.match(text, /database/, client.format)
      }
      proxy.reject(false)
      const other = await starting
      assert.equal(other.origin, origin)
      assert.equal((await answered(other, account.key)).status, 200)
      assert.equal(await statusOf(`${origin}/readyz`), 200)
      await other.end()
    })

    test('a server that loses it during the start starts again by itself', async () => {
      for (const statement of ['CREATE TABLE IF NOT EXISTS', 'LISTEN', 'INSERT INTO process']) {
        const cut = proxy.cutNext(statement, 'request')
        const other = await testGateway({ environment: await environmentOn(proxy), limits })
        await cut
        await other.close()
      }
    })

    test('a server that waits for it stops when it is asked to, and says what it waits for', async (context) => {
      const installation = makeInstallation()
      context.after(() => installation.remove())
      proxy.reject(true)
      const environment = await environmentOn(proxy)
      const waiting = await installation.launch({ environment })
      await waiting.written('waiting for it')
      assert.equal(await statusOf(`http://127.0.0.1:${environment.TOLLGATE_PORT}/livez`), 200)
      waiting.signal('SIGTERM')
      assert.deepEqual(await waiting.ended, { code: 0, signal: null })
      assert.match(waiting.stderr() + waiting.stdout(), /DATABASE_URL cannot be used/)
      proxy.reject(false)
    })

    test('a server that takes no writes is not used, and is used again when it does', async () => {
      const other = await meteredGateway({ environment: await environmentOn(proxy), limits })
      const account = await one.account('5')
      assert.equal((await answered(other, account.key)).status, 200)
      await runSql(url, 'ALTER SYSTEM SET default_transaction_read_only = on')
      await runSql(url, 'SELECT pg_reload_conf()')
      const rejected = await eventually(
        'it takes no writes',
        () => answered(other, account.key),
        ({ status }) => status !== 200,
      )
      assert.deepEqual([rejected.status, rejectionIn(rejected.text).code], [503, 'store_unavailable'])
      await eventually(
        'it is not ready',
        () => statusOf(`${other.origin}/readyz`),
        (status) => status === 503,
      )
      await runSql(url, 'ALTER SYSTEM RESET default_transaction_read_only')
      await runSql(url, 'SELECT pg_reload_conf()')
      await eventually(
        'it serves again',
        () => answered(other, account.key),
        ({ status }) => status === 200,
      )
      await other.end()
    })

    test('a full disk of the database rejects requests until there is room', async () => {
      const account = await one.account('5')
      await runSql(
        url,
        `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
         CREATE TRIGGER full_disk BEFORE INSERT ON hold FOR EACH ROW EXECUTE FUNCTION full_disk()`,
      )
      const { status, headers, text } = await answered(one, account.key)
      assert.deepEqual(
        [status, rejectionIn(text).code, headers['retry-after']],
        [503, 'store_unavailable', '1'],
      )
      await runSql(url, 'DROP TRIGGER full_disk ON hold')
      assert.equal((await answered(one, account.key)).status, 200)
    })

    test('of four servers that get 16 connections three serve, and the fourth does once there are more', async () => {
      const role = new URL(await database.createDatabase())
      await runSql(
        role.href,
        `CREATE ROLE crowded LOGIN CONNECTION LIMIT 16; ALTER DATABASE ${role.pathname.slice(1)} OWNER TO crowded`,
      )
      const owner = role.href
      role.username = 'crowded'
      const environment = { DATABASE_URL: role.href, TOLLGATE_SECRET: secret }
      const servers = [await meteredGateway({ environment, limits: crowd })]
      for (let more = 0; more < 2; more += 1)
        servers.push(await meteredGateway({ environment, limits: crowd }))
      const port = String(await freePort())
      const starting = meteredGateway({
        environment: { ...environment, TOLLGATE_PORT: port },
        limits: crowd,
      })
      assert.equal(await statusOf(`http://127.0.0.1:${port}/readyz`), 503)
      const accounts = await Promise.all(Array.from({ length: 4 }, () => servers[0]!.account('5')))
      const statuses = async (): Promise<readonly (readonly number[])[]> => {
        const asked = (gate: MeteredGateway) =>
          accounts.flatMap(({ key }) => Array.from({ length: 10 }, () => answered(gate, key)))
        const all = await Promise.all(servers.map((gate) => Promise.all(asked(gate))))
        return all.map((answers) => [...new Set(answers.map(({ status }) => status))])
      }
      assert.deepEqual(await statuses(), [[200], [200], [200]])
      assert.equal(await statusOf(`http://127.0.0.1:${port}/readyz`), 503)
      await runSql(owner, 'ALTER ROLE crowded CONNECTION LIMIT 40')
      servers.push(await starting)
      assert.deepEqual(await statuses(), [[200], [200], [200], [200]])
      await Promise.all(servers.map((server) => server.end()))
    })

    test('settings that no wait makes right end the start with the reason', async () => {
      const wrong = new URL(url)
      wrong.pathname = '/nowhere'
      const environment = { ...(await environmentOn(proxy)), DATABASE_URL: wrong.href }
      await assert.rejects(testGateway({ environment, limits }), /database "nowhere" does not exist/)
    })
  })
}
