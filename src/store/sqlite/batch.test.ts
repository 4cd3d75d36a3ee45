/** Batches: one commit for all, only the culprit fails, shared memory is rolled back with the rest. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryDirectory } from '../../../test/support/open-ledger.ts'
import { failpoints } from '../../base/failpoint.ts'
import { batchRunner, committer, type Durability } from './batch.ts'
import { type Database, openForWriting, prepare } from './connection.ts'
import type { Call } from './messages.ts'

interface Bench {
  readonly database: Database
  readonly run: ReturnType<typeof batchRunner>
  readonly begun: Durability[]
  readonly values: () => (readonly [bigint, bigint])[]
}

/** A table of numbers: `add` is lazy and writes through memory at the end, `put` is durable, `burn` throws after writing. */
function open(context: TestContext, points?: string, deferredMax = 0): Bench {
  const database = openForWriting(join(temporaryDirectory(context), 'test.db'))
  context.after(() => database.close())
  database.exec(
    'CREATE TABLE number (id INTEGER PRIMARY KEY, value INTEGER NOT NULL CHECK (value < 1000)) STRICT',
  )
  const insert = prepare(database, 'INSERT INTO number (id, value) VALUES (?, ?)')
  const read = prepare(database, 'SELECT value FROM number WHERE id = ?')
  const update = prepare(database, 'UPDATE number SET value = ? WHERE id = ?')
  const rows = new Map<bigint, bigint>()
  const commits = committer(database)
  const begun: Durability[] = []
  const run = batchRunner(
    {
      ...commits,
      begin(durability) {
        begun.push(durability)
        commits.begin(durability)
      },
    },
    {
      operations: {
        put: {
          durable: true,
          run(id: bigint, value: bigint) {
            insert.run(id, value)
            return value
          },
        },
        add: {
          durable: false,
          deferral: 'later',
          run(id: bigint, value: bigint) {
            const before = rows.get(id) ?? (read.row(id)?.[0] as bigint)
            rows.set(id, before + value)
            return before + value
          },
        },
        see: {
          durable: false,
          deferral: 'after',
          run: (id: bigint) => rows.get(id) ?? read.row(id)?.[0],
        },
        burn: {
          durable: false,
          run(id: bigint) {
            insert.run(id, 1n)
            throw new Error('burnt')
          },
        },
      },
      memory: {
        flush() {
          for (const [id, value] of rows) update.run(value, id)
          rows.clear()
        },
        writeAll: () => {},
        committed: () => {},
        forget: () => rows.clear(),
        forgetShared: () => {},
      },
      deferredMax,
    },
    failpoints(points),
  )
  const all = prepare(database, 'SELECT id, value FROM number ORDER BY id')
  return { database, run, begun, values: () => all.rows() as [bigint, bigint][] }
}

test('a batch is one transaction; each call gets its own result', (context) => {
  const { run, begun, values } = open(context)
  assert.deepEqual(
    run([
      ['put', 1n, 5n],
      ['add', 1n, 2n],
      ['add', 1n, 3n],
    ]),
    [[5n, 7n, 10n], [], 'none'],
  )
  assert.deepEqual(values(), [[1n, 10n]])
  assert.deepEqual(begun, ['durable'])
})

test('a batch without a durable call does not wait for the disk', (context) => {
  const { database, run, begun } = open(context)
  const synchronous = (): unknown => prepare(database, 'PRAGMA synchronous').row()?.[0]
  run([['put', 1n, 5n]])
  assert.equal(synchronous(), 2n)
  run([['add', 1n, 1n]])
  assert.equal(synchronous(), 1n)
  run([
    ['add', 1n, 1n],
    ['put', 2n, 5n],
  ])
  assert.equal(synchronous(), 2n)
  assert.deepEqual(begun, ['durable', 'lazy', 'durable'])
})

test('one call of 200 that fails harms no other and leaves nothing behind', (context) => {
  const { run, values } = open(context)
  const calls: Call[] = Array.from({ length: 200 }, (_, index) => ['put', BigInt(index), 1n])
  calls[77] = ['burn', 1_077n]
  calls.push(['add', 5n, 1n], ['add', 5n, 1n])
  const [results, failures] = run(calls)
  assert.deepEqual(
    failures.map(([index, { message }]) => [index, message]),
    [[77, 'burnt']],
  )
  assert.equal(results[201], 3n)
  assert.equal(values().length, 199)
  assert.deepEqual(values()[5], [5n, 3n])
})

test('what a shared row rejects at the end is reported to the call that caused it', (context) => {
  const { run, values } = open(context)
  run([
    ['put', 1n, 0n],
    ['put', 2n, 0n],
  ])
  const [results, failures] = run([
    ['add', 1n, 1n],
    ['add', 2n, 2_000n],
    ['add', 1n, 1n],
  ])
  assert.deepEqual(
    failures.map(([index, { sqliteCode }]) => [index, sqliteCode]),
    [[1, 275]],
  )
  assert.deepEqual([results[0], results[2]], [1n, 2n])
  assert.deepEqual(values(), [
    [1n, 2n],
    [2n, 0n],
  ])
})

