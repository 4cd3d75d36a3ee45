/**
 * Composes mail, identity and client addresses. The account and credit that follow a sign-up belong to the control
 * plane and are connected here.
 */
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import type { ControlDeps } from '../control/control-deps.ts'
import { provisionAccount } from '../control/open-accounts.ts'
import { arrivalOf, clientAddressOf } from '../http/client-address.ts'
import type { CoreDeps } from '../identity/core.ts'
import { type OpenIdentity, openIdentity } from '../identity/identity.ts'
import type { Person } from '../identity/types.ts'
import { openIdentityWorker } from '../identity/worker.ts'
import { type Mail, openMail } from '../mail/mail.ts'
import { postgresThreads, threadEntries } from './thread-entries.ts'

export interface PeopleServices {
  readonly identity: OpenIdentity['identity']
  /** null: this installation sends no mail. */
  readonly mail: Mail | null
  /** The handler of `/api/auth`. */
  readonly handleAuth: OpenIdentity['handle']
  /** The client's address behind trusted proxies. */
  readonly clientAddress: (request: IncomingMessage) => string
}

export interface OpenPeople {
  readonly parts: PeopleServices
  /** From here on every sign-up gets an account, and links use the public URL of `control`. */
  serve(control: ControlDeps): void
  close(): Promise<void>
}

export type PeopleResult =
  | { readonly kind: 'open'; readonly people: OpenPeople }
  | { readonly kind: 'refused'; readonly message: string }

export interface PeopleOptions {
  readonly clock: Clock
  readonly log: Log
  readonly onLost: (error: Error) => void
  readonly key: Uint8Array
  /** The public URL until `serve` sets it. */
  readonly address: string
}

export async function openPeopleServices(config: Config, options: PeopleOptions): Promise<PeopleResult> {
  const addressRef = { address: options.address }
  const mail = openMail(config.mail, { ...options, limits: config.limits })
  const result = await openIdentity({
    ...options,
    config,
    mail,
    address: () => addressRef.address,
    openCore: (needs) =>
      openIdentityWorker(threadEntries.identity, { ...needs, postgres: identityConnection(config) }),
  })
  if (result.kind === 'refused') {
    await mail?.close()
    return result
  }
  const { opened } = result
  const addressBehind = clientAddressOf(config.trustedProxies)
  const people: OpenPeople = {
    parts: {
      identity: opened.identity,
      mail,
      handleAuth: opened.handle,
      clientAddress: (request) => addressBehind(arrivalOf(request)),
    },
    serve(control) {
      addressRef.address = control.address
      opened.onSignUp((person) => provisionOrLog(control, person))
      opened.onVerified((person) => provisionOrLog(control, person))
    },
    async close() {
      await mail?.close()
      await opened.close()
    },
  }
  return { kind: 'open', people }
}

function identityConnection({ databaseUrl: url, limits }: Config): CoreDeps['postgres'] {
  if (url === null) return undefined
  return {
    url,
    name: 'tollgate identity',
    entry: postgresThreads.statements,
    connectMsMax: limits.databaseConnectMs,
    statementMsMax: limits.databaseStatementMs,
  }
}

/** Creates account and credit; a failure is retried when the user next opens the console. */
async function provisionOrLog(control: ControlDeps, person: Person): Promise<void> {
  try {
    await provisionAccount(control, person)
  } catch (error) {
    control.log.error({ err: error }, 'the account of a new user will be created later')
  }
}
