/**
 * Which upstreams may serve a request, and in which order: as its sender says (`x-tollgate-route`), which chooses among what the
 * operator offers and never adds to it, and as the operator's strategy prefers. Pure, over what was measured.
 */
import type { RoutingStrategy } from '../../../contract/routing-strategies.ts'
import type { KeyPolicy } from '../../access/types.ts'
import type { Clock } from '../../base/clock.ts'
import { TollgateError } from '../../base/errors.ts'
import { type CustomerView, shownNames, shownUpstream } from '../../catalog/customer-view.ts'
import { costRates } from '../../catalog/offers/below-cost.ts'
import type { Multiplier, Offer, Snapshot, Upstream } from '../../catalog/types.ts'
import { type Health, orderUpstreams, type Preference, stickyHash } from '../../providers/health.ts'
import type { Speed, Speeds } from '../../providers/speeds.ts'
import type { UpstreamCapacity } from '../attempts/upstream-capacity.ts'
import type { Candidate, OrderedRequest, RequestContext } from '../request.ts'

const routeHeader = 'x-tollgate-route'

const clauses = ['only', 'avoid', 'order', 'require'] as const
type Clause = (typeof clauses)[number]

/** Upstreams are named as customers see them, by their own name or by their provider's; an empty list says nothing. */
export interface RoutePreference extends Readonly<Record<Clause, readonly string[]>> {
  /** Where it comes from, for errors. */
  readonly source: string
  readonly view: CustomerView
}

/** More than there are upstreams. */
const headerLengthMax = 4_096
const listPattern = /^[A-Za-z0-9._-]+(?: *, *[A-Za-z0-9._-]+)*$/

/** The header of a request and the tags that its key requires; undefined: neither. */
export function preferenceOfRequest(
  { request, customerView: view }: Pick<RequestContext, 'request' | 'customerView'>,
  { requiredTags }: Pick<KeyPolicy, 'requiredTags'>,
  upstreams: () => readonly NamedUpstream[],
): RoutePreference | undefined {
  const written = request.headers[routeHeader]
  if (written === undefined && !requiredTags) return undefined
  const asked = written === undefined ? undefined : readPreference(String(written), view, upstreams())
  if (!requiredTags) return asked
  const ofKey = 'the tags that this API key requires'
  if (asked === undefined)
    return { only: [], avoid: [], order: [], require: requiredTags, source: ofKey, view }
  return { ...asked, require: [...requiredTags, ...asked.require], source: `${asked.source} and ${ofKey}` }
}

/**
 * Throws 400 for anything but `clause=name,name; clause=name`, and for a name that none of the upstreams has, as a mistyped
 * one to avoid would be called.
 */
function readPreference(
  text: string,
  view: CustomerView,
  upstreams: readonly NamedUpstream[],
): RoutePreference {
  if (text.length > headerLengthMax) throw invalid(`at most ${headerLengthMax} characters are supported.`)
  const preference = new Map<Clause, readonly string[]>()
  for (const part of text.split(';')) {
    const [name = '', list, ...more] = part.split('=').map((side) => side.trim())
    const clause = clauses.find((known) => known === name)
    if (clause === undefined || list === undefined || more.length > 0 || !listPattern.test(list))
      throw invalid(
        `${JSON.stringify(part.trim())} is not one of ${clauses.join('=, ')}= with a list of names.`,
      )
    if (preference.has(clause)) throw invalid(`${clause} is given twice.`)
    preference.set(clause, list.split(/ *, */))
  }
  const listOf = (clause: Clause): readonly string[] => preference.get(clause) ?? []
  const named = [...listOf('only'), ...listOf('avoid'), ...listOf('order')]
  const unknown = named.find((name) => !upstreams.some((upstream) => isNamed(view, upstream, name)))
  if (unknown !== undefined) throw invalid(unknownName(view, unknown))
  return {
    only: listOf('only'),
    avoid: listOf('avoid'),
    order: listOf('order'),
    require: listOf('require'),
    source: routeHeader,
    view,
  }
}

function unknownName({ shows }: CustomerView, name: string): string {
  switch (shows) {
    case 'names':
      return `no upstream or provider is named ${name}.`
    case 'providers':
      return `no provider is named ${name}.`
    case 'none':
      return 'this server does not show its upstreams, so that only tags can be required.'
  }
}

type NamedUpstream = Pick<Upstream, 'name' | 'provider' | 'tags' | 'ownKey'>

/** Why the preference excludes an upstream; undefined: it does not. */
export function excludedBecause(
  { only, avoid, require, view }: RoutePreference,
  upstream: NamedUpstream,
): string | undefined {
  if (only.length > 0 && !only.some((name) => isNamed(view, upstream, name))) return 'is not in only'
  if (avoid.some((name) => isNamed(view, upstream, name))) return 'is avoided'
  const missing = require.find((tag) => !(upstream.tags ?? []).includes(tag))
  return missing === undefined ? undefined : `lacks the tag ${missing}`
}

