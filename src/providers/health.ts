/**
 * The order in which upstreams are tried: healthy ones first, and among these always the same one for a conversation, so
 * that the provider's prompt cache stays warm. Only orders: no upstream is excluded, so the last one cannot be ejected.
 */
import type { Clock } from '../base/clock.ts'
import type { UpstreamFailure } from './connector.ts'

export interface HealthLimits {
  readonly cooldownMsMax: number
  /** Failures in a row after which an upstream is set aside. */
  readonly failuresBeforeEjection: number
  /** How long at first; twice as long each further time in a row. */
  readonly ejectionMs: number
  readonly ejectionMsMax: number
}

/** Health of an upstream, or of one model there. */
export interface UpstreamHealth {
  readonly failuresInARow: number
  /** Deprioritized until this time (monotonic ms). */
  readonly asideUntilMs: number
}

/** By the name of an upstream, and by `offerKey` of a model there. */
export type HealthSnapshot = ReadonlyMap<string, UpstreamHealth>

/** Names of upstreams have no spaces. */
function offerKey(upstream: string, upstreamModel: string): string {
  return `${upstream} ${upstreamModel}`
}

/** How a candidate is preferred within its group. */
export interface Preference {
  /** Lower ones are in front, whatever their weight. */
  readonly cost: number
  /** From 0 to 1: the part of its weight that counts. */
  readonly share: number
}

interface OrderInput<Candidate> {
  readonly health: HealthSnapshot
  /** See `stickyHash`. */
  readonly sticky: number
  /** On the clock that never jumps. */
  readonly nowMs: number
  /** Whether it takes no further request now; left out: none. */
  readonly isFull?: ((candidate: Candidate) => boolean) | undefined
  /** Left out: by weight alone. */
  readonly preferenceOf?: ((candidate: Candidate) => Preference) | undefined
}

export interface Choosable {
  readonly upstream: { readonly name: string }
  /** The requested model; absent: no model. */
  readonly offer?: { readonly upstreamModel: string }
  /** Groups with lower numbers come first. */
  readonly priority: number
  /** The share within a group. */
  readonly weight: number
}

/** A request to an upstream, and the response. */
export interface FailureAnswer {
  /** null: it did not answer. */
  readonly status: number | null
  /** Method and URL; left out: not known. */
  readonly request?: string
  /** The upstream's message. */
  readonly message?: string | null
}

/** How an upstream does, as operators read it. */
export interface UpstreamReport {
  /**
   * `failing`: the last request to the upstream, or to one of its models, failed, and it is not set aside; `cooling`: set aside after
   * a failure; `ejected`: set aside after many in a row; `unused`: no request since this process began.
   */
  readonly state: 'healthy' | 'failing' | 'cooling' | 'ejected' | 'unused'
  /** Until when (wall clock) it is called only after the others. */
  readonly untilMs: number | null
  readonly requests: number
  /** Failed requests for which no caller was at fault. */
  readonly failures: number
  /** The last request, of a model there or of the upstream itself, failed as only the operator can correct. */
  readonly failing: boolean
  /** The upstream's name of the only model whose requests fail; null: of several, of all, or none. */
  readonly failingModel: string | null
  readonly lastFailure: (Pick<UpstreamFailure, 'code' | 'operator' | 'concerns'> & FailureAnswer) | null
}

/** Whether an offer is in rotation. */
export interface OfferState {
  readonly state: 'serving' | 'cooling' | 'ejected'
  /** Until when (wall clock) it is called only after the others. */
  readonly untilMs: number | null
}

export interface Health {
  /** Records a success, for this model if the request was for one. */
  served(upstream: string, upstreamModel?: string): void
  failed(
    upstream: string,
    failure: UpstreamFailure & { readonly answer?: FailureAnswer },
    upstreamModel?: string,
  ): void
  snapshot(): HealthSnapshot
  /** `cooling` also where one of its models is set aside. */
  report(upstream: string): UpstreamReport
  /** The state of a model at an upstream, including the state of the upstream itself. */
  offerState(upstream: string, upstreamModel: string): OfferState
  /** Removes the history of a name that now belongs to another upstream. */
  forget(upstream: string): void
}

interface UpstreamTally {
  requests: number
  failures: number
  lastFailure: UpstreamReport['lastFailure']
  /** Monotonic. */
  failedAtMs: number
}

/** Longer ago, a failure may be of a model that is not requested any more. */
const failingMs = 24 * 3_600_000

