/**
 * Health of the accounts' provider keys, in memory. Each key has a separate cooldown, so that a failing one affects neither
 * the operator's upstreams nor other accounts.
 */

import { assert } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import type { Upstream } from '../catalog/types.ts'
import type { OwnKeyFailure, OwnKeyHealth } from './types.ts'

interface KeyRecord {
  /** Until then (monotonic ms) it is called only after the operator's offers, and if rejected not at all. */
  asideUntilMs: number
  isRejected: boolean
  lastFailure: OwnKeyFailure | null
  /** The same for single models. */
  readonly models: Map<string, number>
}

export interface OwnKeyHealthLimits {
  readonly cooldownMsMax: number
  readonly providerKeyStatesMax: number
}

export function openOwnKeyHealth({
  clock,
  limits,
}: {
  readonly clock: Clock
  readonly limits: OwnKeyHealthLimits
}): OwnKeyHealth {
  /** Least recently failed first. */
  const records = new Map<string, KeyRecord>()

  function newest(key: string): KeyRecord {
    const record = records.get(key) ?? {
      asideUntilMs: 0,
      isRejected: false,
      lastFailure: null,
      models: new Map<string, number>(),
    }
    records.delete(key)
    records.set(key, record)
    const [oldest] = records.keys()
    if (records.size > limits.providerKeyStatesMax && oldest !== undefined) records.delete(oldest)
    return record
  }

  return {
    served(upstream, model) {
      const record = records.get(keyOf(upstream))
      if (record === undefined) return
      record.asideUntilMs = 0
      record.isRejected = false
      record.lastFailure = null
      record.models.delete(model)
    },
    failed(upstream, model, failure, status) {
      // A rejection that concerns the caller's request shows a key that works.
      if (failure.retry === 'never' && !failure.operator) return this.served(upstream, model)
      const record = newest(keyOf(upstream))
      const untilMs = clock.monoMs() + Math.min(failure.cooldownMs, limits.cooldownMsMax)
      record.lastFailure = { status, message: failure.message, atMs: clock.wallMs() }
      if (failure.concerns !== 'credential') return void record.models.set(model, untilMs)
      record.asideUntilMs = untilMs
      record.isRejected = failure.operator
    },
    state(account, provider, model) {
      const record = records.get(recordKey(account, provider))
      const nowMs = clock.monoMs()
      if (record === undefined) return 'usable'
      if (record.asideUntilMs > nowMs) return record.isRejected ? 'rejected' : 'cooling'
      return model !== null && (record.models.get(model) ?? 0) > nowMs ? 'cooling' : 'usable'
    },
    waitMs(account, provider) {
      const untilMs = records.get(recordKey(account, provider))?.asideUntilMs ?? 0
      return Math.max(0, untilMs - clock.monoMs())
    },
    lastFailure: (account, provider) => records.get(recordKey(account, provider))?.lastFailure ?? null,
    forget: (account, provider) => void records.delete(recordKey(account, provider)),
  }
}

function keyOf({ ownKey, provider }: Upstream): string {
  assert(ownKey !== undefined, 'the upstream is a key of an account')
  return recordKey(ownKey.account, provider)
}

function recordKey(account: bigint, provider: string): string {
  return `${account} ${provider}`
}
