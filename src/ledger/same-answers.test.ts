/**
 * The engines on SQLite and PostgreSQL against the memory engine, which the simulation checks: seeded random operations, many at
 * a time, get the same answers, leave the same rows, and verify.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Dice } from '../../test/simulation/dice.ts'
import { plainAsk, plainDraft } from '../../test/support/ledger-values.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { openMemoryLedger } from '../../test/support/memory-ledger.ts'
import { openTestLedger } from '../../test/support/open-ledger.ts'
import { openPostgresLedger } from '../../test/support/postgres-ledger.ts'
import { postgresIsMissing } from '../../test/support/postgres-server.ts'
import { pricedLedger } from '../../test/support/priced-usage.ts'
import type { Ledger } from './types.ts'

const seeds = [1, 2, 3, 4]
const rounds = 40
const operationsPerRoundMax = 24
const accounts = [1_001n, 1_002n, 1_003n]
/** Requests per millisecond; few, so that several calls name the same one. */
const requests = 12
const idsPerMs = 1_000
const day = Date.UTC(2026, 0, 1)

type Call = (ledger: Ledger) => Promise<unknown>

const weights = {
  admit: 10,
  settle: 6,
  release: 2,
  shrink: 1,
  releaseConcurrency: 2,
  checkpoint: 3,
  setModel: 1,
  credit: 2,
  suspend: 1,
  resume: 2,
  unrestrict: 1,
  createAccount: 1,
  shareKeyUsage: 1,
} as const

/** A random operation on one account; a request belongs to the account that its number says. */
function randomCall(dice: Dice, nowMs: number): Call {
  const request = dice.whole(1, requests)
  const account = accounts[request % accounts.length] ?? 0n
  const key = account * 10n + BigInt(dice.whole(0, 2))
  const amount = dice.amount(0, 60)
  const entry = BigInt(dice.whole(10_000, 1_000_000_000))
  const flag = dice.chance(0.5)
  const reference = dice.whole(1, 20)
  const open = request + idsPerMs * (nowMs - day - dice.whole(1, 4))
  const ofHold = { id: BigInt(open) }
  const calls: Readonly<Record<keyof typeof weights, Call>> = {
    admit: (ledger) =>
      ledger.admit({
        ...plainAsk,
        id: BigInt(request + idsPerMs * (nowMs - day)),
        account,
        key,
        nowMs,
        inputAmount: amount,
        outputTokenAmount: 3n,
        outputWanted: 20,
        outputFloor: 2,
        keyBudget: flag ? { amount: 400n, window: 'day' } : null,
        accountLimits: { ...plainAsk.accountLimits, concurrent: 30, tokensPerMinute: 5_000 },
      }),
    settle: (ledger) =>
      ledger.settle({
        ...ofHold,
        nowMs,
        cost: amount,
        writtenOff: flag ? 5n : 0n,
        causedWriteOff: flag ? 5n : 0n,
        writeOffEntryId: entry,
        receipt: { ...plainDraft, output: Number(amount) },
      }),
    release: (ledger) => ledger.release(ofHold.id),
    shrink: (ledger) => ledger.shrink(ofHold.id, amount),
    releaseConcurrency: (ledger) => ledger.releaseConcurrency(ofHold.id),
    checkpoint: (ledger) => ledger.checkpoint({ ...ofHold, cost: amount, draft: plainDraft }),
    setModel: (ledger) => ledger.setModel(ofHold.id, { model: 'another', priceVersion: 2n }),
    credit: (ledger) =>
      ledger.credit({
        entryId: entry,
        account,
        amount: amount + 100n,
        source: 'manual',
        reference: `${account} ${reference}`,
        nowMs,
        note: null,
      }),
    suspend: (ledger) => ledger.suspend(account, nowMs),
    resume: (ledger) => ledger.suspend(account, null),
    unrestrict: (ledger) => ledger.unrestrict(account),
    createAccount: (ledger) =>
      ledger.createAccount({ id: account, kind: 'personal', email: null, name: `n ${account}`, nowMs }),
    shareKeyUsage: (ledger) => ledger.shareKeyUsage(entry, key, account),
  }
  return calls[dice.weighted(weights)]
}

/** `openTestLedger` gives settlements usage that costs what they say, which is then done to those of the memory engine as well. */
const engines = {
  SQLite: { open: openTestLedger, asThere: pricedLedger },
  PostgreSQL: { open: openPostgresLedger, asThere: (ledger: Ledger) => ledger },
} as const

for (const [engine, { open, asThere }] of Object.entries(engines)) {
  for (const seed of seeds)
    test(`seed ${seed} on ${engine}: the same answers and rows as in memory`, {
      skip: engine === 'SQLite' ? false : (postgresIsMissing ?? false),
    }, async (context) => {
      const clock = manualClock(day)
      const ledgers = [
        asThere((await openMemoryLedger(context, { clock })).ledger),
        (await open(context, { clock })).ledger,
      ] as const
      const dice = new Dice(seed)
      for (const account of accounts)
        for (const ledger of ledgers)
          await ledger.createAccount({
            id: account,
            kind: 'personal',
            email: null,
            name: `n ${account}`,
            nowMs: day,
          })
      for (let round = 1; round <= rounds; round += 1) {
        clock.advance(1)
        const calls = Array.from({ length: dice.whole(1, operationsPerRoundMax) }, () =>
          randomCall(dice, clock.wallMs()),
        )
        const [expected, actual] = await Promise.all(ledgers.map((ledger) => outcomes(ledger, calls)))
        assert.deepEqual(actual, expected, `round ${round}`)
      }
      const [expected, actual] = await Promise.all(ledgers.map(rowsOf))
      assert.deepEqual(actual, expected)
      assert.deepEqual((await ledgers[1].verify()).drift, [])
    })
}

/** Answers, and which operations failed: each engine has its own words for it. */
async function outcomes(ledger: Ledger, calls: readonly Call[]): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled(calls.map((call) => call(ledger)))
  return settled.map((each) => (each.status === 'fulfilled' ? each.value : 'failed'))
}

async function rowsOf(ledger: Ledger): Promise<unknown> {
  return Promise.all(
    accounts.map(async (id) => ({
      account: await ledger.account(id),
      receipts: await ledger.receipts(id, 1_000, null),
      spent: await Promise.all([0n, 1n, 2n].map((key) => ledger.keySpend(id * 10n + key, 'day', day))),
    })),
  )
}
