/** The threads for large bodies: fairness, full queues, threads that die or hang, clients that disconnect. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { after, test } from 'node:test'
import { type Behavior, begunAt, type Command, openAt } from '../../test/support/commanded-body-thread.ts'
import { type ManualClock, manualClock } from '../../test/support/manual-clock.ts'
import { TollgateError } from '../base/errors.ts'
import { Interruptible } from '../base/interruption.ts'
import { limitDefaults } from '../config/config.ts'
import { readLimits } from '../gateway/phases/decode.ts'
import { threadEntries } from '../server/thread-entries.ts'
import { noUrlFields } from '../wire/client-routes.ts'
import { type BodyThreadLimits, type BodyThreads, openBodyThreads } from './body-threads.ts'
import { memoryNeeded } from './body-work.ts'

const entry = new URL('../../test/support/commanded-body-thread.ts', import.meta.url)
const open: BodyThreads[] = []
after(() => Promise.all(open.map((threads) => threads.close())))

const bodyBytes = 64

interface JobOptions {
  readonly account?: bigint
  readonly bytes?: Uint8Array
  readonly work?: Interruptible
}

class Bench {
  readonly clock: ManualClock = manualClock()
  readonly logged: string[] = []
  readonly threads: BodyThreads
  readonly gate = new Int32Array(new SharedArrayBuffer(8))

  constructor(limits: Partial<BodyThreadLimits> = {}) {
    this.threads = openBodyThreads({
      clock: this.clock,
      limits: { ...limitDefaults, bodyThreadBytesMin: bodyBytes - 1, bodyInPlaceBytesMax: 0, ...limits },
      log: { error: (...values: readonly unknown[]) => void this.logged.push(String(values.at(-1))) },
      entry,
    })
    open.push(this.threads)
  }

  /** The bytes that came back, or why there is no result. */
  async job(behavior: Behavior, { account = 1n, bytes, work }: JobOptions = {}): Promise<string> {
    const body = {
      bytes: bytes ?? new Uint8Array(bodyBytes).fill(7),
      restore(back: Uint8Array) {
        body.bytes = back
      },
    }
    const command: Command = { behavior, gate: this.gate }
    const owner = { body, account, work: work ?? new Interruptible() }
    try {
      const length = await this.threads.run('facts', command as never, owner)
      return `${String(length)} of ${body.bytes.length}`
    } catch (error) {
      if (error instanceof TollgateError) return [error.code, error.details.facts?.scope].join(' ').trim()
      return (error as { code?: string; name: string }).code ?? (error as Error).name
    }
  }

  /** Resolves once so many jobs have begun. */
  async started(count: number): Promise<void> {
    for (let seen = this.#begunNow; seen < count; seen = this.#begunNow) {
      const waiting = Atomics.waitAsync(this.gate, begunAt, seen)
      if (waiting.async) await waiting.value
    }
  }

  get #begunNow(): number {
    return Atomics.load(this.gate, begunAt)
  }

  /** Lets all blocked jobs continue, now and later. */
  release(): void {
    Atomics.store(this.gate, openAt, 1)
    Atomics.notify(this.gate, openAt)
  }
}

/** The end of threads that have nothing to do. */
const idleTimers = 1
const answered = `${bodyBytes} of ${bodyBytes}`

test('a body is lent and comes back, a part of other memory is copied, a rejection is one', async () => {
  const bench = new Bench()
  assert.equal(await bench.job('answer'), answered)
  const around = new Uint8Array(3 * bodyBytes)
  assert.equal(await bench.job('answer', { bytes: around.subarray(bodyBytes, 2 * bodyBytes) }), answered)
  assert.equal(around.length, 3 * bodyBytes)
  assert.equal(await bench.job('reject'), 'invalid_json')
  assert.equal(bench.clock.pending(), idleTimers)
})

test('an account whose queue is full is rejected, and another one is still served', async () => {
  const bench = new Bench({ bodyWorkWaitingPerAccountMax: 2 })
  const blocking = bench.job('hold')
  await bench.started(1)
  const waiting = [bench.job('answer'), bench.job('answer')]
  assert.equal(await bench.job('answer'), 'concurrency_limited account')
  // The first account's jobs do not begin on the second thread: it is there for others.
  assert.equal(await bench.job('answer', { account: 2n }), answered)
  assert.equal(await bench.job('answer', { account: 3n }), answered)
  await bench.started(3)
  bench.release()
  assert.deepEqual(await Promise.all([blocking, ...waiting]), [answered, answered, answered])
  assert.equal(await bench.job('answer'), answered)
  assert.equal(bench.clock.pending(), idleTimers)
})

