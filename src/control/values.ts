/** Values of parsed input as the program counts them, and back: amounts of money, IDs, times. Pure. */
import { parseUsd } from '../../contract/usd.ts'
import { assert } from '../base/assert.ts'
import { TollgateError } from '../base/errors.ts'
import { parseId } from '../base/ids.ts'

const defaultRangeMs = 30 * 24 * 3_600_000

/** Nano-USD of an amount that the contract's schema has let through. */
export function parseAmount(amount: string): bigint {
  const nano = parseUsd(amount)
  assert(nano !== undefined, 'an amount of parsed input is an amount')
  return nano
}

/** An ID that the contract's schema has let through; null: it was left out. */
export function parseGivenId(prefix: string, text: string): bigint
export function parseGivenId(prefix: string, text: string | undefined): bigint | null
export function parseGivenId(prefix: string, text: string | undefined): bigint | null {
  if (text === undefined) return null
  const id = parseId(prefix, text)
  assert(id !== undefined, 'an id of parsed input is an id')
  return id
}

/** A field of parsed input that cannot be accepted. */
export function invalidValue(param: string, problem: string): TollgateError {
  return new TollgateError('invalid_value', { message: `${param}: ${problem}.`, param })
}

/** `to` left out: now; `from` left out: 30 days before `to`. */
export function parseRange(
  nowMs: number,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
): { readonly fromMs: number; readonly toMs: number } {
  const toMs = to === undefined ? nowMs : Date.parse(to)
  return { fromMs: from === undefined ? toMs - defaultRangeMs : Date.parse(from), toMs }
}

/** Wall-clock milliseconds as ISO 8601 in UTC. */
export function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString()
}

export function isoTimeOrNull(wallMs: number | null): string | null {
  return wallMs === null ? null : isoTime(wallMs)
}
