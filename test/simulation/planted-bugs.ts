/** Mistakes that the simulation must find: each is the machine with one operation changed. */
import type { LedgerOperation } from '../../src/ledger/machine/operation.ts'
import type {
  AccountState,
  HoldState,
  KeyUsageState,
  RowChange,
  Rows,
  TableName,
} from '../../src/ledger/machine/rows.ts'
import { type Operations, operations } from './operations.ts'

interface Alteration {
  /** Alters the rows that the operation reads. */
  readonly sees?: (rows: Rows) => Rows
  /** Alters the changes that the operation makes; `rows` as they were before. */
  readonly does?: (changes: readonly RowChange[], rows: Rows) => readonly RowChange[]
}

function altered<Input, Answer>(
  operation: LedgerOperation<Input, Answer>,
  { sees = (rows) => rows, does = (changes) => changes }: Alteration,
): LedgerOperation<Input, Answer> {
  return {
    durable: operation.durable,
    ...(operation.deferral === undefined ? {} : { deferral: operation.deferral }),
    rows: (input, found) => operation.rows(input, sees(found)),
    apply(rows, input) {
      const { answer, changes } = operation.apply(sees(rows), input)
      return { answer, changes: does(changes, rows) }
    },
  }
}

type AnyRow = AccountState | HoldState | KeyUsageState

/** Rows of a table look different from what they are. */
const seeing =
  (table: TableName, look: (row: AnyRow) => object | undefined) =>
  (rows: Rows): Rows => ({
    ...rows,
    [table]: {
      get(id: bigint) {
        const row = rows[table].get(id)
        return row === undefined ? undefined : look(row as AnyRow)
      },
    },
  })

const without = (table: TableName, kind?: string) => (changes: readonly RowChange[]) =>
  changes.filter(
    ({ table: changed, row }) =>
      changed !== table || (kind !== undefined && (row as { kind?: string } | null)?.kind !== kind),
  )

/** Changed rows of a table are written differently; `before` is the row as it was. */
const writing =
  (table: TableName, write: (row: AnyRow, before: AnyRow | undefined) => object) =>
  (changes: readonly RowChange[], rows: Rows): readonly RowChange[] =>
    changes.map((change) =>
      change.table === table && change.row !== null
        ? ({ ...change, row: write(change.row as AnyRow, rows[table].get(change.id) as AnyRow) } as RowChange)
        : change,
    )

const { admit, settle, release, releaseConcurrency, setModel, credit, debit, shrink, checkpoint, confirm } =
  operations

/** By what is wrong: the operations that differ from the machine's. */
export const plantedBugs: Readonly<Record<string, Partial<Operations>>> = {
  'a settled hold stays open': { settle: altered(settle, { does: without('hold') }) },
  'a settlement leaves no receipt': { settle: altered(settle, { does: without('receipt') }) },
  'a settlement is charged without an entry': { settle: altered(settle, { does: without('entry') }) },
  'a write-off leaves no entry': { settle: altered(settle, { does: without('entry', 'write_off') }) },
  'a settlement is not counted under its key': { settle: altered(settle, { does: without('keyUsage') }) },
  'a charge may be larger than its hold': {
    settle: altered(settle, { sees: seeing('hold', (hold) => ({ ...hold, amount: 1_000_000n })) }),
  },
  'a settlement is acknowledged before it is on disk': { settle: { ...settle, durable: false } },
  'a checkpoint is acknowledged before it is on disk': { checkpoint: { ...checkpoint, durable: false } },
  'content is delivered before its hold is stored': { confirm: { ...confirm, deferral: 'later' } },
  'a settlement is answered before its commit': { settle: { ...settle, deferral: 'later' } },
  'a checkpoint is lost when concurrency is released': {
    releaseConcurrency: altered(releaseConcurrency, {
      does: writing('hold', (hold) => ({ ...hold, checkpoint: null })),
    }),
  },
  'concurrency is released twice': {
    releaseConcurrency: altered(releaseConcurrency, {
      sees: seeing('hold', (hold) => ({ ...hold, isConcurrencyReleased: false })),
    }),
  },
  'an admission ignores what other requests of the account hold': {
    admit: altered(admit, {
      sees: seeing('account', (account) => ({ ...account, held: 0n })),
      does: writing('account', (account, before) => ({
        ...account,
        held: (account as AccountState).held + (before as AccountState).held,
      })),
    }),
  },
  'an admission ignores what other requests of the key hold': {
    admit: altered(admit, {
      sees: seeing('keyUsage', (usage) => ({ ...usage, held: 0n })),
      does: writing('keyUsage', (usage, before) => ({
        ...usage,
        held: (usage as KeyUsageState).held + ((before as KeyUsageState | undefined)?.held ?? 0n),
      })),
    }),
  },
  'an admission ignores the suspension': {
    admit: altered(admit, { sees: seeing('account', (account) => ({ ...account, suspendedMs: null })) }),
  },
  'an admission is not counted in the rate': {
    admit: altered(admit, {
      does: writing('account', (account, before) => ({
        ...account,
        window: (before as AccountState).window,
      })),
    }),
  },
  'a rotated key gets a new budget': {
    admit: altered(admit, { sees: seeing('keyUsage', (usage) => ({ ...usage, shared: null })) }),
  },
  'a released hold counts as running': {
    release: altered(release, {
      does: writing('account', (account, before) => ({
        ...account,
        running: (before as AccountState).running,
      })),
    }),
  },
  'a smaller hold keeps its amount': { shrink: altered(shrink, { does: without('hold') }) },
  'another model is charged at the price of the first': { setModel: altered(setModel, { does: () => [] }) },
  'a reference is credited again': {
    credit: altered(credit, {
      sees: seeing('creditReference', () => undefined),
      does: without('creditReference'),
    }),
  },
  'a refund leaves no entry': { debit: altered(debit, { does: without('entry') }) },
  'an operation reads a row that it has not named': {
    settle: { ...settle, rows: (input) => [{ table: 'hold', id: input.id }] },
  },
}
