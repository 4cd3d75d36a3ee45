/**
 * Identity, opened: its database, the ways in, and what the rest of the program knows of people. Hands out values;
 * money is not known here, and joins it nowhere.
 */
import type { Clock } from '../base/clock.ts'
import type { RandomBytes } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config.ts'
import type { Mail } from '../mail/mail.ts'
import { openAnswering } from './answering.ts'
import type { AuthAnswer, AuthRequest } from './answers.ts'
import { openAttempts } from './attempts.ts'
import { type IdentityDatabase, openIdentityDatabase } from './database.ts'
import { type Engine, makeEngine } from './engine.ts'
import { openInvitations } from './invitations.ts'
import { openIssuers } from './issuers.ts'
import { type Listener, openJoining } from './joining.ts'
import { exportPerson, removePerson } from './leaving.ts'
import { type Letters, openLetters } from './letters.ts'
import { openPasswords, type Passwords } from './passwords.ts'
import { openPeople } from './people.ts'
import { endProofs } from './proofs.ts'
import { openSessions } from './sessions.ts'
import { passkeysOff } from './site.ts'
import { takingTurns } from './turns.ts'
import type { Identity, IdentityFacts } from './types.ts'

export type { AuthAnswer, AuthRequest } from './answers.ts'

export interface IdentityOptions {
  readonly config: Pick<Config, 'dataFolder' | 'limits' | 'signup' | 'signIn' | 'mail' | 'operator'>
  /** null: no mail can be sent. */
  readonly mail: Mail | null
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
  /** For signing and sealing; of this purpose alone. */
  readonly key: Uint8Array
  /** Where people reach the server; asked when it is first needed, and the same from then on. */
  readonly address: () => string
  /** The database can do nothing any more: the process should end. */
  readonly onLost: (error: Error) => void
}

export interface OpenIdentity {
  readonly identity: Identity
  /** What is below `/api/auth`. */
  answer(request: AuthRequest): Promise<AuthAnswer>
  /** Somebody came. Awaited before they are answered; what a listener does can be repeated. */
  onSignUp(listener: Listener): void
  /** Somebody proved by mail that an address is theirs. Awaited in the same way. */
  onVerified(listener: Listener): void
  close(): Promise<void>
}

export type IdentityResult =
  | { readonly kind: 'open'; readonly opened: OpenIdentity }
  /** A sentence for the operator. */
  | { readonly kind: 'refused'; readonly message: string }

/** The caller owns the data folder. */
export async function openIdentity(options: IdentityOptions): Promise<IdentityResult> {
  const { config, clock, onLost } = options
  const { dataFolder, limits } = config
  const opened = await openIdentityDatabase({ dataFolder, clock, limits, onLost })
  if (opened.kind === 'refused') return { kind: 'refused', message: opened.message }
  return { kind: 'open', opened: onDatabase(options, opened) }
}

interface Opened {
  readonly database: IdentityDatabase
  readonly close: () => Promise<void>
}

function onDatabase(options: IdentityOptions, { database, close }: Opened): OpenIdentity {
  const { config, mail, clock, random, log, address } = options
  const { limits, signup } = config
  const secret = Buffer.from(options.key).toString('hex')
  const letters = (): Letters | null =>
    mail === null ? null : openLetters({ mail, address: address(), operator: config.operator })
  const passwords = openPasswords(random, limits)
  const invitations = openInvitations(database, { clock, random, daysMax: limits.invitationDaysMax })
  const people = openPeople({ database, clock, random, passwords })
  const sessions = openSessions({ database, clock, log, limits, secret, address })
  const joining = openJoining({ signup, database, invitations, people })
  const engine = openEngine(options, { database, secret, passwords, letters, events: joining.events })
  const inTurn = takingTurns()
  const forgetting = async <Result>(changed: Promise<Result>): Promise<Result> => {
    try {
      return await changed
    } finally {
      sessions.forget()
    }
  }
  const identity: Identity = {
    get facts() {
      return factsOf(config, address())
    },
    ...people,
    confirm: (person) => forgetting(people.confirm(person)),
    setOperator: (person, operator) => forgetting(people.setOperator(person, operator)),
    signedIn: sessions.signedIn,
    exported: (person) => exportPerson(database, person),
    remove: (person) => forgetting(inTurn(() => removePerson(database, person))),
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
      const sent = letters()?.invite({ email, link, days: limits.invitationDaysMax }) ?? false
      return { link, sent, expiresMs }
    },
  }
  const attempts = openAttempts(clock, limits)
  const answer = openAnswering({
    ...{ engine, sessions, attempts, joining, clock, limits, secret, address, inTurn },
    hashingFor: passwords.hashingFor,
    memberships: people.memberships,
    endProofs: (person) => endProofs(database, person),
    hasMail: mail !== null,
    isPassword: (person, password) => isPassword(database, passwords, { person, password }),
  })
  return {
    identity,
    answer,
    onSignUp: joining.onSignUp,
    onVerified: joining.onVerified,
    close,
  }
}

const linkBytes = 24

function factsOf({ signup, mail, signIn }: IdentityOptions['config'], address: string): IdentityFacts {
  return {
    signup,
    mail: mail !== null,
    signInWith: signIn.map(({ id, name }) => ({ id, name })),
    passkeysOff: passkeysOff(address),
  }
}

interface EngineNeeds {
  readonly database: IdentityDatabase
  readonly secret: string
  readonly passwords: Passwords
  readonly letters: () => Letters | null
  readonly events: Parameters<typeof makeEngine>[0]['events']
}

/** Made when it is first needed, because it wants the address; made anew when one more issuer answers. */
function openEngine(options: IdentityOptions, needs: EngineNeeds): (path: string) => Promise<Engine> {
  const { config, clock, log, address } = options
  const { limits } = config
  const issuers = openIssuers(config.signIn, { clock, log, limits })
  let made: Promise<Engine> | undefined
  const make = (): Promise<Engine> =>
    makeEngine({
      ...{ ...needs, letters: needs.letters() },
      ...{ log, limits, address: address(), providers: issuers.ready() },
    })
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
