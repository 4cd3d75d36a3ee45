/**
 * The ledger against a small model of it: seeded random operations, the same results from both, the
 * same sums after each step, and a verified ledger at the end. The seed is printed when it fails.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { plainAsk, plainDraft } from '../../test/support/ledger-values.ts'
import { type ManualClock, manualClock } from '../../test/support/manual-clock.ts'
import { openTestLedger, type TestLedger } from '../../test/support/open-ledger.ts'
import { insertTopUp } from '../../test/support/top-up-rows.ts'
import { least, most } from './rules/money.ts'
import type { AdmissionAsk, ExcessCause } from './types.ts'

/** What a request is, as the model keeps it. */
interface ModelHold {
  amount: bigint
  readonly key: number
  isRunning: boolean
  checkpoint: bigint | null
}

/** One account in forty lines: sums are computed when asked for, nothing is stored twice. */
class Model {
  readonly credits: { readonly reference: number; readonly amount: bigint }[] = []
  readonly charges: { readonly key: number; readonly amount: bigint }[] = []
  readonly settled = new Set<number>()
  readonly holds = new Map<number, ModelHold>()
  /** By key: its budget when it was last used, or what it had spent and held where that was more. */
  readonly allowed = new Map<number, bigint>()
  lossDay = 0
  loss = 0n
  isRestricted = false
  isSuspended = false
  /** Suspended by a dispute, not by an operator. */
  isFrozen = false
  /** Top-ups in order, with what was taken back of each and may be returned. */
  readonly topUps: { readonly amount: bigint; refunded: bigint; disputed: bigint }[] = []
  readonly returns: {
    readonly topUp: number
    readonly source: 'refund' | 'dispute'
    readonly amount: bigint
    isRestored: boolean
  }[] = []

