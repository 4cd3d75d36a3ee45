/** The ledger as a table: one line for each operation, with its expected result last. On each engine: real databases, and memory. */

import assert from 'node:assert/strict'
import { after as afterAll, test } from 'node:test'
import { sql } from 'kysely'
import { noTokens } from '../../contract/meters.ts'
import { plainAsk, plainDraft, unlimited } from '../../test/support/ledger-values.ts'
import { type ManualClock, manualClock } from '../../test/support/manual-clock.ts'
import { openMemoryLedger } from '../../test/support/memory-ledger.ts'
import { type Lifetime, openTestLedger, type TestLedger } from '../../test/support/open-ledger.ts'
import { openPostgresLedger } from '../../test/support/postgres-ledger.ts'
import { postgresIsMissing } from '../../test/support/postgres-server.ts'
import { insertTopUp } from '../../test/support/top-up-rows.ts'
import { TollgateError } from '../base/errors.ts'
import type { OpenLedger } from './ledger.ts'
import type {
  Admission,
  AdmissionRequest,
  CreditResult,
  EndReason,
  ExcessCause,
  ReceiptDraft,
  SettleResult,
} from './types.ts'

const halfHourMs = 1_800_000
const hourMs = 3_600_000
const dayMs = 86_400_000

/** A ledger on one of the engines. */
interface Scene extends OpenLedger {
  readonly clock: ManualClock
  /** The id of a name in a table. */
  readonly id: (name: string) => bigint
}

/** How a ledger is opened on each engine. */
const engines = {
  SQLite: openTestLedger,
  memory: openMemoryLedger,
  ...(postgresIsMissing === undefined ? { PostgreSQL: openPostgresLedger } : {}),
} as const

if (postgresIsMissing !== undefined) test('on PostgreSQL', { skip: postgresIsMissing })

type Run = (on: Scene) => Promise<void>

/** Tests each engine on a ledger that many tests use: names, days and keys are each test's own. Begins half an hour before a midnight. */
function onEach(text: string, run: Run): void {
  for (const [engine, opened] of shared) {
    test(`${text} (${engine})`, async () => {
      const { clock, ledger } = await opened
      clock.setWallMs(Math.ceil(clock.wallMs() / dayMs) * dayMs + dayMs - halfHourMs)
      await run(named(ledger, clock))
    })
  }
}

/** Tests each engine on a new ledger, for tests that read all of its rows. */
function onEachAlone(text: string, run: Run): void {
  for (const [engine, open] of Object.entries(engines)) {
    test(`${text} (${engine})`, async (context) => {
      const clock = manualClock()
      await run(named(await open(context, { clock }), clock))
    })
  }
}

const closes: (() => void | Promise<void>)[] = []
const shared = Object.entries(engines).map(([engine, open]) => {
  const clock = manualClock(Date.UTC(2026, 0, 1, 23, 30))
  const opened = open({ after: (close) => void closes.push(close) }, { clock }).then((ledger) => ({
    ledger,
    clock,
  }))
  return [engine, opened] as const
})
// Registered while this file is loaded: a hook that is added later belongs to no file.
afterAll(async () => {
  for (const close of closes) await close()
})

/** A new ledger for tests of the database under it. */
async function onStore(context: Lifetime): Promise<Scene & TestLedger> {
  const clock = manualClock()
  return named(await openTestLedger(context, { clock }), clock)
}

function named<Opened extends OpenLedger>(
  opened: Opened,
  clock: ManualClock,
): Opened & Pick<Scene, 'clock' | 'id'> {
  const ids = new Map<string, bigint>()
  const id = (name: string): bigint => {
    const known = ids.get(name) ?? opened.nextId()
    ids.set(name, known)
    return known
  }
  return { ...opened, clock, id }
}

type Step = (scene: Scene) => Promise<string>

const create =
  (name: string, email: string | null = null): Step =>
  async ({ ledger, id, clock }) => {
    const row = { id: id(name), kind: 'personal' as const, email, name, nowMs: clock.wallMs() }
    return (await ledger.createAccount(row)).kind
  }

const credit =
  (account: string, reference: string, amount: bigint): Step =>
  async ({ ledger, id, clock, nextId }) => {
    const given = { entryId: nextId(), account: id(account), amount, source: 'manual' as const }
    const unique = id(`reference ${reference}`).toString()
    return creditWords(
      await ledger.credit({ ...given, reference: unique, nowMs: clock.wallMs(), note: null }),
    )
  }

function creditWords(result: CreditResult): string {
  if (result.kind !== 'credited') return result.kind
  return `${result.created ? 'credited' : 'credited before'}, posted ${result.posted}, held ${result.held}`
}

