/**
 * Offers that answer at a more expensive tier though no request asked for it: a project at a provider can have one by default. The
 * first response names the tier; from then on holds cover it. Of this process alone, and bounded by the offers that there are.
 */
import type { Multiplier } from '../../catalog/types.ts'

export interface UnrequestedTiers {
  /** Counts a response: the options that it ran at, those that were expected, and what each multiplies. */
  note(offer: OfferName, ranAt: readonly string[], expected: readonly string[], options: Options): void
  /** Options that may apply to a request at one of these offers without being requested; usually none. */
  of(offers: readonly OfferName[]): readonly string[]
}

interface OfferName {
  readonly upstream: { readonly name: string }
  readonly upstreamModel: string
}

type Options = Readonly<Record<string, Multiplier>>

const none: readonly string[] = []

export function openUnrequestedTiers(): UnrequestedTiers {
  const known = new Map<string, readonly string[]>()
  const keyOf = ({ upstream, upstreamModel }: OfferName) => `${upstream.name} ${upstreamModel}`

  return {
    note(offer, ranAt, expected, options) {
      if (ranAt.length === 0) return
      const dearer = ranAt.filter((option) => !expected.includes(option) && isDearer(options, option))
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
