/**
 * `x-tollgate-route`: which upstreams may serve a request, and in which order, as its sender says. It chooses among what the
 * operator offers and never adds to it. Pure.
 */
import type { KeyPolicy } from '../access/types.ts'
import { TollgateError } from '../base/errors.ts'
import { type CustomerView, shownNames, shownUpstream } from '../catalog/customer-view.ts'
import type { Upstream } from '../catalog/types.ts'
import type { RequestContext } from './request.ts'

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