const admit =
  (request: string, account: string, more: Partial<AdmissionRequest>): Step =>
  async ({ ledger, id, clock }) => {
    const ids = { id: id(request), account: id(account), key: id(`key of ${account}`) }
    return admissionWords(await ledger.admit({ ...plainAsk, ...ids, nowMs: clock.wallMs(), ...more }))
  }

function admissionWords(admission: Admission): string {
  switch (admission.kind) {
    case 'held':
      return `held ${admission.amount} for ${admission.outputLimit}, ${admission.available} left${admission.restricted ? ', restricted' : ''}`
    case 'insufficient_funds':
      return `${admission.scope} short: needs ${admission.required} of ${admission.available}, ${admission.held} in ${admission.openHolds} holds`
    case 'rate':
      return `${admission.scope} ${admission.limitKind}`
    default:
      return admission.kind
  }
}

const settle =
  (
    request: string,
    cost: bigint,
    writtenOff = 0n,
    more: Partial<ReceiptDraft> & { excessCausedBy?: ExcessCause; causedWriteOff?: bigint } = {},
  ): Step =>
  async ({ ledger, id, clock, nextId }) => {
    const nowMs = clock.wallMs()
    const { excessCausedBy = 'upstream', causedWriteOff = 0n, ...draft } = more
    const caused = { excessCausedBy, causedWriteOff }
    const given = { id: id(request), nowMs, cost, writtenOff, writeOffEntryId: nextId(), ...caused }
    return settleWords(await ledger.settle({ ...given, receipt: { ...plainDraft, ...draft } }))
  }

function settleWords(result: SettleResult): string {
  if (result.kind !== 'settled') return result.kind
  return `charged ${result.charged}, written off ${result.writtenOff}, ${result.available} left`
}

const release =
  (request: string): Step =>
  async ({ ledger, id }) => {
    await ledger.release(id(request))
    return 'done'
  }

const shrink =
  (request: string, amount: bigint): Step =>
  async ({ ledger, id }) => {
    await ledger.shrink(id(request), amount)
    return 'done'
  }

const releaseConcurrency =
  (request: string): Step =>
  async ({ ledger, id }) => {
    await ledger.releaseConcurrency(id(request))
    return 'done'
  }

const suspend =
  (account: string, atMs: number | null): Step =>
  async ({ ledger, id }) => {
    await ledger.suspend(id(account), atMs)
    return 'done'
  }

const unrestrict =
  (account: string): Step =>
  async ({ ledger, id }) => {
    await ledger.unrestrict(id(account))
    return 'done'
  }

const after =
  (ms: number): Step =>
  async ({ clock }) => {
    clock.advance(ms)
    return 'done'
  }

const setBack =
  (ms: number): Step =>
  async ({ clock }) => {
    clock.setWallMs(clock.wallMs() - ms)
    return 'done'
  }

const show =
  (account: string): Step =>
  async ({ ledger, id }) => {
    const row = await ledger.account(id(account))
    assert.ok(row !== undefined)
    const state = row.restrictedMs === null ? '' : ', restricted'
    return `posted ${row.posted}, held ${row.held} in ${row.openHolds}, written off ${row.writtenOffToday}${state}`
  }

const spent =
  (account: string, window: 'day' | 'month' | 'total'): Step =>
  async ({ ledger, id, clock }) => {
    const spend = await ledger.keySpend(id(`key of ${account}`), window, clock.wallMs())
    return `spent ${spend.spent}, held ${spend.held}`
  }

const receipt =
  (request: string): Step =>
  async ({ ledger, id }) => {
    const row = await ledger.receipt(id(request))
    if (row === undefined) return 'none'
    return `${row.endReason}: hold ${row.hold}, charged ${row.charged}, written off ${row.writtenOff}`
  }

const abortedBy = (causedWriteOff: bigint) => ({ endReason: 'client_abort' as EndReason, causedWriteOff })
const failed = { endReason: 'upstream_error' as EndReason }
const half_usd = 500_000_000n
const byAccount = { excessCausedBy: 'account' as const }
const total = (amount: bigint) => ({ amount, window: 'total' as const })

