/** The attacks of `test/attacks/` as a soak runs them: each with what it needs of an account without money. */
import type { AttackTarget } from '../support/attacks.ts'

export interface AttackerAccounts {
  /** A live key of an account whose balance is 0. */
  readonly key: string
  readonly account: string
}

export interface SoakAttack {
  readonly name: string
  readonly module: URL
  readonly target: AttackTarget
}

type ValuesOf = (accounts: AttackerAccounts) => AttackTarget['values']

const attacks: Readonly<Record<string, ValuesOf>> = {}

export function attacksOf(port: number, accounts: AttackerAccounts): readonly SoakAttack[] {
  return Object.entries(attacks).map(([name, valuesOf]) => ({
    name,
    module: new URL(`../attacks/${name}.ts`, import.meta.url),
    target: { port, values: valuesOf(accounts) },
  }))
}
