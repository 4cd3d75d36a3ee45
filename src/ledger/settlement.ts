/**
 * Who pays what when a request closes: the customer up to what is its own, the house the rest. Pure:
 * decides amounts, moves nothing.
 */
import { dayOf } from '../limits/calendar.ts'
import { least, most } from './money.ts'

export interface Due {
  /** What the customer owes for the usage. */
  readonly cost: bigint
  /** What the house bears beside it. */
  readonly absorbed: bigint
  readonly hold: bigint
  /** posted − held before the hold is given back; below zero after a refund of money that is in use. */
  readonly available: bigint
}

export interface Split {
  readonly charged: bigint
  /** All that the house bears: what was given to it and what the balance did not cover. */
  readonly absorbed: bigint
  /** The part of `absorbed` by which the cost exceeded hold and balance. */
  readonly excess: bigint
}

/** Charges the hold, then what is free beside it; never takes the balance below zero. */
export function split({ cost, absorbed, hold, available }: Due): Split {
  const charged = least(cost, most(hold + available, 0n))
  const excess = cost - charged
  return { charged, absorbed: absorbed + excess, excess }
}

/** What the house bore through an account's doing on one UTC day (since 1970). */
export interface Losses {
  readonly day: number
  readonly amount: bigint
}

/** Adds a loss; an earlier day's are forgotten, a clock that steps back over midnight forgets nothing. */
export function addLoss(losses: Losses, amount: bigint, nowMs: number): Losses {
  const day = dayOf(nowMs)
  return day > losses.day ? { day, amount } : { day: losses.day, amount: losses.amount + amount }
}
