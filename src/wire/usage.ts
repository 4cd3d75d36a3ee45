/** Reported usage: the provider's own counters, and the disjoint classes of tokens that they become. Values only. */
import type { CountedTokens } from '../../contract/meters.ts'

/** What a provider reported, field by field as it named them; null where it said nothing. 0 is a number. */
export interface RawUsage {
  readonly fields: Readonly<Record<string, number | null>>
  /** The tier, speed or place the answer says it ran at, as option names (`service_tier:flex`). */
  readonly ranAt: readonly string[]
  /** Counters that no class of ours covers, by the provider's name. */
  readonly unknown: readonly string[]
  /** The last report of the output was less than an earlier one. */
  readonly outputShrank: boolean
}

/** Tokens in disjoint classes; every number a non-negative integer. */
export interface Usage extends CountedTokens {
  /** Uses of server tools by meter: `web_search: 3`. */
  readonly fees: Readonly<Record<string, number>>
  readonly ranAt: readonly string[]
  readonly unknown: readonly string[]
}

/** What was charged. */
export interface Charge {
  /** Decimal USD, exact; written as a JSON number. */
  readonly cost: string
  /** It is the fee for a request on the account's own provider key, whose provider charges the account for the rest. */
  readonly isOwnKey?: boolean
}

export interface ReportedTotals {
  readonly input: boolean
  readonly output: boolean
}
