/**
 * The core of identity: composes its database, sign-in and people. Runs in the identity thread. Must not know money.
 */
import type { Clock } from '../base/clock.ts'
import type { RandomBytes } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { createMutex } from '../base/mutex.ts'
import type { Config } from '../config/config.ts'
import type { OutgoingEmail } from '../mail/mail.ts'
import { openAttempts } from './auth-gateway/attempts.ts'
import { openAuthGateway } from './auth-gateway/auth-gateway.ts'
import type { AuthRequest, AuthResponse } from './auth-messages.ts'
import type { BetterAuth, BetterAuthDeps } from './better-auth/better-auth.ts'
import { openIssuers } from './better-auth/issuers.ts'
import { deletePerson, exportPerson } from './people/account-deletion.ts'
import { openPersonEmails, type PersonEmails } from './people/emails.ts'
import { openPeople } from './people/people.ts'
import { openSessions } from './sessions/sessions.ts'
import { openAdmissionPolicy, type PersonListeners } from './sign-in/admission-policy.ts'
import { openInvitations } from './sign-in/invitations.ts'
import { openKnownDevices } from './sign-in/known-devices.ts'
import { openNewPasswords } from './sign-in/new-passwords.ts'
import { openPasswords, type Passwords } from './sign-in/passwords.ts'
import { endPendingCredentials } from './sign-in/pending-credentials.ts'
import { openUsedCodes } from './sign-in/used-codes.ts'
import {
  type IdentityDatabase,
  type IdentityStore,
  type IdentityStoreOptions,
  openIdentityStore,
} from './store/database.ts'
import type { AuthenticatedSession, IdentityOperations } from './types.ts'

/** Lifetime of an administrator's password reset link. */
const resetLinkMs = 86_400_000

/** Days for which a browser is remembered as known. */
const knownDeviceDaysMax = 180

export interface CoreOptions extends CoreDeps {
  readonly clock: Clock
  readonly random: RandomBytes
}

/** Dependencies of the core, in either thread. */
export interface CoreDeps {
  /** Plain values, so that they can cross threads. */
  readonly config: Pick<Config, 'dataFolder' | 'limits' | 'signup' | 'signIn' | 'operator'>
  /** Where the database is PostgreSQL, its connection. */
  readonly postgres?: IdentityStoreOptions['postgres']
  /** `full`: the mail queue is full and the email is dropped. null: mail is not configured. */
  readonly sendEmail: ((email: OutgoingEmail) => Promise<'queued' | 'full'>) | null
  readonly log: Log
  /** Signs cookies and encrypts secrets. */
  readonly secret: string
  /** The public URL; read on first use and constant from then on. */
  readonly address: () => string
  readonly listeners: PersonListeners
  /** Sessions or people have changed: caches must be dropped. */
  readonly onChanged: () => void
  /** The database is lost and the process should exit. */
  readonly onLost: (error: Error) => void
}

export interface IdentityCore {
  readonly operations: IdentityOperations
  /** Handles a request below `/api/auth`. */
  handle(request: AuthRequest): Promise<AuthResponse>
  /** The session whose token has this hash. */
  readSession(hash: string): Promise<AuthenticatedSession | null>
  close(): Promise<void>
}

export type CoreResult =
  | { readonly kind: 'open'; readonly core: IdentityCore }
  /** `message` is for the operator. */
  | { readonly kind: 'rejected'; readonly message: string }

/** Opens the identity database. The caller must own the data folder. */
export async function openIdentityCore(options: CoreOptions): Promise<CoreResult> {
  const { config, clock, onLost } = options
  const opened = openIdentityStore({
    dataFolder: config.dataFolder,
    postgres: options.postgres,
    nowMs: clock.wallMs(),
    onLost,
  })
  if (opened.kind === 'rejected') return { kind: 'rejected', message: opened.message }
  return { kind: 'open', core: composeCore(options, opened.database) }
}