const stories: Readonly<Record<string, readonly (readonly [Step, string])[]>> = {
  'credit is given once for a reference': [
    [credit('A', 'one', 100n), 'no_account'],
    [create('A', 'A@Example.org'), 'created'],
    [create('A', 'a@example.org'), 'exists'],
    [create('B', 'a@EXAMPLE.org'), 'exists'],
    [create('B', 'b@example.org'), 'created'],
    [credit('A', 'one', 100n), 'credited, posted 100, held 0'],
    [credit('A', 'one', 100n), 'credited before, posted 100, held 0'],
    [credit('A', 'one', 101n), 'conflict'],
    [credit('B', 'one', 100n), 'conflict'],
    [credit('A', 'two', 1n), 'credited, posted 101, held 0'],
    [show('A'), 'posted 101, held 0 in 0, written off 0'],
    [show('B'), 'posted 0, held 0 in 0, written off 0'],
  ],
  'a hold is settled, released, and neither twice': [
    [create('A'), 'created'],
    [credit('A', 'one', 100n), 'credited, posted 100, held 0'],
    [admit('r1', 'A', { inputAmount: 60n }), 'held 60 for 0, 40 left'],
    [admit('r2', 'A', { inputAmount: 41n }), 'account short: needs 41 of 40, 60 in 1 holds'],
    [admit('r3', 'A', { inputAmount: 41n, patience: 'wait' }), 'wait'],
    [
      admit('r4', 'A', { inputAmount: 101n, patience: 'wait' }),
      'account short: needs 101 of 40, 60 in 1 holds',
    ],
    [admit('r5', 'A', { inputAmount: 40n }), 'held 40 for 0, 0 left'],
    [show('A'), 'posted 100, held 100 in 2, written off 0'],
    [settle('r1', 50n), 'charged 50, written off 0, 10 left'],
    [settle('r1', 50n), 'already_settled'],
    [release('r1'), 'done'],
    [settle('r9', 1n), 'unknown_hold'],
    [release('r5'), 'done'],
    [release('r5'), 'done'],
    [settle('r5', 1n), 'unknown_hold'],
    [show('A'), 'posted 50, held 0 in 0, written off 0'],
    [receipt('r1'), 'complete: hold 60, charged 50, written off 0'],
    [receipt('r5'), 'none'],
  ],
  'what costs nothing leaves a receipt': [
    [create('A'), 'created'],
    [credit('A', 'one', 10n), 'credited, posted 10, held 0'],
    [admit('r1', 'A', { inputAmount: 5n }), 'held 5 for 0, 5 left'],
    [settle('r1', 0n), 'charged 0, written off 0, 10 left'],
    [receipt('r1'), 'complete: hold 5, charged 0, written off 0'],
    [settle('r1', 5n), 'already_settled'],
  ],
  'what costs more than its hold is charged the hold, and the rest is written off': [
    [create('A'), 'created'],
    [credit('A', 'one', 100n), 'credited, posted 100, held 0'],
    [admit('r1', 'A', { inputAmount: 10n }), 'held 10 for 0, 90 left'],
    [admit('r2', 'A', { inputAmount: 70n }), 'held 70 for 0, 20 left'],
    [settle('r1', 25n), 'charged 10, written off 15, 20 left'],
    [settle('r2', 90n), 'charged 70, written off 20, 20 left'],
    [show('A'), 'posted 20, held 0 in 0, written off 0'],
    [receipt('r2'), 'complete: hold 70, charged 70, written off 20'],
  ],
  'what exceeds a smaller hold is not charged either': [
    [create('A'), 'created'],
    [credit('A', 'one', 100n), 'credited, posted 100, held 0'],
    [admit('r1', 'A', { inputAmount: 50n }), 'held 50 for 0, 50 left'],
    [shrink('r1', 20n), 'done'],
    [settle('r1', 40n), 'charged 30, written off 10, 70 left'],
    [receipt('r1'), 'complete: hold 30, charged 30, written off 10'],
  ],
  'a key never spends more than its budget, whatever is reported': [
    [create('A'), 'created'],
    [credit('A', 'one', 1_000n), 'credited, posted 1000, held 0'],
    [admit('r1', 'A', { inputAmount: 60n, keyBudget: total(100n) }), 'held 60 for 0, 940 left'],
    [admit('r2', 'A', { inputAmount: 40n, keyBudget: total(100n) }), 'held 40 for 0, 900 left'],
    [settle('r1', 1_000_000_000n), 'charged 60, written off 999999940, 900 left'],
    [settle('r2', 41n), 'charged 40, written off 1, 900 left'],
    [admit('r3', 'A', { inputAmount: 1n, keyBudget: total(100n) }), 'key short: needs 1 of 0, 0 in 0 holds'],
    // Lowered below what was spent: nothing more, and nothing fails.
    [admit('r4', 'A', { inputAmount: 0n, keyBudget: total(10n) }), 'held 0 for 0, 900 left'],
    [settle('r4', 7n), 'charged 0, written off 7, 900 left'],
  ],
  'what another request holds is not touched': [
    [create('A'), 'created'],
    [credit('A', 'one', 100n), 'credited, posted 100, held 0'],
    [admit('r1', 'A', { inputAmount: 10n }), 'held 10 for 0, 90 left'],
    [admit('r2', 'A', { inputAmount: 90n }), 'held 90 for 0, 0 left'],
    [settle('r1', 50n), 'charged 10, written off 40, 0 left'],
    [settle('r2', 90n), 'charged 90, written off 0, 0 left'],
  ],
  'what is not the customer’s to pay is written off in addition to the charge': [
    [create('A'), 'created'],
    [credit('A', 'one', 100n), 'credited, posted 100, held 0'],
    [admit('r1', 'A', { inputAmount: 10n }), 'held 10 for 0, 90 left'],
    [settle('r1', 0n, 7n, failed), 'charged 0, written off 7, 100 left'],
    [admit('r2', 'A', { inputAmount: 10n }), 'held 10 for 0, 90 left'],
    [settle('r2', 4n, 3n, abortedBy(3n)), 'charged 4, written off 3, 96 left'],
    [show('A'), 'posted 96, held 0 in 0, written off 3'],
    [receipt('r1'), 'upstream_error: hold 10, charged 0, written off 7'],
  ],
  'losses above the day’s allowance restrict the account until an operator lifts it': [
    [create('A'), 'created'],
    [credit('A', 'one', 10n), 'credited, posted 10, held 0'],
    [admit('r1', 'A', {}), 'held 0 for 0, 10 left'],
    [settle('r1', 0n, half_usd, abortedBy(half_usd)), 'charged 0, written off 500000000, 10 left'],
    [admit('r2', 'A', { needsUnrestrictedAccount: true }), 'held 0 for 0, 10 left'],
    [settle('r2', 0n, 10n * half_usd, failed), 'charged 0, written off 5000000000, 10 left'],
    [admit('r3', 'A', { needsUnrestrictedAccount: true }), 'held 0 for 0, 10 left'],
    [settle('r3', 0n, 1n, abortedBy(1n)), 'charged 0, written off 1, 10 left'],
    [admit('r4', 'A', { needsUnrestrictedAccount: true }), 'restricted'],
    [admit('r5', 'A', {}), 'held 0 for 0, 10 left, restricted'],
    [after(hourMs), 'done'],
    [admit('r6', 'A', { needsUnrestrictedAccount: true }), 'restricted'],
    [unrestrict('A'), 'done'],
    [admit('r7', 'A', { needsUnrestrictedAccount: true }), 'held 0 for 0, 10 left'],
    [show('A'), 'posted 10, held 0 in 2, written off 0'],
  ],
  'what an upstream reports beyond the hold is not held against the account': [
    [create('A'), 'created'],
    [credit('A', 'one', 10n), 'credited, posted 10, held 0'],
    [admit('r1', 'A', {}), 'held 0 for 0, 10 left'],
    [settle('r1', 100n * half_usd), 'charged 0, written off 50000000000, 10 left'],
    [admit('r2', 'A', { needsUnrestrictedAccount: true }), 'held 0 for 0, 10 left'],
    [settle('r2', half_usd + 1n, 0n, byAccount), 'charged 0, written off 500000001, 10 left'],
    [admit('r3', 'A', { needsUnrestrictedAccount: true }), 'restricted'],
  ],
  'losses of different days do not add up': [
    [create('A'), 'created'],
    [admit('r1', 'A', {}), 'held 0 for 0, 0 left'],
    [settle('r1', half_usd, 0n, byAccount), 'charged 0, written off 500000000, 0 left'],
    [after(hourMs), 'done'],
    [admit('r2', 'A', {}), 'held 0 for 0, 0 left'],
    [settle('r2', half_usd, 0n, byAccount), 'charged 0, written off 500000000, 0 left'],
    [show('A'), 'posted 0, held 0 in 0, written off 500000000'],
  ],
  'a hold shrinks by what is known to be too much, and never below nothing': [
    [create('A'), 'created'],
    [credit('A', 'one', 100n), 'credited, posted 100, held 0'],
    [admit('r1', 'A', { inputAmount: 90n }), 'held 90 for 0, 10 left'],
    [shrink('r1', 50n), 'done'],
    [show('A'), 'posted 100, held 40 in 1, written off 0'],
    [admit('r2', 'A', { inputAmount: 60n }), 'held 60 for 0, 0 left'],
    [shrink('r1', 500n), 'done'],
    [show('A'), 'posted 100, held 60 in 2, written off 0'],
    [settle('r1', 5n), 'charged 0, written off 5, 40 left'],
    [settle('r2', 5n), 'charged 5, written off 0, 95 left'],
    [shrink('r2', 1n), 'done'],
  ],
  'a request that released its concurrency keeps its hold': [
    [create('A'), 'created'],
    [credit('A', 'one', 100n), 'credited, posted 100, held 0'],
    [
      admit('r1', 'A', { inputAmount: 60n, accountLimits: { ...unlimited, concurrent: 1 } }),
      'held 60 for 0, 40 left',
    ],
    [
      admit('r2', 'A', { inputAmount: 10n, accountLimits: { ...unlimited, concurrent: 1 } }),
      'account concurrent',
    ],
    [releaseConcurrency('r1'), 'done'],
    [releaseConcurrency('r1'), 'done'],
    [
      admit('r3', 'A', { inputAmount: 10n, accountLimits: { ...unlimited, concurrent: 1 } }),
      'held 10 for 0, 30 left',
    ],
    [settle('r1', 60n), 'charged 60, written off 0, 30 left'],
    [
      admit('r4', 'A', { inputAmount: 10n, accountLimits: { ...unlimited, concurrent: 1 } }),
      'account concurrent',
    ],
    [settle('r3', 10n), 'charged 10, written off 0, 30 left'],
    [releaseConcurrency('r3'), 'done'],
  ],
  'a suspended account may settle and not begin': [
    [create('A'), 'created'],
    [credit('A', 'one', 100n), 'credited, posted 100, held 0'],
    [admit('r1', 'A', { inputAmount: 60n }), 'held 60 for 0, 40 left'],
    [suspend('A', 5), 'done'],
    [admit('r2', 'A', { inputAmount: 1n }), 'suspended'],
    [settle('r1', 30n), 'charged 30, written off 0, 70 left'],
    [suspend('A', null), 'done'],
    [admit('r3', 'A', { inputAmount: 1n }), 'held 1 for 0, 69 left'],
  ],
  'a key’s budget counts its window, its holds, and forgives at midnight': [
    [create('A'), 'created'],
    [credit('A', 'one', 1_000n), 'credited, posted 1000, held 0'],
    [
      admit('r1', 'A', { inputAmount: 60n, keyBudget: { amount: 100n, window: 'day' } }),
      'held 60 for 0, 940 left',
    ],
    [
      admit('r2', 'A', { inputAmount: 41n, keyBudget: { amount: 100n, window: 'day' } }),
      'key short: needs 41 of 40, 60 in 1 holds',
    ],
    [settle('r1', 50n), 'charged 50, written off 0, 950 left'],
    [spent('A', 'day'), 'spent 50, held 0'],
    [
      admit('r3', 'A', { inputAmount: 51n, keyBudget: { amount: 100n, window: 'day' } }),
      'key short: needs 51 of 50, 0 in 0 holds',
    ],
    [
      admit('r4', 'A', { inputAmount: 50n, keyBudget: { amount: 100n, window: 'day' } }),
      'held 50 for 0, 900 left',
    ],
    [after(hourMs), 'done'],
    [spent('A', 'day'), 'spent 0, held 50'],
    [settle('r4', 50n), 'charged 50, written off 0, 900 left'],
    [spent('A', 'day'), 'spent 50, held 0'],
    [spent('A', 'month'), 'spent 100, held 0'],
    [
      admit('r5', 'A', { inputAmount: 1n, keyBudget: { amount: 100n, window: 'total' } }),
      'key short: needs 1 of 0, 0 in 0 holds',
    ],
  ],
  'a hold from before the clock was set back is released without forgetting later requests': [
    [create('A'), 'created'],
    [admit('r1', 'A', {}), 'held 0 for 0, 0 left'],
    [setBack(hourMs), 'done'],
    [admit('r2', 'A', { accountLimits: { ...unlimited, requestsPerMinute: 2 } }), 'held 0 for 0, 0 left'],
    [release('r1'), 'done'],
    [admit('r3', 'A', { accountLimits: { ...unlimited, requestsPerMinute: 2 } }), 'account requests'],
  ],
  'rates are taken by what is admitted and corrected by what was used': [
    [create('A'), 'created'],
    [
      admit('r1', 'A', { inputTokens: 900, accountLimits: { ...unlimited, tokensPerMinute: 1_000 } }),
      'held 0 for 0, 0 left',
    ],
    [
      admit('r2', 'A', { inputTokens: 101, accountLimits: { ...unlimited, tokensPerMinute: 1_000 } }),
      'account tokens',
    ],
    [
      settle('r1', 0n, 0n, { inputUncached: 100, output: 50, reasoning: 40 }),
      'charged 0, written off 0, 0 left',
    ],
    [
      admit('r3', 'A', { inputTokens: 851, accountLimits: { ...unlimited, tokensPerMinute: 1_000 } }),
      'account tokens',
    ],
    [
      admit('r4', 'A', { inputTokens: 850, accountLimits: { ...unlimited, tokensPerMinute: 1_000 } }),
      'held 0 for 0, 0 left',
    ],
    [release('r4'), 'done'],
    [
      admit('r5', 'A', { inputTokens: 850, accountLimits: { ...unlimited, tokensPerMinute: 1_000 } }),
      'held 0 for 0, 0 left',
    ],
    [admit('r6', 'A', { keyLimits: { ...unlimited, requestsPerMinute: 3 } }), 'key requests'],
    [after(60_000), 'done'],
    [admit('r7', 'A', { keyLimits: { ...unlimited, requestsPerMinute: 3 } }), 'held 0 for 0, 0 left'],
  ],
}

