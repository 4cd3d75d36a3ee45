/** Reported usage: the provider's own counters, and the disjoint classes of tokens that they become. Values only. */
import type { CountedTokens } from '../../contract/meters.ts'

/** Counters as the provider named and reported them; null: not reported. 0 is a number. */
export interface RawUsage {
  readonly fields: Readonly<Record<string, number | null>>
  /** The tier, speed or place the answer says it ran at, as option names (`service_tier:flex`). */
  readonly servedOptions: readonly string[]
  /** Counters that no class of ours covers, by the provider's name. */
  readonly unknown: readonly string[]
  /** The last report of the output was less than an earlier one. */
  readonly outputShrank: boolean
}

/** Tokens in disjoint classes; every number a non-negative integer. */
export interface Usage extends CountedTokens {
  /** Uses of server tools by meter: `web_search: 3`. */
  readonly fees: Readonly<Record<string, number>>
  readonly servedOptions: readonly string[]
  readonly unknown: readonly string[]
}

export interface Charge {
  /** Decimal USD, exact; written as a JSON number. */
  readonly cost: string
  /** The cost is only the fee for a request on the account's own provider key; the provider bills the account for the rest. */
  readonly isOwnKey?: boolean
}

export interface ReportedTotals {
  readonly input: boolean
  readonly output: boolean
}
