/** Provider keys: credentials of accounts for providers, which serve the requests of their account and no other. */
import type { Multiplier, Upstream } from '../catalog/types.ts'
import type { Connector, UpstreamFailure } from '../providers/connector.ts'

/** `first`: the operator's offers are the fallback. `only`: they are not used. */
export type KeyUse = 'first' | 'only'

/** Whose requests may use provider keys. */
export type AllowedAccounts = 'none' | 'organizations' | 'all'

/** A provider that takes a plain API key at one fixed address. */
export interface KeyProvider {
  readonly provider: string
  readonly displayName: string
  readonly connector: Connector
  /** Where its keys are sent, and nowhere else; with the path, if it has one. */
  readonly url: string
}

export interface ProviderKeyRow {
  readonly account: bigint
  readonly provider: string
  readonly use: KeyUse
  /** The last characters, to recognize it. */
  readonly credentialEnd: string
  readonly createdMs: number
  readonly updatedMs: number
  /** false: it was stored for another address or with another root secret, and must be entered again. */
  readonly isReadable: boolean
}

/** An account's key as requests use it. */
export interface OwnKey {
  readonly provider: KeyProvider
  readonly use: KeyUse
  /** null: it cannot be used; `only` still excludes the operator's offers. */
  readonly upstream: Upstream | null
}

/** `rejected`: the provider rejected the key; it is not sent again until the cooldown has ended. */
export type OwnKeyState = 'usable' | 'cooling' | 'rejected'

/** A provider's last error for a key. */
export interface OwnKeyFailure {
  readonly status: number | null
  readonly message: string
  readonly atMs: number
}

export interface ProviderKeyAsk {
  readonly account: bigint
  readonly provider: string
  readonly use: KeyUse
  /** null: keep the stored one. */
  readonly credential: string | null
}

/** `needs_credential`: no readable credential is stored. `too_many`: the account has the maximum number of keys. */
export type ProviderKeyWritten = 'written' | 'needs_credential' | 'too_many' | 'unknown_provider'

export interface ProviderKeys {
  readonly allowed: AllowedAccounts
  /** The charge for requests on provider keys, as a share of their cost at list price. */
  readonly fee: Multiplier
  /** The same as it is shown: `0%`. */
  readonly feeText: string
  /** The providers that a key can be stored for. */
  readonly providers: readonly KeyProvider[]
  /** Whether accounts of this kind may use them. */
  allows(kind: 'personal' | 'organization'): boolean
  list(account: bigint): readonly ProviderKeyRow[]
  /** The credential, for a test at its provider; undefined: none is readable. */
  credentialOf(account: bigint, provider: string): string | undefined
  put(ask: ProviderKeyAsk): Promise<ProviderKeyWritten>
  /** Whether there was one. */
  remove(account: bigint, provider: string): Promise<boolean>
  removeAll(account: bigint): Promise<void>
  /** Reloads the keys of an account, which another process has changed; null: the keys of all accounts. */
  reload(account: bigint | null): Promise<void>
  /** The account's keys, from memory; usually empty. */
  of(account: bigint): readonly OwnKey[]
  /** Whether the key of this upstream is still stored and unchanged. */
  isCurrent(upstream: Upstream): boolean
  readonly health: OwnKeyHealth
}

/** How the keys of accounts do; it affects nothing of the operator's upstreams or of other accounts. */
export interface OwnKeyHealth {
  served(upstream: Upstream, model: string): void
  failed(
    upstream: Upstream,
    model: string,
    failure: Pick<UpstreamFailure, 'retry' | 'operator' | 'concerns' | 'cooldownMs' | 'message'>,
    status: number | null,
  ): void
  /** null for `model`: the key as a whole. */
  state(account: bigint, provider: string, model: string | null): OwnKeyState
  /** When it may be used again, in milliseconds from now. */
  waitMs(account: bigint, provider: string): number
  lastFailure(account: bigint, provider: string): OwnKeyFailure | null
  forget(account: bigint, provider: string): void
}