for (const [text, story] of Object.entries(stories)) {
  onEach(text, async (on) => {
    for (const [index, [step, expected]] of story.entries()) {
      assert.equal(await step(on), expected, `line ${index + 1}`)
    }
  })
}

onEach('after all of that the books balance', async (on) => {
  assert.deepEqual((await on.ledger.verify()).drift, [])
})

onEachAlone('the platform accounts mirror every movement', async (on) => {
  const steps = [
    create('A'),
    credit('A', 'one', 100n),
    admit('r1', 'A', { inputAmount: 10n }),
    settle('r1', 25n, 5n),
    admit('r2', 'A', { inputAmount: 75n }),
    settle('r2', 80n),
  ]
  for (const step of steps) await step(on)
  const platform = await on.ledger.platformBalances()
  assert.deepEqual(platform, { revenue: 110n, promo: -100n, clearing: 0n, write_offs: -25n, refunds: 0n })
  const sum = Object.values(platform).reduce((total, amount) => total + amount, 0n)
  const row = await on.ledger.account(on.id('A'))
  assert.equal(sum + (row?.posted ?? 0n), 0n)
})

onEach('a thousand concurrent requests on funds for exactly ten: exactly ten are admitted', async (on) => {
  await create('A')(on)
  await credit('A', 'one', 10n * 7n)(on)
  const requests = Array.from({ length: 1_000 }, (_, index) =>
    admit(`r${index}`, 'A', { inputAmount: 7n })(on),
  )
  const answers = await Promise.all(requests)
  assert.equal(answers.filter((answer) => answer.startsWith('held')).length, 10)
  assert.equal(answers.filter((answer) => answer.startsWith('account short')).length, 990)
  assert.equal(await show('A')(on), 'posted 70, held 70 in 10, written off 0')
  assert.deepEqual((await on.ledger.verify()).drift, [])
})

