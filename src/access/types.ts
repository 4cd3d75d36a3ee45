/** Types of API keys and of the caller that pays for a request. */
import type { Scope } from '../../contract/operation.ts'
import type { AutomaticCaching, ManagedField } from '../../contract/values.ts'
import type { KeyBudget, RateLimits } from '../limits/types.ts'

/** Limits and permissions of a key. */
export interface KeyPolicy {
  readonly rates: RateLimits
  readonly budget: KeyBudget | null
  /** Model names the key may use; null = every enabled one. */
  readonly models: readonly string[] | null
  /** Tags that an upstream must have; null: none. */
  readonly requiredTags: readonly string[] | null
  /** Fallback models, in order; null: the model's fallbacks. */
  readonly fallbacks: readonly string[] | null
  /** Whether to lower the output limit or reject the request if the balance does not cover it. */
  readonly onShortBalance: 'lower' | 'reject'
  /** Whether responses to this key include the balance. */
  readonly showBalance: boolean
  /** Whether answers in the provider's own format get `usage.cost` too. */
  readonly showCost: boolean
  /** When translated prompts that mark nothing are marked for a cache whose writes cost more. */
  readonly automaticCaching: AutomaticCaching
  /** Fields limited by others, which the developer who made the key cannot change. */
  readonly managed: readonly ManagedField[]
}

/** A key as its owner may see it; the secret is not stored anywhere. */
export interface KeyRow {
  readonly id: bigint
  readonly account: bigint
  readonly name: string
  /** The public start of the key, enough to recognize it: `sk-tg-…`. */
  readonly label: string
  readonly createdMs: number
  readonly expiresMs: number | null
  readonly revokedMs: number | null
  readonly disabled: boolean
  readonly policy: KeyPolicy
  /** A person's id; null: the command line or a management key. */
  readonly createdBy: string | null
  /** The key that takes its place after a rotation. */
  readonly replacedBy: bigint | null
}

/** Account + key behind a request. */
export interface Caller {
  readonly account: bigint
  readonly key: bigint
  readonly label: string
  readonly policy: KeyPolicy
  readonly accountRates: RateLimits
  /** The signed-in user of a request from the console; null for requests with an API key. */
  readonly person: string | null
}

/** Result of identifying a credential. */
export type Identified =
  | { readonly kind: 'caller'; readonly caller: Caller }
  /** Not our form, a wrong checksum, or an unknown key: indistinguishable from outside. */
  | { readonly kind: 'invalid' }
  /** A key of ours that pays for nothing now: whose it is. */
  | { readonly kind: 'revoked' | 'expired' | 'disabled'; readonly account: bigint; readonly key: bigint }
  /** A key of the control plane by its form, alive or not: never good for requests to models. */
  | { readonly kind: 'management' }
  /** A key in the form of another provider; `provider` is that provider's display name. */
  | { readonly kind: 'foreign'; readonly provider: string }

export interface NewKey {
  /** Left out: a new one. */
  readonly id?: bigint
  readonly account: bigint
  readonly name: string
  readonly expiresMs: number | null
  readonly policy: KeyPolicy
  /** A person's id; left out or null: the command line or a management key. */
  readonly createdBy?: string | null
}

/** Changes to a key; omitted fields stay. */
export type KeyChange = Partial<Pick<KeyRow, 'name' | 'expiresMs' | 'disabled' | 'policy'>>

export type KeyUpdate =
  | { readonly kind: 'updated'; readonly row: KeyRow }
  | { readonly kind: 'not_found' }
  /** A revoked key stays as it was. */
  | { readonly kind: 'revoked' }

export interface RotationAsk {
  /** The ledger knows already that it shares the old key's usage. */
  readonly newId: bigint
  readonly overlapMs: number
  readonly createdBy: string | null
}

export type Rotation =
  | {
      readonly kind: 'rotated'
      /** The only copy of the whole new key. */
      readonly secret: string
      /** When the old key ends. */
      readonly expiresMs: number
    }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'rejected'; readonly because: 'revoked' | 'expired' | 'disabled' | 'replaced' }

export type RotationRejection = Extract<Rotation, { kind: 'rejected' }>['because']

/** Why a key that was good is good no more. */
export type StoppedBy = 'revoked' | 'disabled' | 'expired'

/** Keys: made, found by their hash in memory, changed, revoked. */
export interface Access {
  /** A promise only for a key that is not in memory: checks format and checksum, then reads the store once. */
  identify(credential: string): Identified | Promise<Identified>
  /** Makes a key; `secret` is the only copy of the whole key. */
  create(key: NewKey): Promise<{ readonly id: bigint; readonly secret: string; readonly label: string }>
  list(account: bigint): Promise<readonly KeyRow[]>
  key(id: bigint): Promise<KeyRow | undefined>
  /** In force for the next request. `change` is made from the row as it is. */
  update(id: bigint, change: (row: KeyRow) => KeyChange): Promise<KeyUpdate>
  /**
   * Makes the key `newId` that may do the same. The old one ends after `overlapMs`, or when it would have anyway; immediately
   * for 0.
   */
  rotate(id: bigint, ask: RotationAsk): Promise<Rotation>
  revoke(id: bigint): Promise<'revoked' | 'already_revoked' | 'not_found'>
  /** Another process has changed the key, which is read again; null: any key may have changed. */
  changedElsewhere(id: bigint | null): Promise<void>
  /** Calls the listener with the id of each key that becomes invalid; returns a function that stops it. */
  onStopped(listener: (key: bigint, by: StoppedBy) => void): () => void
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
