/**
 * `tollgate move` as an operator uses it: a used installation answers the same on PostgreSQL, and wherever a move is killed,
 * exactly one of the two databases can serve.
 */
// embedded-database: it is what is moved
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type OperationName, operations } from '../../contract/operations.ts'
import { systemClock } from '../../src/base/clock.ts'
import { systemRandom } from '../../src/base/ids.ts'
import { type Limits, limitDefaults } from '../../src/config/config.ts'
import { cancelMove, type MoveResult, move } from '../../src/server/move.ts'
import { testGateway } from '../support/gateway.ts'
import { type Installation, makeInstallation } from '../support/gateway-process.ts'
import { type LivedIn, livedIn } from '../support/lived-in.ts'
import { noonClock } from '../support/noon-clock.ts'
import { type PostgresServer, postgresIsMissing, runSql, sharedPostgres } from '../support/postgres-server.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import type { Member } from '../support/two-tenants.ts'

/** Read operations whose answers are about the process, or that ask a provider. */
const aboutTheProcess: readonly OperationName[] = [
  'system.show',
  'offers.show',
  'upstreams.list',
  'upstreams.status',
  'upstreams.models',
]

/** The operations whose answers differ, with the first difference. */
function differences(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(before).flatMap(([name, text]) => {
    const other = after[name] ?? ''
    if (text === other) return []
    const at = text.split('').findIndex((letter, index) => letter !== other[index])
    const near = (whole: string): string => whole.slice(Math.max(0, at - 60), at + 60)
    return [`${name}: «${near(text)}» and «${near(other)}»`]
  })
}

async function answersOf({ client }: Member, { ids }: LivedIn): Promise<Readonly<Record<string, string>>> {
  const named = {
    key: ids.key,
    request: ids.retried,
    topUp: ids.topUp,
    invoice: ids.month,
    model: 'gpt-5.5',
  }
  const answers: Record<string, string> = {}
  for (const [name, { http }] of Object.entries(operations)) {
    const known = name as OperationName
    if (http?.[0] !== 'GET' || aboutTheProcess.includes(known)) continue
    const input = Object.fromEntries(
      Object.entries(named).filter(([field]) => http[1].includes(`{${field}}`)),
    )
    const { status, text } = await client.ask(known, input)
    // An export says when it was made, and a rejection which request it was.
    answers[name] = `${status} ${text.replace(/"exported": "[^"]+"|"requestId":"[^"]+"/, '')}`
  }
  return answers
}

interface Progress {
  readonly onTable?: (table: string) => void
  readonly limits?: Partial<Limits>
}

function moveFolder(
  dataFolder: string,
  to: string,
  secret: string | null,
  { onTable = (_: string) => {}, limits = {} }: Progress = {},
): Promise<MoveResult> {
  return move(
    { dataFolder, databaseUrl: null, secret, limits: { ...limitDefaults, ...limits } },
    { to, nowMs: systemClock.wallMs(), random: systemRandom, onTable },
  )
}

const secretOf = (dataFolder: string): string => readFileSync(join(dataFolder, 'secret'), 'utf8').trim()

