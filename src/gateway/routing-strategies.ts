/**
 * How a model's offers are preferred within a group of priority, by strategy. Pure, over what was measured and what the
 * catalog knows.
 */

import type { RoutingStrategy } from '../../contract/routing-strategies.ts'
import type { Clock } from '../base/clock.ts'
import { costRates } from '../catalog/below-cost.ts'
import type { Offer, Snapshot } from '../catalog/types.ts'
import { type Health, orderUpstreams, type Preference, stickyHash } from '../providers/health.ts'
import type { Speed, Speeds } from '../providers/speeds.ts'
import type { Candidate, OrderedRequest } from './request.ts'
import type { UpstreamCapacity } from './upstream-capacity.ts'

interface PreferenceInput {
  readonly snapshot: Pick<Snapshot, 'models'>
  readonly speeds: Pick<Speeds, 'of'>
  readonly nowMs: number
}

/** An offer of a candidate. */
type Offered = Pick<Offer, 'upstream' | 'upstreamModel' | 'cost'>

/** Differences below this are noise. */
const noticeableMs = 50
/** An offer that takes twice as long gets a sixteenth of the share. */
const steepness = 4
/** The share that every offer keeps, so that it is measured. */
const shareMin = 0.02
const evenly: Preference = { cost: 0, share: 1 }

type Prefer = (offers: readonly Offered[], input: PreferenceInput) => (offer: Offered) => Preference

/** Null: by weight alone. */
const strategies: Readonly<Record<RoutingStrategy, Prefer | null>> = {
  weight: null,
  latency: bySpeed(({ firstByteMs }) => Math.max(firstByteMs, noticeableMs)),
  throughput: bySpeed(({ tokensPerSecond }) => (tokensPerSecond === null ? null : 1 / tokensPerSecond)),
  price:
    (_, { snapshot, nowMs }) =>
    (offer) => ({ cost: costOf(snapshot, offer, nowMs), share: 1 }),
}

export interface OrderDeps {
  readonly catalog: { readonly snapshot: Pick<Snapshot, 'models'> }
  readonly health: Pick<Health, 'snapshot'>
  readonly speeds: Pick<Speeds, 'of'>
  readonly capacity: Pick<UpstreamCapacity, 'isFull'>
  readonly clock: Clock
}

/** The offers of one model in the order in which they are called. */
export function orderOffers(
  { catalog, health, speeds, capacity, clock }: OrderDeps,
  candidates: readonly Candidate[],
  asked: OrderedRequest,
): readonly Candidate[] {
  const [first] = candidates
  if (first === undefined || candidates.length < 2) return candidates
  const sticky = stickyHash(asked.account, conversationOf(asked))
  const prefer = strategies[first.target.model.strategy]
  const preferenceOf = prefer?.(
    candidates.map(({ offer }) => offer),
    { snapshot: catalog.snapshot, speeds, nowMs: clock.wallMs() },
  )
  return orderUpstreams(candidates, {
    health: health.snapshot(),
    sticky,
    nowMs: clock.monoMs(),
    isFull: ({ upstream }) => capacity.isFull(upstream),
    preferenceOf: preferenceOf && (({ offer }) => preferenceOf(offer)),
  })
}

/** Headers with which agents name a session. */
const sessionHeaders = [
  'x-session-affinity',
  'x-claude-code-session-id',
  'x-session-id',
  'session-id',
  'session_id',
] as const

/** The bytes that identify the conversation. */
function conversationOf({ parsed: { facts, body }, headers }: OrderedRequest): Uint8Array {
  const { cacheKeySpan, conversationSpan } = facts
  const session =
    cacheKeySpan === undefined ? sessionHeaders.find((name) => headers[name] !== undefined) : undefined
  if (session !== undefined) return Buffer.from(String(headers[session]))
  const { start, end } = cacheKeySpan ?? conversationSpan
  return body.bytes.subarray(start, end)
}

/** Shares by how long each offer takes compared with the fastest; one that was not measured is taken for the fastest. */
function bySpeed(timeOf: (speed: Speed) => number | null): Prefer {
  return (offers, { speeds }) => {
    const times = new Map<Offered, number>()
    for (const offer of offers) {
      const speed = speeds.of(offer.upstream.name, offer.upstreamModel)
      const time = speed === undefined ? null : timeOf(speed)
      if (time !== null) times.set(offer, Math.max(time, Number.MIN_VALUE))
    }
    const fastest = Math.min(...times.values())
    return (offer) => {
      const time = times.get(offer)
      return time === undefined
        ? evenly
        : { cost: 0, share: Math.max((fastest / time) ** steepness, shareMin) }
    }
  }
}

/** Input tokens for each output token, as in the average request of an agent or a chat. */
const inputPerOutput = 3n

/** What a typical request costs at the offer; an unknown cost is last. */
function costOf(snapshot: Pick<Snapshot, 'models'>, offer: Offered, nowMs: number): number {
  const rates = costRates(snapshot, offer, nowMs)
  if (rates === undefined) return Number.POSITIVE_INFINITY
  return Number(rates.input * inputPerOutput + rates.output)
}
