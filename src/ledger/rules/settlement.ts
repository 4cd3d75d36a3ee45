/**
 * Who pays what when a request closes: the customer up to its available balance, the platform the rest. Pure:
 * decides amounts, moves nothing.
 */
import { dayOf } from '../../limits/calendar.ts'
import { least, most } from './money.ts'

export interface Due {
  /** The usage's cost to the customer. */
  readonly cost: bigint
  /** Amount written off in addition to the excess over the hold. */
  readonly writtenOff: bigint
  readonly hold: bigint
  /** posted − held before the hold is released; below zero after a refund of money that is in use. */
  readonly available: bigint
}

export interface Split {
  readonly charged: bigint
  /** All that is written off: `Due.writtenOff`, and what the customer does not pay of the cost. */
  readonly writtenOff: bigint
  /** The part of `writtenOff` by which the cost exceeded the hold. */
  readonly aboveHold: bigint
  /** The part of `writtenOff` that the hold allowed but the balance no longer covers, because of a refund in the meantime. */
  readonly uncovered: bigint
}

/** Charges the cost up to the hold, which is the most that a request costs; never takes the balance below zero. */
export function split({ cost, writtenOff, hold, available }: Due): Split {
  const owed = least(cost, hold)
  const charged = least(owed, most(hold + available, 0n))
  return {
    charged,
    writtenOff: writtenOff + cost - charged,
    aboveHold: cost - owed,
    uncovered: owed - charged,
  }
}

/** Losses that an account caused on one UTC day (since 1970). */
export interface Losses {
  readonly day: number
  readonly amount: bigint
}

/** Adds a loss; an earlier day's are forgotten, a clock that steps back over midnight forgets nothing. */
export function addLoss(losses: Losses, amount: bigint, nowMs: number): Losses {
  const day = dayOf(nowMs)
  return day > losses.day ? { day, amount } : { day: losses.day, amount: losses.amount + amount }
}
