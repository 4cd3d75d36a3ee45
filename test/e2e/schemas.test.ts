/** Databases of other versions of the program: what is migrated, what is rejected, and what is said. */
// embedded-database: PostgreSQL has its own cases here
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { program } from '../../src/base/program.ts'
import { defaultPolicy } from '../../src/control/key-policy.ts'
import { identityMigrations, postgresIdentityMigrations } from '../../src/identity/store/migrations/index.ts'
import { postgresMigrations } from '../../src/ledger/postgres/migrations.ts'
import { firstSchema, type MigrationOutcome, migrate, schemaMismatch } from '../../src/store/migrate.ts'
import { type Migration, migrations } from '../../src/store/migrations/index.ts'
import { migratePostgres } from '../../src/store/postgres/migrate.ts'
import { openForWriting, prepare } from '../../src/store/sqlite/connection.ts'
import { databasePath } from '../../src/store/store.ts'
import { echoBody, meteredGateway } from '../support/metered-gateway.ts'
import { postgresIsMissing, runSql, sharedPostgres } from '../support/postgres-server.ts'

/** Migrations as version 0.1.0 with schema 6 had them: databases with them exist. */
const released: readonly (readonly [steps: readonly Migration[], digests: readonly string[]])[] = [
  [
    migrations,
    [
      'd465cdf6afa8094b',
      'fe7a7b11e917448b',
      'ad89542f1027e3d1',
      '1a6bb4938e4fb2f7',
      '449d6ec446e60d32',
      '3c76cac74fc65a70',
      '2ade40d2cb27554e',
    ],
  ],
  [
    postgresMigrations,
    [
      'd406079538ccb00e',
      'd685197f826f079a',
      'd94436cf6c832513',
      'de914a39c524524b',
      '4934ffd0ec2d2a75',
      'a1dcd83d2ff911be',
      '6d752704d00f7ff0',
    ],
  ],
  [identityMigrations, ['8eaea17c06581099']],
  [postgresIdentityMigrations, ['629fc4db82d2c72c']],
]

const digestOf = (step: Migration): string =>
  createHash('sha256').update(JSON.stringify(step)).digest('hex').slice(0, 16)

test('migrations that were released are never changed', () => {
  for (const [steps, digests] of released)
    assert.deepEqual(steps.slice(0, digests.length).map(digestOf), digests)
})

/** The table of migrations as it was before it had versions. */
const recordsBefore =
  'CREATE TABLE migration (number bigint PRIMARY KEY, name text NOT NULL, applied_ms bigint NOT NULL)'
const recordOf = ({ number, name }: Pick<Migration, 'number' | 'name'>): string =>
  `INSERT INTO migration (number, name, applied_ms) VALUES (${number}, '${name}', 1)`

/** What a program of schema 6 has run. */
const oldStatements = (steps: readonly Migration[]): readonly string[] => [
  recordsBefore,
  ...steps.slice(0, firstSchema).flatMap((step) => [...step.statements, recordOf(step)]),
]

interface Engine {
  readonly steps: readonly Migration[]
  run(statement: string): Promise<void>
  migrate(): Promise<MigrationOutcome>
  /** Number and version of each migration. */
  recorded(): Promise<readonly (readonly [number: number, version: string | null])[]>
}

async function onSqlite(context: TestContext): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-schema-'))
  const database = openForWriting(join(folder, 'tollgate.db'))
  context.after(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  return {
    steps: migrations,
    run: async (statement) => database.exec(statement),
    async migrate() {
      const outcome = migrate(database, 2)
      // What only reads says the same of a schema that it does not know.
      if (outcome.kind === 'newer_schema') assert.equal(schemaMismatch(database), outcome.message)
      return outcome
    },
    recorded: async () =>
      prepare(database, 'SELECT number, version FROM migration ORDER BY number')
        .rows()
        .map(([number, version]) => [Number(number), version as string | null]),
  }
}

async function onPostgres(): Promise<Engine> {
  const url = await (await sharedPostgres()).createDatabase()
  return {
    steps: postgresMigrations,
    run: async (statement) => void (await runSql(url, statement)),
    migrate: () =>
      migratePostgres({ url, table: 'migration', steps: postgresMigrations, nowMs: 2, connectMsMax: 10_000 }),
    recorded: async () =>
      (await runSql(url, 'SELECT number, version FROM migration ORDER BY number')).map(
        ({ number, version }) => [Number(number), version as string | null],
      ),
  }
}

