/**
 * Keys on the data plane: found in memory by their keyed hash, looked up in the store once if
 * missing there, checked against the clock at every use. The whole key is never stored and never logged.
 */
import { createHmac, createSecretKey, hash as oneShotHash } from 'node:crypto'
import type { Clock, Timer } from '../base/clock.ts'
import type { NextId, RandomBytes } from '../base/ids.ts'
import { createMutex } from '../base/mutex.ts'
import { RecentMap } from '../base/recent-map.ts'
import type { RateLimits } from '../limits/types.ts'
import type { Store } from '../store/store.ts'
import { inTransaction } from '../store/transaction.ts'
import { isManagementKey, makeKey, readKey } from './key-form.ts'
import { type KeyMemory, type KeyMemoryLimits, keyMemory, keyName } from './key-memory.ts'
import { insertKey, keyByHash, keyById, keysOf, type StoredKey, saveKey } from './key-rows.ts'
import type {
  Access,
  Identified,
  KeyRow,
  KeyUpdate,
  NewKey,
  Rotation,
  RotationAsk,
  RotationRejection,
  StoppedBy,
} from './types.ts'

export interface AccessDeps {
  readonly store: Pick<Store, 'database'>
  readonly clock: Clock
  readonly nextId: NextId
  readonly random: RandomBytes
  /** Derived for hashing API keys and for nothing else. */
  readonly hashKey: Uint8Array
  readonly accountRates: (account: bigint) => RateLimits
  readonly limits: KeyMemoryLimits & {
    /** The longest that a request runs. */
    readonly holdMsMax: number
  }
}