  get posted(): bigint {
    const remaining = this.topUps.map(({ amount, refunded, disputed }) => amount - refunded - disputed)
    const given = sum(this.credits.map(({ amount }) => amount)) + sum(remaining)
    return given - sum(this.charges.map(({ amount }) => amount))
  }
  get held(): bigint {
    return sum([...this.holds.values()].map(({ amount }) => amount))
  }
  spent(key: number): bigint {
    return sum(this.charges.filter((charge) => charge.key === key).map(({ amount }) => amount))
  }
  heldBy(key: number): bigint {
    return sum([...this.holds.values()].filter((hold) => hold.key === key).map(({ amount }) => amount))
  }
  running(): number {
    return [...this.holds.values()].filter(({ isRunning }) => isRunning).length
  }
  credit(reference: number, amount: bigint): string {
    const earlier = this.credits.find((credit) => credit.reference === reference)
    if (earlier === undefined) this.credits.push({ reference, amount })
    return earlier === undefined ? 'created' : earlier.amount === amount ? 'again' : 'conflict'
  }
  /** Answers like the ledger; a new return is distinguished from an earlier one by its index. */
  takeBack(topUp: number, source: 'refund' | 'dispute', amount: bigint): string {
    const paid = this.topUps[topUp]
    if (paid === undefined) return 'not_paid'
    const sumName = source === 'refund' ? 'refunded' : 'disputed'
    if (source === 'refund' && paid.refunded + amount > paid.amount) return 'conflict'
    paid[sumName] += amount
    this.returns.push({ topUp, source, amount, isRestored: false })
    if (source === 'dispute' && !this.isSuspended) this.isFrozen = true
    if (source === 'dispute') this.isSuspended = true
    return 'returned'
  }
  giveBack(index: number): string {
    const taken = this.returns[index]
    const paid = taken === undefined ? undefined : this.topUps[taken.topUp]
    if (taken === undefined || paid === undefined) return 'nothing'
    if (taken.isRestored) return 'again'
    taken.isRestored = true
    paid[taken.source === 'refund' ? 'refunded' : 'disputed'] -= taken.amount
    const isOver = taken.source === 'dispute' && this.topUps.every(({ disputed }) => disputed === 0n)
    if (isOver && this.isFrozen) this.isSuspended = false
    if (isOver) this.isFrozen = false
    return 'restored'
  }
  admit(
    request: number,
    { key, input, output, budget, concurrent, mode, usesRestricted }: AdmitStep,
  ): string {
    if (this.isSuspended) return 'suspended'
    if (usesRestricted && this.isRestricted) return 'restricted'
    if (this.running() >= concurrent) return 'rate'
    // A budget that was lowered below what is spent is used up, which what costs nothing may be.
    const pockets = [most(budget - this.spent(key) - this.heldBy(key), 0n), this.posted - this.held]
    const available = pockets.reduce(least)
    const floor = mode === 'reject' ? output : Math.min(output, 16)
    // By trial, not by division: the largest limit that the rule allows.
    let limit = -1
    for (let tokens = floor; tokens <= output; tokens += 1) {
      const spare = available - input
      const isPaid = BigInt(tokens) * 3n <= spare
      if (isPaid && (tokens === floor || BigInt(tokens) * 3n * 2n <= spare)) limit = tokens
    }
    if (limit < 0) return 'insufficient_funds'
    this.allowed.set(key, most(budget, this.spent(key) + this.heldBy(key)))
    this.holds.set(request, { amount: input + BigInt(limit) * 3n, key, isRunning: true, checkpoint: null })
    return `held ${limit}`
  }
  settle(
    request: number,
    given: { cost: bigint; writtenOff: bigint; isAborted: boolean; causedBy: ExcessCause; day: number },
  ): string {
    const hold = this.holds.get(request)
    if (hold === undefined) return this.settled.has(request) ? 'already_settled' : 'unknown_hold'
    const free = most(this.posted - this.held + hold.amount, 0n)
    const charged = [given.cost, hold.amount, free].reduce(least)
    const excess = given.cost - charged
    const aboveHold = most(given.cost - hold.amount, 0n)
    this.holds.delete(request)
    this.settled.add(request)
    this.charges.push({ key: hold.key, amount: charged })
    const uncovered = excess - aboveHold
    const caused =
      uncovered + (given.causedBy === 'account' ? aboveHold : 0n) + (given.isAborted ? given.writtenOff : 0n)
    if (caused > 0n) {
      this.loss = given.day > this.lossDay ? caused : this.loss + caused
      this.lossDay = Math.max(this.lossDay, given.day)
      if (this.loss > lossMax) this.isRestricted = true
    }
    return `charged ${charged}, written off ${given.writtenOff + excess}`
  }
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
const lossMax = 200n
const dayMs = 86_400_000
const keys = 3

interface AdmitStep {
  readonly kind: 'admit'
  readonly key: number
  readonly input: bigint
  readonly output: number
  readonly budget: bigint
  readonly concurrent: number
  readonly mode: 'lower' | 'reject'
  readonly usesRestricted: boolean
}

type Step =
  | AdmitStep
  | { readonly kind: 'credit'; readonly reference: number; readonly amount: bigint }
  | {
      readonly kind: 'settle'
      readonly pick: number
      readonly cost: bigint
      readonly writtenOff: bigint
      readonly isAborted: boolean
      readonly causedBy: ExcessCause
    }
  | { readonly kind: 'release' | 'releaseConcurrency' | 'settleAgain'; readonly pick: number }
  | { readonly kind: 'shrink' | 'checkpoint'; readonly pick: number; readonly amount: bigint }
  | { readonly kind: 'topUp'; readonly amount: bigint }
  | {
      readonly kind: 'takeBack'
      readonly pick: number
      readonly source: 'refund' | 'dispute'
      /** In per cent of what is left of it. */
      readonly share: bigint
    }
  | { readonly kind: 'giveBack'; readonly pick: number }
  | { readonly kind: 'clock'; readonly jumpMs: number }
  | { readonly kind: 'suspend' | 'resume' | 'unrestrict' | 'restart' }

const money = fc.bigInt(0n, 400n)
const pick = fc.nat(20)
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record<AdmitStep>({
      kind: fc.constant('admit'),
      key: fc.nat(keys - 1),
      input: fc.bigInt(0n, 100n),
      output: fc.nat(60),
      budget: fc.bigInt(0n, 2_000n),
      concurrent: fc.integer({ min: 1, max: 6 }),
      mode: fc.constantFrom('lower', 'reject'),
      usesRestricted: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('credit' as const),
      reference: fc.nat(12),
      amount: fc.bigInt(1n, 900n),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('topUp' as const), amount: fc.bigInt(1n, 900n) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('takeBack' as const),
      pick: fc.nat(6),
      source: fc.constantFrom('refund' as const, 'refund' as const, 'dispute' as const),
      share: fc.constantFrom(40n, 100n, 100n, 130n),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('giveBack' as const), pick: fc.nat(6) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      pick,
      // Also what no honest upstream reports.
      cost: fc.oneof({ weight: 6, arbitrary: money }, { weight: 1, arbitrary: fc.bigInt(0n, 10n ** 15n) }),
      writtenOff: fc.bigInt(0n, 60n),
      isAborted: fc.boolean(),
      causedBy: fc.constantFrom('account' as const, 'upstream' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('release' as const, 'releaseConcurrency' as const, 'settleAgain' as const),
      pick,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('shrink' as const, 'checkpoint' as const),
      pick,
      amount: fc.bigInt(0n, 150n),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      jumpMs: fc.constantFrom(1_000, 3_600_000, -3_600_000, dayMs, -dayMs, 40 * dayMs),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'suspend' as const,
        'resume' as const,
        'resume' as const,
        'unrestrict' as const,
        'restart' as const,
      ),
    }),
  },
)

