/**
 * Who may come in: the rule of the installation, whether somebody signs up with a password or comes from a provider,
 * and what follows when somebody came. Knows no HTTP.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { APIError } from 'better-auth/api'
import type { Config } from '../config.ts'
import type { IdentityDatabase } from './database.ts'
import type { EngineEvents, NewUser } from './engine.ts'
import type { Invitations } from './invitations.ts'
import type { People } from './people.ts'
import type { Person } from './types.ts'

export type Listener = (person: Person) => Promise<void>

export type Admission =
  | { readonly kind: 'admitted'; readonly email: string }
  | { readonly kind: 'closed'; readonly message: string }

export interface Joining {
  /** For a sign-up with a password: judged before anything is done. */
  judge(email: string, invitation: string | null): Promise<Admission>
  /** Runs a sign-up that was judged. `invited`: with a good invitation. */
  admitting<Result>(email: string, run: () => Promise<Result>): Promise<Result>
  readonly events: EngineEvents
  onSignUp(listener: Listener): void
  onVerified(listener: Listener): void
}

export interface JoiningParts {
  readonly signup: Config['signup']
  readonly database: IdentityDatabase
  readonly invitations: Invitations
  readonly people: Pick<People, 'person'>
}

const words = {
  closed: 'Sign-up is closed here. Ask whoever runs this installation.',
  invite: 'Sign-up here needs an invitation for this address. Open the link in it.',
} as const

export function openJoining({ signup, database, invitations, people }: JoiningParts): Joining {
  const admitted = new AsyncLocalStorage<string>()
  const listeners = { joined: [] as Listener[], verified: [] as Listener[] }

  /** A good invitation, or a provider that vouches for an invited address. */
  async function isInvited({ email, emailVerified }: Omit<NewUser, 'id'>): Promise<boolean> {
    return (emailVerified || admitted.getStore() === email) && invitations.isInvited(email)
  }
  async function tell(of: readonly Listener[], id: string): Promise<void> {
    const person = await people.person(id)
    if (person === undefined) return
    for (const listener of of) await listener(person)
  }
  return {
    async judge(email, invitation) {
      if (signup === 'closed') return { kind: 'closed', message: words.closed }
      const isGood = invitation !== null && (await invitations.isGood(invitation, email))
      if (signup === 'invite' && !isGood) return { kind: 'closed', message: words.invite }
      return { kind: 'admitted', email: isGood ? email : '' }
    },
    admitting: (email, run) => admitted.run(email, run),
    events: {
      async mayJoin(user) {
        if (signup === 'open') return
        if (signup === 'closed') throw refused(words.closed)
        if (!(await isInvited(user))) throw refused(words.invite)
      },
      async joined(user) {
        if ((await isInvited(user)) && (await invitations.use(user.email))) {
          await database.updateTable('auth_user').set({ confirmed: 1 }).where('id', '=', user.id).execute()
        }
        await tell(listeners.joined, user.id)
      },
      verified: (user) => tell(listeners.verified, user.id),
    },
    onSignUp: (listener) => listeners.joined.push(listener),
    onVerified: (listener) => listeners.verified.push(listener),
  }
}

function refused(message: string): APIError {
  return new APIError('FORBIDDEN', { code: 'sign_up_closed', message })
}
