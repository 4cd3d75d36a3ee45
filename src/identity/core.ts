/**
 * Identity where its work is done: its database, the ways in, and what is known of people. Hands out values; money is not
 * known here, and joins it nowhere.
 */
import type { Clock } from '../base/clock.ts'
import type { RandomBytes } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { takingTurns } from '../base/turns.ts'
import type { Config } from '../config.ts'
import type { Letter } from '../mail/mail.ts'
import { openAnswering } from './answering.ts'
import type { AuthAnswer, AuthRequest } from './answers.ts'
import { openAttempts } from './attempts.ts'
import { type IdentityDatabase, openIdentityDatabase } from './database.ts'
import type { Engine, EngineParts } from './engine.ts'
import { openInvitations } from './invitations.ts'
import { openIssuers } from './issuers.ts'
import { type Arrivals, openJoining } from './joining.ts'
import { openKnownDevices } from './known-devices.ts'
import { exportPerson, removePerson } from './leaving.ts'
import { type Letters, openLetters } from './letters.ts'
import { openNewPasswords } from './new-passwords.ts'
import { openPasswords, type Passwords } from './passwords.ts'
import { openPeople } from './people.ts'
import { endProofs } from './proofs.ts'
import { openSessions } from './sessions.ts'
import type { IdentityOperations, SignedIn } from './types.ts'
import { openUsedCodes } from './used-codes.ts'

export interface CoreOptions extends CoreNeeds {
  readonly clock: Clock
  readonly random: RandomBytes
}

/** What it needs of the rest of the program, in whatever thread it works. */
export interface CoreNeeds {
  /** Plain values. */
  readonly config: Pick<Config, 'dataFolder' | 'limits' | 'signup' | 'signIn' | 'operator'>
  /** Sends a letter, or not when too many wait; null: no mail can be sent. */
  readonly sendLetter: ((letter: Letter) => Promise<'taken' | 'full'>) | null
  readonly log: Log
  /** Signs and seals. */
  readonly secret: string
  /** Where people reach the server; asked when it is first needed, and the same from then on. */
  readonly address: () => string
  readonly arrivals: Arrivals
  /** What was known of sessions and people may be wrong from now on. */
  readonly changed: () => void
  /** The database can do nothing any more: the process should end. */
  readonly onLost: (error: Error) => void
}

export interface IdentityCore {
  readonly operations: IdentityOperations
  /** What is below `/api/auth`. */
  answer(request: AuthRequest): Promise<AuthAnswer>
  /** The session whose token has this hash. */
  session(hash: string): Promise<SignedIn | null>
  close(): Promise<void>
}

export type CoreResult =
  | { readonly kind: 'open'; readonly core: IdentityCore }
  /** A sentence for the operator. */
  | { readonly kind: 'refused'; readonly message: string }

/** The caller owns the data folder. */
export async function openIdentityCore(options: CoreOptions): Promise<CoreResult> {
  const { config, clock, onLost } = options
  const { dataFolder, limits } = config
  const opened = await openIdentityDatabase({ dataFolder, clock, limits, onLost })
  if (opened.kind === 'refused') return { kind: 'refused', message: opened.message }
  return { kind: 'open', core: onDatabase(options, opened) }
}

interface Opened {
  readonly database: IdentityDatabase
  readonly close: () => Promise<void>
}

function onDatabase(options: CoreOptions, { database, close }: Opened): IdentityCore {
  const { config, sendLetter, clock, random, log, secret, address, changed } = options
  const { limits, signup } = config
  const letters = (): Letters | null =>
    sendLetter === null ? null : openLetters({ sendLetter, address: address(), operator: config.operator })
  const passwords = openPasswords(random, limits)
  const invitations = openInvitations(database, { clock, random, daysMax: limits.invitationDaysMax })
  const people = openPeople({ database, clock, random, passwords })
  const sessions = openSessions({ database, clock, log, limits, secret, address, changed })
  const joining = openJoining({ signup, database, invitations, people, arrivals: options.arrivals })
  const engine = openEngine(options, { database, secret, passwords, letters, events: joining.events })
  const inTurn = takingTurns()
  const changing = async <Result>(change: Promise<Result>): Promise<Result> => {
    try {
      return await change
    } finally {
      changed()
    }
  }
  const operations: IdentityOperations = {
    ...people,
    confirm: (person) => changing(people.confirm(person)),
    setOperator: (person, operator) => changing(people.setOperator(person, operator)),
    exported: (person) => exportPerson(database, person),
    remove: (person) => changing(inTurn(() => removePerson(database, person))),
    async resetLink(person) {
      const expiresMs = clock.wallMs() + limits.resetLinkMs
      const token = Buffer.from(random(linkBytes)).toString('base64url')
      const { internalAdapter } = await (await engine('')).$context
      const row = { identifier: `reset-password:${token}`, value: person, expiresAt: new Date(expiresMs) }
      await internalAdapter.createVerificationValue(row)
      return { link: `${address()}/console/reset?token=${token}`, expiresMs }
    },
    async invite(given) {
      const email = given.toLowerCase()
      const { token, expiresMs } = await invitations.make(email)
      const query = new URLSearchParams({ invitation: token, email })
      const link = `${address()}/console/sign-up?${query}`
      const sent = (await letters()?.invite({ email, link, days: limits.invitationDaysMax })) ?? false
      return { link, sent, expiresMs }
    },
  }
  const attempts = openAttempts(clock, limits)
  const answer = openAnswering({
    ...{ engine, sessions, attempts, joining, clock, limits, secret, address, inTurn },
    ...{ hashingFor: passwords.hashingFor, hash: passwords.hash },
    ...{ memberships: people.memberships, person: people.person },
    usedCodes: openUsedCodes(database, clock),
    devices: openKnownDevices({ secret, random, address, daysMax: limits.knownDeviceDaysMax }),
    newPasswords: openNewPasswords({
      ...{ database, clock, hasMail: sendLetter !== null },
      nextId: () => Buffer.from(random(linkBytes)).toString('base64url'),
    }),
    endProofs: (person) => endProofs(database, person),
    hasMail: sendLetter !== null,
    isPassword: (person, password) => isPassword(database, passwords, { person, password }),
  })
  return { operations, answer, session: sessions.byHash, close }
}

const linkBytes = 24

interface EngineNeeds {
  readonly database: IdentityDatabase
  readonly secret: string
  readonly passwords: Passwords
  readonly letters: () => Letters | null
  readonly events: EngineParts['events']
}

/** Loaded and made when it is first needed, because it is much code and wants the address; made anew when one more issuer answers. */
function openEngine(options: CoreOptions, needs: EngineNeeds): (path: string) => Promise<Engine> {
  const { config, clock, log, address } = options
  const { limits } = config
  const issuers = openIssuers(config.signIn, { clock, log, limits })
  let made: Promise<Engine> | undefined
  const make = async (): Promise<Engine> => {
    const { makeEngine } = await import('./engine.ts')
    return makeEngine({
      ...{ ...needs, letters: needs.letters() },
      ...{ log, limits, address: address(), providers: issuers.ready() },
    })
  }
  return async (path) => {
    const isForProvider = path.startsWith('/sign-in/social') || path.startsWith('/callback/')
    if (isForProvider && (await issuers.ask())) made = undefined
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
