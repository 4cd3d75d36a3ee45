/** Values of parsed input as the program counts them, and back: amounts of money, times. Pure. */
import { parseUsd } from '../../contract/usd.ts'
import { assert } from '../base/assert.ts'

export function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString()
}

export function isoTimeOrNull(wallMs: number | null): string | null {
  return wallMs === null ? null : isoTime(wallMs)
}

/** Nano-USD of an amount that the contract's schema has let through. */
export function nanoOf(amount: string): bigint {
  const nano = parseUsd(amount)
  assert(nano !== undefined, 'an amount of parsed input is an amount')
  return nano
}
