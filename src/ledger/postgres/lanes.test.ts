/** Which connection commits which operations: with lanes that a test ends by hand, and with those of a real database. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Dice } from '../../../test/simulation/dice.ts'
import { type ManualClock, manualClock } from '../../../test/support/manual-clock.ts'
import {
  admit,
  assertBalanced,
  creditOf,
  isUnavailable,
  lockAccount,
  newAccount,
  openProcess,
  settle,
  whenWaiting,
} from '../../../test/support/postgres-processes.ts'
import { postgresIsMissing, runSql } from '../../../test/support/postgres-server.ts'
import { openTcpProxy } from '../../../test/support/tcp-proxy.ts'
import { unchanged } from '../machine/operation.ts'
import type { BatchedOperation, BatchLane } from './lane.ts'
import { Lanes } from './lanes.ts'

const noRoom = Object.assign(new Error('no room'), { code: '53300' })

/** Commits a batch when the test says so. */
class ManualLane implements BatchLane {
  readonly #clock: ManualClock
  hasConnection = true
  /** Why it gets no connection. */
  obstacle: Error | null = null
  opened = 0
  #leftMs: number | null = null
  batch: readonly bigint[] = []
  onAway: (error: unknown) => void = () => {}
  end: () => void = () => {}

  constructor(clock: ManualClock) {
    this.#clock = clock
  }
  async commit(batch: readonly BatchedOperation[], onAway: (error: unknown) => void): Promise<void> {
    this.#leftMs = this.#clock.monoMs()
    this.batch = batch.map(({ step }) => step.input as bigint)
    this.onAway = onAway
    await new Promise<void>((resolve) => {
      this.end = resolve
    })
    this.#leftMs = null
    this.batch = []
    for (const { resolve, step } of batch) resolve(step.input)
  }
  isOpen(): boolean {
    return this.hasConnection
  }
  async open(): Promise<void> {
    this.opened += 1
    if (this.obstacle !== null) throw this.obstacle
    this.hasConnection = true
  }
  batchMs(): number {
    return this.#leftMs === null ? 0 : this.#clock.monoMs() - this.#leftMs
  }
  stopWaiting(): void {}
  async close(): Promise<void> {}
}

const limits = { batchMax: 8, parallelMin: 4, parallelMs: 50, waitingMax: 1_000 }

