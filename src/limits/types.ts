/** The types of limits: rates, windows and budgets. Pure values without imports. */

/** Rate and concurrency limits of one account or key; null: no limit. */
export interface RateLimits {
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
  readonly concurrent: number | null
}

export type BudgetWindow = 'day' | 'week' | 'month' | 'total'

/** A key's own cap on spending in nano-USD, in UTC windows (weeks begin on Monday). */
export interface KeyBudget {
  readonly amount: bigint
  readonly window: BudgetWindow
}

/** How much of a limit is left, for rate headers. */
export interface RateState {
  readonly limit: number
  readonly remaining: number
  /** Until the window is whole again. */
  readonly resetMs: number
}

/** The tighter of account and key for each kind; null where neither has a limit. */
export interface RateStates {
  readonly requests: RateState | null
  readonly tokens: RateState | null
}