test('an operation that does not exist fails alone', (context) => {
  const { run, values } = open(context)
  const [, failures] = run([['put', 1n, 1n], ['constructor'], ['nothing']])
  assert.deepEqual(
    failures.map(([index]) => index),
    [1, 2],
  )
  assert.deepEqual(values(), [[1n, 1n]])
})

test('a full disk fails what does not fit, keeps what was there, and ends when there is room', (context) => {
  const { database, run, values } = open(context)
  database.exec('CREATE TABLE filler (body TEXT NOT NULL) STRICT')
  run([['put', 1n, 1n]])
  const pages = prepare(database, 'PRAGMA page_count').row()?.[0] as bigint
  database.exec(`PRAGMA max_page_count = ${pages}`)
  const calls: Call[] = Array.from({ length: 3_000 }, (_, index) => ['put', BigInt(index + 2), 1n])
  const [, failures] = run(calls)
  assert.ok(failures.length > 0 && failures.length < calls.length)
  assert.deepEqual(new Set(failures.map(([, { sqliteCode }]) => sqliteCode)), new Set([13]))
  assert.equal(values().length, 1 + calls.length - failures.length)
  assert.equal(database.isTransaction, false)
  database.exec('PRAGMA max_page_count = 100000')
  const again = failures.map(([index]) => calls[index]!)
  assert.deepEqual(run(again)[1], [])
  assert.equal(values().length, 3_001)
})

test('a commit that fails on purpose rolls everything back, also what was in memory', (context) => {
  const { run, values } = open(context, 'before-commit-put:fail=1,after-commit-add:fail=1')
  const [, failures] = run([['put', 1n, 1n]])
  assert.equal(failures.length, 1)
  assert.deepEqual(values(), [])
  assert.deepEqual(run([['put', 1n, 1n]])[1], [])
  const [, unknown] = run([['add', 1n, 1n]])
  assert.equal(unknown.length, 1, 'reported as failed')
  assert.deepEqual(values(), [[1n, 2n]], 'although it was committed')
})

test('what may be deferred is answered from memory, and the next commit has it', (context) => {
  const { run, begun, values } = open(context, undefined, 8)
  run([['put', 1n, 5n]])
  assert.deepEqual(run([['add', 1n, 1n]]), [[6n], [], 'waiting'])
  assert.deepEqual(run([['add', 1n, 1n]]), [[7n], [], 'waiting'])
  assert.deepEqual([begun, values()], [['durable'], [[1n, 5n]]])
  assert.deepEqual(run([['put', 2n, 1n]]), [[1n], [], 'none'])
  assert.deepEqual(values(), [
    [1n, 7n],
    [2n, 1n],
  ])
})

test('what looks at deferred changes commits them first', (context) => {
  const { run, begun, values } = open(context, undefined, 8)
  run([['put', 1n, 5n]])
  assert.deepEqual(run([['see', 1n]]), [[5n], [], 'none'])
  run([['add', 1n, 1n]])
  assert.deepEqual(run([['see', 1n]]), [[6n], [], 'none'])
  assert.deepEqual([begun, values()], [['durable', 'lazy'], [[1n, 6n]]])
})

test('only so many are deferred', (context) => {
  const { run, values } = open(context, undefined, 2)
  run([['put', 1n, 5n]])
  for (const state of ['waiting', 'waiting', 'none']) assert.equal(run([['add', 1n, 1n]])[2], state)
  assert.deepEqual(values(), [[1n, 8n]])
})

test('what was deferred survives the rollback of another batch', (context) => {
  const { run, values } = open(context, undefined, 8)
  run([['put', 1n, 5n]])
  run([['add', 1n, 1n]])
  const [results, failures] = run([
    ['add', 1n, 10n],
    ['burn', 7n],
  ])
  assert.deepEqual([results[0], failures.map(([index]) => index)], [16n, [1]])
  assert.deepEqual(values(), [[1n, 16n]])
})

test('nothing is deferred after a commit that failed, until one works', (context) => {
  const { database, run, values } = open(context, undefined, 8)
  run([['put', 1n, 5n]])
  run([['add', 1n, 1n]])
  database.exec('PRAGMA query_only = ON')
  const isFailed = ([, failures]: ReturnType<typeof run>): boolean => failures.length === 1
  assert.ok(isFailed(run([['see', 1n]])))
  assert.ok(isFailed(run([['add', 1n, 1n]])), 'it is rejected instead of being answered from memory')
  database.exec('PRAGMA query_only = OFF')
  // A failed commit also loses the earlier deferred changes; a caller that looks finds that out.
  assert.deepEqual(run([['add', 1n, 1n]]), [[6n], [], 'lost'])
  run([['put', 2n, 5n]])
  assert.deepEqual(run([['add', 1n, 1n]]), [[7n], [], 'lost'])
  assert.equal(values()[0]?.[1], 6n, 'it is deferred again')
  assert.deepEqual(run([['see', 1n]])[0], [7n])
  assert.deepEqual(values()[0], [1n, 7n])
})