function openManual(count = 2) {
  const clock = manualClock()
  const lanes = Array.from({ length: count }, () => new ManualLane(clock))
  const all = new Lanes(lanes, clock, limits)
  const operation = { durable: true, rows: () => [], apply: () => unchanged(null) }
  const step = (number: number) => ({ name: 'nothing', operation, input: BigInt(number) })
  return {
    clock,
    lanes,
    all,
    /** Operations by their numbers, each on an account of its own. */
    begin: (...numbers: readonly number[]) =>
      Promise.all(numbers.map((number) => all.run(BigInt(number), step(number)))),
    on: (account: bigint, number: number) => all.run(account, step(number)),
    /** The sizes of the batches that are on their way. */
    async sizes(): Promise<readonly number[]> {
      await nextTurn()
      return lanes.map(({ batch }) => batch.length)
    },
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

const numbers = (from: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index)

suite('lanes', () => {
  test('what comes together is one batch, or one for each lane where there is enough for each', async () => {
    for (const [count, expected] of [
      [1, [1, 0]],
      [7, [7, 0]],
      [8, [4, 4]],
      [13, [7, 6]],
      [20, [8, 8]],
    ] as const) {
      const { begin, sizes } = openManual()
      void begin(...numbers(1, count))
      assert.deepEqual(await sizes(), expected, `${count} operations`)
    }
  })

  test('a few operations wait for the batch before them, enough of them do not', async () => {
    const { begin, sizes, lanes } = openManual()
    void begin(1)
    assert.deepEqual(await sizes(), [1, 0])
    void begin(2, 3, 4)
    assert.deepEqual(await sizes(), [1, 0])
    void begin(5)
    assert.deepEqual(await sizes(), [1, 4])
    void begin(6)
    lanes[0]?.end()
    await nextTurn()
    assert.deepEqual(await sizes(), [0, 4], 'one waits for the other lane')
    lanes[1]?.end()
    await nextTurn()
    assert.deepEqual(await sizes(), [1, 0])
  })

  test('a batch that takes long holds up no other account', async () => {
    const { begin, on, sizes, lanes, clock } = openManual()
    const answers = [on(1n, 1)]
    await sizes()
    const behind = on(1n, 2)
    answers.push(on(2n, 3))
    assert.deepEqual(await sizes(), [1, 0])
    clock.advance(limits.parallelMs)
    assert.deepEqual(await sizes(), [1, 1])
    lanes[1]?.end()
    await answers[1]
    answers.push(...[4, 5].map((number) => on(BigInt(number), number)))
    assert.deepEqual(await sizes(), [1, 2], 'the slow one is not waited for')
    void begin(6)
    assert.deepEqual(await sizes(), [1, 2], 'the other one is')
    assert.deepEqual(lanes[0]?.batch, [1n])
    lanes[0]?.end()
    await answers[0]
    clock.advance(limits.parallelMs)
    await sizes()
    assert.deepEqual(lanes[0]?.batch, [6n, 2n])
    lanes[0]?.end()
    assert.equal(await behind, 2n)
  })

  test('an account has one lane at a time, with all that it has', async () => {
    const { on, sizes, lanes } = openManual()
    for (const number of numbers(1, 10)) void on(1n, number)
    assert.deepEqual(await sizes(), [8, 0])
    for (const number of numbers(11, 4)) void on(2n, number)
    assert.deepEqual(await sizes(), [8, 4])
    lanes[0]?.end()
    lanes[1]?.end()
    await nextTurn()
    await sizes()
    assert.deepEqual(lanes[0]?.batch, [9n, 10n])
  })

  test('an operation that is taken back leaves nothing behind', async () => {
    const { all, sizes } = openManual()
    const taken = all.run(1n, () => null)
    assert.equal(await taken, null)
    const rejected = all.run(1n, () => {
      throw new Error('on purpose')
    })
    await assert.rejects(rejected, /on purpose/)
    assert.deepEqual(await sizes(), [0, 0])
    await all.close()
  })

  test('what waits for a batch of unknown outcome is rejected; other accounts only where all lanes have one', async () => {
    const { on, sizes, lanes, clock, all } = openManual()
    const first = on(1n, 1)
    await sizes()
    const behind = assert.rejects(on(1n, 2), /away/)
    lanes[0]?.onAway(new Error('away'))
    await behind
    clock.advance(limits.parallelMs)
    const second = on(2n, 3)
    assert.deepEqual(await sizes(), [1, 1])
    const other = assert.rejects(on(3n, 4), /away/)
    lanes[1]?.onAway(new Error('away'))
    await other
    lanes[0]?.end()
    lanes[1]?.end()
    assert.deepEqual(await Promise.all([first, second]), [1n, 3n])
    await all.close()
  })

  test('a lane gets a connection before it takes a batch; those that have one are first', async () => {
    const { begin, sizes, lanes } = openManual(3)
    const [first, second] = lanes as [ManualLane, ManualLane]
    first.hasConnection = false
    second.hasConnection = false
    void begin(1)
    assert.deepEqual(await sizes(), [0, 0, 1])
    void begin(...numbers(2, 4))
    await sizes()
    assert.deepEqual(await sizes(), [4, 0, 1])
    assert.deepEqual(
      lanes.map(({ opened }) => opened),
      [1, 0, 0],
    )
  })

  test('a lane for which the database has no room is left out for a second while another one works', async () => {
    const { begin, sizes, lanes, clock } = openManual()
    const second = lanes[1] as ManualLane
    second.hasConnection = false
    second.obstacle = noRoom
    void begin(...numbers(1, 8))
    await sizes()
    assert.deepEqual([await sizes(), second.opened], [[4, 0], 1])
    clock.advance(999)
    lanes[0]?.end()
    await nextTurn()
    assert.deepEqual([await sizes(), second.opened], [[4, 0], 1])
    void begin(...numbers(9, 4))
    assert.deepEqual(await sizes(), [4, 0])
    clock.advance(1)
    assert.deepEqual([await sizes(), second.opened], [[4, 0], 2], 'it is tried again')
    second.obstacle = null
    clock.advance(1_000)
    await sizes()
    assert.deepEqual(await sizes(), [4, 4])
  })

  test('what cannot be opened for another reason, or is the only lane, takes its batch and waits with it', async () => {
    for (const [obstacle, hasConnection, expected] of [
      [new Error('away'), true, [4, 4]],
      [noRoom, false, [4, 0]],
    ] as const) {
      const { begin, sizes, lanes } = openManual()
      const [first, second] = lanes as [ManualLane, ManualLane]
      first.hasConnection = hasConnection
      second.hasConnection = false
      second.obstacle = obstacle
      void begin(...numbers(1, 8))
      await sizes()
      assert.deepEqual(await sizes(), expected, obstacle.message)
    }
  })

  test('where there is room for no other lane, what waits for one of unknown outcome is rejected', async () => {
    const { on, sizes, lanes, clock, all } = openManual()
    const [first, second] = lanes as [ManualLane, ManualLane]
    second.hasConnection = false
    second.obstacle = noRoom
    const away = on(1n, 1)
    await sizes()
    clock.advance(limits.parallelMs)
    const other = assert.rejects(on(2n, 2), /away/)
    await sizes()
    first.onAway(new Error('away'))
    await other
    first.end()
    assert.equal(await away, 1n)
    await all.close()
  })

  test('random operations: each once, those of an account in order and never in two lanes', async () => {
    for (const seed of numbers(1, 50)) {
      const dice = new Dice(seed)
      const { on, lanes, clock, all } = openManual(dice.whole(1, 4))
      const begun = new Map<bigint, number[]>()
      const ended = new Map<bigint, number[]>()
      const answers: Promise<unknown>[] = []
      const accountOf = new Map<number, bigint>()
      for (let number = 0; number < 200; number += 1) {
        const account = dice.amount(1, 12)
        accountOf.set(number, account)
        begun.set(account, [...(begun.get(account) ?? []), number])
        answers.push(
          on(account, number).then(() => ended.set(account, [...(ended.get(account) ?? []), number])),
        )
        if (dice.chance(0.3)) await nextTurn()
        if (dice.chance(0.1)) clock.advance(dice.whole(1, 60))
        if (dice.chance(0.3)) dice.pick(lanes)?.end()
        const some = dice.pick(lanes)
        if (dice.chance(0.2) && some?.batch.length === 0) some.hasConnection = false
        if (dice.chance(0.2) && some !== undefined)
          some.obstacle = dice.pick([null, noRoom, new Error('away')]) ?? null
        const owners = lanes.map(({ batch }) => new Set(batch.map((each) => accountOf.get(Number(each)))))
        const total = owners.reduce((sum, each) => sum + each.size, 0)
        assert.equal(new Set(owners.flatMap((each) => [...each])).size, total, `seed ${seed}`)
      }
      let isClosed = false
      const closing = all.close().then(() => {
        isClosed = true
      })
      while (!isClosed) {
        await nextTurn()
        clock.advance(limits.parallelMs)
        for (const lane of lanes) lane.end()
      }
      await Promise.all([closing, ...answers])
      assert.deepEqual(ended, begun, `seed ${seed}`)
    }
  })
})

/** How many batches each lane of the first process has committed. */
const batchesOf = async (url: string): Promise<readonly unknown[]> =>
  (await runSql(url, 'SELECT batch FROM committed_batch WHERE process = 0 ORDER BY lane')).map(
    ({ batch }) => batch,
  )

const minutes = 600_000

suite('lanes of PostgreSQL', { skip: postgresIsMissing ?? false }, () => {
  test('operations on one account are committed in the order of the calls, whatever else is on its way', async (context) => {
    const on = await openProcess(context, undefined, { lanes: 3, parallelMin: 1, batchMax: 7 })
    const accounts = await Promise.all(numbers(0, 6).map(() => newAccount(on, 1n)))
    const given = new Map<bigint, bigint[]>(accounts.map((account) => [account, []]))
    const dice = new Dice(1)
    const credits = numbers(0, 300).map(() => {
      const account = dice.pick(accounts) ?? 0n
      const entryId = on.nextId()
      given.get(account)?.push(entryId)
      return on.ledger.credit(creditOf(entryId, account))
    })
    await Promise.all(credits)
    for (const [account, ids] of given) {
      const rows = await runSql(
        on.url,
        `SELECT id FROM entry WHERE account = ${account} AND position > 1 ORDER BY position`,
      )
      assert.deepEqual(
        rows.map(({ id }) => BigInt(String(id))),
        ids,
      )
    }
    assert.ok((await batchesOf(on.url)).every((batch) => Number(batch) > 0))
    await assertBalanced(on)
  })

  test('a few requests at a time use one connection', async (context) => {
    const on = await openProcess(context, undefined, { parallelMin: 32, parallelMs: minutes })
    const accounts = await Promise.all(numbers(0, 8).map(() => newAccount(on, 100n)))
    await Promise.all(
      accounts.map(async (account) => {
        for (let request = 0; request < 5; request += 1) {
          const id = on.nextId()
          await admit(on, account, 10n, id)
          await settle(on, id, 4n)
        }
      }),
    )
    const [first, second] = await batchesOf(on.url)
    assert.ok(Number(first) > 0)
    assert.equal(Number(second), 0)
  })

  test('an account whose row is locked holds up others neither where they are many nor where they are few', async (context) => {
    for (const patience of [
      { parallelMin: 4, parallelMs: minutes },
      { parallelMin: 1_000, parallelMs: 1 },
    ]) {
      const on = await openProcess(context, undefined, patience)
      const accounts = await Promise.all(numbers(0, 5).map(() => newAccount(on, 100n)))
      const [slow = 0n, ...others] = accounts
      const lock = await lockAccount(on.url, slow)
      const waiting = admit(on, slow, 10n)
      await whenWaiting(on.url)
      const answers = await Promise.all(others.map((account) => admit(on, account, 10n)))
      assert.deepEqual(
        answers.map(({ kind }) => kind),
        others.map(() => 'held'),
      )
      await lock.release()
      assert.equal((await waiting).kind, 'held')
      await assertBalanced(on)
    }
  })

  test('a commit of unknown outcome holds up its own accounts alone', async (context) => {
    const direct = await openProcess(context)
    const [cut, other] = [await newAccount(direct, 100n), await newAccount(direct, 100n)]
    const proxy = await openTcpProxy(direct.url)
    const on = await openProcess(context, proxy.url, { parallelMin: 1, parallelMs: 1, outageMsMax: 100 })
    context.after(proxy.close)
    // Both lanes are connected.
    await Promise.all([admit(on, cut, 1n), admit(on, other, 1n)])
    const isCut = proxy.cutNext('commit\0', 'reply')
    const admitting = admit(on, cut, 10n)
    await isCut
    proxy.reject(true)
    await assert.rejects(admit(on, cut, 1n), isUnavailable)
    assert.equal((await admit(on, other, 10n)).kind, 'held')
    proxy.reject(false)
    assert.equal((await admitting).kind, 'held')
    assert.equal((await direct.ledger.account(cut))?.held, 11n)
    await assertBalanced(direct)
  })
})
