/**
 * A shared resource (memory, connections) that leaves something for the next holder whatever a single one does:
 * a holder may have a fixed share of what others leave. What is reserved must be released; holders that hold nothing cost nothing.
 */

/** Why nothing was taken. `scope`: whose share is used up, such as `account`; null: others have taken too much. */
export interface BudgetRejection {
  readonly scope: string | null
}

/** A shared amount to reserve from. */
export interface Allowance {
  /** Takes all of it and returns undefined, or takes nothing. */
  reserve(amount: number): BudgetRejection | undefined
  release(amount: number): void
}

type Name = string | bigint
type ScopeNames<Scope extends string> = Readonly<Partial<Record<Scope, Name>>>

/** How much of what others leave one holder of each scope may have, from 0 to 1, where 1 is all of it. */
export type Shares<Scope extends string> = Readonly<Record<Scope, number>>

/**
 * An amount that holders of several scopes share, such as keys and accounts: who takes something takes it in the name of
 * one holder of each scope, and each must stay within its share.
 */
export class SharedBudget<Scope extends string> {
  readonly #max: number
  readonly #scopes: readonly ScopeUse<Scope>[]
  #used = 0

  constructor(max: number, shares: Shares<Scope>) {
    this.#max = max
    const scopes = Object.entries(shares) as [Scope, number][]
    this.#scopes = scopes.map(([scope, share]) => ({ scope, share, usedBy: new Map() }))
  }

  get used(): number {
    return this.#used
  }

  /** Number of holders with a nonzero amount. */
  get holders(): number {
    return this.#scopes.reduce((sum, { usedBy }) => sum + usedBy.size, 0)
  }

  /** Takes in the name of these; a scope that is left out bounds nothing here. */
  allowance(names: ScopeNames<Scope>): Allowance {
    return {
      reserve: (amount) => this.#reserve(names, amount),
      release: (amount) => this.#release(names, amount),
    }
  }

  #reserve(names: ScopeNames<Scope>, amount: number): BudgetRejection | undefined {
    const left = this.#max - this.#used
    let rejection = amount > left ? full : undefined
    for (const { scope, share, usedBy } of this.#scopes) {
      const name = names[scope]
      if (name === undefined) continue
      const own = usedBy.get(name) ?? 0
      // The amount exceeds this holder's share of an idle budget too, so other holders are not the reason.
      if (share < 1 && own + amount > share * this.#max) return { scope }
      if (own + amount > share * (left + own)) rejection = full
    }
    if (rejection !== undefined) return rejection
    for (const { scope, usedBy } of this.#scopes) {
      const name = names[scope]
      if (name !== undefined) usedBy.set(name, (usedBy.get(name) ?? 0) + amount)
    }
    this.#used += amount
    return undefined
  }

  #release(names: ScopeNames<Scope>, amount: number): void {
    for (const { scope, usedBy } of this.#scopes) {
      const name = names[scope]
      if (name === undefined) continue
      const left = (usedBy.get(name) ?? 0) - amount
      if (left > 0) usedBy.set(name, left)
      else usedBy.delete(name)
    }
    this.#used -= amount
  }
}

/** Who of one scope holds how much. */
interface ScopeUse<Scope extends string> {
  readonly scope: Scope
  readonly share: number
  readonly usedBy: Map<Name, number>
}

const full: BudgetRejection = { scope: null }

/**
 * Memory reserved by one piece of work, which grows and shrinks. The first `unmetered` of it are not taken from the
 * budget: small work is served whatever others reserved, and its number is bounded elsewhere.
 */
export class MemoryReservation {
  readonly #allowance: Allowance
  readonly #unmetered: number
  #used = 0

  constructor(allowance: Allowance, unmetered = 0) {
    this.#allowance = allowance
    this.#unmetered = unmetered
  }

  /** Sets the total; what was taken stays as it is when more is rejected. */
  set(amount: number): BudgetRejection | undefined {
    const metered = Math.max(0, amount - this.#unmetered)
    const more = metered - this.#used
    const rejection = more > 0 ? this.#allowance.reserve(more) : undefined
    if (rejection !== undefined) return rejection
    if (more < 0) this.#allowance.release(-more)
    this.#used = metered
    return undefined
  }

  /** A reservation for another piece of work of the same holders. */
  sibling(): MemoryReservation {
    return new MemoryReservation(this.#allowance, this.#unmetered)
  }
}
