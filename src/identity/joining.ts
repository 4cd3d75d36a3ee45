/**
 * Who may come in: the rule of the installation, whether somebody signs up with a password or comes from a provider,
 * and what follows when somebody came. Knows no HTTP.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Config } from '../config.ts'
import type { IdentityDatabase } from './database.ts'
import type { EngineEvents, NewUser } from './engine.ts'
import type { Invitations } from './invitations.ts'
import type { People } from './people.ts'
import type { Person } from './types.ts'

/** What the rest of the program does when somebody came; awaited before they are answered, and may be repeated. */
export interface Arrivals {
  joined(person: Person): Promise<void>
  /** They proved by mail that an address is theirs. */
  verified(person: Person): Promise<void>
}

export type Admission =
  | { readonly kind: 'admitted'; readonly email: string }
  | { readonly kind: 'closed'; readonly message: string }

export interface Joining {
  /** For a sign-up with a password: judged before anything is done. */
  judge(email: string, invitation: string | null): Promise<Admission>
  /** Runs a sign-up that was judged. `invited`: with a good invitation. */
  admitting<Result>(email: string, run: () => Promise<Result>): Promise<Result>
  readonly events: EngineEvents
}

export interface JoiningParts {
  readonly signup: Config['signup']
  readonly database: IdentityDatabase
  readonly invitations: Invitations
  readonly people: Pick<People, 'person'>
  readonly arrivals: Arrivals
}

const words = {
  closed: 'Sign-up is closed here. Ask an administrator of this server.',
  invite: 'Sign-up here needs an invitation for this address. Open the link in it.',
} as const

export function openJoining({ signup, database, invitations, people, arrivals }: JoiningParts): Joining {
  const admitted = new AsyncLocalStorage<string>()

  /** A good invitation, or a provider that vouches for an invited address. */
  async function isInvited({ email, emailVerified }: Omit<NewUser, 'id'>): Promise<boolean> {
    return (emailVerified || admitted.getStore() === email) && invitations.isInvited(email)
  }
  async function tell(what: keyof Arrivals, id: string): Promise<void> {
    const person = await people.person(id)
    if (person !== undefined) await arrivals[what](person)
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
      async whyNot(user) {
        if (signup === 'open') return null
        if (signup === 'closed') return words.closed
        return (await isInvited(user)) ? null : words.invite
      },
      async joined(user) {
        if ((await isInvited(user)) && (await invitations.use(user.email))) {
          await database.updateTable('auth_user').set({ confirmed: 1 }).where('id', '=', user.id).execute()
        }
        await tell('joined', user.id)
      },
      verified: (user) => tell('verified', user.id),
    },
  }
}
