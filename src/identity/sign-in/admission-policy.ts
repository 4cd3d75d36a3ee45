/**
 * Decides who may sign up, with a password or through a provider. Must not know HTTP or better-auth.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Config } from '../../config/config.ts'
import type { IdentityDatabase } from '../store/database.ts'
import type { Identity, Person } from '../types.ts'
import type { Invitations } from './invitations.ts'

/** Callbacks into the rest of the program; the response waits for them, and they may run more than once. */
export interface PersonListeners {
  onSignUp(person: Person): Promise<void>
  /** The person verified their email address. */
  onVerified(person: Person): Promise<void>
}

export interface NewUser {
  readonly id: string
  readonly email: string
  readonly emailVerified: boolean
}

/** Hooks that better-auth awaits. */
export interface UserHooks {
  /** Why this user may not sign up, for the user; null: admitted. */
  rejectionOf(user: Omit<NewUser, 'id'>): Promise<string | null>
  /** Whether the sign-up that runs has the token of an invitation that was sent to this address. */
  isProven(user: Pick<NewUser, 'email'>): boolean
  onSignUp(user: NewUser): Promise<void>
  onVerified(user: NewUser): Promise<void>
}

/** The decision about a sign-up. */
export type SignInAdmission =
  | { readonly kind: 'admitted'; readonly email: string }
  | { readonly kind: 'closed'; readonly message: string }

export interface AdmissionPolicy {
  /** For a sign-up with a password, before anything is written. */
  judge(email: string, invitation: string | null): Promise<SignInAdmission>
  /** Runs an admitted sign-up; `email` is empty without a valid invitation. */
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

const rejectionMessages = {
  closed: 'Sign-up is closed. Ask an administrator for access.',
  invite: 'Sign-up requires an invitation for this email address. Open the link in your invitation.',
} as const

/** The policy that `signup` configures. */
export function openAdmissionPolicy({
  signup,
  database,
  invitations,
  people,
  listeners,
}: AdmissionPolicyDeps): AdmissionPolicy {
  const admitted = new AsyncLocalStorage<string>()

  /** With a valid invitation, or an invited address that the provider has verified. */
  async function isInvited({ email, emailVerified }: Omit<NewUser, 'id'>): Promise<boolean> {
    return (emailVerified || admitted.getStore() === email) && invitations.isInvited(email)
  }
  async function notify(listener: keyof PersonListeners, id: string): Promise<void> {
    const person = await people.findPerson(id)
    if (person !== undefined) await listeners[listener](person)
  }
  return {
    async judge(email, invitation) {
      if (signup === 'closed') return { kind: 'closed', message: rejectionMessages.closed }
      const isValid = invitation !== null && (await invitations.isValid(invitation, email))
      if (signup === 'invite' && !isValid) return { kind: 'closed', message: rejectionMessages.invite }
      return { kind: 'admitted', email: isValid ? email : '' }
    },
    runAdmitted: (email, run) => admitted.run(email, run),
    hooks: {
      async rejectionOf(user) {
        if (signup === 'open') return null
        if (signup === 'closed') return rejectionMessages.closed
        return (await isInvited(user)) ? null : rejectionMessages.invite
      },
      isProven: ({ email }) => admitted.getStore() === email,
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
