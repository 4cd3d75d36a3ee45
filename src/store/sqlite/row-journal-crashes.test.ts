/**
 * Random transactions on rows behind the journal, of which any may be rolled back, and any moment may be the process's
 * last: what is committed is valid for the writer, for readers and after the next start, and the journal stays bounded.
 */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { temporaryDirectory } from '../../../test/support/open-ledger.ts'
import { migrate } from '../migrate.ts'
import { openForReading, openForWriting, prepare } from './connection.ts'
import { readRecord } from './journal-codec.ts'
import { overlayJournal } from './journal-overlay.ts'
import { journalTable } from './journaled-tables.ts'
import { openRowJournal } from './row-journal.ts'

const limits = { gatheredRows: 7, sliceForRows: 3 }
const accounts = [1n, 2n, 3n, 4n, 5n]
const changesMax = 4
/** Older rows, half as many newer ones, and what one slice or one transaction more is. */
const rowsMax = (3 * (limits.gatheredRows + changesMax)) / 2 + limits.sliceForRows + 2 * changesMax
const rates = new Uint8Array([1, 2, 3])

interface Account {
  readonly posted: bigint
  readonly suspended: bigint | null
}

/** The expected contents. */
interface Model {
  readonly accounts: ReadonlyMap<bigint, Account>
  readonly listed: readonly (readonly [account: bigint, id: bigint])[]
}

type Change =
  | { readonly kind: 'put' | 'suspend' | 'statement'; readonly account: bigint; readonly posted: bigint }
  | { readonly kind: 'list'; readonly account: bigint }
  | { readonly kind: 'unlist'; readonly account: bigint }
  /** Flushes the earlier changes, as a statement that needs no table does. */
  | { readonly kind: 'flush' }

type End = 'commit' | 'rollback' | 'crash' | 'commit and crash'

const account = fc.constantFrom(...accounts)
const changeOfRow = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'suspend'),
  account,
  posted: fc.bigInt({ min: 1n, max: 99n }),
})
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: changeOfRow as fc.Arbitrary<Change> },
  { weight: 3, arbitrary: account.map((of) => ({ kind: 'list', account: of }) as const) },
  { weight: 2, arbitrary: fc.constant({ kind: 'flush' } as const) },
)
const statements: fc.Arbitrary<Change[]> = fc
  .tuple(fc.constantFrom('statement', 'unlist'), account)
  .chain(([kind, of]) =>
    fc
      .array(change, { maxLength: 2 })
      .map((before) => [...before, { kind, account: of, posted: 50n } as Change, ...before]),
  )
const transaction = fc.record({
  changes: fc.oneof(
    { weight: 15, arbitrary: fc.array(change, { minLength: 1, maxLength: changesMax }) },
    { weight: 2, arbitrary: statements },
  ),
  end: fc.constantFrom<End>(...Array<End>(9).fill('commit'), 'rollback', 'crash', 'commit and crash'),
  /** A reader that is used less often has more to catch up with. */
  isReadLate: fc.boolean(),
})

/** A database with the accounts, and an empty one's rows. */
function template(context: TestContext): string {
  const path = join(temporaryDirectory(context), 'tollgate.db')
  const database = openForWriting(path)
  migrate(database, 0)
  for (const id of accounts) database.exec(`INSERT INTO account (id) VALUES (${id})`)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return path
}

function open(path: string) {
  const database = openForWriting(path)
  const start = () => {
    const journal = openRowJournal(database, limits)
    return {
      journal,
      accounts: journal.rowsOf('account', ['id', 'posted', 'rates', 'suspended_ms']),
      list: journal.listOf('receipt_list', ['account', 'id']),
    }
  }
  const stored = prepare(database, 'SELECT id, posted, suspended_ms FROM account ORDER BY id')
  const records = prepare(database, `SELECT rows FROM ${journalTable}`)
  let process = start()
  let readers = [reader(path), reader(path)] as const
  const closeReaders = (): void => {
    for (const each of readers) each.close()
  }
  return {
    database,
    process: () => process,
    readers: () => readers,
    /** Readers are threads of the process. */
    restart() {
      closeReaders()
      process = start()
      readers = [reader(path), reader(path)]
    },
    /** The rows as the writer sees them. */
    known: () =>
      stored.rows().map((row) => {
        const [id, posted, , suspended] = process.accounts.find(row[0] as bigint) ?? [...row, row[2]]
        return suspended === undefined ? row : [id, posted, suspended]
      }),
    journaledRows: () =>
      records
        .rows()
        .flatMap(([record]) => readRecord(record as Uint8Array))
        .reduce((sum, { rows }) => sum + rows.length, 0),
    close() {
      closeReaders()
      database.close()
    },
  }
}

