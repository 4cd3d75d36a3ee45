/**
 * A reference model of the ledger, computed from the answers alone and without the ledger's code: sums are added up when they are
 * requested. Each committed answer is compared with the model; any difference throws.
 */
import assert from 'node:assert/strict'
import type { SettleInput } from '../../src/ledger/machine/settle-operation.ts'
import type { AdmissionRequest, CreditInput } from '../../src/ledger/types.ts'
import type { AnswerOf, Result } from './operations.ts'

const dayMs = 86_400_000
/** A minute, less what the clocks of two processes may differ by. */
const minuteMs = 59_000

interface ModelAccount {
  credited: bigint
  debited: bigint
  charged: bigint
  isSuspended: boolean
  isRestricted: boolean
  lossDay: number
  loss: bigint
  /** When requests were admitted, on a clock that never steps back. */
  readonly admittedMs: number[]
}

interface ModelHold {
  readonly account: bigint
  readonly key: bigint
  amount: bigint
  isRunning: boolean
}

type Admitted = AnswerOf<'admit'>
type Of<Name extends Result['name']> = Extract<Result, { readonly name: Name }>

export class Model {
  readonly accounts = new Map<bigint, ModelAccount>()
  readonly holds = new Map<bigint, ModelHold>()
  /** Charged by key. */
  readonly spent = new Map<bigint, bigint>()
  readonly settled = new Set<bigint>()
  readonly #credits = new Map<string, CreditInput>()
  /** The key whose usage a key shares. */
  readonly #shared = new Map<bigint, bigint>()
  /** Set by the world: its wall clock, and milliseconds that no step back of that takes away. */
  wallMs = 0
  forwardMs = 0

  posted(id: bigint): bigint {
    const { credited, debited, charged } = this.account(id)
    return credited - debited - charged
  }

  held(of: { readonly account: bigint } | { readonly key: bigint }): bigint {
    return this.#open(of).reduce((sum, { amount }) => sum + amount, 0n)
  }

  account(id: bigint): ModelAccount {
    const account = this.accounts.get(id)
    assert.ok(account !== undefined, `account ${id} exists`)
    return account
  }

  /** The key under which a key's usage is counted. */
  root(key: bigint): bigint {
    return this.#shared.get(key) ?? key
  }

  /** Compares a committed answer, and remembers what it did. */
  observe(result: Result): void {
    switch (result.name) {
      case 'admit':
        return this.#admitted(result.input.request, result.answer)
      case 'settle':
        return this.#settled(result.input, result.answer)
      case 'release':
      case 'shrink':
      case 'releaseConcurrency':
        return this.#changed(result)
      case 'credit':
        return this.#credited(result.input, result.answer)
      case 'debit': {
        const account = this.account(result.input.account)
        account.debited += result.input.amount
        account.isSuspended ||= result.input.suspends
        return
      }
      case 'createAccount':
        return this.#created(result)
      case 'suspend':
        this.account(result.input.account).isSuspended = result.input.atMs !== null
        return
      case 'unrestrict': {
        const account = this.account(result.input.account)
        account.isRestricted = false
        account.loss = 0n
        return
      }
      case 'shareKeyUsage':
        this.#shared.set(result.input.key, this.root(result.input.withKey))
        return
      case 'checkpoint':
      case 'setModel':
      case 'confirm':
      case 'failed':
        return
    }
  }