export function openAccess(deps: AccessDeps): Access {
  const { store, clock, limits } = deps
  const listeners = new Set<(key: bigint, by: StoppedBy) => void>()
  const notifyStopped = (key: bigint, by: StoppedBy): void => {
    for (const listener of listeners) listener(key, by)
  }
  const changing: KeyChangeDeps = {
    ...deps,
    // Made once: importing the key costs more than the hash itself.
    hashOf: hasher(deps.hashKey),
    memory: keyMemory((hash) => keyByHash(store, hash), limits),
    names: new RecentMap(limits.keysCachedMax),
    expiries: new Expiries(clock, limits.holdMsMax, (key) => notifyStopped(key, 'expired')),
    notifyStopped,
  }
  // Changes run one after another, so that memory ends with the same state as the store.
  const inTurn = createMutex()
  return {
    identify: (credential) => identify(changing, credential),
    create: (asked) => create(changing, asked),
    list: (account) => keysOf(store, account),
    key: async (id) => (await keyById(store.database, id))?.row,
    update: (id, change) => inTurn(() => update(changing, id, change)),
    rotate: (id, ask) => inTurn(() => rotate(changing, id, ask)),
    revoke: (id) => inTurn(() => revoke(changing, id)),
    changedElsewhere: (id) => inTurn(() => readAgain(changing, id)),
    onStopped(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

interface KeyChangeDeps extends AccessDeps {
  readonly hashOf: (key: string) => Buffer
  readonly memory: KeyMemory<KeyRow>
  /** The names in `memory` of keys that were identified, by fingerprint. */
  readonly names: RecentMap<string, string>
  readonly expiries: Expiries
  readonly notifyStopped: (key: bigint, by: StoppedBy) => void
}

/** Cheaper than the keyed hash. A key has too much randomness to be found by it, and nothing stores it. */
const fingerprintOf = (credential: string): string => oneShotHash('sha256', credential, 'base64url')

function hasher(hashKey: Uint8Array): (key: string) => Buffer {
  const key = createSecretKey(hashKey)
  return (text) => createHmac('sha256', key).update(text).digest()
}

/** A key in memory is identified without a promise, and without its checksum: only whole keys have a fingerprint there. */
function identify(changing: KeyChangeDeps, credential: string): Identified | Promise<Identified> {
  const fingerprint = fingerprintOf(credential)
  const name = changing.names.get(fingerprint)
  const row = name === undefined ? undefined : changing.memory.newestNamed(name)
  return row === undefined ? lookUp(changing, credential, fingerprint) : judgeNow(changing, row)
}

async function lookUp(changing: KeyChangeDeps, credential: string, fingerprint: string): Promise<Identified> {
  if (readKey(credential) === undefined) return notOurs(credential)
  const hash = changing.hashOf(credential)
  const row = await changing.memory.find(hash)
  if (row === undefined) return { kind: 'invalid' }
  changing.names.set(fingerprint, keyName(hash))
  return judgeNow(changing, row)
}

function judgeNow(changing: KeyChangeDeps, row: KeyRow): Identified {
  const judged = judge(row, changing.clock.wallMs(), changing.accountRates)
  if (judged.kind === 'caller') changing.expiries.watch(row)
  return judged
}

function notOurs(credential: string): Identified {
  if (isManagementKey(credential)) return { kind: 'management' }
  const provider = foreignProvider(credential)
  return provider === undefined ? { kind: 'invalid' } : { kind: 'foreign', provider }
}

/** A key that was never used, together with the only copy of its text. */
function fresh({ random, clock, hashOf }: KeyChangeDeps, id: bigint, asked: NewKey) {
  const { key: secret, label } = makeKey(asked.account, id, random)
  const createdMs = clock.wallMs()
  const row: KeyRow = {
    ...asked,
    createdBy: asked.createdBy ?? null,
    id,
    label,
    createdMs,
    revokedMs: null,
    disabled: false,
    replacedBy: null,
  }
  return { secret, key: { hash: hashOf(secret), row } }
}

async function create(changing: KeyChangeDeps, asked: NewKey): ReturnType<Access['create']> {
  const { secret, key } = fresh(changing, asked.id ?? changing.nextId(), asked)
  await insertKey(changing.store.database, key)
  changing.memory.put(key.hash, key.row)
  return { id: key.row.id, secret, label: key.row.label }
}

async function update(
  changing: KeyChangeDeps,
  id: bigint,
  change: Parameters<Access['update']>[1],
): Promise<KeyUpdate> {
  const changed = await inTransaction(changing.store, async (transaction) => {
    const key = await keyById(transaction, id)
    if (key === undefined) return { kind: 'not_found' } as const
    if (key.row.revokedMs !== null) return { kind: 'revoked' } as const
    const after = { ...key, row: { ...key.row, ...change(key.row) } }
    await saveKey(transaction, after)
    return { kind: 'updated', key: after } as const
  })
  if (changed.kind !== 'updated') return changed
  remember(changing, changed.key)
  return { kind: 'updated', row: changed.key.row }
}

async function rotate(
  changing: KeyChangeDeps,
  id: bigint,
  { newId, overlapMs, createdBy }: RotationAsk,
): Promise<Rotation> {
  const nowMs = changing.clock.wallMs()
  const rotated = await inTransaction(changing.store, async (transaction) => {
    const old = await keyById(transaction, id)
    if (old === undefined) return { kind: 'not_found' } as const
    const because = whyNotRotated(old.row, nowMs)
    if (because !== null) return { kind: 'rejected', because } as const
    const { account, name, expiresMs, policy } = old.row
    const made = fresh(changing, newId, { account, name, expiresMs, policy, createdBy })
    const endMs = Math.min(nowMs + overlapMs, expiresMs ?? Number.POSITIVE_INFINITY)
    const ended = {
      ...old.row,
      replacedBy: made.key.row.id,
      expiresMs: endMs,
      revokedMs: overlapMs === 0 ? nowMs : null,
    }
    await insertKey(transaction, made.key)
    await saveKey(transaction, { ...old, row: ended })
    return { kind: 'rotated', made, old: { ...old, row: ended }, endMs } as const
  })
  if (rotated.kind !== 'rotated') return rotated
  const { made, old, endMs } = rotated
  changing.memory.put(made.key.hash, made.key.row)
  remember(changing, old)
  return { kind: 'rotated', secret: made.secret, expiresMs: endMs }
}

function whyNotRotated(row: KeyRow, nowMs: number): RotationRejection | null {
  if (row.replacedBy !== null) return 'replaced'
  if (row.revokedMs !== null) return 'revoked'
  if (row.expiresMs !== null && row.expiresMs <= nowMs) return 'expired'
  return row.disabled ? 'disabled' : null
}

async function revoke(changing: KeyChangeDeps, id: bigint): ReturnType<Access['revoke']> {
  const revokedMs = changing.clock.wallMs()
  const revoked = await inTransaction(changing.store, async (transaction) => {
    const key = await keyById(transaction, id)
    if (key === undefined) return 'not_found'
    if (key.row.revokedMs !== null) return 'already_revoked'
    const after = { ...key, row: { ...key.row, revokedMs } }
    await saveKey(transaction, after)
    return after
  })
  if (typeof revoked === 'string') return revoked
  remember(changing, revoked)
  return 'revoked'
}

/** Where any key may have changed, those in memory are read again: no other key has requests in flight. */
async function readAgain(changing: KeyChangeDeps, id: bigint | null): Promise<void> {
  const { memory, store } = changing
  memory.outdateReads()
  const ids = id === null ? memory.all().map((row) => row.id) : [id]
  for (const each of ids) {
    const key = await keyById(store.database, each)
    if (key !== undefined) remember(changing, key)
  }
}

/** Caches the key's new state, and notifies listeners when the key stopped working. */
function remember(
  { memory, expiries, clock, accountRates, notifyStopped }: KeyChangeDeps,
  { hash, row }: StoredKey,
): void {
  memory.put(hash, row)
  expiries.forget(row.id)
  const judged = judge(row, clock.wallMs(), accountRates)
  if (judged.kind === 'caller') expiries.watch(row)
  else if (judged.kind === 'revoked' || judged.kind === 'disabled' || judged.kind === 'expired')
    notifyStopped(row.id, judged.kind)
}

/**
 * Reports when a key in use expires, so that requests under it are stopped as if it had been revoked. Only keys close
 * to their expiry need a timer: any earlier request ends before it by its own time limit.
 */
class Expiries {
  readonly #clock: Clock
  readonly #nearMs: number
  readonly #onExpired: (key: bigint) => void
  readonly #timers = new Map<bigint, Timer>()

  /** `nearMs`: the longest that a request can run. */
  constructor(clock: Clock, nearMs: number, onExpired: (key: bigint) => void) {
    this.#clock = clock
    this.#nearMs = nearMs
    this.#onExpired = onExpired
  }

  /** Call at each use of a key. Free for keys that do not expire soon. */
  watch({ id, expiresMs }: Pick<KeyRow, 'id' | 'expiresMs'>): void {
    if (expiresMs === null || this.#timers.has(id)) return
    const leftMs = expiresMs - this.#clock.wallMs()
    if (leftMs > this.#nearMs) return
    const timer = this.#clock.after(Math.max(1, leftMs), () => {
      this.#timers.delete(id)
      // Timers use the monotonic clock; the wall clock may have been set back since.
      if (this.#clock.wallMs() < expiresMs) this.watch({ id, expiresMs })
      else this.#onExpired(id)
    })
    this.#timers.set(id, timer)
  }

  /** Drops the timer: the expiry changed or was reported. */
  forget(key: bigint): void {
    this.#timers.get(key)?.cancel()
    this.#timers.delete(key)
  }
}

/** The caller that a key makes, or why it makes none. `accountRates`: what an account as a whole may take. */
export function judge(row: KeyRow, nowMs: number, accountRates: (account: bigint) => RateLimits): Identified {
  const { account, id, label, policy } = row
  const owner = { account, key: id }
  if (row.revokedMs !== null) return { kind: 'revoked', ...owner }
  if (row.expiresMs !== null && row.expiresMs <= nowMs) return { kind: 'expired', ...owner }
  if (row.disabled) return { kind: 'disabled', ...owner }
  return {
    kind: 'caller',
    caller: { ...owner, label, policy, accountRates: accountRates(account), person: null },
  }
}

/** Prefixes of other services' API keys, so that the error can name the mistake; longer ones come first. */
const forms: readonly (readonly [form: RegExp, provider: string])[] = [
  [/^sk-ant-/, 'Anthropic'],
  [/^sk-or-/, 'OpenRouter'],
  [/^sk-(?:proj|svcacct|service|admin|None)-/, 'OpenAI'],
  [/^sk-[A-Za-z0-9_-]{16,200}T3BlbkFJ/, 'OpenAI'],
  [/^sess-[A-Za-z0-9]{20}/, 'OpenAI'],
  [/^AIza[A-Za-z0-9_-]{30}/, 'Google'],
  [/^AQ\.[A-Za-z0-9_-]{20}/, 'Google'],
  [/^ya29\./, 'Google'],
  [/^gsk_/, 'Groq'],
  [/^xai-/, 'xAI'],
  [/^pplx-/, 'Perplexity'],
  [/^hf_/, 'Hugging Face'],
  [/^r8_/, 'Replicate'],
  [/^csk-/, 'Cerebras'],
  [/^fw_/, 'Fireworks AI'],
  [/^tgp_v1_/, 'Together AI'],
  [/^nvapi-/, 'NVIDIA'],
  [/^vck_/, 'Vercel AI Gateway'],
  [/^sk-lm-/, 'LM Studio'],
  [/^(?:AKIA|ASIA)[A-Z0-9]{16}$/, 'Amazon Web Services'],
  [/^ABSK[A-Za-z0-9+/]{20}/, 'Amazon Bedrock'],
  [/^(?:ghp|gho|ghu|ghs)_|^github_pat_/, 'GitHub'],
]

/** The service whose key this looks like, if any. */
export function foreignProvider(credential: string): string | undefined {
  return forms.find(([form]) => form.test(credential))?.[1]
}