test('a queue that is full for all rejects, and takes work again afterwards', async () => {
  const bench = new Bench({ bodyThreadsMax: 1, bodyWorkWaitingMax: 2 })
  const blocking = bench.job('hold')
  const waiting = [2n, 3n].map((account) => bench.job('answer', { account }))
  assert.equal(await bench.job('answer', { account: 4n }), 'overloaded')
  bench.release()
  assert.deepEqual(await Promise.all([blocking, ...waiting]), [answered, answered, answered])
  assert.equal(await bench.job('answer', { account: 4n }), answered)
})

for (const [behavior, outcome, logged] of [
  ['exit', 'overloaded', ['a request body thread exited; replacing it']],
  ['crash', 'overloaded', ['a request body thread failed; replacing it']],
  // The thread lives on.
  ['throw', 'BrokenInvariant', []],
] as const) {
  test(`a job in which the thread does this gets an error, and the next one works: ${behavior}`, async () => {
    const bench = new Bench({ bodyThreadsMax: 1 })
    const jobs = [bench.job(behavior), bench.job('answer'), bench.job('answer', { account: 2n })]
    assert.deepEqual(await Promise.all(jobs), [outcome, answered, answered])
    assert.deepEqual(bench.logged, logged)
    assert.equal(bench.clock.pending(), idleTimers)
  })
}

test('a job that does not finish is stopped at its deadline, and the next one works', async () => {
  const bench = new Bench({ bodyThreadsMax: 1, bodyWorkMs: 2_000, bodyWorkRunMsMax: 1_000 })
  const endless = bench.job('loop')
  const next = bench.job('answer')
  await bench.started(1)
  bench.clock.advance(999)
  assert.deepEqual(bench.logged, [])
  bench.clock.advance(1)
  assert.deepEqual(await Promise.all([endless, next]), ['overloaded', answered])
  assert.deepEqual(bench.logged, ['processing a request body took too long; replacing its thread'])
  assert.equal(bench.clock.pending(), idleTimers)
})

test('a job whose turn does not come is rejected and never begun', async () => {
  const bench = new Bench({ bodyThreadsMax: 1, bodyWorkMs: 1_000, bodyWorkRunMsMax: 2_000 })
  const blocking = bench.job('hold')
  const late = bench.job('answer')
  await bench.started(1)
  bench.clock.advance(1_000)
  assert.equal(await late, 'overloaded')
  bench.release()
  assert.equal(await blocking, answered)
  assert.equal(await bench.job('answer'), answered)
  assert.equal(bench.gate[begunAt], 2)
})

test('work whose client leaves while it waits is not begun, and its place is free', async () => {
  const bench = new Bench({ bodyThreadsMax: 1, bodyWorkWaitingPerAccountMax: 1 })
  const running = new Interruptible()
  const blocking = bench.job('hold', { work: running })
  await bench.started(1)
  const error = new TollgateError('draining', { message: 'Stops.' })
  for (const [interruption, outcome] of [
    [{ kind: 'gone' }, 'request_timeout'],
    [{ kind: 'stopped', error }, 'draining'],
  ] as const) {
    const work = new Interruptible()
    const waiting = bench.job('answer', { work })
    work.interrupt(interruption)
    assert.equal(await waiting, outcome)
    // Interrupted before it was queued.
    assert.equal(await bench.job('answer', { work }), outcome)
  }
  // Running work finishes, because its thread has the memory.
  running.interrupt({ kind: 'gone' })
  bench.release()
  assert.equal(await blocking, answered)
  assert.equal(await bench.job('answer'), answered)
  assert.equal(bench.gate[begunAt], 2)
  assert.equal(bench.clock.pending(), idleTimers)
})

test('work that needs more memory than there is waits for other work, or is rejected', async () => {
  const needed = memoryNeeded('facts', bodyBytes)
  const bench = new Bench({ bodyWorkMemoryBytes: 2 * needed - 1 })
  const first = bench.job('hold')
  await bench.started(1)
  const second = bench.job('answer', { account: 2n })
  assert.equal(
    await bench.job('answer', { account: 3n, bytes: new Uint8Array(2 * bodyBytes) }),
    'body_too_large',
  )
  assert.equal(bench.gate[begunAt], 1, 'the second thread is free, but not the memory')
  bench.release()
  assert.deepEqual(await Promise.all([first, second]), [answered, answered])
})

