/**
 * The limits that an attempt counts against: per network, per network and subject, and for password guesses per subject
 * from all networks. Pure.
 */

import { networkOf, siteOf } from '../../base/network.ts'
import type { Limits } from '../../config/config.ts'
import { hashToken } from '../sessions/session-token.ts'
import type { AttemptLimit } from './attempts.ts'
import type { AuthRule } from './rules-table.ts'

/** Factor on the limits of a network for an IPv6 /48, relative to a /64. */
const attemptsPerSiteFactor = 4

export interface AuthAttempt {
  readonly rule: AuthRule
  readonly clientAddress: string
  /** An email address or a person; null: none. */
  readonly subject: string | null
  /** A browser in which the subject has signed in before. */
  readonly device: string | undefined
}

interface AttemptBounds {
  /** Kinds with the same name share their counters per subject. */
  readonly kind: string
  readonly perSubject: number | null
  readonly perNetwork: number
}

/** Empty when the rule counts nothing. */
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
  if (site !== undefined) places.push({ place: site, share: attemptsPerSiteFactor })
  const counted = places.flatMap(({ place, share }): AttemptLimit[] => {
    const ofPlace = { key: `${counts} ${place}`, max: perPlace * share }
    if (whom === null || perWhom === null) return [ofPlace]
    return [ofPlace, { key: `${kind} ${place} ${hashToken(whom)}`, max: perWhom * share }]
  })
  return [...counted, ...globalGuessLimits(attempt, limits)]
}

/** Allowed right attempts per wrong attempt; right ones are limited because each costs a hash. */
const rightFactor = 10

/** The limits of right attempts. Wrong ones are not counted here, so that no one else can use them up. */
export function rightLimitsOf(
  { rule, clientAddress, subject: whom }: AuthAttempt,
  { guessesPerPersonMax, guessesPerNetworkMax }: Limits,
): readonly AttemptLimit[] {
  if (rule.counts !== 'guess') return []
  const ofNetwork = { key: `right ${networkOf(clientAddress)}`, max: guessesPerNetworkMax * rightFactor }
  if (whom === null) return [ofNetwork]
  return [ofNetwork, { key: `right ${hashToken(whom)}`, max: guessesPerPersonMax * rightFactor }]
}

function boundsOf(
  limits: Limits,
  hasMail: boolean,
): Readonly<Record<NonNullable<AuthRule['counts']>, AttemptBounds>> {
  return {
    guess: { kind: 'guess', perSubject: limits.guessesPerPersonMax, perNetwork: limits.guessesPerNetworkMax },
    email: { kind: 'email', perSubject: limits.emailsPerAddressMax, perNetwork: limits.emailsPerNetworkMax },
    // With mail, every sign-up sends an email, also to existing people.
    'sign-up': {
      kind: 'email',
      perSubject: hasMail ? limits.emailsPerAddressMax : null,
      perNetwork: limits.signUpsPerNetworkMax,
    },
    challenge: { kind: 'challenge', perSubject: null, perNetwork: limits.challengesPerNetworkMax },
  }
}

/**
 * Unknown browsers share one limit per email address across all networks. A known browser has its own, so that strangers
 * cannot lock the person out.
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