onEach('a thousand concurrent credits with one reference: exactly one', async (on) => {
  await create('A')(on)
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => credit('A', 'one', 5n)(on)))
  assert.equal(answers.filter((answer) => answer.startsWith('credited,')).length, 1)
  assert.equal(await show('A')(on), 'posted 5, held 0 in 0, written off 0')
})

onEach('a hundred concurrent calls for one settlement settle once', async (on) => {
  await create('A')(on)
  await credit('A', 'one', 100n)(on)
  await admit('r1', 'A', { inputAmount: 10n })(on)
  const answers = await Promise.all(Array.from({ length: 100 }, () => settle('r1', 10n)(on)))
  assert.equal(answers.filter((answer) => answer === 'already_settled').length, 99)
  assert.equal(await show('A')(on), 'posted 90, held 0 in 0, written off 0')
})

onEach('one operation that breaks an invariant fails alone among two hundred', async (on) => {
  await create('A')(on)
  await credit('A', 'one', 1_000n)(on)
  const requests = Array.from({ length: 200 }, (_, index) =>
    index === 77
      ? admit('bad', 'nobody', { inputAmount: 1n })(on)
      : admit(`r${index}`, 'A', { inputAmount: 1n })(on),
  )
  const outcomes = await Promise.allSettled(requests)
  assert.deepEqual(
    outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])),
    [77],
  )
  assert.equal(await show('A')(on), 'posted 1000, held 199 in 199, written off 0')
  assert.deepEqual((await on.ledger.verify()).drift, [])
})

