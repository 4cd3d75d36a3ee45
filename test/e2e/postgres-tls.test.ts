/** PostgreSQL over TLS with a certificate authority of its own, and a password that a file has: as `DATABASE_URL` says, or not at all. */
import assert from 'node:assert/strict'
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { connect } from '../../src/store/postgres/connection.ts'
import { eventually, meteredGateway } from '../support/metered-gateway.ts'
import { postgresIsMissing, runSql, startPostgres } from '../support/postgres-server.ts'
import { selfSigned } from '../support/self-signed.ts'

const dayMs = 86_400_000
/** The server of tests runs as this user, unless it runs as the user of the tests. */
const unprivileged = 65_534
const words = { model: 'chat-echo', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }

async function requireTls(url: string, password: string): Promise<string> {
  const nowMs = systemClock.wallMs()
  const { key, cert } = selfSigned(nowMs - dayMs, nowMs + dayMs)
  const [{ hba_file: hba } = {}] = await runSql(url, 'SHOW hba_file')
  const [{ data_directory: data } = {}] = await runSql(url, 'SHOW data_directory')
  for (const [name, text] of [
    ['server.key', key],
    ['server.crt', cert],
  ] as const) {
    const path = join(String(data), name)
    writeFileSync(path, text, { mode: 0o600 })
    if (process.getuid?.() === 0) chownSync(path, unprivileged, unprivileged)
  }
  const rules = [
    'hostssl all tollgate 127.0.0.1/32 scram-sha-256',
    'host all postgres 127.0.0.1/32 trust',
    '',
  ]
  writeFileSync(String(hba), rules.join('\n'))
  await runSql(url, `CREATE ROLE tollgate LOGIN PASSWORD '${password}'`)
  await runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO tollgate`)
  await runSql(url, 'ALTER SYSTEM SET ssl = on')
  await runSql(url, 'SELECT pg_reload_conf()')
  await eventually(
    'the server takes TLS',
    async () => (await runSql(url, 'SHOW ssl'))[0]?.ssl,
    (ssl) => ssl === 'on',
  )
  return cert
}

if (postgresIsMissing !== undefined) test('on PostgreSQL', { skip: postgresIsMissing })
else {
  const database = await startPostgres()
  const url = await database.createDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-tls-'))
  const password = 'a: password'
  const own = join(folder, 'own.pem')
  writeFileSync(own, await requireTls(url, password))
  describe('PostgreSQL over TLS', () => {
    const foreign = join(folder, 'foreign.pem')
    const nowMs = systemClock.wallMs()
    writeFileSync(foreign, selfSigned(nowMs - dayMs, nowMs + dayMs).cert)
    const passwords = join(folder, 'passwords')
    const before = process.env.PGPASSFILE
    process.env.PGPASSFILE = passwords
    after(async () => {
      if (before === undefined) delete process.env.PGPASSFILE
      else process.env.PGPASSFILE = before
      rmSync(folder, { recursive: true })
      await database.stop()
    })
    const remember = (text: string): void =>
      writeFileSync(passwords, `127.0.0.1:*:*:tollgate:${text.replace(/[:\\]/g, '\\$&')}\n`, { mode: 0o600 })
    const address = (parameters: string): string => {
      const to = new URL(`${url}?${parameters}`)
      to.username = 'tollgate'
      return to.href
    }
    const opened = (parameters: string) =>
      connect(address(parameters), { name: 'test', connectMsMax: 10_000, statementMsMax: 10_000 })

    test('a connection is as safe as its address says, or rejected', async () => {
      remember(password)
      for (const parameters of [`sslmode=verify-full&sslrootcert=${own}`, 'sslmode=require']) {
        const connection = await opened(parameters)
        const text = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'
        assert.deepEqual((await connection.run({ name: '', text })).rows, [[1n]], parameters)
        await connection.close()
      }
      const rejected: readonly (readonly [parameters: string, message: RegExp])[] = [
        ['sslmode=verify-full', /self-signed certificate/],
        [`sslmode=verify-full&sslrootcert=${foreign}`, /self-signed certificate|unable to verify/],
        ['sslmode=disable', /no encryption/],
      ]
      for (const [parameters, message] of rejected)
        await assert.rejects(opened(parameters), message, parameters)
      remember('another')
      await assert.rejects(opened('sslmode=require'), /password authentication failed/)
    })

    test('a server works so, with the password of a file', async () => {
      remember(password)
      assert.ok(!readFileSync(passwords, 'utf8').includes(password), 'it is escaped')
      const environment = {
        DATABASE_URL: address(`sslmode=verify-full&sslrootcert=${own}`),
        TOLLGATE_SECRET: 'root secret of a server whose database has TLS',
      }
      const gate = await meteredGateway({ environment })
      const account = await gate.account('5')
      assert.equal((await gate.ask(account, words).whole()).status, 200)
      const plain =
        "SELECT count(*)::int AS plain FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'tollgate' AND NOT ssl"
      assert.deepEqual(await runSql(url, plain), [{ plain: 0 }])
      await gate.end()
    })
  })
}
