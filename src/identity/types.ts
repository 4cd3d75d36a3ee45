/** The words of identity: people, who is signed in, who acts for which organization. Values only. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Role } from '../../contract/operation.ts'

export interface Person {
  readonly id: string
  readonly name: string
  /** In lower case. */
  readonly email: string
  readonly verified: boolean
  /** Verified by mail, or confirmed by an administrator: may have the starting credit. */
  readonly confirmed: boolean
  readonly operator: boolean
  readonly twoFactor: boolean
  readonly createdMs: number
  readonly lastSeenMs: number | null
}

/** Who stands behind a session. */
export interface AuthenticatedSession {
  readonly person: Person
  readonly sessionId: string
  /** When they proved who they are. */
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

/** How people come in here. */
export interface IdentitySummary {
  readonly signup: 'open' | 'invite' | 'closed'
  readonly mail: boolean
  readonly signInWith: readonly { readonly id: string; readonly name: string }[]
  /** null: passkeys work here; else why not, in words for people. */
  readonly passkeysUnavailable: string | null
}

export interface Identity extends IdentityOperations {
  readonly summary: IdentitySummary
  /** Judges the session cookie; null: nobody is signed in. */
  authenticate(headers: IncomingHttpHeaders): Promise<AuthenticatedSession | null>
}

/** What is asked and changed of people, wherever they are kept. */
export interface IdentityOperations {
  findPerson(id: string): Promise<Person | undefined>
  findPersonByEmail(email: string): Promise<Person | undefined>
  listPeople(filter: PeopleFilter): Promise<readonly Person[]>
  listMemberships(person: string): Promise<readonly Membership[]>
  listMembers(organization: string): Promise<readonly Member[]>
  confirm(person: string): Promise<Person>
  /** `last`: somebody must remain. */
  setOperator(person: string, operator: boolean): Promise<'done' | 'last'>
  /** A person whose address counts as verified, with the operator's rights. */
  createOperator(person: NewPerson): Promise<Person | 'exists'>
  /** A link that sets a new password, for handing over by other means than mail. */
  createResetLink(person: string): Promise<{ readonly link: string; readonly expiresMs: number }>
  invite(
    email: string,
  ): Promise<{ readonly link: string; readonly sent: boolean; readonly expiresMs: number }>
  /** Everything kept of a person, as JSON values, without hashes and secrets. */
  exportPerson(person: string): Promise<unknown>
  /** `last`: the last operator, or the only owner of an organization, cannot go. */
  removePerson(person: string): Promise<'removed' | 'last_operator' | 'only_owner'>
}
