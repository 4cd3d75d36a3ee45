/** The usage that users see equals the receipts, for every split, slice and query. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { plainAsk, plainDraft } from '../../test/support/ledger-values.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { openTestLedger, type TestLedger } from '../../test/support/open-ledger.ts'
import { quantile } from '../base/histogram.ts'
import { hourOf } from '../base/ids.ts'
import { type Limits, limitDefaults } from '../config/config.ts'
import type { EndReason, ReceiptDraft, ReceiptRow } from '../ledger/types.ts'
import { firstDayOf, monthOf } from '../limits/calendar.ts'
import type { RejectionSearch, Sums, SumsInput, UsageGroup, UsageStep } from './types.ts'
import { openUsage } from './usage.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const startMs = Date.UTC(2026, 0, 30, 22, 30)

interface World extends Pick<TestLedger, 'ledger' | 'store' | 'nextId'> {
  readonly clock: ReturnType<typeof manualClock>
  usage(limits?: Partial<Limits>): ReturnType<typeof openUsage>
}

async function world(): Promise<World> {
  const clock = manualClock(startMs)
  const opened = await openTestLedger({ after }, { clock })
  return {
    ...opened,
    clock,
    usage: (limits) => openUsage(opened.store, { clock, limits: { ...limitDefaults, ...limits } }),
  }
}

async function account(on: World, amount = 1_000_000_000n): Promise<bigint> {
  const id = on.nextId()
  const nowMs = on.clock.wallMs()
  await on.ledger.createAccount({ id, kind: 'personal', email: null, name: 'n', nowMs })
  const credit = { entryId: on.nextId(), account: id, amount, source: 'manual', note: null, nowMs } as const
  await on.ledger.credit({ ...credit, reference: String(id) })
  return id
}

interface Made {
  readonly account: bigint
  readonly key: bigint
  readonly model?: string
  readonly cost?: bigint
  readonly writtenOff?: bigint
  readonly tookMs?: number
  readonly draft?: Partial<ReceiptDraft>
}

/** Runs a request from hold to receipt, at the present time. */
async function request(on: World, made: Made): Promise<bigint> {
  const id = on.nextId()
  const { account, key, model = 'a-model', cost = 10n, writtenOff = 0n, tookMs = 100 } = made
  const startedMs = on.clock.wallMs()
  const held = await on.ledger.admit({
    ...plainAsk,
    id,
    account,
    key,
    model,
    inputAmount: cost,
    nowMs: startedMs,
  })
  assert.equal(held.kind, 'held')
  const nowMs = startedMs + tookMs
  const receipt = { ...plainDraft, startedMs, firstByteMs: startedMs + Math.floor(tookMs / 2), ...made.draft }
  const settlement = { id, nowMs, cost, writtenOff, writeOffEntryId: on.nextId(), receipt }
  assert.equal((await on.ledger.settle(settlement)).kind, 'settled')
  return id
}

const day = (hour: number): number => Math.floor(hour / 24)
const stepOf: Readonly<Record<UsageStep, (hour: number) => number>> = {
  hour: (hour) => hour,
  day: (hour) => day(hour) * 24,
  month: (hour) => firstDayOf(monthOf(day(hour))) * 24,
}
const groupOf: Readonly<Record<UsageGroup, (row: ReceiptRow) => string | bigint | null>> = {
  none: () => null,
  model: ({ model }) => model,
  key: ({ key }) => key,
}

/** The same from the receipts alone. */
function summed(receipts: readonly ReceiptRow[], ask: SumsInput): Map<string, readonly unknown[]> {
  const rows = new Map<string, ReceiptRow[]>()
  for (const row of receipts) {
    const hour = hourOf(row.id)
    if (hour < Math.floor(ask.fromMs / hourMs) || hour >= Math.ceil(ask.toMs / hourMs)) continue
    if ((ask.key !== null && row.key !== ask.key) || (ask.model !== null && row.model !== ask.model)) continue
    const name = `${stepOf[ask.step](hour) * hourMs} ${groupOf[ask.group](row)}`
    rows.set(name, [...(rows.get(name) ?? []), row])
  }
  const total = (of: readonly ReceiptRow[], value: (row: ReceiptRow) => number) =>
    of.reduce((sum, row) => sum + value(row), 0)
  return new Map(
    [...rows].map(([name, of]) => [
      name,
      [
        of.length,
        of.filter(({ endReason }) => endReason !== 'complete').length,
        total(of, (row) => row.inputUncached + row.inputAudio),
        total(of, (row) => row.cacheRead),
        total(of, (row) => row.cacheWrite5m + row.cacheWrite1h),
        total(of, (row) => row.output + row.outputAudio),
        total(of, (row) => row.reasoning),
        of.reduce((sum, { charged }) => sum + charged, 0n),
        of.reduce((sum, { writtenOff }) => sum + writtenOff, 0n),
        of.filter(({ endReason }) => endReason === 'complete').length,
      ],
    ]),
  )
}

