/**
 * Signing up and in: passwords, invitations, one-time codes, known devices; this file holds the installation's rule for
 * who may sign up, with a password or through a provider. Must not know HTTP or the library.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Config } from '../../config/config.ts'
import type { IdentityDatabase } from '../store/database.ts'
import type { Identity, Person } from '../types.ts'
import type { Invitations } from './invitations.ts'

/** What the rest of the program does when somebody came; awaited before they are answered, and may be repeated. */
export interface PersonListeners {
  onSignUp(person: Person): Promise<void>
  /** They proved by mail that an address is theirs. */
  onVerified(person: Person): Promise<void>
}

export interface NewUser {
  readonly id: string
  readonly email: string
  readonly emailVerified: boolean
}

/** What better-auth tells of people; awaited before it goes on. */
export interface UserHooks {
  /** null: this person may come in; else why not. */
  refusalOf(user: Omit<NewUser, 'id'>): Promise<string | null>
  onSignUp(user: NewUser): Promise<void>
  onVerified(user: NewUser): Promise<void>
}

export type Admission =
  | { readonly kind: 'admitted'; readonly email: string }
  | { readonly kind: 'closed'; readonly message: string }

export interface AdmissionPolicy {
  /** For a sign-up with a password: judged before anything is done. */
  judge(email: string, invitation: string | null): Promise<Admission>
  /** Runs a sign-up that was judged. `invited`: with a good invitation. */
  runAdmitted<Result>(email: string, run: () => Promise<Result>): Promise<Result>
  readonly hooks: UserHooks
}

export interface AdmissionPolicyDeps {
  readonly signup: Config['signup']
  readonly database: IdentityDatabase
  readonly invitations: Invitations
  readonly people: Pick<Identity, 'findPerson'>
  readonly listeners: PersonListeners
}

const refusalMessages = {
  closed: 'Sign-up is closed here. Ask an administrator of this server.',
  invite: 'Sign-up here needs an invitation for this address. Open the link in it.',
} as const

export function openAdmissionPolicy({
  signup,
  database,
  invitations,
  people,
  listeners,
}: AdmissionPolicyDeps): AdmissionPolicy {
  const admitted = new AsyncLocalStorage<string>()

  /** A good invitation, or a provider that vouches for an invited address. */
  async function isInvited({ email, emailVerified }: Omit<NewUser, 'id'>): Promise<boolean> {
    return (emailVerified || admitted.getStore() === email) && invitations.isInvited(email)
  }
  async function notify(what: keyof PersonListeners, id: string): Promise<void> {
    const person = await people.findPerson(id)
    if (person !== undefined) await listeners[what](person)
  }
  return {
    async judge(email, invitation) {
      if (signup === 'closed') return { kind: 'closed', message: refusalMessages.closed }
      const isGood = invitation !== null && (await invitations.isValid(invitation, email))
      if (signup === 'invite' && !isGood) return { kind: 'closed', message: refusalMessages.invite }
      return { kind: 'admitted', email: isGood ? email : '' }
    },
    runAdmitted: (email, run) => admitted.run(email, run),
    hooks: {
      async refusalOf(user) {
        if (signup === 'open') return null
        if (signup === 'closed') return refusalMessages.closed
        return (await isInvited(user)) ? null : refusalMessages.invite
      },
      async onSignUp(user) {
        if ((await isInvited(user)) && (await invitations.consume(user.email))) {
          await database.updateTable('auth_user').set({ confirmed: 1 }).where('id', '=', user.id).execute()
        }
        await notify('onSignUp', user.id)
      },
      onVerified: (user) => notify('onVerified', user.id),
    },
  }
}