const newest = migrations.length
const rejected: readonly (readonly [
  what: string,
  change: (steps: readonly Migration[]) => readonly string[],
  said: RegExp,
])[] = [
  [
    'a newer version that is known',
    (steps) => [
      recordsBefore,
      'ALTER TABLE migration ADD COLUMN version text',
      ...steps.map(recordOf),
      `INSERT INTO migration VALUES (${newest + 1}, 'later', 1, '9.9.8'), (${newest + 2}, 'latest', 1, '9.9.9')`,
    ],
    new RegExp(
      `schema ${newest + 2}, which Tollgate 9\\.9\\.9 has made; this is Tollgate ${program.version}, which supports schema ${newest}\\. Start Tollgate 9\\.9\\.9 or a newer one, or restore a backup`,
    ),
  ],
  [
    'a newer version that recorded none',
    (steps) => [...oldStatements(steps), recordOf({ number: 99, name: 'later' })],
    /schema 99, which a newer version has made; .* Start that version, or restore a backup/,
  ],
  [
    'many migrations under other names',
    () => [
      recordsBefore,
      ...Array.from({ length: 19 }, (_, at) => recordOf({ number: at + 1, name: `old ${at}` })),
    ],
    /from before schema 6 .* cannot be migrated\. .* empty data folder/,
  ],
  [
    'one migration under another name',
    (steps) => [
      recordsBefore,
      ...steps.map((step) => recordOf(step.number === 2 ? { ...step, name: 'kept' } : step)),
    ],
    /from before schema 6 /,
  ],
  [
    'fewer migrations than a program that recorded no version may have',
    (steps) => [recordsBefore, ...steps.slice(0, 1).map(recordOf)],
    /from before schema 6 /,
  ],
]

for (const [name, open, skip] of [
  ['SQLite', onSqlite, undefined],
  ['PostgreSQL', onPostgres, postgresIsMissing],
] as const)
  suite(`schemas on ${name}`, { skip: skip ?? false }, () => {
    test('a new database records the version of each step, and is migrated once', async (context) => {
      const on = await open(context)
      await on.migrate()
      assert.deepEqual(await on.migrate(), { kind: 'migrated', applied: [] })
      assert.deepEqual(
        await on.recorded(),
        on.steps.map(({ number }) => [number, program.version]),
      )
    })

    test('schema 6 is migrated, with the version that did it', async (context) => {
      const on = await open(context)
      for (const statement of oldStatements(on.steps)) await on.run(statement)
      const later = on.steps.slice(firstSchema)
      assert.deepEqual(await on.migrate(), { kind: 'migrated', applied: later.map((step) => step.name) })
      assert.deepEqual(
        await on.recorded(),
        on.steps.map(({ number }) => [number, number > firstSchema ? program.version : null]),
      )
    })

    for (const [what, change, said] of rejected)
      test(`${what}: it is rejected with what to do, and not touched`, async (context) => {
        const on = await open(context)
        for (const statement of change(on.steps)) await on.run(statement)
        const outcome = await on.migrate()
        assert.ok(outcome.kind === 'newer_schema')
        assert.match(outcome.message, said)
      })
  })

const rowsOfSchema6 = readFileSync(new URL('../support/schema-6.sql', import.meta.url), 'utf8')

/** Stores the rows of schema 6, and returns the variables that name where. */
const storedRows = {
  async SQLite(dataFolder: string) {
    const database = openForWriting(databasePath(dataFolder))
    for (const statement of [...oldStatements(migrations), rowsOfSchema6]) database.exec(statement)
    database.close()
    return {}
  },
  async PostgreSQL() {
    const url = await (await sharedPostgres()).createDatabase()
    // It has a view in place of the list, and a table of the references of credits.
    const references = `INSERT INTO credit_reference (name, entry, account, amount)
      SELECT source || ' ' || reference, id, account, amount FROM entry WHERE source IS NOT NULL`
    const rows = rowsOfSchema6
      .replace(/^INSERT INTO receipt_list[^;]*;/m, '')
      .replaceAll(/\bX'([0-9A-F]*)'/g, "'\\x$1'")
    for (const statement of [...oldStatements(postgresMigrations), rows, references])
      await runSql(url, statement)
    return { DATABASE_URL: url }
  },
} as const

for (const [name, store] of Object.entries(storedRows))
  test(`${name} of schema 6 keeps its balances, receipts and keys, and serves`, {
    skip: (name === 'PostgreSQL' && postgresIsMissing) || false,
  }, async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-schema-'))
    const environment = await store(dataFolder)
    const gate = await meteredGateway({ dataFolder, environment })
    const [account] = (await gate.ledger.accounts(10, 0n, null)).filter(({ name }) => name === 'local')
    assert.ok(account !== undefined)
    assert.equal(account.posted, 4_999_998_500n)
    const receipts = await gate.ledger.receipts(account.id, 10, null)
    assert.deepEqual(
      receipts.map(({ charged }) => charged),
      [500n, 500n, 500n],
    )
    const { access } = gate.gateway.services
    assert.equal((await access.list(account.id)).length, 1)
    const { secret } = await access.create({
      account: account.id,
      name: 'new',
      expiresMs: null,
      policy: defaultPolicy('personal'),
    })
    assert.equal((await gate.ask({ key: secret }, echoBody('hello')).whole()).status, 200)
    assert.deepEqual((await gate.ledger.verify()).drift, [])
    await gate.end()
    rmSync(dataFolder, { recursive: true })
  })
