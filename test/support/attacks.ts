/**
 * Measures attacks by their effect on a paying neighbor: a real server in its own process, an attacker in its own
 * thread, and a neighbor that sends small requests at a steady rate, with and without the attack in turns. Knows no
 * particular attack.
 */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { Worker } from 'node:worker_threads'
import type { OperationRawInput } from '../../contract/operations.ts'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import {
  type GatewayProcess,
  type Installation,
  type InstallationOptions,
  makeInstallation,
  type StartOptions,
} from './gateway-process.ts'
import { repeated } from './sampled.ts'

export interface AttackedGateway {
  readonly installation: Installation
  readonly server: GatewayProcess
  readonly origin: string
  readonly port: number
  /** The upstream of all models of the file and of the sandbox. */
  readonly sandbox: Sandbox
  /** A new account with this credit (decimal USD) and the secret of its first key. */
  account(credit: string): Promise<{ readonly account: string; readonly key: string }>
  /** Asserts that the ledger verifies, and removes everything. */
  end(): Promise<void>
}

/** The models of the attacked gateway, each a sandbox behavior. */
const attackedModels = ['sandbox-echo', 'sandbox-slow', 'sandbox-stream'] as const

interface AttackedOptions extends StartOptions {
  /** Additional sections of `tollgate.yaml`. */
  readonly yaml?: string
  readonly fixed?: InstallationOptions['fixed']
}

/** The real program on loopback; its upstream is a sandbox in this process. */
export async function attackedGateway({
  yaml = '',
  fixed,
  ...start
}: AttackedOptions = {}): Promise<AttackedGateway> {
  const sandbox = await startSandbox({ clock: systemClock })
  const models = attackedModels.map(
    (id) =>
      `  - { id: ${id}, provider: sandbox, context: 1000000, maxOutput: 10000, inputs: [text, image], prices: [{ input: 3, output: 15 }] }`,
  )
  const installation = makeInstallation(
    [
      'sandbox: off',
      'upstreams:',
      `  - { name: sandbox, provider: sandbox, url: '${sandbox.origin}', credential: any, models: all }`,
      'models:',
      ...models,
      yaml,
      '',
    ].join('\n'),
    fixed === undefined ? {} : { fixed },
  )
  const server = await installation.start(start)
  let accounts = 0
  return {
    installation,
    server,
    origin: server.origin,
    port: Number(new URL(server.origin).port),
    sandbox,
    async account(credit) {
      accounts += 1
      const input: OperationRawInput<'account.create'> = { email: `account-${accounts}@example.org`, credit }
      const { account, key } = await installation.ask('account.create', input as never)
      return { account, key }
    },
    async end() {
      try {
        const { drift } = await installation.ask('ledger.verify', {})
        assert.deepEqual(drift, [])
      } finally {
        await installation.remove()
        await sandbox.close()
      }
    },
  }
}

/** The attacker's parameters; they are posted to another thread, so they contain plain values only. */
export interface AttackTarget {
  readonly port: number
  /** Keys, accounts, sizes: what the attack needs. */
  readonly values: Readonly<Record<string, string | number>>
}

/** A running attack. */
export interface Attack {
  /** Counters by event, such as `{ connections: 17, status503: 4 }`. */
  counts(): Readonly<Record<string, number>>
  /** Stops it and closes its connections. */
  stop(): Promise<void>
}

/** The `begin` export of an attacker's module; resolves when the attack has its full effect. */
export type BeginAttack = (target: AttackTarget) => Promise<Attack>

/** Runs the attacker of a module in its own thread; resolves when the attack has its full effect. */
export async function startAttack(module: URL, target: AttackTarget): Promise<Attack> {
  const worker = new Worker(new URL('./attacker-thread.ts', import.meta.url), {
    workerData: { module: module.href, target },
  })
  let counts: Readonly<Record<string, number>> = {}
  const began = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  worker.on('message', (message: { began?: true; counts?: Readonly<Record<string, number>> }) => {
    counts = message.counts ?? counts
    if (message.began === true) began.resolve()
  })
  worker.on('error', (error) => {
    began.reject(error)
    ended.reject(error)
  })
  worker.on('exit', () => {
    began.reject(new Error('the attacker ended before its attack began'))
    ended.resolve()
  })
  // The caller that awaits the start gets the failure there.
  ended.promise.catch(() => {})
  await began.promise
  return {
    counts: () => counts,
    stop() {
      worker.postMessage('stop')
      return ended.promise
    },
  }
}