onEach('a receipt is read back as it was written, and a running request is listed as running', async (on) => {
  await create('A')(on)
  await admit('r1', 'A', { streamed: true })(on)
  const [id, account, key] = [on.id('r1'), on.id('A'), on.id('key of A')]
  const running = { id, account, key, model: 'a-model', format: 'openai-chat', streamed: true, hold: 0n }
  assert.deepEqual(await on.ledger.running(id), running)
  assert.equal(await on.ledger.receipt(id), undefined)
  const attempt = { upstream: 'u', status: 200, failure: null, startedMs: 1, firstByteMs: 2, endedMs: 3 }
  const draft: ReceiptDraft = {
    provider: 'p',
    upstream: 'u',
    upstreamModel: 'm',
    upstreamRequestId: 'x-1',
    status: 207,
    endReason: 'timeout',
    usageSource: 'estimated',
    errorCode: 'upstream_timeout',
    ...noTokens,
    inputUncached: 1,
    cacheRead: 2,
    cacheWrite5m: 3,
    cacheWrite1h: 4,
    inputAudio: 5,
    output: 6,
    outputAudio: 7,
    reasoning: 8,
    fees: { web_search: 9 },
    ranAt: ['speed:fast'],
    unpricedUsage: true,
    implausible: { output: 1_000_000_000 },
    inputBound: 'pages',
    background: true,
    upstreamCost: 2n ** 60n + 1n,
    outputLimit: 11,
    outputLowered: true,
    settledLate: true,
    startedMs: 12,
    firstByteMs: 13,
    attempts: [attempt, { ...attempt, status: null, failure: 'upstream_error', firstByteMs: null }],
    person: null,
    ownKey: false,
    ownKeyFee: null,
    offerCost: null,
  }
  await on.ledger.checkpoint({ id, cost: 1n, draft })
  await settle('r1', 0n, 0n, draft)(on)
  assert.equal(await on.ledger.running(id), undefined)
  assert.deepEqual(await on.ledger.receipt(id), {
    ...draft,
    ...{ id, account, key, model: 'a-model', format: 'openai-chat', streamed: true, priceVersion: 1n },
    ...{ hold: 0n, charged: 0n, writtenOff: 0n, endedMs: on.clock.wallMs() },
  })
})