  #open(of: { readonly account: bigint } | { readonly key: bigint }): ModelHold[] {
    return [...this.holds.values()].filter((hold) =>
      'account' in of ? hold.account === of.account : hold.key === this.root(of.key),
    )
  }

  #running(of: { readonly account: bigint } | { readonly key: bigint }): number {
    return this.#open(of).filter(({ isRunning }) => isRunning).length
  }

  #created({ input, answer }: Of<'createAccount'>): void {
    assert.equal(answer.kind, this.accounts.has(input.id) ? 'exists' : 'created')
    if (answer.kind === 'exists') return
    const credited = input.startingCredit?.amount ?? 0n
    this.accounts.set(input.id, {
      credited,
      debited: 0n,
      charged: 0n,
      isSuspended: false,
      isRestricted: false,
      lossDay: 0,
      loss: 0n,
      admittedMs: [],
    })
  }

  #admitted(ask: AdmissionRequest, answer: Admitted): void {
    const account = this.account(ask.account)
    const available = this.posted(ask.account) - this.held({ account: ask.account })
    const { keyBudget } = ask
    const root = this.root(ask.key)
    const spent = this.spent.get(root) ?? 0n
    const budgetLeft =
      keyBudget === null ? null : largest(keyBudget.amount - spent - this.held({ key: root }), 0n)
    const running = { account: this.#running({ account: ask.account }), key: this.#running({ key: root }) }
    const limits = { account: ask.accountLimits, key: ask.keyLimits }
    switch (answer.kind) {
      case 'held': {
        const { amount, outputLimit } = answer
        assert.ok(!account.isSuspended, 'a suspended account begins nothing')
        assert.ok(
          !(ask.needsUnrestrictedAccount && account.isRestricted),
          'a restricted account uses nothing restricted',
        )
        assert.equal(amount, ask.inputAmount + BigInt(outputLimit) * ask.outputTokenAmount)
        assert.ok(
          outputLimit <= ask.outputWanted && outputLimit >= Math.min(ask.outputFloor, ask.outputWanted),
        )
        assert.ok(amount <= available, `${amount} is held of ${available}`)
        assert.ok(
          budgetLeft === null || amount <= budgetLeft,
          `${amount} is held of a budget of ${budgetLeft}`,
        )
        assert.equal(answer.available, available - amount)
        for (const scope of ['account', 'key'] as const)
          assert.ok(running[scope] < (limits[scope].concurrent ?? Number.POSITIVE_INFINITY), 'concurrency')
        this.#assertRate(account, ask)
        assert.ok(!this.holds.has(ask.id) && !this.settled.has(ask.id), 'a request is admitted once')
        this.holds.set(ask.id, { account: ask.account, key: root, amount, isRunning: true })
        account.admittedMs.push(this.forwardMs)
        return
      }
      case 'insufficient_funds':
        assert.equal(answer.available, answer.scope === 'account' ? available : budgetLeft)
        assert.ok(answer.required > answer.available, 'what is rejected for money is not there')
        return
      case 'rate':
        if (answer.limitKind === 'concurrent') assert.ok(running[answer.scope] >= answer.limit, 'concurrency')
        return
      case 'suspended':
        assert.ok(account.isSuspended)
        return
      case 'restricted':
        assert.ok(account.isRestricted)
        return
      case 'wait':
        assert.ok(this.held({ account: ask.account }) > 0n, 'a request waits for holds of others')
        return
    }
  }

  /** The clock of the model is ahead of every wall clock, so what it counts within a minute is a part of what they count. */
  #assertRate(
    { admittedMs }: ModelAccount,
    { accountLimits: { requestsPerMinute } }: AdmissionRequest,
  ): void {
    if (requestsPerMinute === null) return
    const recent = admittedMs.filter((ms) => ms > this.forwardMs - minuteMs).length
    assert.ok(recent < requestsPerMinute, `${recent + 1} requests in a minute, ${requestsPerMinute} allowed`)
  }

  #settled(input: SettleInput, answer: AnswerOf<'settle'>): void {
    const hold = this.holds.get(input.id)
    if (hold === undefined) {
      assert.equal(answer.kind, this.settled.has(input.id) ? 'already_settled' : 'unknown_hold')
      return
    }
    assert.ok(answer.kind === 'settled', `an open hold is settled, not ${answer.kind}`)
    const account = this.account(hold.account)
    // Sent before the clock was set back: by its time, what was admitted since is longer ago.
    if (input.nowMs > this.wallMs + minuteMs) account.admittedMs.length = 0
    const free = this.posted(hold.account) - this.held({ account: hold.account }) + hold.amount
    const owed = smallest(input.cost, hold.amount)
    const charged = smallest(owed, largest(free, 0n))
    const aboveHold = input.cost - owed
    assert.equal(answer.charged, charged, 'the charge is the cost, at most the hold, at most what is left')
    assert.equal(answer.writtenOff, input.writtenOff + input.cost - charged)
    this.holds.delete(input.id)
    this.settled.add(input.id)
    account.charged += charged
    this.spent.set(hold.key, (this.spent.get(hold.key) ?? 0n) + charged)
    const caused =
      owed - charged + (input.excessCausedBy === 'account' ? aboveHold : 0n) + input.causedWriteOff
    if (caused === 0n) return
    const day = Math.floor(input.nowMs / dayMs)
    account.loss = day > account.lossDay ? caused : account.loss + caused
    account.lossDay = Math.max(account.lossDay, day)
    if (account.loss > input.writeOffNanoPerDayMax) account.isRestricted = true
  }

  #changed({ name, input, answer }: Of<'release' | 'shrink' | 'releaseConcurrency'>): void {
    const hold = this.holds.get(input.id)
    const isSame = name === 'releaseConcurrency' && hold?.isRunning === false
    assert.equal(answer, hold === undefined || isSame ? null : hold.account, name)
    if (hold === undefined) return
    if (name === 'release') this.holds.delete(input.id)
    else if (name === 'releaseConcurrency') hold.isRunning = false
    else hold.amount -= smallest(input.amount, hold.amount)
  }

  #credited(ask: CreditInput, answer: AnswerOf<'credit'>): void {
    const name = `${ask.source} ${ask.reference}`
    const earlier = this.#credits.get(name)
    if (earlier !== undefined) {
      const isSame = earlier.account === ask.account && earlier.amount === ask.amount
      assert.equal(answer.kind, isSame ? 'credited' : 'conflict')
      assert.ok(answer.kind !== 'credited' || !answer.created, 'a reference is credited once')
      return
    }
    assert.ok(answer.kind === 'credited' && answer.created)
    this.#credits.set(name, ask)
    this.account(ask.account).credited += ask.amount
  }
}

const smallest = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const largest = (a: bigint, b: bigint): bigint => (a > b ? a : b)