/** A well-behaved client; `ask` resolves with the failure, or undefined. */
export interface Neighbor {
  ask(): Promise<string | undefined>
  close(): void
}

interface NeighborOptions {
  readonly port: number
  /** The loopback address to connect from. */
  readonly from?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether this status and body are the expected response. */
  readonly isRight?: (status: number, text: string) => boolean
  /** A connection for each request, or kept-alive ones. */
  readonly connections?: 'new' | 'kept'
}

/** A hanging neighbor counts as failed; no working request takes this long even on a busy machine. */
const answerMs = 120_000

/** A neighbor that posts the same request repeatedly. */
export function neighborThatPosts(options: NeighborOptions): Neighbor {
  const {
    port,
    from = '127.0.0.1',
    path = '/v1/chat/completions',
    headers = {},
    body = '',
    connections = 'new',
  } = options
  const isRight = options.isRight ?? ((status: number) => status === 200)
  const agent = connections === 'kept' ? new Agent({ keepAlive: true }) : false
  const sent = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers }
  return {
    ask: () =>
      new Promise((resolve) => {
        const asking = request({
          port,
          path,
          method: 'POST',
          host: '127.0.0.1',
          localAddress: from,
          agent,
          headers: sent,
        })
        const timer = systemClock.after(answerMs, () =>
          asking.destroy(new Error(`no answer in ${answerMs} ms`)),
        )
        const finish = (wrong: string | undefined): void => {
          timer.cancel()
          resolve(wrong)
        }
        asking.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
        asking.on('response', (answer) => {
          let text = ''
          answer.setEncoding('utf8')
          answer.on('data', (piece: string) => {
            text += piece
          })
          answer.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
          answer.on('end', () => {
            const status = answer.statusCode ?? 0
            finish(isRight(status, text) ? undefined : `${status} ${text.slice(0, 300)}`)
          })
        })
        asking.end(body)
      }),
    close: () => {
      if (agent !== false) agent.destroy()
    },
  }
}

/** The usual neighbor: a paying account that sends a small request. */
export function payingNeighbor(port: number, key: string, more: Partial<NeighborOptions> = {}): Neighbor {
  return neighborThatPosts({
    port,
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model: 'sandbox-echo',
      max_tokens: 64,
      messages: [{ role: 'user', content: 'hello' }],
    }),
    ...more,
  })
}

/** Results of requests at a steady rate. */
interface Phase {
  readonly sent: number
  /** Descriptions of the failed requests. */
  readonly failures: readonly string[]
  readonly medianMs: number
  readonly p99Ms: number
  /** Includes the time without a CPU. */
  readonly elapsedP99Ms: number
}

interface Pace {
  readonly requests: number
  readonly everyMs: number
}

/** Sends the neighbor's requests at this rate. The growth of `waitedMs` during a request is not counted. */
type MeasurePhase = (neighbor: Neighbor, pace: Pace, waitedMs?: () => number) => Promise<Phase>

/** Requests start when they are due, regardless of whether earlier ones were answered. */
const measurePhase: MeasurePhase = async (neighbor, { requests, everyMs }, waitedMs) => {
  const startedMs = systemClock.monoMs()
  return phaseOf(
    await Promise.all(
      Array.from({ length: requests }, async (_none, index) => {
        await after(startedMs + index * everyMs - systemClock.monoMs())
        return timed(neighbor, waitedMs)
      }),
    ),
  )
}

/** Sends requests one at a time, so that they wait only for the work of others and not for each other. */
export const measureInTurn: MeasurePhase = async (neighbor, { requests, everyMs }, waitedMs) => {
  const asked: Timed[] = []
  for (let dueMs = systemClock.monoMs(); asked.length < requests; dueMs += everyMs) {
    await after(dueMs - systemClock.monoMs())
    asked.push(await timed(neighbor, waitedMs))
  }
  return phaseOf(asked)
}

interface Timed {
  readonly failure: string | undefined
  readonly elapsedMs: number
  readonly ownMs: number
}

async function timed(neighbor: Neighbor, waitedMs: () => number = () => 0): Promise<Timed> {
  const from = { elapsed: systemClock.monoMs(), waited: waitedMs() }
  const failure = await neighbor.ask()
  const elapsedMs = systemClock.monoMs() - from.elapsed
  return { failure, elapsedMs, ownMs: Math.max(0, elapsedMs - (waitedMs() - from.waited)) }
}