function composeCore(options: CoreOptions, store: IdentityStore): IdentityCore {
  const { database, transact } = store
  const { config, sendEmail, clock, random, log, secret, address, onChanged } = options
  const { limits, signup } = config
  const emails = (): PersonEmails | null =>
    sendEmail === null ? null : openPersonEmails({ sendEmail, address: address(), operator: config.operator })
  const passwords = openPasswords(random, limits)
  const invitations = openInvitations(database, { clock, random, daysMax: limits.invitationDaysMax })
  const people = openPeople({ database, transact, clock, random, passwords })
  const sessions = openSessions({ database, clock, log, secret, address, onChanged })
  const admissionPolicy = openAdmissionPolicy({
    signup,
    database,
    invitations,
    people,
    listeners: options.listeners,
  })
  const betterAuth = lazyBetterAuth(options, {
    database,
    secret,
    passwords,
    emails,
    hooks: admissionPolicy.hooks,
  })
  const serialize = createMutex()
  const notifyAfter = async <Result>(change: Promise<Result>): Promise<Result> => {
    try {
      return await change
    } finally {
      onChanged()
    }
  }
  const operations: IdentityOperations = {
    ...people,
    confirm: (person) => notifyAfter(people.confirm(person)),
    setOperator: (person, operator) => notifyAfter(people.setOperator(person, operator)),
    exportPerson: (person) => exportPerson(database, person),
    removePerson: (person) => notifyAfter(serialize(async () => deletePerson(store, person))),
    async createResetLink(person) {
      const expiresMs = clock.wallMs() + resetLinkMs
      const token = Buffer.from(random(linkTokenBytes)).toString('base64url')
      const { internalAdapter } = await (await betterAuth('')).$context
      const row = { identifier: `reset-password:${token}`, value: person, expiresAt: new Date(expiresMs) }
      await internalAdapter.createVerificationValue(row)
      return { link: `${address()}/console/reset?token=${token}`, expiresMs }
    },
    async invite(invitee) {
      const email = invitee.toLowerCase()
      const { token, expiresMs } = await invitations.create(email)
      const query = new URLSearchParams({ invitation: token, email })
      const link = `${address()}/console/sign-up?${query}`
      const sent = (await emails()?.invite({ email, link, days: limits.invitationDaysMax })) ?? false
      return { link, sent, expiresMs }
    },
    listInvitations: invitations.list,
    withdrawInvitation: (email) => invitations.consume(email.toLowerCase()),
  }
  const attempts = openAttempts(clock, limits)
  const handle = openAuthGateway({
    ...{ betterAuth, sessions, attempts, admissionPolicy, clock, limits, secret, address, serialize },
    ...{ runForClient: passwords.runForClient, hash: passwords.hash },
    ...{ listMemberships: people.listMemberships, findPerson: people.findPerson },
    usedCodes: openUsedCodes(database, clock),
    devices: openKnownDevices({ secret, random, address, daysMax: knownDeviceDaysMax }),
    newPasswords: openNewPasswords({
      ...{ database, transact, clock, hasMail: sendEmail !== null },
      nextId: () => Buffer.from(random(linkTokenBytes)).toString('base64url'),
    }),
    endPendingCredentials: async (person) => {
      await endPendingCredentials(database, person).execute()
    },
    hasMail: sendEmail !== null,
    isPassword: (person, password) => isPassword(database, passwords, { person, password }),
  })
  return { operations, handle, readSession: sessions.byHash, close: async () => store.close() }
}

const linkTokenBytes = 24

interface BetterAuthCoreDeps {
  readonly database: IdentityDatabase
  readonly secret: string
  readonly passwords: Passwords
  readonly emails: () => PersonEmails | null
  readonly hooks: BetterAuthDeps['hooks']
}

/** Loads better-auth on first use, because it is large and needs the address; recreates it when another issuer becomes reachable. */
function lazyBetterAuth(
  options: CoreOptions,
  needs: BetterAuthCoreDeps,
): (path: string) => Promise<BetterAuth> {
  const { config, clock, log, address } = options
  const { limits } = config
  const issuers = openIssuers(config.signIn, { clock, log, limits })
  let made: Promise<BetterAuth> | undefined
  const make = async (): Promise<BetterAuth> => {
    const { makeBetterAuth } = await import('./better-auth/better-auth.ts')
    return makeBetterAuth({
      ...{ ...needs, emails: needs.emails() },
      ...{ log, limits, address: address(), providers: issuers.ready() },
    })
  }
  return async (path) => {
    const isForProvider = path.startsWith('/sign-in/social') || path.startsWith('/callback/')
    if (isForProvider && (await issuers.probe())) made = undefined
    made ??= make()
    return made.catch((error: unknown) => {
      made = undefined
      throw error
    })
  }
}

async function isPassword(
  database: IdentityDatabase,
  passwords: Passwords,
  { person, password }: { readonly person: string; readonly password: string },
): Promise<boolean | null> {
  const login = await database
    .selectFrom('auth_account')
    .select('password')
    .where('userId', '=', person)
    .where('providerId', '=', 'credential')
    .executeTakeFirst()
  const hash = login?.password ?? null
  return hash === null ? null : passwords.verify({ hash, password })
}
