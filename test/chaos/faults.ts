/** Faults of servers, of the database and of the connections between them, one after another, chosen by a seed. */
import { systemClock } from '../../src/base/clock.ts'
import type { PostgresServer } from '../support/postgres-server.ts'
import { type ChaosServer, wait } from './servers.ts'

/** A number from 0 to 1, the same sequence for the same seed. */
export type Dice = () => number

export function dice(seed: number): Dice {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export function pick<Value>(values: readonly Value[], roll: Dice): Value {
  const found = values[Math.floor(roll() * values.length)]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}

/** Probabilities that sum up to 1. */
export type Shares<Value> = readonly (readonly [share: number, value: Value])[]

export function byShare<Value>(shares: Shares<Value>, roll: Dice): Value {
  let left = roll()
  for (const [share, value] of shares) {
    left -= share
    if (left < 0) return value
  }
  return pick(shares, roll)[1]
}

interface Place {
  readonly servers: readonly ChaosServer[]
  readonly database: PostgresServer
  readonly roll: Dice
}

type Fault = readonly [name: string, run: (place: Place) => Promise<void>]

const faults: Shares<Fault> = [
  [0.35, ['killed servers', killOne]],
  [0.25, ['cut connections', async ({ servers, roll }) => pick(servers, roll).proxy.cutAll()]],
  [0.2, ['delayed connections', delayOne]],
  [0.05, ['refused connections', refuseOne]],
  [0.05, ['silent connections', freezeOne]],
  [0.1, ['crashes of the database', ({ database }) => database.crash()]],
]

const faultEveryMs = 5_000

/** Resolves with how often each was made. */
export async function faultsUntil(place: Place, over: () => boolean): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  while (!over()) {
    const nextMs = systemClock.monoMs() + faultEveryMs
    const [name, run] = byShare(faults, place.roll)
    counts.set(name, (counts.get(name) ?? 0) + 1)
    await run(place)
    await wait(nextMs - systemClock.monoMs())
  }
  return counts
}

async function killOne({ servers, roll }: Place): Promise<void> {
  const server = pick(servers, roll)
  await server.kill()
  await server.start()
}

const delayedMs = 5_000
const rejectedMs = 3_000
const silentMs = 8_000

async function delayOne({ servers, roll }: Place): Promise<void> {
  const { proxy } = pick(servers, roll)
  proxy.delay(20 + Math.floor(roll() * 300))
  await wait(delayedMs)
  proxy.delay(0)
}

async function refuseOne({ servers, roll }: Place): Promise<void> {
  const { proxy } = pick(servers, roll)
  proxy.reject(true)
  proxy.cutAll()
  await wait(rejectedMs)
  proxy.reject(false)
}

async function freezeOne({ servers, roll }: Place): Promise<void> {
  const { proxy } = pick(servers, roll)
  proxy.freeze(true)
  await wait(silentMs)
  proxy.freeze(false)
}
