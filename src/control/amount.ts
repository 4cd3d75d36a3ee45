/** Amounts of parsed input as money. */
import { parseUsd } from '../../contract/usd.ts'
import { assert } from '../base/assert.ts'

/** Nano-USD of an amount that the contract's schema has let through. */
export function nanoOf(amount: string): bigint {
  const nano = parseUsd(amount)
  assert(nano !== undefined, 'an amount of parsed input is an amount')
  return nano
}
