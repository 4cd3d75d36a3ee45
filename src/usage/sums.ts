/** Sums of usage: the contents of an hour's rows, and how they add up. Pure; it must not run a statement. */
import { eachSum, type Meter, meterNames, meters, tokenSumNames, tokenSums } from '../../contract/meters.ts'
import { addBytes, addCounts, type Histogram, newScratch, toBytes } from '../base/histogram.ts'
import { blob, type Field, integer, number, rowOf, same, type ValueOf } from '../store/sqlite/columns.ts'

const tokens = eachSum((name) => number(tokenSums[name].column))

function histogram(name: string): Field<Histogram> {
  const scratch = newScratch()
  const read = (bytes: Uint8Array): Histogram => {
    const counts: Histogram = []
    addBytes(counts, bytes)
    return counts
  }
  return blob<Histogram>(read, (counts) => toBytes(counts, scratch))(name)
}

/** Sums of requests, in the form of the table of hours. Amounts are nano-USD. */
export const sumsRow = rowOf({
  /** Requests that have a receipt; of these, those that did not end complete. */
  requests: number('requests'),
  errors: number('errors'),
  /** Requests that were rejected before they reached an upstream. */
  rejected: number('rejected'),
  /** Audio counts with the tokens of its direction. */
  ...tokens,
  reasoning: number('reasoning'),
  charged: integer('charged'),
  writtenOff: integer('written_off'),
  /** At list price, what was served with the accounts' own provider keys. */
  ownKeyCost: integer('own_key_cost'),
  /** How many successful requests took how long, by bucket of base/histogram.ts. */
  latency: histogram('latency'),
  /** The same to the first byte. */
  firstByte: histogram('first_byte'),
})

export interface Sums extends ValueOf<typeof sumsRow> {}

/** `sumsRow` with durations as stored, which is enough to add them up. */
export const storedSumsRow = rowOf({
  ...sumsRow.fields,
  latency: same<Uint8Array>('latency'),
  firstByte: same<Uint8Array>('first_byte'),
})

/** Sums while they grow. */
export type GrowingSums = { -readonly [Name in keyof Sums]: Sums[Name] }

const counts = ['requests', 'errors', 'rejected', ...tokenSumNames, 'reasoning'] as const

export function noSums(): GrowingSums {
  const zeros = Object.fromEntries(counts.map((name) => [name, 0])) as Record<(typeof counts)[number], number>
  return { ...zeros, charged: 0n, writtenOff: 0n, ownKeyCost: 0n, latency: [], firstByte: [] }
}

export function addSums(into: GrowingSums, other: Sums): void {
  addNumbers(into, other)
  addCounts(into.latency, other.latency)
  addCounts(into.firstByte, other.firstByte)
}

export function addStoredSums(into: GrowingSums, other: ValueOf<typeof storedSumsRow>): void {
  addNumbers(into, other)
  addBytes(into.latency, other.latency)
  addBytes(into.firstByte, other.firstByte)
}

function addNumbers(into: GrowingSums, other: Omit<Sums, 'latency' | 'firstByte'>): void {
  for (const name of counts) into[name] += other[name]
  into.charged += other.charged
  into.writtenOff += other.writtenOff
  into.ownKeyCost += other.ownKeyCost
}

/** Adds the tokens of one request, each class where it is summed. */
export function addTokens(into: GrowingSums, count: (name: Meter | 'reasoning') => number): void {
  for (const name of meterNames) into[meters[name].sum] += count(name)
  into.reasoning += count('reasoning')
}