onEachAlone('receipts and accounts are listed a page at a time', async (on) => {
  for (const name of ['A', 'B', 'C']) await create(name, `${name}@example.org`)(on)
  for (const name of ['r1', 'r2', 'r3', 'r4', 'r5']) {
    await admit(name, name === 'r3' ? 'B' : 'A', {})(on)
    await settle(name, 0n)(on)
  }
  const names = ['r1', 'r2', 'r3', 'r4', 'r5']
  const page = async (limit: number, before: string | null): Promise<readonly string[]> => {
    const rows = await on.ledger.receipts(on.id('A'), limit, before === null ? null : on.id(before))
    return rows.map((row) => names.find((name) => on.id(name) === row.id) ?? '?')
  }
  assert.deepEqual(await page(3, null), ['r5', 'r4', 'r2'])
  assert.deepEqual(await page(3, 'r2'), ['r1'])
  const first = await on.ledger.accounts(2, 0n, null)
  assert.deepEqual(
    first.map(({ name }) => name),
    ['A', 'B'],
  )
  assert.deepEqual(
    (await on.ledger.accounts(2, first[1]!.id, null)).map(({ name }) => name),
    ['C'],
  )
  assert.equal((await on.ledger.accountByEmail('B@example.ORG'))?.id, on.id('B'))
  assert.equal(await on.ledger.accountByEmail('d@example.org'), undefined)
})

onEachAlone(
  'who waits for money is woken by a settlement, a release, a smaller hold, a credit, or the time',
  async (on) => {
    await create('A')(on)
    await create('B')(on)
    await credit('A', 'one', 100n)(on)
    for (const name of ['r1', 'r2', 'r3']) await admit(name, 'A', { inputAmount: 10n })(on)
    const causes = [settle('r1', 1n), release('r2'), shrink('r3', 1n), credit('A', 'two', 1n)]
    for (const cause of causes) {
      let isWoken = false
      const waiting = on.ledger.whenReleased(on.id('A'), 2_000).then(() => {
        isWoken = true
      })
      await credit('B', `other ${causes.indexOf(cause)}`, 1n)(on)
      assert.equal(isWoken, false)
      await cause(on)
      await waiting
    }
    const inVain = on.ledger.whenReleased(on.id('A'), 2_000)
    on.clock.advance(2_000)
    await inVain
    assert.equal(on.clock.pending(), 1, 'no timer is left but the sweeper’s')
  },
)

onEach('a settlement that is taken back before it leaves does nothing', async (on) => {
  await create('A')(on)
  await admit('r1', 'A', {})(on)
  assert.deepEqual(await on.ledger.settle({ id: on.id('r1'), take: () => null }), { kind: 'withdrawn' })
  assert.equal(await on.ledger.receipt(on.id('r1')), undefined)
  assert.equal(await settle('r1', 0n)(on), 'charged 0, written off 0, 0 left')
})

