/**
 * What an attempt is counted against: the place that it comes from, whom it is about from there, and, where it guesses a
 * password, whom it is about from wherever. Counts nothing itself.
 */

import { networkOf, siteOf } from '../../base/network.ts'
import type { Limits } from '../../config/config.ts'
import { hashToken } from '../sessions/session-token.ts'
import type { AttemptLimit } from './attempts.ts'
import type { AuthRule } from './rules-table.ts'

export interface AuthAttempt {
  readonly rule: AuthRule
  readonly clientAddress: string
  /** An address or a person; null: nobody in particular. */
  readonly subject: string | null
  /** A browser in which they signed in before. */
  readonly device: string | undefined
}

interface AttemptBounds {
  /** Kinds that share a name share their counters about somebody. */
  readonly kind: string
  readonly perSubject: number | null
  readonly perNetwork: number
}

export function attemptLimitsOf(
  attempt: AuthAttempt,
  limits: Limits,
  hasMail: boolean,
): readonly AttemptLimit[] {
  const { rule, clientAddress, subject: whom } = attempt
  const { counts } = rule
  if (counts === undefined) return []
  const { kind, perSubject: perWhom, perNetwork: perPlace } = boundsOf(limits, hasMail)[counts]
  const site = siteOf(clientAddress)
  const places = [{ place: networkOf(clientAddress), share: 1 }]
  if (site !== undefined) places.push({ place: site, share: limits.attemptsPerSiteFactor })
  const counted = places.flatMap(({ place, share }): AttemptLimit[] => {
    const ofPlace = { key: `${counts} ${place}`, max: perPlace * share }
    if (whom === null || perWhom === null) return [ofPlace]
    return [ofPlace, { key: `${kind} ${place} ${hashToken(whom)}`, max: perWhom * share }]
  })
  return [...counted, ...globalGuessLimits(attempt, limits)]
}

function boundsOf(
  limits: Limits,
  hasMail: boolean,
): Readonly<Record<NonNullable<AuthRule['counts']>, AttemptBounds>> {
  return {
    guess: { kind: 'guess', perSubject: limits.guessesPerPersonMax, perNetwork: limits.guessesPerNetworkMax },
    email: { kind: 'email', perSubject: limits.emailsPerAddressMax, perNetwork: limits.emailsPerNetworkMax },
    // Where mail is sent every sign-up sends one, also to somebody who is here already.
    'sign-up': {
      kind: 'email',
      perSubject: hasMail ? limits.emailsPerAddressMax : null,
      perNetwork: limits.signUpsPerNetworkMax,
    },
    challenge: { kind: 'challenge', perSubject: null, perNetwork: limits.challengesPerNetworkMax },
  }
}

/**
 * Strangers share what they may try for one address, however many places they have; whoever signed in before in the same
 * browser does not share with them, so that they keep nobody out who is at home.
 */
function globalGuessLimits(
  { rule, subject: whom, device }: AuthAttempt,
  limits: Limits,
): readonly AttemptLimit[] {
  if (rule.counts !== 'guess' || rule.subjectField === undefined || whom === null) return []
  return device === undefined
    ? [{ key: `guess strange ${hashToken(whom)}`, max: limits.guessesFromStrangersMax }]
    : [{ key: `guess device ${device}`, max: limits.guessesPerPersonMax }]
}
