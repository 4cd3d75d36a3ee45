/** The types of identity: people, sessions and memberships. Values only. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Role } from '../../contract/operation.ts'
import type { OpenInvitation } from './sign-in/invitations.ts'

export interface Person {
  readonly id: string
  readonly name: string
  /** In lower case. */
  readonly email: string
  readonly verified: boolean
  /** Verified by email or confirmed by an administrator, and so eligible for the starting credit. */
  readonly confirmed: boolean
  readonly operator: boolean
  readonly twoFactor: boolean
  readonly createdMs: number
  readonly lastSeenMs: number | null
}

/** A valid session and its person. */
export interface AuthenticatedSession {
  readonly person: Person
  readonly sessionId: string
  /** When the person last confirmed their identity. */
  readonly loginMs: number
}

/** A person in an organization. */
export interface Membership {
  readonly organization: string
  /** The organization's name. */
  readonly name: string
  readonly role: Role
  readonly sinceMs: number
}

export interface Member {
  readonly person: Person
  readonly role: Role
  readonly sinceMs: number
}

export interface PeopleFilter {
  readonly state: 'all' | 'to_confirm' | 'operators'
  readonly search: string | null
  readonly limit: number
}

export interface NewPerson {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** How people can sign up and in on this installation. */
export interface IdentitySummary {
  readonly signup: 'open' | 'invite' | 'closed'
  readonly mail: boolean
  readonly signInWith: readonly { readonly id: string; readonly name: string }[]
  /** Why passkeys do not work here, for users; null: they work. */
  readonly passkeysUnavailable: string | null
}

export interface Identity extends IdentityOperations {
  readonly summary: IdentitySummary
  /** Verifies the session cookie; null: not signed in. */
  authenticate(headers: IncomingHttpHeaders): Promise<AuthenticatedSession | null>
  /** Sessions or people were changed by another process: each session is read again. */
  forgetSessions(): void
}

/** Reads and changes of people. */
export interface IdentityOperations {
  findPerson(id: string): Promise<Person | undefined>
  findPersonByEmail(email: string): Promise<Person | undefined>
  listPeople(filter: PeopleFilter): Promise<readonly Person[]>
  listMemberships(person: string): Promise<readonly Membership[]>
  listMembers(organization: string): Promise<readonly Member[]>
  confirm(person: string): Promise<Person>
  /** `last`: rejected, because no operator would remain. */
  setOperator(person: string, operator: boolean): Promise<'done' | 'last'>
  /** Creates an operator whose address counts as verified. */
  createOperator(person: NewPerson): Promise<Person | 'exists'>
  /** A link that sets a new password, to be delivered without mail. */
  createResetLink(person: string): Promise<{ readonly link: string; readonly expiresMs: number }>
  invite(
    email: string,
  ): Promise<{ readonly link: string; readonly sent: boolean; readonly expiresMs: number }>
  /** Operators' invitations that can still be used, newest first. */
  listInvitations(limit: number): Promise<readonly OpenInvitation[]>
  /** False: there was none for this address. */
  withdrawInvitation(email: string): Promise<boolean>
  /** Everything stored about a person as JSON, without hashes and secrets. */
  exportPerson(person: string): Promise<unknown>
  /** The last operator and the only owner of an organization cannot be removed. */
  removePerson(person: string): Promise<'removed' | 'last_operator' | 'only_owner'>
}