if (postgresIsMissing !== undefined) test('on PostgreSQL', { skip: postgresIsMissing })
else
  describe('a move to PostgreSQL', () => {
    let database: PostgresServer
    before(async () => {
      database = await sharedPostgres()
    })

    test('every page of a used installation answers the same, and keys and sessions work', async () => {
      const lived = await livedIn(noonClock().wallMs())
      try {
        const [operator, member] = [
          await answersOf(lived.operator, lived),
          await answersOf(lived.member, lived),
        ]
        const url = await database.createDatabase()
        await lived.restart(async (dataFolder) => {
          const secret = secretOf(dataFolder)
          const result = await moveFolder(dataFolder, url, secret, { limits: { moveRowsMax: 100 } })
          assert.ok(result.kind === 'done', JSON.stringify(result))
          assert.ok(result.move.report.ok && result.move.rows > 1_000)
          return { DATABASE_URL: url, TOLLGATE_SECRET: secret }
        })
        assert.ok(Object.keys(operator).length > 30)
        assert.deepEqual(differences(operator, await answersOf(lived.operator, lived)), [])
        assert.deepEqual(differences(member, await answersOf(lived.member, lived)), [])
        const answer = await fetch(`${lived.gateway.origin}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${lived.secret}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'gpt-5.5', messages: [{ role: 'user', content: 'tokens=5' }] }),
        })
        assert.equal(answer.status, 200, await answer.text())
        const verified = await lived.operator.client.done('ledger.verify', {})
        assert.deepEqual(verified.drift, [])
      } finally {
        await lived.close()
      }
    })

    describe('that is interrupted', () => {
      let installation: Installation
      let proxy: TcpProxy
      let url = ''
      let key = ''
      before(async () => {
        installation = makeInstallation()
        url = await database.createDatabase()
        proxy = await openTcpProxy(url)
        const server = await testGateway({ dataFolder: installation.dataFolder })
        key = (await server.account('5')).key
        assert.equal(await echo(server.origin), 200)
        const secret = secretOf(installation.dataFolder)
        const running = await moveFolder(installation.dataFolder, url, secret)
        assert.match(
          running.kind === 'rejected' ? running.message : '',
          /A server or command is using .*Stop it/,
        )
        assert.equal(await rowsOn(), 0)
        assert.equal(await echo(server.origin), 200)
        await server.close()
      })
      after(async () => {
        await proxy.close()
        await installation.remove()
      })

      async function echo(origin: string): Promise<number> {
        const response = await fetch(`${origin}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'sandbox-echo', messages: [{ role: 'user', content: 'Hello' }] }),
        })
        await response.arrayBuffer()
        return response.status
      }

      const folderServes = async (): Promise<boolean> => {
        const server = await testGateway({ dataFolder: installation.dataFolder }).catch((error: Error) => {
          assert.match(error.message, /was moved to PostgreSQL/)
          return null
        })
        if (server === null) return false
        assert.equal(await echo(server.origin), 200)
        await server.close()
        return true
      }
      const rowsOn = async (): Promise<number> => {
        const [found] = await runSql(
          url,
          "SELECT count(*)::int AS count FROM pg_tables WHERE tablename = 'entry'",
        )
        if (found?.count === 0) return 0
        return Number((await runSql(url, 'SELECT count(*)::int AS count FROM entry'))[0]?.count)
      }

      test('it needs the secret of the installation, and a PostgreSQL address', async () => {
        const cases = [
          [url, null, /^Set TOLLGATE_SECRET to the root secret .*data\/secret/],
          [url, 'another secret that is long enough', /is not the root secret of this installation/],
          ['mysql://127.0.0.1/x', secretOf(installation.dataFolder), /^--to: must be postgres:/],
        ] as const
        for (const [to, secret, message] of cases) {
          const result = await moveFolder(installation.dataFolder, to, secret)
          assert.ok(result.kind === 'rejected')
          assert.match(result.message, message)
        }
      })

      test('it rejects a database that is not empty', async () => {
        const foreign = await database.createDatabase()
        await runSql(foreign, 'CREATE TABLE theirs (id int)')
        const result = await moveFolder(installation.dataFolder, foreign, secretOf(installation.dataFolder))
        assert.match(result.kind === 'rejected' ? result.message : '', /is not empty: .*theirs/)
        assert.deepEqual(await runSql(foreign, "SELECT 1 FROM pg_tables WHERE tablename = 'entry'"), [])
      })

      // Texts of statements in the order in which a move sends them.
      for (const [text, at] of [
        ['INSERT INTO "account"', 'request'],
        ['INSERT INTO "receipt"', 'request'],
        ['INSERT INTO setting', 'request'],
      ] as const) {
        test(`cut off at ${text}, it leaves the database empty and the folder in service`, async () => {
          const cut = proxy.cutNext(text, at)
          const result = await moveFolder(
            installation.dataFolder,
            proxy.url,
            secretOf(installation.dataFolder),
          )
          await cut
          assert.match(result.kind === 'rejected' ? result.message : '', /Run the command again/)
          assert.equal(await rowsOn(), 0)
          assert.ok(await folderServes())
        })
      }

      test('cut off before its commit arrives, neither serves until it is run again', async () => {
        let cut = Promise.resolve()
        // The schema was committed before the first table is copied.
        await moveFolder(installation.dataFolder, proxy.url, secretOf(installation.dataFolder), {
          onTable(table) {
            if (table === 'account') cut = proxy.cutNext('COMMIT', 'request')
          },
        })
        await cut
        assert.ok(!(await folderServes()))
        assert.equal(await rowsOn(), 0)
      })

      test('its commit is recognized where the reply was lost, and the database serves alone', async () => {
        const secret = secretOf(installation.dataFolder)
        const cut = proxy.cutNext('INSERT INTO setting', 'reply')
        const lost = await moveFolder(installation.dataFolder, proxy.url, secret)
        await cut
        assert.equal(lost.kind, 'rejected')
        assert.ok((await rowsOn()) > 0)
        assert.ok(!(await folderServes()))
        const again = await moveFolder(installation.dataFolder, proxy.url, secret)
        assert.ok(again.kind === 'done' && again.move.wasComplete, JSON.stringify(again))
        const environment = { DATABASE_URL: url, TOLLGATE_SECRET: secret }
        const server = await testGateway({ dataFolder: installation.dataFolder, environment })
        assert.equal(await echo(server.origin), 200)
        await server.close()
        const full = await moveFolder(installation.dataFolder, await database.createDatabase(), secret)
        assert.match(full.kind === 'rejected' ? full.message : '', /was moved to PostgreSQL/)
      })

      test('a move that is canceled on purpose lets the folder serve again', async () => {
        const config = { dataFolder: installation.dataFolder }
        assert.equal((await cancelMove(config, systemClock.wallMs())).kind, 'done')
        assert.equal((await cancelMove(config, systemClock.wallMs())).kind, 'rejected')
        assert.ok(await folderServes())
      })

      test('the command line moves and cancels', async () => {
        const to = await database.createDatabase()
        const without = await installation.command('move')
        assert.equal(without.code, 2)
        const rejected = await installation.command('move', '--to', to)
        assert.equal(rejected.code, 1)
        assert.match(rejected.stderr, /Set TOLLGATE_SECRET/)
        const canceled = await installation.command('move', 'cancel')
        assert.match(canceled.stderr, /was not moved/)
      })
    })
  })
