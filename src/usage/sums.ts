/** Sums of usage: rows of an hour, added up. Pure. */
import { addCounts, type Histogram } from '../base/histogram.ts'
import type { Sums } from './types.ts'

/** Sums while they grow. */
export interface GrowingSums extends Sums {
  requests: number
  errors: number
  refused: number
  inputUncached: number
  cacheRead: number
  cacheWrite: number
  output: number
  reasoning: number
  charged: bigint
  absorbed: bigint
  readonly latency: Histogram
  readonly firstByte: Histogram
}

export function noSums(): GrowingSums {
  return {
    requests: 0,
    errors: 0,
    refused: 0,
    inputUncached: 0,
    cacheRead: 0,
    cacheWrite: 0,
    output: 0,
    reasoning: 0,
    charged: 0n,
    absorbed: 0n,
    latency: [],
    firstByte: [],
  }
}

export function addSums(into: GrowingSums, other: Sums): void {
  into.requests += other.requests
  into.errors += other.errors
  into.refused += other.refused
  into.inputUncached += other.inputUncached
  into.cacheRead += other.cacheRead
  into.cacheWrite += other.cacheWrite
  into.output += other.output
  into.reasoning += other.reasoning
  into.charged += other.charged
  into.absorbed += other.absorbed
  addCounts(into.latency, other.latency)
  addCounts(into.firstByte, other.firstByte)
}
