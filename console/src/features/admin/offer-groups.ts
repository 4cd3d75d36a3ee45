/** The offers of a model while they are edited: priority groups, moves between them, and the input to save them. Pure. */
import type { OperationAsk, OperationOutput } from '@/lib/api'

export type ShownOffers = OperationOutput<'offers.show'>
export type ShownOffer = ShownOffers['offers'][number]

export interface EditedOffer {
  /** Stays the same when the name changes. */
  readonly id: string
  readonly upstream: string
  readonly upstreamModel: string
  /** The text as typed. */
  readonly weight: string
  /** null: the list price that is known there. */
  readonly cost: { readonly input: string; readonly output: string } | null
}

/** The first group is called first; none is empty. */
export type Groups = readonly (readonly EditedOffer[])[]

const idOf = ({ upstream, upstreamModel }: Pick<ShownOffer, 'upstream' | 'upstreamModel'>): string =>
  `${upstream} ${upstreamModel}`

export function groupsOf(offers: readonly ShownOffer[]): Groups {
  const priorities = [...new Set(offers.map(({ priority }) => priority))].sort((one, other) => one - other)
  return priorities.map((priority) =>
    offers
      .filter((offer) => offer.priority === priority)
      .map((offer) => {
        const { upstream, upstreamModel, weight, cost } = offer
        return { id: idOf(offer), upstream, upstreamModel, weight: String(weight), cost }
      }),
  )
}

/** Where an offer can be moved: into a group, or into a new group before the one at a place. */
export type Target =
  | { readonly kind: 'group'; readonly at: number }
  | { readonly kind: 'new group'; readonly before: number }

export const isSameTarget = (one: Target | undefined, other: Target): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Places count the groups as they are before the move. */
export function moved(groups: Groups, id: string, target: Target): Groups {
  const offer = groups.flat().find((one) => one.id === id)
  if (offer === undefined) return groups
  if (target.kind === 'group' && groups[target.at]?.includes(offer) === true) return groups
  const without = groups.map((group) => group.filter((one) => one !== offer))
  const placed =
    target.kind === 'group'
      ? without.map((group, at) => (at === target.at ? [...group, offer] : group))
      : [...without.slice(0, target.before), [offer], ...without.slice(target.before)]
  return placed.filter((group) => group.length > 0)
}

/** Moves one step: to the neighboring group, or at an end into a new group; undefined: it cannot move. */
export function stepTarget(groups: Groups, id: string, step: 'up' | 'down'): Target | undefined {
  const at = groupAt(groups, id)
  const next = step === 'up' ? at - 1 : at + 1
  if (groups[next] !== undefined) return { kind: 'group', at: next }
  if ((groups[at]?.length ?? 0) < 2) return undefined
  return { kind: 'new group', before: step === 'up' ? 0 : groups.length }
}

export function groupAt(groups: Groups, id: string): number {
  return groups.findIndex((group) => group.some((one) => one.id === id))
}

export function changed(groups: Groups, id: string, changes: Partial<EditedOffer>): Groups {
  return groups.map((group) => group.map((one) => (one.id === id ? { ...one, ...changes } : one)))
}

export function without(groups: Groups, id: string): Groups {
  return groups.map((group) => group.filter((one) => one.id !== id)).filter((group) => group.length > 0)
}

/** Added to the last group. */
export function withOffer(groups: Groups, place: Pick<EditedOffer, 'upstream' | 'upstreamModel'>): Groups {
  const added = { ...place, id: `new ${idOf(place)}`, weight: '1', cost: null }
  return groups.length === 0 ? [[added]] : [...groups.slice(0, -1), [...(groups.at(-1) ?? []), added]]
}

/** Errors of offers by ID; the review shows errors that only the server detects. */
export function offerMistakes(groups: Groups): ReadonlyMap<string, string> {
  const mistakes = new Map<string, string>()
  const seen = new Set<string>()
  for (const offer of groups.flat()) {
    const key = idOf(offer)
    if (seen.has(key)) mistakes.set(offer.id, 'This offer is listed twice.')
    else if (!/^(\d{1,3}|1000)$/.test(offer.weight.trim()))
      mistakes.set(offer.id, 'Enter a weight from 0 to 1000.')
    seen.add(key)
  }
  return mistakes
}

/** The part of the requests of its group that an offer gets by its weight; null: it has none, or the group is alone. */
export function shareOf(group: readonly EditedOffer[], offer: EditedOffer): number | null {
  const total = group.reduce((sum, { weight }) => sum + Number(weight), 0)
  if (group.length < 2 || !Number.isFinite(total) || total === 0) return null
  return Number(offer.weight) / total
}

const textOf = (groups: Groups): string =>
  JSON.stringify(groups.map((group) => group.map(({ id: _id, ...offer }) => offer)))

export const areSame = (one: Groups, other: Groups): boolean => textOf(one) === textOf(other)

/** Everything but what other switches change. */
export function isSameList(one: ShownOffers, other: ShownOffers): boolean {
  return one.from === other.from && areSame(groupsOf(one.offers), groupsOf(other.offers))
}

/** The offers to save. Values that are not shown here, such as formats and switches, are omitted and stay. */
export function askedOffers(groups: Groups): NonNullable<OperationAsk<'offers.set'>['offers']> {
  return groups.flatMap((group, at) =>
    group.map(({ upstream, upstreamModel, weight, cost }) => {
      return { upstream, upstreamModel, priority: at + 1, weight: Number(weight), cost }
    }),
  )
}