/** The upstreams that a preference leaves. */
export function matchingUpstreams<Of extends NamedUpstream>(
  preference: RoutePreference | undefined,
  upstreams: readonly Of[],
): readonly Of[] {
  if (preference === undefined) return upstreams
  return upstreams.filter((upstream) => excludedBecause(preference, upstream) === undefined)
}

/** Throws 404, with the reason for each, where a preference excludes every upstream of something. */
export function assertMatching(
  preference: RoutePreference | undefined,
  of: string,
  upstreams: readonly NamedUpstream[],
): void {
  if (
    preference === undefined ||
    upstreams.length === 0 ||
    matchingUpstreams(preference, upstreams).length > 0
  )
    return
  const reasons = new Set(
    upstreams.map((upstream) => {
      const shown = shownUpstream(preference.view, upstream) ?? 'an upstream'
      return `${shown} ${excludedBecause(preference, upstream)}`
    }),
  )
  throw new TollgateError('no_matching_upstream', {
    message: `No upstream for ${of} matches ${preference.source}: ${[...reasons].join('; ')}.`,
    param: 'model',
  })
}

/** The group of an upstream by the preferred order: those that it names, then the operator's groups. */
export function preferredPriority(
  { order, view }: RoutePreference,
  upstream: NamedUpstream,
  priority: number,
): number {
  const place = order.findIndex((name) => isNamed(view, upstream, name))
  return place < 0 ? order.length + priority : place
}

function isNamed(view: CustomerView, upstream: NamedUpstream, preferred: string): boolean {
  return shownNames(view, upstream).includes(preferred)
}

function invalid(message: string): TollgateError {
  return new TollgateError('invalid_value', { message: `${routeHeader}: ${message}`, param: routeHeader })
}

interface PreferenceInput {
  readonly snapshot: Pick<Snapshot, 'models'>
  readonly speeds: Pick<Speeds, 'of'>
  readonly nowMs: number
}

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

interface OrderDeps {
  readonly catalog: { readonly snapshot: Pick<Snapshot, 'models'> }
  readonly health: Pick<Health, 'snapshot'>
  readonly speeds: Pick<Speeds, 'of'>
  readonly capacity: Pick<UpstreamCapacity, 'isFull'>
  readonly clock: Clock
}

/** The offers of one model in the order in which they are called: by priority, within a group of it by strategy. */
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

/** The cost of a typical request at the offer; an unknown cost sorts last. */
function costOf(snapshot: Pick<Snapshot, 'models'>, offer: Offered, nowMs: number): number {
  const rates = costRates(snapshot, offer, nowMs)
  if (rates === undefined) return Number.POSITIVE_INFINITY
  return Number(rates.input * inputPerOutput + rates.output)
}

export interface UnrequestedTiers {
  /** Counts a response: the options that it ran at, those that were expected, and what each multiplies. */
  note(
    offer: OfferName,
    servedOptions: readonly string[],
    expected: readonly string[],
    options: Options,
  ): void
  /** Options that may apply to a request at one of these offers without being requested; usually none. */
  of(offers: readonly OfferName[]): readonly string[]
}

interface OfferName {
  readonly upstream: { readonly name: string }
  readonly upstreamModel: string
}

type Options = Readonly<Record<string, Multiplier>>

const none: readonly string[] = []

/**
 * Offers that answer at a more expensive tier though no request asked for it: a project at a provider can have one by default. The
 * first response names the tier; from then on holds cover it. Of this process alone, and bounded by the offers that there are.
 */
export function openUnrequestedTiers(): UnrequestedTiers {
  const known = new Map<string, readonly string[]>()
  const keyOf = ({ upstream, upstreamModel }: OfferName) => `${upstream.name} ${upstreamModel}`

  return {
    note(offer, servedOptions, expected, options) {
      if (servedOptions.length === 0) return
      const dearer = servedOptions.filter((option) => !expected.includes(option) && isDearer(options, option))
      if (dearer.length === 0) return
      const key = keyOf(offer)
      known.set(key, [...new Set([...(known.get(key) ?? none), ...dearer])])
    },
    of(offers) {
      if (known.size === 0) return none
      return [...new Set(offers.flatMap((offer) => known.get(keyOf(offer)) ?? none))]
    },
  }
}

/** An option without a price costs nothing more here, whatever it is. */
function isDearer(options: Options, option: string): boolean {
  const multiplier = Object.hasOwn(options, option) ? options[option] : undefined
  return multiplier !== undefined && multiplier.numerator > multiplier.denominator
}
