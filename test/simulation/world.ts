/**
 * A simulated installation: several processes serve random requests on one memory database, and everything around them
 * fails. A seed decides every step, so that a failure replays. After each step the model and the invariants are checked.
 */
import assert from 'node:assert/strict'
import type { HoldState } from '../../src/ledger/machine/rows.ts'
import { Checkpointer } from '../../src/ledger/rules/checkpoint-schedule.ts'
import { plainAsk } from '../support/ledger-values.ts'
import { Dice } from './dice.ts'
import { checkInvariants } from './invariants.ts'
import { MemoryDatabase } from './memory-database.ts'
import { Model } from './model.ts'
import { type Call, type OperationName, type Operations, type Result, run } from './operations.ts'

/** A request whose answer is being delivered. */
interface Stream {
  readonly id: bigint
  readonly hold: bigint
  readonly input: bigint
  readonly outputLimit: number
  /** By which its receipt must be priced. */
  priceVersion: bigint
  perToken: bigint
  deliveredTokens: number
  /** The cost recorded by the last acknowledged checkpoint; null: none. */
  recorded: bigint | null
  readonly checkpointer: Checkpointer
  /** Delivery waits for what the process has sent. */
  isWaiting: boolean
  /** A checkpoint failed: nothing more is delivered. */
  isEnding: boolean
  /** Whether its hold survives the process; nothing is delivered before. */
  isStored: boolean
}

interface SimulatedProcess {
  readonly slot: number
  /** How far its wall clock is from the world's. */
  readonly skewMs: number
  readonly streams: Map<bigint, Stream>
  /** Calls that are sent with the next batch. */
  outbox: Call[]
  /** The others take it for dead and close its holds, while it continues. */
  isPresumedDead: boolean
}

/** The outcomes of a batch, by weight. */
const fates = { committed: 84, rolledBack: 5, crashedBefore: 5, replyLost: 6 } as const
type Fate = keyof typeof fates | 'deferred'
/** How often a batch that may be is answered before its commit. */
const deferredShare = 0.8

const steps = {
  traffic: 30,
  delivery: 30,
  repeat: 4,
  recovery: 5,
  operator: 6,
  clock: 3,
  crash: 2,
  presumeDead: 1,
  powerLoss: 1,
  killAll: 3,
} as const

const calls = { admit: 10, settle: 6, release: 2, shrink: 1, releaseConcurrency: 2, setModel: 1 } as const
const operatorCalls = {
  credit: 5,
  debit: 4,
  suspend: 1,
  resume: 3,
  unrestrict: 1,
  shareKeyUsage: 1,
  createAccount: 1,
} as const

/** Whose acknowledgement promises that no crash and no power loss takes it back. */
const durable: readonly OperationName[] = [
  'settle',
  'checkpoint',
  'credit',
  'debit',
  'createAccount',
  'suspend',
  'unrestrict',
  'shareKeyUsage',
]

const processCount = 3
const skewMsMax = 400
/** How long after a message it may arrive again, where it has a time that matters. */
const repeatMsMax = 600
const eventTokensMax = 6
const rule = { checkpointNanoMin: 20n, checkpointShareOfHold: { numerator: 1n, denominator: 100n } }
const lossMax = 200n
const half = { numerator: 1n, denominator: 2n }
const accounts = [1n, 2n] as const
const keysOf = (account: bigint): readonly bigint[] => [account * 10n, account * 10n + 1n]

export interface Simulation {
  readonly seed: number
  readonly steps: number
  /** The machine, or one with a planted bug. */
  readonly operations: Operations
}

/** Runs one seed. Throws where the ledger contradicts the model, with the steps that led there. */
export function simulate({ seed, steps: count, operations }: Simulation): void {
  const world = new World(seed, operations)
  try {
    world.begin()
    for (let step = 0; step < count; step += 1) world.step()
    world.finish()
  } catch (error) {
    const trace = world.trace.slice(-30).join('\n  ')
    throw new Error(`seed ${seed}, after ${world.trace.length} steps:\n  ${trace}`, { cause: error })
  }
}