function reader(path: string) {
  const database = openForReading(path)
  const overlay = overlayJournal(database)
  const select = prepare(database, 'SELECT id, posted, suspended_ms FROM account ORDER BY id')
  const list = prepare(database, 'SELECT account, id FROM receipt_list ORDER BY account, id')
  return {
    close: () => database.close(),
    seen() {
      database.exec('BEGIN')
      overlay.refresh()
      const seen = { accounts: select.rows(), listed: list.rows() }
      database.exec('COMMIT')
      return seen
    },
  }
}

const seenOf = ({ accounts: rows, listed }: Model) => ({
  accounts: [...rows].map(([id, { posted, suspended }]) => [id, posted, suspended]),
  listed: listed.toSorted(([a, b], [c, d]) => Number(a - c || b - d)),
})

type Opened = ReturnType<typeof open>

let nextReceipt = 1n

/** Does it, and returns what is valid if it is committed. */
function apply({ database, process }: Opened, model: Model, given: Change): Model {
  const { journal, accounts: journaled, list } = process()
  if (given.kind === 'flush') {
    journal.flush()
    return model
  }
  const { account: id } = given
  if (given.kind === 'list') {
    const row = [id, nextReceipt++] as const
    list.add(row)
    return { ...model, listed: [...model.listed, row] }
  }
  const before = model.accounts.get(id)
  assert(before !== undefined)
  if (given.kind === 'unlist') {
    journal.writeAll()
    database.exec(`DELETE FROM receipt_list WHERE account = ${id}`)
    return { ...model, listed: model.listed.filter(([of]) => of !== id) }
  }
  const { posted } = given
  const suspended = given.kind === 'suspend' ? posted : before.suspended
  const after = { posted, suspended }
  if (given.kind === 'statement') {
    journal.writeAll()
    database.exec(`UPDATE account SET posted = ${posted} WHERE id = ${id}`)
  } else journaled[given.kind === 'suspend' ? 'putImmediately' : 'put'](id, [id, posted, rates, suspended])
  return { ...model, accounts: new Map([...model.accounts, [id, after]]) }
}

function end({ database, process, restart }: Opened, how: End): boolean {
  const { journal } = process()
  journal.flush()
  const isCommitted = how.startsWith('commit')
  database.exec(isCommitted ? 'COMMIT' : 'ROLLBACK')
  if (how === 'commit') journal.committed()
  else if (how === 'rollback') journal.forget()
  else restart()
  return isCommitted
}

test('whatever is rolled back or killed, what was committed is valid for everyone', (context) => {
  const empty = template(context)
  const path = join(temporaryDirectory(context), 'tollgate.db')
  fc.assert(
    fc.property(fc.array(transaction, { minLength: 20, maxLength: 60 }), (transactions) => {
      for (const suffix of ['-wal', '-shm']) assert.equal(existsSync(path + suffix), false)
      copyFileSync(empty, path)
      const on = open(path)
      try {
        let model: Model = {
          accounts: new Map(accounts.map((id) => [id, { posted: 0n, suspended: null }])),
          listed: [],
        }
        for (const { changes, end: how, isReadLate } of transactions) {
          on.database.exec('BEGIN')
          let changed = model
          for (const each of changes) changed = apply(on, changed, each)
          if (end(on, how)) model = changed
          const seen = seenOf(model)
          assert.deepEqual(on.known(), seen.accounts, 'the writer')
          assert.deepEqual(on.readers()[0].seen(), seen, 'a reader')
          if (!isReadLate) assert.deepEqual(on.readers()[1].seen(), seen, 'a reader that was away')
          assert(on.journaledRows() <= rowsMax, 'the journal is bounded')
        }
        on.restart()
        assert.deepEqual(on.readers()[1].seen(), seenOf(model))
        assert.equal(on.journaledRows(), 0)
      } finally {
        on.close()
      }
    }),
    { numRuns: 25 },
  )
})