test('a full disk rejects writes as unavailable, still reads, and recovers without a restart', async (context) => {
  const on = await onStore(context)
  await create('A')(on)
  await credit('A', 'one', 1_000_000n)(on)
  await admit('early', 'A', { inputAmount: 5n })(on)
  const pagesMax = (count: number) => sql.raw(`PRAGMA max_page_count = ${count}`).execute(on.store.database)
  // Less than there are means as many as there are.
  await pagesMax(1)
  const isUnavailable = (error: unknown): boolean =>
    error instanceof TollgateError &&
    error.code === 'store_unavailable' &&
    /failed with 13/.test(error.details.detail ?? '')
  let admitted = 0
  await assert.rejects(async () => {
    for (; admitted < 10_000; admitted += 1) {
      await admit(`r${admitted}`, 'A', { inputAmount: 1n })(on)
      await on.ledger.confirm(on.id(`r${admitted}`))
    }
  }, isUnavailable)
  assert.equal(await on.ledger.confirm(on.id(`r${admitted}`)), false, 'nothing may be delivered for it')
  await assert.rejects(admit('late', 'A', { inputAmount: 1n })(on), isUnavailable)
  assert.equal(await show('A')(on), `posted 1000000, held ${admitted + 5} in ${admitted + 1}, written off 0`)
  await pagesMax(100_000)
  assert.equal(await settle('early', 5n)(on), `charged 5, written off 0, ${1_000_000 - admitted - 5} left`)
  assert.deepEqual((await on.ledger.verify()).drift, [])
})

/** A top-up that was paid. */
async function pay(name: string, amount: bigint, on: Scene & TestLedger): Promise<bigint> {
  const [account, topUp] = [on.id(name), on.nextId()]
  await insertTopUp(on.store, { id: topUp, account, amount })
  await on.ledger.payTopUp({ topUp, nowMs: 1, entryId: on.nextId(), paymentIntent: `pi ${topUp}` })
  return topUp
}

async function refund(topUp: bigint, amount: bigint, on: Scene): Promise<void> {
  const ask = { topUp, nowMs: 1, entryId: on.nextId(), reference: `re ${topUp}`, amount, note: null }
  await on.ledger.returnTopUp({ ...ask, source: 'refund', freeze: null })
}

test('after a refund of money in use, use takes what is left and never more', async (context) => {
  const on = await onStore(context)
  await create('A')(on)
  await credit('A', 'one', 5n)(on)
  const topUp = await pay('A', 5n, on)
  await admit('r1', 'A', { inputAmount: 8n })(on)
  await admit('r2', 'A', { inputAmount: 2n })(on)
  await refund(topUp, 5n, on)
  assert.deepEqual((await on.ledger.verify()).drift, [])
  assert.equal(
    await admit('r3', 'A', {})(on),
    'account short: needs 0 of -5, 10 in 2 holds',
    'what costs nothing has to wait as well',
  )
  assert.equal(await settle('r1', 8n)(on), 'charged 3, written off 5, 0 left')
  assert.equal(await settle('r2', 2n)(on), 'charged 2, written off 0, 0 left')
  assert.equal(await show('A')(on), 'posted 0, held 0 in 0, written off 5')
  assert.deepEqual((await on.ledger.verify()).drift, [])
})

for (const [text, broken] of [
  ['a negative bound', { inputAmount: -1n }],
  ['a price below nothing', { outputTokenAmount: -1n }],
  ['half a token', { inputTokens: 0.5 }],
  ['no number', { outputWanted: Number.NaN }],
  ['less than no tokens', { outputFloor: -1 }],
] as const) {
  onEach(`${text} is a broken invariant, not a hold`, async (on) => {
    await create('A')(on)
    await assert.rejects(admit('r1', 'A', broken)(on), /amount|whole numbers/)
    assert.equal(await show('A')(on), 'posted 0, held 0 in 0, written off 0')
  })
}

test('a store that cannot write rejects as unavailable and changes nothing', async (context) => {
  const on = await openTestLedger(context, { failpoints: 'before-commit-credit:fail=2' })
  const account = on.nextId()
  await on.ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'n', nowMs: 1 })
  const give = (reference: string) =>
    on.ledger.credit({
      entryId: on.nextId(),
      account,
      amount: 5n,
      source: 'code',
      reference,
      nowMs: 1,
      note: null,
    })
  await give('one')
  await assert.rejects(give('two'), /failpoint/)
  assert.equal((await on.ledger.account(account))?.posted, 5n)
  assert.equal((await give('two')).kind, 'credited')
  await on.store.close()
  await assert.rejects(
    give('three'),
    (error) => error instanceof TollgateError && error.code === 'store_unavailable',
  )
})
