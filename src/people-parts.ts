/**
 * The parts that are about people, composed: mail, identity, and who is at the other end of a connection. What follows
 * for money from somebody's coming is the control plane's, and is joined here.
 */
import type { IncomingMessage } from 'node:http'
import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import type { Config } from './config.ts'
import type { ControlParts } from './control/parts.ts'
import { welcome } from './control/people/open-accounts.ts'
import { arrivalOf, clientAddressOf } from './http/client-address.ts'
import { openCoreApart } from './identity/apart.ts'
import { type OpenIdentity, openIdentity } from './identity/identity.ts'
import type { Person } from './identity/types.ts'
import { type Mail, openMail } from './mail/mail.ts'

export interface PeopleParts {
  readonly identity: OpenIdentity['identity']
  /** null: this installation sends no mail. */
  readonly mail: Mail | null
  /** What is below `/api/auth`. */
  readonly answerAuth: OpenIdentity['answer']
  /** Who is at the other end, behind trusted proxies. */
  readonly clientAddress: (request: IncomingMessage) => string
}

export interface OpenPeople {
  readonly parts: PeopleParts
  /** Whoever comes from now on has an account at once, and people reach the server where `control` says. */
  serve(control: ControlParts): void
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
  /** Where people reach the server, until `serve` says it. */
  readonly address: string
}

export async function openPeopleParts(config: Config, options: PeopleOptions): Promise<PeopleResult> {
  const place = { address: options.address }
  const mail = openMail(config.mail, { ...options, limits: config.limits })
  const result = await openIdentity({
    ...options,
    config,
    mail,
    address: () => place.address,
    openCore: openCoreApart,
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
      answerAuth: opened.answer,
      clientAddress: (request) => addressBehind(arrivalOf(request)),
    },
    serve(control) {
      place.address = control.address
      opened.onSignUp((person) => welcomed(control, person))
      opened.onVerified((person) => welcomed(control, person))
    },
    async close() {
      await mail?.close()
      await opened.close()
    },
  }
  return { kind: 'open', people }
}

/** Account and credit; what fails here is done when they look next. */
async function welcomed(control: ControlParts, person: Person): Promise<void> {
  try {
    await welcome(control, person)
  } catch (error) {
    control.log.error({ err: error }, 'the account of a new person is opened later')
  }
}