/** Runs steps on a real ledger and a model side by side. */
class Pair {
  readonly context: Pick<TestContext, 'after'>
  readonly clock: ManualClock
  readonly model = new Model()
  readonly account: bigint
  readonly requests: bigint[] = []
  readonly topUps: bigint[] = []
  real: TestLedger

  constructor(context: Pick<TestContext, 'after'>, clock: ManualClock, real: TestLedger) {
    this.context = context
    this.clock = clock
    this.real = real
    this.account = real.nextId()
  }

  key(index: number): bigint {
    return this.account * 10n + BigInt(index)
  }
  /** One of the open holds, or a request that is closed or never was. */
  pick(index: number): number {
    const open = [...this.model.holds.keys()]
    return open[index % (open.length + 2)] ?? index
  }
  id(request: number): bigint {
    for (let next = this.requests.length; next <= request; next += 1) this.requests.push(this.real.nextId())
    return this.requests[request]!
  }

  async step(step: Step): Promise<void> {
    const { model, real, clock, account } = this
    const { ledger } = real
    const nowMs = clock.wallMs()
    switch (step.kind) {
      case 'admit': {
        const request = this.requests.length
        const answer = await ledger.admit(this.ask(step, this.id(request), nowMs))
        const words = answer.kind === 'held' ? `held ${answer.outputLimit}` : answer.kind
        assert.equal(words, model.admit(request, step))
        break
      }
      case 'credit': {
        const reference = `${account} ${step.reference}`
        const given = { entryId: real.nextId(), account, amount: step.amount, source: 'manual' as const }
        const answer = await ledger.credit({ ...given, reference, nowMs, note: null })
        const words = answer.kind === 'credited' ? (answer.created ? 'created' : 'again') : answer.kind
        assert.equal(words, model.credit(step.reference, step.amount))
        break
      }
      case 'topUp':
        await this.topUp(step.amount)
        break
      case 'takeBack': {
        const { source } = step
        const topUp = step.pick % (model.topUps.length + 1)
        const paid = model.topUps[topUp] ?? { amount: 10n, refunded: 0n, disputed: 0n }
        // A bank may take more than was paid.
        const whole = source === 'refund' ? paid.amount - paid.refunded : 2n * paid.amount
        const amount = most((whole * step.share) / 100n, 1n)
        const answer = await ledger.returnTopUp({
          entryId: real.nextId(),
          topUp: this.topUps[topUp] ?? 1n,
          source,
          reference: this.reference(model.returns.length),
          amount,
          nowMs,
          note: null,
          freeze: source === 'dispute' ? 'A payment is in dispute.' : null,
        })
        assert.equal(answer.kind, model.takeBack(topUp, source, amount))
        break
      }
      case 'giveBack': {
        const { source = 'refund' } = model.returns[step.pick] ?? {}
        const reference = this.reference(step.pick)
        const answer = await ledger.restoreTopUp({ entryId: real.nextId(), source, reference, nowMs })
        const words = answer.kind === 'restored' ? (answer.created ? 'restored' : 'again') : answer.kind
        assert.equal(words, model.giveBack(step.pick))
        break
      }
      case 'settle':
        await this.settle(this.pick(step.pick), step)
        break
      case 'settleAgain':
        await this.settle([...model.settled][step.pick % (model.settled.size + 1)] ?? 1_000, {
          cost: 5n,
          writtenOff: 0n,
          isAborted: false,
          causedBy: 'upstream',
        })
        break
      case 'release': {
        const request = this.pick(step.pick)
        await ledger.release(this.id(request))
        model.holds.delete(request)
        break
      }
      case 'releaseConcurrency': {
        const request = this.pick(step.pick)
        await ledger.releaseConcurrency(this.id(request))
        const hold = model.holds.get(request)
        if (hold !== undefined) hold.isRunning = false
        break
      }
      case 'shrink': {
        const request = this.pick(step.pick)
        await ledger.shrink(this.id(request), step.amount)
        const hold = model.holds.get(request)
        if (hold !== undefined) hold.amount -= least(step.amount, hold.amount)
        break
      }
      case 'checkpoint': {
        const request = this.pick(step.pick)
        await ledger.checkpoint({ id: this.id(request), cost: step.amount, draft: plainDraft })
        const hold = model.holds.get(request)
        if (hold !== undefined) hold.checkpoint = step.amount
        break
      }
      case 'clock':
        clock.setWallMs(nowMs + step.jumpMs)
        break
      case 'suspend':
      case 'resume':
        await ledger.suspend(account, step.kind === 'suspend' ? nowMs : null)
        model.isSuspended = step.kind === 'suspend'
        model.isFrozen = false
        break
      case 'unrestrict':
        await ledger.unrestrict(account)
        model.isRestricted = false
        model.loss = 0n
        break
      case 'restart':
        await this.restart()
        break
    }
    await this.compare()
  }