class World {
  readonly trace: string[] = []
  readonly #dice: Dice
  readonly #operations: Operations
  readonly #database = new MemoryDatabase()
  #model = new Model()
  /** All that was committed, and how much of it was promised to survive a power loss. */
  #log: { readonly result: Result; readonly wallMs: number; readonly forwardMs: number }[] = []
  #promised = 0
  /** How much of it was committed. */
  #committed = 0
  #processes: SimulatedProcess[] = []
  #wallMs = Date.UTC(2026, 0, 1, 23, 50)
  #forwardMs = 0
  #lastId = 1_000n
  #lastSlot = 0
  #perToken = 2n
  #priceVersion = 1n
  /** The key that replaced an account's first key, by account. */
  readonly #replacements = new Map<bigint, bigint>()
  /** Calls that may arrive again. */
  readonly #sent: Call[] = []

  constructor(seed: number, operations: Operations) {
    this.#dice = new Dice(seed)
    this.#operations = operations
  }

  begin(): void {
    const first = this.#start()
    for (const account of accounts)
      this.#send(first, [this.#newAccount(account), this.#credit(account)], 'committed')
    this.#replaceDead()
  }

  step(): void {
    this.#advance(this.#dice.chance(0.5) ? this.#dice.whole(0, 100) : this.#dice.whole(1, 4_000))
    const kind = this.#dice.weighted(steps)
    this.trace.push(kind)
    this.#run(kind)
    this.#replaceDead()
    checkInvariants(this.#database, this.#model)
  }

  /** Everything ends; then no account holds anything. */
  finish(): void {
    this.trace.push('finish')
    for (const process of this.#processes) process.isPresumedDead = true
    this.#processes = []
    const last = this.#start()
    this.#send(last, this.#recoveryOf(last), 'committed')
    checkInvariants(this.#database, this.#model)
    for (const { held, openHolds } of this.#database.tables.account.values())
      assert.deepEqual([held, openHolds], [0n, 0], 'nothing is held once every request is closed')
  }

  #run(kind: keyof typeof steps): void {
    const process = this.#dice.pick(this.#processes)!
    switch (kind) {
      case 'traffic': {
        const sent = Array.from({ length: this.#dice.whole(1, 4) }, () => this.#requestCall(process))
        return this.#send(process, [...process.outbox.splice(0), ...sent.flat()])
      }
      case 'delivery':
        for (const stream of process.streams.values()) this.#deliver(process, stream)
        return this.#send(process, process.outbox.splice(0))
      case 'repeat': {
        const call = this.#dice.pick(this.#sent.filter((sent) => this.#mayRepeat(sent)))
        return call === undefined ? undefined : this.#send(process, [call])
      }
      case 'recovery':
        return this.#send(process, this.#recoveryOf(process))
      case 'operator':
        return this.#send(process, this.#operatorCall(process))
      case 'clock':
        return this.#advance(this.#dice.pick([1_000, 60_000, 3_600_000, -5_000, -3_600_000, 86_400_000])!)
      case 'crash':
        return this.#kill(process)
      case 'presumeDead':
        if (process.isPresumedDead) return this.#kill(process)
        process.isPresumedDead = true
        return
      case 'powerLoss':
        return this.#losePower()
      case 'killAll':
        return this.#killAll()
    }
  }

  /** An admission is repeated immediately or not at all: later its request has failed, and nothing waits for it. */
  #mayRepeat(call: Call): boolean {
    if (call.name !== 'admit') return true
    const { id, nowMs } = call.input.request
    return this.#model.holds.has(id) && Math.abs(this.#wallMs - nowMs) < repeatMsMax
  }

  #start(): SimulatedProcess {
    const process: SimulatedProcess = {
      slot: ++this.#lastSlot,
      skewMs: this.#dice.whole(-skewMsMax, skewMsMax),
      streams: new Map(),
      outbox: [],
      isPresumedDead: false,
    }
    this.#processes.push(process)
    return process
  }

  #replaceDead(): void {
    while (this.#processes.filter(({ isPresumedDead }) => !isPresumedDead).length < processCount)
      this.#start()
  }

  #kill(process: SimulatedProcess): void {
    for (const stream of process.streams.values()) this.#assertRecorded(stream)
    this.#processes = this.#processes.filter((other) => other !== process)
  }

  /** Asserts that the cost of delivered tokens is recorded, except for the loss that the rule allows; a missing hold recorded nothing. */
  #assertRecorded({ id, input, perToken, deliveredTokens, hold, recorded }: Stream): void {
    const stored = this.#database.tables.hold.get(id)
    if (deliveredTokens === 0 || this.#model.settled.has(id)) return
    const cost = costOf({ input, perToken, deliveredTokens })
    const share = hold / 100n
    const step = share > rule.checkpointNanoMin ? share : rule.checkpointNanoMin
    const checkpoint = stored?.checkpoint?.cost ?? null
    assert.ok(recorded === null || (checkpoint ?? 0n) >= recorded, 'an acknowledged checkpoint is stored')
    assert.ok(
      checkpoint === null || checkpoint <= cost,
      'a checkpoint records what was delivered and no more',
    )
    const unrecordedMax = step + BigInt(eventTokensMax + 1) * perToken + (checkpoint === null ? input : 0n)
    const unrecorded = cost - (checkpoint ?? 0n)
    assert.ok(unrecorded <= unrecordedMax, `${unrecorded} of request ${id} is delivered and not recorded`)
  }

  #losePower(): void {
    const streams = this.#processes.splice(0).flatMap((process) => [...process.streams.values()])
    this.#database.losePower()
    this.#keepLog(this.#promised)
    for (const stream of streams) this.#assertRecorded(stream)
  }

  /** Every process is killed, as where there is one: what was answered before its commit is lost. */
  #killAll(): void {
    const streams = this.#processes.splice(0).flatMap((process) => [...process.streams.values()])
    this.#database.loseDeferred()
    this.#keepLog(this.#committed)
    for (const stream of streams) {
      this.#assertRecorded(stream)
      const { id, deliveredTokens } = stream
      const isStored = this.#database.tables.hold.has(id) || this.#model.settled.has(id)
      assert.ok(deliveredTokens === 0 || isStored, `request ${id} has delivered and left nothing`)
    }
  }