const listed = (sums: Sums): readonly unknown[] => [
  sums.requests,
  sums.errors,
  sums.inputUncached,
  sums.cacheRead,
  sums.cacheWrite,
  sums.output,
  sums.reasoning,
  sums.charged,
  sums.writtenOff,
  sums.latency.reduce((sum, count) => sum + count, 0),
]

const ends: readonly EndReason[] = ['complete', 'client_abort', 'upstream_error', 'interrupted']

test('sums are those of the receipts, however they are split and sliced', async () => {
  const on = await world()
  const owner = await account(on)
  const other = await account(on)
  const keys = [on.nextId(), on.nextId(), on.nextId()]
  const foreign = on.nextId()
  for (let number = 0; number < 150; number += 1) {
    on.clock.advance((number % 7) * 600_000)
    const endReason = ends[number % ends.length] ?? 'complete'
    const tokens = { inputUncached: number, cacheRead: 3, cacheWrite1h: 2, cacheWrite5m: 1, inputAudio: 5 }
    await request(on, {
      account: owner,
      key: keys[(number * 7) % 3] ?? 0n,
      model: `model ${(number * 5) % 4}`,
      cost: BigInt(number),
      writtenOff: number % 11 === 0 ? 3n : 0n,
      tookMs: number * 37,
      draft: { endReason, ...tokens, output: number * 2, outputAudio: 1, reasoning: number },
    })
    if (number % 20 === 0) await request(on, { account: other, key: foreign })
  }
  const receipts = await on.ledger.receipts(owner, 1_000, null)
  assert.equal(receipts.length, 150)
  const toMs = on.clock.wallMs() + 1
  const asks = fc.record({
    account: fc.constant(owner),
    fromMs: fc.integer({ min: startMs - dayMs, max: toMs }),
    toMs: fc.constant(toMs),
    step: fc.constantFrom<UsageStep>('hour', 'day', 'month'),
    group: fc.constantFrom<UsageGroup>('none', 'model', 'key'),
    model: fc.constantFrom(null, 'model 2', 'no such model'),
    key: fc.constantFrom(null, ...keys, foreign),
  })
  await fc.assert(
    fc.asyncProperty(asks, fc.constantFrom(1, 7, 10_000), async (ask, usageSliceRowsMax) => {
      const rows = await on.usage({ usageSliceRowsMax }).sums(ask)
      const due = summed(receipts, ask)
      const seen = rows.filter(({ sums }) => sums.requests > 0)
      assert.deepEqual(new Map(seen.map((row) => [`${row.atMs} ${row.group}`, listed(row.sums)])), due)
      const steps = new Set(rows.map(({ atMs }) => atMs))
      if (ask.group === 'none') {
        assert.equal(rows.length, steps.size)
        const first = stepOf[ask.step](Math.floor(ask.fromMs / hourMs)) * hourMs
        assert.ok(steps.has(first) && [...steps].every((atMs) => atMs < toMs))
      }
    }),
    { numRuns: 60 },
  )
  assert.deepEqual((await on.ledger.verify()).drift, [])
})