export function openHealth({ limits, clock }: { limits: HealthLimits; clock: Clock }): Health {
  const known = new Map<string, UpstreamHealth>()
  const tallies = new Map<string, UpstreamTally>()

  function tallyOf(upstream: string): UpstreamTally {
    const tally = tallies.get(upstream) ?? { requests: 0, failures: 0, lastFailure: null, failedAtMs: 0 }
    tallies.set(upstream, tally)
    return tally
  }

  function served(upstream: string, upstreamModel?: string): void {
    known.delete(upstream)
    if (upstreamModel !== undefined) known.delete(offerKey(upstream, upstreamModel))
    tallyOf(upstream).requests += 1
  }

  /** Counts another failure in a row, and sets the upstream or model aside for at least `cooldownMs`. */
  function setAside(key: string, cooldownMs: number): void {
    const failuresInARow = (known.get(key)?.failuresInARow ?? 0) + 1
    const asideMs = Math.max(Math.min(cooldownMs, limits.cooldownMsMax), ejectionMs(failuresInARow, limits))
    known.set(key, { failuresInARow, asideUntilMs: clock.monoMs() + asideMs })
  }

  /** Until when the upstream or one of its models is set aside, the latest; 0: none of them. */
  function asideUntil(upstream: string): number {
    let untilMs = 0
    for (const [key, { asideUntilMs }] of known)
      if (key === upstream || key.startsWith(offerKey(upstream, '')))
        untilMs = Math.max(untilMs, asideUntilMs)
    return untilMs
  }

  /** The upstream and its models that have not served since they failed: what serves is not known any more. */
  function failingKeys(upstream: string): readonly string[] {
    return [...known.keys()].filter((key) => key === upstream || key.startsWith(offerKey(upstream, '')))
  }

  return {
    served,
    failed(upstream, failure, upstreamModel) {
      if (!isUpstreamFault(failure)) return served(upstream, upstreamModel)
      const tally = tallyOf(upstream)
      tally.requests += 1
      tally.failures += 1
      const { code, operator, concerns, cooldownMs, answer } = failure
      tally.failedAtMs = clock.monoMs()
      tally.lastFailure = { code, operator, concerns, ...(answer ?? { status: null }) }
      if (upstreamModel === undefined || concerns === 'credential') return setAside(upstream, cooldownMs)
      setAside(offerKey(upstream, upstreamModel), cooldownMs)
      if (concerns === 'host') setAside(upstream, 0)
    },
    snapshot: () => known,
    report(upstream) {
      const counted = tallies.get(upstream)
      if (counted === undefined) return unused
      const { failedAtMs, ...tally } = counted
      const isRecent = clock.monoMs() - failedAtMs < failingMs
      const failed = isRecent ? failingKeys(upstream) : []
      const keys = tally.lastFailure?.operator === true ? failed : []
      const failing = keys.length > 0
      const failingModel =
        keys.length === 1 && keys[0] !== upstream
          ? (keys[0]?.slice(offerKey(upstream, '').length) ?? null)
          : null
      const leftMs = asideUntil(upstream) - clock.monoMs()
      if (leftMs <= 0) {
        const state = failed.length > 0 ? 'failing' : 'healthy'
        return { ...tally, failing, failingModel, state, untilMs: null }
      }
      const failuresInARow = known.get(upstream)?.failuresInARow ?? 0
      const state = failuresInARow < limits.failuresBeforeEjection ? 'cooling' : 'ejected'
      return { ...tally, failing, failingModel, state, untilMs: Math.ceil(clock.wallMs() + leftMs) }
    },
    offerState(upstream, upstreamModel) {
      const nowMs = clock.monoMs()
      const found = [known.get(upstream), known.get(offerKey(upstream, upstreamModel))]
      const aside = found.flatMap((one) => (one !== undefined && one.asideUntilMs > nowMs ? [one] : []))
      if (aside.length === 0) return { state: 'serving', untilMs: null }
      const leftMs = Math.max(...aside.map(({ asideUntilMs }) => asideUntilMs)) - nowMs
      const isEjected = aside.some(({ failuresInARow }) => failuresInARow >= limits.failuresBeforeEjection)
      return { state: isEjected ? 'ejected' : 'cooling', untilMs: Math.ceil(clock.wallMs() + leftMs) }
    },
    forget(upstream) {
      for (const key of known.keys())
        if (key === upstream || key.startsWith(offerKey(upstream, ''))) known.delete(key)
      tallies.delete(upstream)
    },
  }
}