  reference(index: number): string {
    return `${this.account} ${index}`
  }

  async topUp(amount: bigint): Promise<void> {
    const { real, account, topUps, clock } = this
    const id = real.nextId()
    topUps.push(id)
    await insertTopUp(real.store, { id, account, amount })
    const ask = { entryId: real.nextId(), topUp: id, paymentIntent: `pi ${id}`, nowMs: clock.wallMs() }
    const [first, second] = await Promise.all([real.ledger.payTopUp(ask), real.ledger.payTopUp(ask)])
    assert.deepEqual(
      [first, second],
      [
        { kind: 'paid', created: true, account },
        { kind: 'paid', created: false, account },
      ],
    )
    this.model.topUps.push({ amount, refunded: 0n, disputed: 0n })
  }

  ask(step: AdmitStep, id: bigint, nowMs: number): AdmissionAsk {
    const { key, input, output, budget, concurrent, mode, usesRestricted } = step
    return {
      ...plainAsk,
      id,
      account: this.account,
      key: this.key(key),
      nowMs,
      inputAmount: input,
      outputTokenAmount: 3n,
      outputWanted: output,
      outputFloor: 16,
      onShortBalance: mode,
      usesRestricted,
      accountLimits: { ...plainAsk.accountLimits, concurrent },
      keyBudget: { amount: budget, window: 'total' },
    }
  }

  async settle(
    request: number,
    given: { cost: bigint; writtenOff: bigint; isAborted: boolean; causedBy: ExcessCause },
  ): Promise<void> {
    const nowMs = this.clock.wallMs()
    const { cost, writtenOff, isAborted, causedBy } = given
    const receipt = {
      ...plainDraft,
      endReason: isAborted ? ('client_abort' as const) : ('complete' as const),
    }
    const settlement = {
      id: this.id(request),
      nowMs,
      cost,
      writtenOff,
      writeOffEntryId: this.real.nextId(),
      excessCausedBy: causedBy,
      causedWriteOff: isAborted ? writtenOff : 0n,
      receipt,
    }
    const answer = await this.real.ledger.settle(settlement)
    const words =
      answer.kind === 'settled' ? `charged ${answer.charged}, written off ${answer.writtenOff}` : answer.kind
    assert.equal(words, this.model.settle(request, { ...given, day: Math.floor(nowMs / dayMs) }))
  }