test('every hour of a range is there, also those in which nothing happened', async () => {
  const on = await world()
  const owner = await account(on)
  const range = {
    account: owner,
    fromMs: startMs,
    toMs: startMs + 30 * hourMs,
    model: null,
    key: null,
  } as const
  const count = async (step: UsageStep, group: UsageGroup = 'none') =>
    (await on.usage().sums({ ...range, step, group })).map(({ atMs }) => new Date(atMs).toISOString())
  assert.equal((await count('hour')).length, 31)
  assert.deepEqual(
    await count('day'),
    [30, 31].map((of) => `2026-01-${of}T00:00:00.000Z`).concat('2026-02-01T00:00:00.000Z'),
  )
  assert.deepEqual(await count('month'), ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'])
  assert.deepEqual(await count('hour', 'key'), [])
})

test('a range of too many steps or rows is rejected', async () => {
  const on = await world()
  const owner = await account(on)
  for (const key of [1n, 2n]) await request(on, { account: owner, key: on.nextId() + key })
  const ask = {
    account: owner,
    fromMs: startMs,
    toMs: startMs + 10 * hourMs,
    step: 'hour',
    model: null,
    key: null,
  } as const
  const usage = on.usage({ usageStepsMax: 11, usageRowsMax: 21 })
  assert.equal((await usage.sums({ ...ask, group: 'none' })).length, 11)
  await assert.rejects(usage.sums({ ...ask, toMs: ask.toMs + hourMs, group: 'none' }), {
    code: 'invalid_value',
  })
  await assert.rejects(usage.sums({ ...ask, group: 'key' }), { code: 'invalid_value' })
})

test('what months cost is what their sums say, wherever the range begins and ends', async () => {
  const on = await world()
  const owner = await account(on)
  const key = on.nextId()
  for (const cost of [7n, 11n, 13n, 17n]) {
    await request(on, { account: owner, key, cost })
    // Over the end of January, of February, and of a month in which nothing happened.
    on.clock.setWallMs(on.clock.wallMs() + (cost === 13n ? 70 * dayMs : 20 * dayMs))
  }
  const ends = [startMs, startMs + hourMs, startMs + 20 * dayMs, on.clock.wallMs()]
  for (const fromMs of ends) {
    for (const toMs of ends.filter((end) => end > fromMs)) {
      const range = { account: owner, fromMs, toMs }
      const sums = await on.usage().sums({ ...range, step: 'month', group: 'none', model: null, key: null })
      assert.deepEqual(
        await on.usage().chargedByMonth(range),
        sums.map(({ atMs, sums: { charged } }) => ({ atMs, charged })),
      )
    }
  }
})

test('the runway follows from what the last seven days cost', async () => {
  const on = await world()
  const owner = await account(on, 1_000n)
  const key = on.nextId()
  const runway = () => on.usage().runway(owner)
  assert.equal(await runway(), null)
  await request(on, { account: owner, key, cost: 0n })
  assert.equal(await runway(), null)
  await request(on, { account: owner, key, cost: 100n })
  // 900 left, 100 spent on what counts as one day.
  assert.deepEqual(await runway(), { days: 9, daysWithSpend: 1 })
  on.clock.advance(4 * dayMs - hourMs)
  await request(on, { account: owner, key, cost: 100n })
  assert.deepEqual(await runway(), { days: 16, daysWithSpend: 2 })
  on.clock.advance(8 * dayMs)
  assert.equal(await runway(), null)
})

test('the last use and the spend of a key can be read', async () => {
  const on = await world()
  const owner = await account(on)
  const [first, second, never] = [on.nextId(), on.nextId(), on.nextId()]
  await request(on, { account: owner, key: first, cost: 7n })
  on.clock.advance(90 * 60_000)
  await request(on, { account: owner, key: second, cost: 5n })
  await request(on, { account: owner, key: second, cost: 6n })
  const minute = (ms: number) => ms - (ms % 60_000)
  assert.deepEqual(
    await on.usage().keyActivity([first, second, never]),
    new Map([
      [first, { lastUsedMs: minute(startMs), spent: 7n }],
      [second, { lastUsedMs: minute(startMs + 90 * 60_000), spent: 11n }],
      [never, { lastUsedMs: null, spent: 0n }],
    ]),
  )
})

test('a key that replaced another one has its own activity', async () => {
  const on = await world()
  const owner = await account(on)
  const [old, fresh] = [on.nextId(), on.nextId()]
  await request(on, { account: owner, key: old, cost: 7n })
  await on.ledger.shareKeyUsage(fresh, old, owner)
  const use = async () =>
    Object.fromEntries(
      [...(await on.usage().keyActivity([old, fresh]))].map(([key, { lastUsedMs, spent }]) => [
        key === old ? 'old' : 'fresh',
        [lastUsedMs, spent],
      ]),
    )
  assert.deepEqual(await use(), { old: [startMs, 7n], fresh: [null, 0n] })
  on.clock.advance(2 * hourMs)
  await request(on, { account: owner, key: fresh, cost: 5n })
  const hour = startMs - (startMs % hourMs)
  assert.deepEqual(await use(), { old: [hour, 7n], fresh: [startMs + 2 * hourMs, 5n] })
})

test('write-offs are listed by account, the largest first', async () => {
  const on = await world()
  const [small, large] = [await account(on), await account(on)]
  const key = { [String(small)]: on.nextId(), [String(large)]: on.nextId() }
  for (const [owner, writtenOff] of [
    [small, 5n],
    [large, 50n],
    [small, 0n],
    [large, 20n],
  ] as const) {
    await request(on, { account: owner, key: key[String(owner)] ?? 0n, writtenOff })
  }
  on.clock.advance(hourMs)
  await request(on, { account: small, key: key[String(small)] ?? 0n, writtenOff: 1_000n })
  const losses = (toMs: number, limit = 10) => on.usage().losses({ fromMs: startMs, toMs, limit })
  assert.deepEqual(await losses(startMs + 60_000), {
    total: 75n,
    accounts: [
      { account: large, writtenOff: 70n, requests: 2 },
      { account: small, writtenOff: 5n, requests: 1 },
    ],
  })
  assert.deepEqual(await losses(startMs + hourMs + 1, 1), {
    total: 1_075n,
    accounts: [{ account: small, writtenOff: 1_005n, requests: 2 }],
  })
})

test('what runs, and the first request', async () => {
  const on = await world()
  const [owner, other] = [await account(on), await account(on)]
  assert.equal(await on.usage().firstRequestMs(owner), null)
  const key = on.nextId()
  const ids = [on.nextId(), on.nextId()]
  for (const id of ids)
    await on.ledger.admit({ ...plainAsk, id, account: owner, key, inputAmount: 4n, nowMs: startMs + 5 })
  await on.ledger.admit({ ...plainAsk, id: on.nextId(), account: other, key: on.nextId() })
  assert.deepEqual(
    await on.usage().running(owner),
    ids.toReversed().map((id) => ({
      id,
      account: owner,
      key,
      model: 'a-model',
      format: 'openai-chat',
      streamed: false,
      held: 4n,
      startedMs: startMs + 5,
    })),
  )
  for (const id of ids) await on.ledger.release(id)
  assert.deepEqual(await on.usage().running(owner), [])
  await request(on, { account: owner, key })
  on.clock.advance(dayMs)
  await request(on, { account: owner, key })
  assert.equal(await on.usage().firstRequestMs(owner), startMs)
})

test('rejections are counted by code, and the last hundred of each key stored', async () => {
  const on = await world()
  const owner = await account(on)
  const [busy, quiet] = [on.nextId(), on.nextId()]
  const row = (key: bigint, code: string) => ({
    id: on.nextId(),
    account: owner,
    key,
    code,
    status: 429,
    model: 'a-model',
    message: 'Not now.',
  })
  const hour = hourOf(on.nextId())
  const counted = (key: bigint, code: string, count: number, model = 'a-model') => ({
    account: owner,
    hour,
    key,
    code,
    model,
    count,
  })
  const first = row(quiet, 'model_not_found')
  await on.usage().recordRejections({ counts: [counted(quiet, 'model_not_found', 1, '')], rows: [first] })
  const many = Array.from({ length: 130 }, () => row(busy, 'rate_limited'))
  for (const rows of [many.slice(0, 70), many.slice(70)])
    await on.usage().recordRejections({ counts: [counted(busy, 'rate_limited', rows.length)], rows })
  const usage = on.usage()
  const searched = (narrowed: Partial<RejectionSearch> = {}) =>
    usage.rejections({
      account: owner,
      key: null,
      model: null,
      fromId: 0n,
      beforeId: on.nextId(),
      limit: 100,
      fromHour: hour,
      toHour: hour + 1,
      ...narrowed,
    })
  const ofKey = await searched({ key: busy })
  assert.deepEqual(ofKey, {
    counts: [{ code: 'rate_limited', count: 130 }],
    latest: many.slice(30).toReversed(),
  })
  const all = await searched()
  assert.deepEqual(all.counts, [
    { code: 'rate_limited', count: 130 },
    { code: 'model_not_found', count: 1 },
  ])
  assert.equal(all.latest.length, 100)
  assert.deepEqual((await searched({ key: quiet })).latest, [first])
  assert.deepEqual(await searched({ account: on.nextId() }), { counts: [], latest: [] })
  const [oldest = first, , newest = first] = [many[30], null, many.at(-1)]
  const single = { fromId: newest.id, beforeId: newest.id + 1n }
  assert.deepEqual((await searched(single)).latest, [newest])
  assert.deepEqual((await searched({ beforeId: oldest.id + 1n, limit: 2 })).latest, [oldest, first])
  assert.deepEqual((await searched({ model: 'another-model' })).latest, [])
  assert.deepEqual((await searched({ model: 'a-model', limit: 1 })).latest, [newest])
  assert.deepEqual((await searched({ toHour: hour })).counts, [])
  // A rejected request is a use of its key.
  const used = (await usage.keyActivity([quiet])).get(quiet)
  assert.equal(used?.lastUsedMs, startMs - (startMs % 60_000))
  const ask = {
    account: owner,
    fromMs: startMs,
    toMs: startMs + 1,
    step: 'day',
    model: null,
    key: null,
  } as const
  const [total] = await usage.sums({ ...ask, group: 'none' })
  assert.deepEqual([total?.sums.rejected, total?.sums.requests], [131, 0])
  assert.deepEqual(
    new Map((await usage.sums({ ...ask, group: 'model' })).map(({ group, sums }) => [group, sums.rejected])),
    new Map([
      ['', 1],
      ['a-model', 130],
    ]),
  )
  assert.deepEqual((await on.ledger.verify()).drift, [])
})

test('a settlement counts once, whether its commit fails or its answer is lost', async () => {
  for (const failpoints of ['before-commit-settle:fail=1', 'after-commit-settle:fail=1']) {
    const clock = manualClock(startMs)
    const opened = await openTestLedger({ after }, { clock, failpoints })
    const on: World = {
      ...opened,
      clock,
      usage: () => openUsage(opened.store, { clock, limits: limitDefaults }),
    }
    const owner = await account(on)
    const key = on.nextId()
    const id = on.nextId()
    await on.ledger.admit({ ...plainAsk, id, account: owner, key, inputAmount: 9n, nowMs: startMs })
    const settlement = {
      id,
      nowMs: startMs,
      cost: 9n,
      writtenOff: 0n,
      writeOffEntryId: on.nextId(),
      receipt: plainDraft,
    }
    await assert.rejects(on.ledger.settle(settlement))
    await on.ledger.settle(settlement)
    await on.ledger.settle(settlement)
    const [total] = await on.usage().sums({
      account: owner,
      fromMs: startMs,
      toMs: startMs + 1,
      step: 'day',
      group: 'none',
      model: null,
      key: null,
    })
    assert.deepEqual([total?.sums.requests, total?.sums.charged], [1, 9n], failpoints)
    assert.deepEqual((await on.ledger.verify()).drift, [])
  }
})

test('half and nearly all of the durations are stated within a tenth', async () => {
  const on = await world()
  const owner = await account(on)
  const key = on.nextId()
  for (let number = 1; number <= 100; number += 1)
    await request(on, { account: owner, key, tookMs: number * 10 })
  const [total] = await on.usage().sums({
    account: owner,
    fromMs: startMs,
    toMs: startMs + 1,
    step: 'day',
    group: 'none',
    model: null,
    key: null,
  })
  assert.ok(total !== undefined)
  for (const [share, exact] of [
    [0.5, 500],
    [0.95, 950],
  ] as const) {
    const ms = quantile(total.sums.latency, share) ?? 0
    assert.ok(Math.abs(ms - exact) <= exact / 10, `${ms} for ${exact}`)
    const first = quantile(total.sums.firstByte, share) ?? 0
    assert.ok(Math.abs(first - exact / 2) <= exact / 20, `${first} for ${exact / 2}`)
  }
})
