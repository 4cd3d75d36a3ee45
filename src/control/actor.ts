/** The actor of an operation, and its subject. Values only. */
import type { Policy, Role, Scope } from '../../contract/operation.ts'
import type { Person } from '../identity/types.ts'
import type { AccountRow } from '../ledger/types.ts'

export type Actor =
  /** A user with the operator's rights on the machine itself. */
  | { readonly kind: 'local' }
  | {
      readonly kind: 'person'
      readonly person: Person
      /** When this session's person proved who they are. */
      readonly loginMs: number
      readonly address: string | null
    }
  | {
      readonly kind: 'management_key'
      readonly id: bigint
      readonly label: string
      readonly account: bigint
      readonly scopes: readonly Scope[]
      readonly address: string | null
    }
  | { readonly kind: 'anyone'; readonly address: string | null }

/** The actor of an operation for signed-in people. */
export type SignedIn = Extract<Actor, { kind: 'person' }>

/** The actor of an operation on one account, and that account. */
export interface AccountScope {
  readonly actor: Actor
  readonly account: AccountRow
  /** The member's role; null: an operator who is no member, a management key or the command line. */
  readonly role: Role | null
}

/** The caller as a handler receives it, by the kind of the operation's policy. */
export interface Callers extends Record<Policy['kind'], { readonly actor: Actor }> {
  readonly account: AccountScope
  readonly person: { readonly actor: SignedIn }
}

export function nameForAudit(actor: Actor): string {
  switch (actor.kind) {
    case 'person':
      return actor.person.email
    case 'management_key':
      return actor.label
    case 'local':
    case 'anyone':
      return actor.kind
  }
}
