/**
 * What an attempt is counted against: the place that it comes from, whom it is about from there, and, where it guesses a
 * password, whom it is about from wherever. Counts nothing itself.
 */

import { networkOf, siteOf } from '../../base/network.ts'
import type { Limits } from '../../config/config.ts'
import { hashToken } from '../sessions/session-token.ts'
import type { Counted } from './attempts.ts'
import type { Rule } from './rules-table.ts'

export interface Attempt {
  readonly rule: Rule
  readonly clientAddress: string
  /** An address or a person; null: nobody in particular. */
  readonly whom: string | null
  /** A browser in which they signed in before. */
  readonly device: string | undefined
}

interface Bounds {
  /** Kinds that share a name share their counters about somebody. */
  readonly kind: string
  readonly perWhom: number | null
  readonly perPlace: number
}

export function countedOf(attempt: Attempt, limits: Limits, hasMail: boolean): readonly Counted[] {
  const { rule, clientAddress, whom } = attempt
  const { counts } = rule
  if (counts === undefined) return []
  const { kind, perWhom, perPlace } = boundsOf(limits, hasMail)[counts]
  const site = siteOf(clientAddress)
  const places = [{ place: networkOf(clientAddress), share: 1 }]
  if (site !== undefined) places.push({ place: site, share: limits.attemptsPerSiteFactor })
  const counted = places.flatMap(({ place, share }): Counted[] => {
    const ofPlace = { key: `${counts} ${place}`, max: perPlace * share }
    if (whom === null || perWhom === null) return [ofPlace]
    return [ofPlace, { key: `${kind} ${place} ${hashToken(whom)}`, max: perWhom * share }]
  })
  return [...counted, ...fromWherever(attempt, limits)]
}

function boundsOf(limits: Limits, hasMail: boolean): Readonly<Record<NonNullable<Rule['counts']>, Bounds>> {
  return {
    guess: { kind: 'guess', perWhom: limits.guessesPerPersonMax, perPlace: limits.guessesPerNetworkMax },
    email: { kind: 'email', perWhom: limits.emailsPerAddressMax, perPlace: limits.emailsPerNetworkMax },
    // Where mail is sent every sign-up sends one, also to somebody who is here already.
    'sign-up': {
      kind: 'email',
      perWhom: hasMail ? limits.emailsPerAddressMax : null,
      perPlace: limits.signUpsPerNetworkMax,
    },
    challenge: { kind: 'challenge', perWhom: null, perPlace: limits.challengesPerNetworkMax },
  }
}

/**
 * Strangers share what they may try for one address, however many places they have; whoever signed in before in the same
 * browser does not share with them, so that they keep nobody out who is at home.
 */
function fromWherever({ rule, whom, device }: Attempt, limits: Limits): readonly Counted[] {
  if (rule.counts !== 'guess' || rule.about === undefined || whom === null) return []
  return device === undefined
    ? [{ key: `guess strange ${hashToken(whom)}`, max: limits.guessesFromStrangersMax }]
    : [{ key: `guess device ${device}`, max: limits.guessesPerPersonMax }]
}