  /** Another process opens the same data: every hold is closed at its checkpoint, in the order of their ids. */
  async restart(): Promise<void> {
    await this.real.shut()
    const { clock, model } = this
    this.real = await openTestLedger(this.context, {
      clock,
      dataDirectory: this.real.dataDirectory,
      limits: { writeOffNanoPerDayMax: lossMax },
    })
    assert.equal(this.real.recovered, model.holds.size)
    const day = Math.floor(clock.wallMs() / dayMs)
    const byId = [...model.holds].sort(([a], [b]) => Number(this.id(a) - this.id(b)))
    for (const [request, { checkpoint }] of byId) {
      model.settle(request, {
        cost: checkpoint ?? 0n,
        writtenOff: 0n,
        isAborted: false,
        causedBy: 'upstream',
        day,
      })
      assert.equal((await this.real.ledger.receipt(this.id(request)))?.endReason, 'interrupted')
    }
  }

  async compare(): Promise<void> {
    const { model, real, clock } = this
    const row = await real.ledger.account(this.account)
    assert.ok(row !== undefined)
    const { posted, held, openHolds, writtenOffToday, restrictedMs, suspendedMs } = row
    const isSuspended = suspendedMs !== null
    assert.deepEqual(
      { posted, held, openHolds, writtenOffToday, isRestricted: restrictedMs !== null, isSuspended },
      {
        posted: model.posted,
        held: model.held,
        openHolds: model.holds.size,
        writtenOffToday: model.loss,
        isRestricted: model.isRestricted,
        isSuspended: model.isSuspended,
      },
    )
    const taken = sum(model.topUps.map(({ refunded, disputed }) => refunded + disputed))
    assert.ok(posted >= -taken && held <= posted + taken, 'nothing is spent or held that was never there')
    for (let key = 0; key < keys; key += 1) {
      const spend = await real.ledger.keySpend(this.key(key), 'total', clock.wallMs())
      assert.deepEqual(spend, { spent: model.spent(key), held: model.heldBy(key) })
      const allowed = model.allowed.get(key) ?? 0n
      assert.ok(spend.spent + spend.held <= allowed, `key ${key} may use ${allowed} of its budget`)
    }
  }

  /** Everything is closed in the end, and the books balance. */
  async finish(): Promise<void> {
    assert.deepEqual(await checkedWhole(this.real), [])
    for (const request of [...this.model.holds.keys()]) await this.real.ledger.release(this.id(request))
    for (const { id, charged, hold } of await this.real.ledger.receipts(this.account, 1_000, null)) {
      assert.ok(charged <= hold, `request ${id} is charged ${charged} with a hold of ${hold}`)
    }
    const report = await this.real.ledger.verify()
    assert.deepEqual([report.openHolds, report.drift], [0, []])
  }
}

/** What the background check finds, step by step. */
async function checkedWhole({ ledger }: TestLedger): Promise<readonly string[]> {
  const drift: string[] = []
  const place = { afterAccount: 0n as bigint | null, beforeReceipt: ((1n << 63n) - 1n) as bigint | null }
  while (place.afterAccount !== null || place.beforeReceipt !== null) {
    const step = await ledger.check({ ...place, accountsMax: 7, receiptsMax: 5 })
    drift.push(...step.drift)
    Object.assign(place, { afterAccount: step.afterAccount, beforeReceipt: step.beforeReceipt })
  }
  return drift
}

test('whatever is done in whatever order, ledger and model agree', async (context) => {
  const clock = manualClock()
  let real = await openTestLedger(context, {
    clock,
    limits: { writeOffNanoPerDayMax: lossMax },
  })
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 60 }), async (steps) => {
      const pair = new Pair(context, clock, real)
      await real.ledger.createAccount({
        id: pair.account,
        kind: 'personal',
        email: null,
        name: 'n',
        nowMs: clock.wallMs(),
      })
      try {
        for (const step of steps) await pair.step(step)
        await pair.finish()
      } finally {
        real = pair.real
      }
    }),
    { numRuns: 30, endOnFailure: true },
  )
})