/** A rejection that is about the caller's request shows an upstream that works. */
export function isUpstreamFault({ retry, operator }: Pick<UpstreamFailure, 'retry' | 'operator'>): boolean {
  return retry !== 'never' || operator
}

const unused: UpstreamReport = {
  ...{ state: 'unused', untilMs: null, requests: 0, failures: 0 },
  ...{ failing: false, failingModel: null, lastFailure: null },
}

function ejectionMs(failuresInARow: number, limits: HealthLimits): number {
  const beyond = failuresInARow - limits.failuresBeforeEjection
  return beyond < 0 ? 0 : Math.min(limits.ejectionMs * 2 ** beyond, limits.ejectionMsMax)
}

/**
 * All candidates, the one to call first in front. Healthy ones are ordered by group, in a group in an order that `sticky` decides,
 * each in front in proportion to its weight; weight 0 is behind all others, in the given order.
 * Then the unhealthy ones, the one that recovers first in front.
 */
export function orderUpstreams<Candidate extends Choosable>(
  candidates: readonly Candidate[],
  { health, sticky, nowMs, isFull, preferenceOf }: OrderInput<Candidate>,
): readonly Candidate[] {
  if (candidates.length < 2) return candidates
  const ranked = candidates.map((candidate) => {
    const { cost, share } = preferenceOf?.(candidate) ?? even
    return {
      candidate,
      asideUntilMs: asideUntilMs(health, candidate, nowMs),
      full: Number(isFull?.(candidate) ?? false),
      cost,
      rank: rank(candidate, share, sticky),
    }
  })
  // The sort is stable, so equal candidates stay in order.
  ranked.sort(
    (one, other) =>
      one.asideUntilMs - other.asideUntilMs ||
      one.full - other.full ||
      one.candidate.priority - other.candidate.priority ||
      // Not by their difference: two unknown costs are infinite.
      Number(one.cost > other.cost) - Number(one.cost < other.cost) ||
      other.rank - one.rank,
  )
  return ranked.map(({ candidate }) => candidate)
}

/** Until when a candidate is out of rotation, on the clock that never jumps; 0: it is not. */
export function asideUntilMs(
  health: HealthSnapshot,
  { upstream: { name }, offer }: Pick<Choosable, 'upstream' | 'offer'>,
  nowMs: number,
): number {
  if (health.size === 0) return 0
  const ofUpstream = health.get(name)?.asideUntilMs ?? 0
  const ofOffer =
    offer === undefined ? 0 : (health.get(offerKey(name, offer.upstreamModel))?.asideUntilMs ?? 0)
  const until = Math.max(ofUpstream, ofOffer)
  return until > nowMs ? until : 0
}

const even: Preference = { cost: 0, share: 1 }

/** Weighted rendezvous hashing: taking an upstream away or adding one moves only its own share of conversations. */
function rank({ upstream, offer, weight }: Choosable, preferred: number, sticky: number): number {
  if (weight <= 0) return -Number.MAX_VALUE
  const key = offer === undefined ? upstream.name : offerKey(upstream.name, offer.upstreamModel)
  const share = (hashText(key, sticky) + 0.5) / 2 ** 32
  return Math.log(share) / (weight * preferred)
}

/** Identifies one conversation of one account; the beginning of its bytes, the end and their number are enough. */
export function stickyHash(account: bigint, conversation: Uint8Array): number {
  const { length } = conversation
  const seed = Number(BigInt.asUintN(32, account ^ (account >> 32n))) ^ length
  const head = conversation.subarray(0, conversationBytesMax)
  if (length <= conversationBytesMax) return hash(head, seed)
  return hash(
    conversation.subarray(Math.max(conversationBytesMax, length - conversationBytesMax)),
    hash(head, seed),
  )
}

const conversationBytesMax = 1_024

/** FNV-1a over the bytes, from a seed, mixed so that near inputs come out far apart. */
function hash(bytes: Uint8Array, seed: number): number {
  let state = (0x811c9dc5 ^ seed) >>> 0
  for (const byte of bytes) state = Math.imul(state ^ byte, 0x01000193) >>> 0
  return mixed(state)
}

/** The same over a text without a copy of it in bytes. */
function hashText(text: string, seed: number): number {
  let state = (0x811c9dc5 ^ seed) >>> 0
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193) >>> 0
  return mixed(state)
}

function mixed(hashed: number): number {
  let state = hashed
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return (state ^ (state >>> 16)) >>> 0
}
