/** The words of access: keys, and the caller that a request is paid by. Values only. */
import type { Scope } from '../../contract/operation.ts'
import type { KeyBudget, RateLimits } from '../limits/types.ts'

/** What the holder of a key may do. */
export interface KeyPolicy {
  readonly rates: RateLimits
  readonly budget: KeyBudget | null
  /** Model names the key may use; null = every enabled one. */
  readonly models: readonly string[] | null
  /** What to do when the balance does not pay the whole output limit. */
  readonly onShortBalance: 'lower' | 'reject'
  /** Whether answers to this key tell the balance. */
  readonly showBalance: boolean
}

/** A key as its owner may see it; the secret is not stored anywhere. */
export interface KeyRow {
  readonly id: bigint
  readonly account: bigint
  readonly name: string
  /** The public start of the key, enough to recognise it: `sk-tg-…`. */
  readonly label: string
  readonly createdMs: number
  readonly expiresMs: number | null
  readonly revokedMs: number | null
  readonly disabled: boolean
  readonly policy: KeyPolicy
}

/** Account + key behind a request. */
export interface Caller {
  readonly account: bigint
  readonly key: bigint
  readonly label: string
  readonly policy: KeyPolicy
  readonly accountRates: RateLimits
}

/** What a presented credential turned out to be. */
export type Identified =
  | { readonly kind: 'caller'; readonly caller: Caller }
  /** Not of our form, a wrong checksum, or no such key: all the same to the outside. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'disabled' }
  /** It has the form of another provider's key; `provider` is that provider's display name. */
  | { readonly kind: 'foreign'; readonly provider: string }

export interface NewKey {
  readonly account: bigint
  readonly name: string
  readonly expiresMs: number | null
  readonly policy: KeyPolicy
}

/** Keys: made, found by their hash in memory, revoked. */
export interface Access {
  /** Checks form and checksum before any look-up; the store is asked once per unknown hash. */
  identify(credential: string): Promise<Identified>
  /** Makes a key; `secret` is the only copy of the whole key. */
  create(key: NewKey): Promise<{ readonly id: bigint; readonly secret: string; readonly label: string }>
  list(account: bigint): Promise<readonly KeyRow[]>
  key(id: bigint): Promise<KeyRow | undefined>
  revoke(id: bigint): Promise<'revoked' | 'already_revoked' | 'not_found'>
  /** Called with a key's id as soon as this process learns of its revocation; returns how to stop listening. */
  onRevoked(listener: (key: bigint) => void): () => void
}

/** A key of the control plane as its account may see it. */
export interface ManagementKeyRow {
  readonly id: bigint
  readonly account: bigint
  readonly name: string
  readonly label: string
  readonly scopes: readonly Scope[]
  readonly createdMs: number
  readonly expiresMs: number | null
  readonly lastUsedMs: number | null
  readonly revokedMs: number | null
}

/** Keys of the control plane: never good for requests to models. */
export interface ManagementKeys {
  /** The live key behind a credential; undefined for anything else. */
  identify(credential: string): Promise<ManagementKeyRow | undefined>
  key(id: bigint): Promise<ManagementKeyRow | undefined>
  list(account: bigint): Promise<readonly ManagementKeyRow[]>
  create(
    key: Pick<ManagementKeyRow, 'account' | 'name' | 'scopes' | 'expiresMs'>,
  ): Promise<{ readonly id: bigint; readonly secret: string }>
  revoke(id: bigint): Promise<void>
}
