/**
 * `x-tollgate-route`: which upstreams may serve a request, and in which order, as its sender says. It chooses among what the
 * operator offers and never adds to it. Pure.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { KeyPolicy } from '../access/types.ts'
import { TollgateError } from '../base/errors.ts'
import type { Upstream } from '../catalog/types.ts'

const routeHeader = 'x-tollgate-route'

const clauses = ['only', 'avoid', 'order', 'require'] as const
type Clause = (typeof clauses)[number]

/** Upstreams are named by their own name or by their provider's; an empty list says nothing. */
export interface RouteWish extends Readonly<Record<Clause, readonly string[]>> {
  /** Where it comes from, for errors. */
  readonly source: string
}

/** More than there are upstreams. */
const headerLengthMax = 4_096
const listPattern = /^[A-Za-z0-9._-]+(?: *, *[A-Za-z0-9._-]+)*$/

/** The header of a request and the tags that its key requires; undefined: neither. */
export function wishOfRequest(
  headers: IncomingHttpHeaders,
  { requiredTags }: Pick<KeyPolicy, 'requiredTags'>,
  upstreams: () => readonly Wished[],
): RouteWish | undefined {
  if (headers[routeHeader] === undefined && !requiredTags) return undefined
  const asked = routeWish(headers, upstreams())
  if (!requiredTags) return asked
  const ofKey = 'the tags that this API key requires'
  if (asked === undefined) return { only: [], avoid: [], order: [], require: requiredTags, source: ofKey }
  return { ...asked, require: [...requiredTags, ...asked.require], source: `${asked.source} and ${ofKey}` }
}

/**
 * Undefined: the sender has none. Throws 400 for anything but `clause=name,name; clause=name`, and for a name that none of the
 * upstreams has, as a mistyped one to avoid would be called.
 */
function routeWish(headers: IncomingHttpHeaders, upstreams: readonly Wished[]): RouteWish | undefined {
  const written = headers[routeHeader]
  if (written === undefined) return undefined
  const text = String(written)
  if (text.length > headerLengthMax) throw invalid(`at most ${headerLengthMax} characters are supported.`)
  const wish = new Map<Clause, readonly string[]>()
  for (const part of text.split(';')) {
    const [name = '', list, ...more] = part.split('=').map((side) => side.trim())
    const clause = clauses.find((known) => known === name)
    if (clause === undefined || list === undefined || more.length > 0 || !listPattern.test(list))
      throw invalid(
        `${JSON.stringify(part.trim())} is not one of ${clauses.join('=, ')}= with a list of names.`,
      )
    if (wish.has(clause)) throw invalid(`${clause} is given twice.`)
    wish.set(clause, list.split(/ *, */))
  }
  const listOf = (clause: Clause): readonly string[] => wish.get(clause) ?? []
  const named = [...listOf('only'), ...listOf('avoid'), ...listOf('order')]
  const unknown = named.find((name) => !upstreams.some((upstream) => isNamed(upstream, name)))
  if (unknown !== undefined) throw invalid(`no upstream or provider is named ${unknown}.`)
  return {
    only: listOf('only'),
    avoid: listOf('avoid'),
    order: listOf('order'),
    require: listOf('require'),
    source: routeHeader,
  }
}

type Wished = Pick<Upstream, 'name' | 'provider' | 'tags'>

/** Why the wish excludes an upstream; undefined: it does not. */
export function excludedBecause({ only, avoid, require }: RouteWish, upstream: Wished): string | undefined {
  if (only.length > 0 && !only.some((name) => isNamed(upstream, name))) return 'is not in only'
  if (avoid.some((name) => isNamed(upstream, name))) return 'is avoided'
  const missing = require.find((tag) => !(upstream.tags ?? []).includes(tag))
  return missing === undefined ? undefined : `lacks the tag ${missing}`
}

/** The upstreams that a wish leaves. */
export function wishedOf<Of extends Wished>(
  wish: RouteWish | undefined,
  upstreams: readonly Of[],
): readonly Of[] {
  if (wish === undefined) return upstreams
  return upstreams.filter((upstream) => excludedBecause(wish, upstream) === undefined)
}

/** Throws 404, with the reason for each, where a wish excludes every upstream of something. */
export function assertMatching(wish: RouteWish | undefined, of: string, upstreams: readonly Wished[]): void {
  if (wish === undefined || upstreams.length === 0 || wishedOf(wish, upstreams).length > 0) return
  const reasons = new Set(upstreams.map((upstream) => `${upstream.name} ${excludedBecause(wish, upstream)}`))
  throw new TollgateError('no_matching_upstream', {
    message: `No upstream for ${of} matches ${wish.source}: ${[...reasons].join('; ')}.`,
    param: 'model',
  })
}

/** The group of an upstream by the wished order: those that it names, then the operator's groups. */
export function wishedPriority({ order }: RouteWish, upstream: Wished, priority: number): number {
  const place = order.findIndex((name) => isNamed(upstream, name))
  return place < 0 ? order.length + priority : place
}

function isNamed({ name, provider }: Wished, wished: string): boolean {
  return name === wished || provider === wished
}

function invalid(message: string): TollgateError {
  return new TollgateError('invalid_value', { message: `${routeHeader}: ${message}`, param: routeHeader })
}