  /** Forgets all that came after the first `length` results. */
  #keepLog(length: number): void {
    this.#log = this.#log.slice(0, length)
    this.#committed = length
    this.#model = new Model()
    for (const { result, ...times } of this.#log) {
      Object.assign(this.#model, times)
      this.#model.observe(result)
    }
    this.#advance(0)
  }

  #advance(ms: number): void {
    this.#wallMs += ms
    if (ms > 0) this.#forwardMs += ms
    Object.assign(this.#model, { wallMs: this.#wallMs, forwardMs: this.#forwardMs })
  }

  /** Runs a batch in one transaction, or its calls one by one if one of them fails. */
  #send(process: SimulatedProcess, batch: readonly Call[], forced?: Fate): void {
    if (batch.length === 0) return
    const rolled: Fate = forced ?? this.#dice.weighted(fates)
    const fate =
      rolled === 'committed' && forced === undefined && this.#isDeferred(batch) ? 'deferred' : rolled
    this.trace.push(`  ${process.slot} ${batch.map(({ name }) => name).join(' ')}: ${fate}`)
    if (fate === 'rolledBack' || fate === 'crashedBefore') {
      this.#rollBack(batch)
      if (fate === 'crashedBefore') this.#kill(process)
      else for (const call of batch) this.#unanswered(process, call)
      return
    }
    const results = this.#commit(batch, fate === 'deferred' ? 'deferred' : 'now')
    for (const result of results) this.#observe(result)
    const isCommitted = fate !== 'deferred' && results.some(({ name }) => name !== 'failed')
    if (isCommitted) this.#committed = this.#log.length
    if (results.some(({ name }) => durable.includes(name as OperationName))) this.#promised = this.#log.length
    for (const result of results) {
      if (fate === 'replyLost') this.#unanswered(process, result.name === 'failed' ? result.call : result)
      else this.#answered(process, result)
    }
  }

  #isDeferred(batch: readonly Call[]): boolean {
    return (
      batch.every(({ name }) => this.#operations[name].deferral === 'later') &&
      this.#dice.chance(deferredShare)
    )
  }

  #rollBack(batch: readonly Call[]): void {
    const undone = new Error('not committed')
    try {
      this.#database.transact((engine) => {
        for (const call of batch) run(engine, call, this.#operations)
        throw undone
      })
    } catch (error) {
      // An operation that fails on its own is seen when its batch is committed.
      if (error !== undone) return
    }
  }

  #commit(batch: readonly Call[], commit: 'now' | 'deferred'): readonly Result[] {
    try {
      return this.#database.transact(
        (engine) => batch.map((call) => run(engine, call, this.#operations)),
        commit,
      )
    } catch {
      return batch.map((call): Result => {
        try {
          return this.#database.transact((engine) => run(engine, call, this.#operations), commit)
        } catch (error) {
          return { name: 'failed', call, error }
        }
      })
    }
  }

  #observe(result: Result): void {
    if (result.name === 'failed') {
      // The only call that may fail: an admission that arrives twice finds its own hold.
      const { call, error } = result
      if (call.name === 'admit' && this.#model.holds.has(call.input.request.id)) return
      throw error
    }
    this.#model.observe(result)
    this.#log.push({ result, wallMs: this.#wallMs, forwardMs: this.#forwardMs })
  }

  #answered(process: SimulatedProcess, result: Result): void {
    switch (result.name) {
      case 'admit':
        if (result.answer.kind === 'held') this.#open(process, result)
        return
      case 'settle': {
        const stream = process.streams.get(result.input.id)
        const receipt = this.#database.tables.receipt.get(result.input.id)
        if (result.answer.kind === 'settled' && stream !== undefined)
          assert.equal(
            receipt?.priceVersion,
            stream.priceVersion,
            'a receipt names the price that was charged',
          )
        process.streams.delete(result.input.id)
        return
      }
      case 'release':
        process.streams.delete(result.input.id)
        return
      case 'checkpoint': {
        const stream = process.streams.get(result.input.id)
        if (stream === undefined) return
        stream.checkpointer.end()
        stream.isWaiting = false
        if (this.#database.tables.hold.has(stream.id)) stream.recorded = result.input.cost
        return
      }
      case 'confirm': {
        const stream = process.streams.get(result.input.id)
        if (stream === undefined) return
        stream.isWaiting = false
        stream.isStored = result.answer
        stream.isEnding ||= !result.answer
        return
      }
      case 'setModel': {
        const stream = process.streams.get(result.input.id)
        if (stream === undefined) return
        stream.isWaiting = false
        stream.priceVersion = result.input.priceVersion
        stream.perToken = stream.perToken > 1n ? stream.perToken - 1n : stream.perToken
        return
      }
      default:
        return
    }
  }

  /** The process does not know whether it happened: what must happen is sent again, a request that did not begin is gone. */
  #unanswered(process: SimulatedProcess, call: Call): void {
    if (call.name === 'settle' || call.name === 'release') process.outbox.push(call)
    if (call.name !== 'checkpoint' && call.name !== 'setModel' && call.name !== 'confirm') return
    const stream = process.streams.get(call.input.id)
    if (stream === undefined) return
    stream.isEnding = true
    // The charge uses the stored price version, whichever that is.
    const stored = this.#database.tables.hold.get(stream.id)
    if (stored !== undefined) stream.priceVersion = stored.priceVersion
  }

  #open(
    process: SimulatedProcess,
    { input: { request: ask }, answer }: Extract<Result, { name: 'admit' }>,
  ): void {
    assert.ok(answer.kind === 'held')
    if (ask.id === 0n || process.streams.has(ask.id)) return
    process.streams.set(ask.id, {
      id: ask.id,
      hold: answer.amount,
      input: ask.inputAmount,
      outputLimit: answer.outputLimit,
      priceVersion: ask.priceVersion,
      perToken: ask.outputTokenAmount,
      deliveredTokens: 0,
      recorded: null,
      checkpointer: new Checkpointer(rule, {
        hold: answer.amount,
        input: ask.inputAmount,
        perOutputToken: ask.outputTokenAmount,
      }),
      isWaiting: false,
      isEnding: false,
      isStored: false,
    })
  }

  #deliver(process: SimulatedProcess, stream: Stream): void {
    if (stream.isWaiting || stream.isEnding || stream.deliveredTokens >= stream.outputLimit) return
    if (!stream.isStored) {
      stream.isWaiting = true
      process.outbox.push({ name: 'confirm', input: { id: stream.id } })
      return
    }
    const tokens = this.#dice.whole(1, eventTokensMax)
    stream.deliveredTokens = Math.min(stream.outputLimit, stream.deliveredTokens + tokens)
    if (!stream.checkpointer.due(stream.deliveredTokens)) return
    stream.checkpointer.begin(stream.deliveredTokens)
    stream.isWaiting = true
    const input = { id: stream.id, cost: costOf(stream), draft: [] }
    process.outbox.push({ name: 'checkpoint', input })
  }

  #requestCall(process: SimulatedProcess): readonly Call[] {
    const name = this.#dice.weighted(calls)
    if (name === 'admit') return process.isPresumedDead ? [] : [this.#admission(process)]
    const stream = this.#dice.pick([...process.streams.values()])
    if (stream === undefined || stream.isWaiting) return []
    const { id } = stream
    const nowMs = this.#wallMs + process.skewMs
    switch (name) {
      case 'settle':
        stream.isEnding = true
        return [this.#again(this.#settlement(stream, nowMs))]
      case 'release':
        if (stream.deliveredTokens > 0) return []
        stream.isEnding = true
        return [this.#again({ name, input: { id } })]
      case 'shrink': {
        // The rest of the hold covers all that may still be delivered.
        const amount = this.#dice.amount(0, 10)
        return stream.deliveredTokens === 0 && amount <= stream.input
          ? [
              { name, input: { id, amount: 0n } },
              { name, input: { id, amount } },
            ]
          : []
      }
      case 'releaseConcurrency':
        return [{ name, input: { id } }, ...(this.#dice.chance(0.3) ? [{ name, input: { id } }] : [])]
      case 'setModel':
        if (stream.deliveredTokens > 0 || stream.isEnding) return []
        stream.isWaiting = true
        return [{ name, input: { id, model: 'another', priceVersion: ++this.#priceVersion } }]
    }
  }

  #admission(process: SimulatedProcess): Call {
    const dice = this.#dice
    const account = dice.pick(accounts)!
    const chance = dice.chance(0.1)
    const limits = {
      requestsPerMinute: dice.chance(0.3) ? dice.whole(3, 12) : null,
      tokensPerMinute: null,
      concurrent: dice.chance(0.3) ? dice.whole(1, 6) : null,
    }
    const request = {
      ...plainAsk,
      id: ++this.#lastId,
      account,
      key: dice.pick([...keysOf(account), this.#replacements.get(account) ?? keysOf(account)[0]!])!,
      nowMs: this.#wallMs + process.skewMs,
      inputAmount: dice.amount(0, 60),
      inputTokens: dice.whole(0, 50),
      outputTokenAmount: chance ? ++this.#perToken % 5n : this.#perToken % 5n,
      outputWanted: dice.whole(0, 120),
      outputFloor: 16,
      onShortBalance: dice.pick(['lower', 'reject'] as const)!,
      patience: dice.pick(['wait', 'none', 'none'] as const)!,
      needsUnrestrictedAccount: dice.chance(0.3),
      accountLimits: limits,
      keyLimits: { ...limits, requestsPerMinute: null },
      keyBudget: dice.chance(0.5) ? { amount: dice.amount(0, 1_500), window: 'total' as const } : null,
      priceVersion: chance ? ++this.#priceVersion : this.#priceVersion,
    }
    return this.#again({
      name: 'admit',
      input: { request, settings: { process: process.slot, reserveShare: half } },
    })
  }

  #settlement(stream: Pick<Stream, 'id' | 'input' | 'perToken' | 'deliveredTokens'>, nowMs: number): Call {
    const dice = this.#dice
    // Also what no honest upstream reports.
    const excess = dice.chance(0.1) ? dice.amount(0, 1_000_000) : 0n
    const writtenOff = dice.chance(0.15) ? dice.amount(1, 40) : 0n
    return {
      name: 'settle',
      input: {
        id: stream.id,
        nowMs,
        cost: dice.chance(0.1) ? 0n : costOf(stream) + excess,
        writtenOff,
        writeOffEntryId: ++this.#lastId,
        excessCausedBy: dice.pick(['account', 'upstream'] as const)!,
        writeOffNanoPerDayMax: lossMax,
        used: { input: dice.whole(0, 60), output: stream.deliveredTokens },
        causedWriteOff: dice.chance(0.5) ? writtenOff : 0n,
        draft: [],
        providerObjects: null,
      },
    }
  }

  /** Holds that no living process will close, and those of this process that belong to no request, at their checkpoints. */
  #recoveryOf(process: SimulatedProcess): readonly Call[] {
    const living = this.#processes.filter(({ isPresumedDead }) => !isPresumedDead).map(({ slot }) => slot)
    const isOrphan = (hold: HoldState): boolean =>
      !living.includes(hold.process) || (hold.process === process.slot && !process.streams.has(hold.id))
    return [...this.#database.tables.hold.values()].filter(isOrphan).map(({ id, checkpoint }) => {
      const nowMs = this.#wallMs + process.skewMs
      const { input, ...rest } = this.#settlement({ id, input: 0n, perToken: 0n, deliveredTokens: 0 }, nowMs)
      const closed = { ...input, cost: checkpoint?.cost ?? 0n, writtenOff: 0n, causedWriteOff: 0n }
      return { ...rest, input: closed } as Call
    })
  }

  #operatorCall(process: SimulatedProcess): readonly Call[] {
    const dice = this.#dice
    const account = dice.pick(accounts)!
    const nowMs = this.#wallMs + process.skewMs
    const name = dice.weighted(operatorCalls)
    switch (name) {
      case 'credit':
        return [this.#again(this.#credit(account))]
      case 'debit': {
        const source = dice.pick(['refund', 'dispute'] as const)!
        const reference = `re ${++this.#lastId}`
        const amount = dice.amount(1, 300)
        const suspends = source === 'dispute'
        const entryId = ++this.#lastId
        return [{ name, input: { entryId, account, amount, source, reference, nowMs, note: null, suspends } }]
      }
      case 'suspend':
        return [{ name, input: { account, atMs: nowMs } }]
      case 'resume':
        return [{ name: 'suspend', input: { account, atMs: null } }]
      case 'unrestrict':
        return [{ name, input: { account } }]
      case 'createAccount':
        return [this.#newAccount(account)]
      case 'shareKeyUsage': {
        if (this.#replacements.has(account)) return []
        const key = ++this.#lastId
        this.#replacements.set(account, key)
        return [{ name, input: { key, withKey: keysOf(account)[0]!, account } }]
      }
    }
  }

  #newAccount(id: bigint): Call {
    const startingCredit = { entryId: ++this.#lastId, amount: 500n }
    const name = `account ${id}`
    const given = { id, kind: 'personal' as const, email: `${id}@example.org`, name, startingCredit }
    return { name: 'createAccount', input: { ...given, nowMs: this.#wallMs } }
  }

  #credit(account: bigint): Call {
    // Few references, so that some are used again, also with another amount.
    const amount = this.#dice.amount(2, 5) * 100n
    const reference = `${this.#dice.whole(1, 40)}`
    const ask = { entryId: ++this.#lastId, account, amount, source: 'manual' as const, reference }
    return { name: 'credit', input: { ...ask, nowMs: this.#wallMs, note: null } }
  }

  /** Remembers a call as one that may arrive again. */
  #again(call: Call): Call {
    if (this.#dice.chance(0.3)) this.#sent.push(call)
    return call
  }
}

const costOf = ({
  input,
  perToken,
  deliveredTokens,
}: Pick<Stream, 'input' | 'perToken' | 'deliveredTokens'>) => input + perToken * BigInt(deliveredTokens)