test('threads end when they had nothing to do for a while, and the next work starts one', async () => {
  const bench = new Bench()
  const workers = () => nicenessOfThreads().get('body reader')?.length ?? 0
  const before = workers()
  await Promise.all([bench.job('answer'), bench.job('answer', { account: 2n })])
  bench.clock.advance(19_999)
  assert.equal(await bench.job('answer'), answered)
  assert.equal(workers(), before + 2)
  bench.clock.advance(20_000)
  assert.equal(bench.clock.pending(), 0)
  await bench.threads.close()
  assert.equal(workers(), before)
})

test('closing ends what runs and what waits, and nothing begins afterwards', async () => {
  const bench = new Bench({ bodyThreadsMax: 1 })
  const jobs = [bench.job('hold'), bench.job('answer'), bench.job('answer', { account: 2n })]
  await bench.started(1)
  await bench.threads.close()
  assert.deepEqual(await Promise.all(jobs), ['overloaded', 'overloaded', 'overloaded'])
  assert.equal(await bench.job('answer'), 'overloaded')
  assert.deepEqual([bench.gate[begunAt], bench.clock.pending(), bench.logged], [1, 0, []])
})

/** How far each thread of this process gives way to others, by the thread's name, as Linux reports it. */
/** By name; threads of other tests may have the same one and be about to end. */
function nicenessOfThreads(): ReadonlyMap<string, readonly number[]> {
  const folder = '/proc/self/task'
  const stats = readdirSync(folder).map((thread) => readFileSync(`${folder}/${thread}/stat`, 'utf8'))
  const threads = new Map<string, number[]>()
  for (const stat of stats) {
    const nameEnd = stat.lastIndexOf(')')
    const name = stat.slice(stat.indexOf('(') + 1, nameEnd)
    threads.set(name, [...(threads.get(name) ?? []), Number(stat.slice(nameEnd + 2).split(' ')[16])])
  }
  return threads
}

test('threads for bodies give way to the thread that relays', {
  skip: process.platform !== 'linux',
}, async () => {
  const before = getPriority()
  const threads = openBodyThreads({
    clock: manualClock(),
    limits: { ...limitDefaults, bodyThreadBytesMin: 0, bodyInPlaceBytesMax: 0 },
    entry: threadEntries.bodies,
    log: { error: (...values: readonly unknown[]) => assert.fail(String(values)) },
  })
  open.push(threads)
  const body = { bytes: new Uint8Array(1), restore: () => {} }
  const input = {
    format: 'openai-chat',
    limits: limitDefaults,
    address: { model: null, streamed: null },
  } as const
  await assert.rejects(
    Promise.resolve(threads.run('facts', input as never, { body, account: 1n, work: new Interruptible() })),
    { code: 'invalid_json' },
  )
  const niceness = nicenessOfThreads()
  assert.ok(niceness.get('body reader')?.includes(10), JSON.stringify([...niceness]))
  assert.deepEqual(niceness.get('MainThread') ?? niceness.get('node'), [before])
})

test('a large body is read in place where it is mostly text, and otherwise in a thread', async () => {
  const reading = (limits: Partial<BodyThreadLimits>) => {
    const threads = openBodyThreads({
      clock: manualClock(),
      limits: { ...limitDefaults, ...limits },
      entry: threadEntries.bodies,
      log: { error: (...values: readonly unknown[]) => assert.fail(String(values)) },
    })
    open.push(threads)
    return (messages: number, text: string) => {
      const content = Array.from({ length: messages }, () => ({ role: 'user', content: text }))
      const body = {
        bytes: new TextEncoder().encode(JSON.stringify({ model: 'm', messages: content })) as Uint8Array,
        restore(back: Uint8Array) {
          body.bytes = back
        },
      }
      const input = {
        format: 'openai-chat',
        limits: readLimits(limitDefaults),
        address: noUrlFields,
      } as const
      return threads.run('facts', input, { body, account: 1n, work: new Interruptible() })
    }
  }
  const read = reading({})
  const long = 'x'.repeat(300_000)
  const few = read(1, long)
  assert.ok(!(few instanceof Promise))
  assert.equal(few.model, 'm')
  for (const later of [
    read(20_000, 'twenty bytes of text'),
    read(1, 'x\n'.repeat(200_000)),
    // Samples do not show what is in one place.
    read(1, `${long.repeat(2)}${'\n'.repeat(70_000)}`),
    read(4, long),
    reading({ bodyInPlaceWorkMax: 5 })(1, long),
  ]) {
    assert.ok(later instanceof Promise)
    assert.equal((await later).model, 'm')
  }
})