function phaseOf(asked: readonly Timed[]): Phase {
  const ownMs = asked.map((one) => one.ownMs).sort((a, b) => a - b)
  const elapsedMs = asked.map((one) => one.elapsedMs).sort((a, b) => a - b)
  return {
    sent: asked.length,
    failures: asked.flatMap(({ failure }) => failure ?? []),
    medianMs: rankOf(ownMs, 0.5),
    p99Ms: rankOf(ownMs, 0.99),
    elapsedP99Ms: rankOf(elapsedMs, 0.99),
  }
}

interface Measured {
  readonly calm: readonly Phase[]
  readonly attacked: readonly Phase[]
  /** The counters of the last attack. */
  readonly counts: Readonly<Record<string, number>>
}

interface Measurement {
  readonly neighbor: Neighbor
  /** Starts the attack; it is stopped and restarted for every round. */
  readonly attack: () => Promise<Attack>
  readonly pace?: Partial<Pace>
  readonly measure?: MeasurePhase
  /**
   * Time in which the threads that serve the neighbor were runnable without a CPU. Not counted for an attack that is
   * CPU-bound itself: on a busy machine it cannot be separated from the load of other programs.
   */
  readonly waitedMs?: () => number
}

const usualPace: Pace = { requests: 60, everyMs: 20 }
const roundsMin = repeated(1, 1, 2)
/** Other programs slow down single phases; an attack has its effect in most of them. */
const roundsMax = 9
/** Below this, a delay is caused by the machine and not by the attack. */
const p99MsFloor = 150
const p99FactorMax = 2

/**
 * Measures the neighbor with and without the attack, in turns, until it is clearly served equally well, or for
 * `roundsMax` rounds. A failed request ends the measurement.
 */
export async function measureUnderAttack({
  neighbor,
  attack,
  pace,
  measure = measurePhase,
  waitedMs,
}: Measurement): Promise<Measured> {
  const used = { ...usualPace, ...pace }
  const calm: Phase[] = []
  const attacked: Phase[] = []
  let counts: Readonly<Record<string, number>> = {}
  try {
    await measure(neighbor, used, waitedMs)
    while (attacked.length < roundsMax) {
      calm.push(await measure(neighbor, used, waitedMs))
      const running = await attack()
      try {
        attacked.push(await measure(neighbor, used, waitedMs))
      } finally {
        await running.stop()
        counts = running.counts()
      }
      if (failuresOf({ calm, attacked }).length > 0) break
      if (attacked.length >= roundsMin && isAsFast({ calm, attacked })) break
    }
  } finally {
    neighbor.close()
  }
  return { calm, attacked, counts }
}

type Phases = Pick<Measured, 'calm' | 'attacked'>

const failuresOf = ({ calm, attacked }: Phases) => [...calm, ...attacked].flatMap(({ failures }) => failures)

function isAsFast({ calm, attacked }: Phases): boolean {
  return p99Of(attacked) <= Math.max(p99MsFloor, p99FactorMax * p99Of(calm))
}

const p99Of = (phases: readonly Phase[]) => middleOf(phases.map(({ p99Ms }) => p99Ms))

/** A readable summary of the neighbor's latency in both. */
export function describeMeasured({ calm, attacked, counts }: Measured): string {
  const described = (name: string, phases: readonly Phase[]): string => {
    const sent = phases.reduce((sum, phase) => sum + phase.sent, 0)
    const failed = phases.reduce((sum, phase) => sum + phase.failures.length, 0)
    const median = middleOf(phases.map(({ medianMs }) => medianMs))
    const elapsed = middleOf(phases.map(({ elapsedP99Ms }) => elapsedP99Ms))
    const share = ((100 * (sent - failed)) / sent).toFixed(1)
    return `${name}: ${share} % of ${sent}, median ${median.toFixed(1)} ms, p99 ${p99Of(phases).toFixed(1)} ms (elapsed ${elapsed.toFixed(1)} ms)`
  }
  return `${described('calm', calm)}; ${described('under attack', attacked)}; attacker: ${JSON.stringify(counts)}`
}

/** Asserts that every request of the neighbor succeeded, as fast as without the attack. */
export function assertUnharmed(measured: Measured): void {
  const line = describeMeasured(measured)
  assert.deepEqual([...new Set(failuresOf(measured))], [], line)
  assert.ok(isAsFast(measured), line)
}

function after(delayMs: number): Promise<void> {
  return new Promise((resolve) => systemClock.after(Math.max(0, delayMs), resolve))
}

/** The smallest of sorted numbers at or above this share of them. */
function rankOf(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

function middleOf(numbers: readonly number[]): number {
  return rankOf(
    numbers.toSorted((a, b) => a - b),
    0.5,
  )
}
