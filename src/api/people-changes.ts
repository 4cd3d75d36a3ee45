/**
 * Notifies open consoles of what a response of identity changed: those of the organization, of
 * the member, and of the caller. If the notification fails, the change is still valid, and visible at the next fetch.
 */
import { organizationOwner, personOwner } from '../control/authorize.ts'
import type { ControlDeps } from '../control/control-deps.ts'
import { type AuthResponse, parseObject } from '../identity/auth-messages.ts'

export interface PeopleChange {
  /** Who asked. */
  readonly person: string
  /** The path from the root, as received. */
  readonly path: string
  readonly requestBody: Uint8Array
  readonly response: AuthResponse
}

export async function publishPeopleChange(
  { ledger, changes, log }: Pick<ControlDeps, 'ledger' | 'changes' | 'log'>,
  change: PeopleChange,
): Promise<void> {
  if (change.response.status >= 400) return
  try {
    for (const owner of ownersIn(change)) {
      const account = await ledger.accountByOwner(owner)
      if (account !== undefined) changes.publish(account.id, ['people', 'account'])
    }
  } catch (error) {
    log.warn({ err: error }, 'failed to announce a change of members to open consoles')
  }
}

/** The owners of accounts that an answer names, at its top or in a member or an invitation, and of what was asked about. */
function ownersIn({ person, path, requestBody, response }: PeopleChange): ReadonlySet<string> {
  const owners = new Set([personOwner(person)])
  const whole = objectIn(response.body)
  for (const { organizationId, userId } of [whole, part(whole.member), part(whole.invitation)]) {
    if (typeof organizationId === 'string') owners.add(organizationOwner(organizationId))
    if (typeof userId === 'string') owners.add(personOwner(userId))
  }
  const { organizationId } = objectIn(requestBody)
  // Identity has made sure that it is theirs only where it is asked about organizations.
  if (path.startsWith(aboutOrganizations) && typeof organizationId === 'string') {
    owners.add(organizationOwner(organizationId))
  }
  return owners
}

const aboutOrganizations = '/api/auth/organization/'

type JsonFields = Readonly<Record<string, unknown>>
const objectIn = (body: Uint8Array): JsonFields => parseObject(Buffer.from(body).toString('utf8'))
const part = (value: unknown): JsonFields => (typeof value === 'object' && value !== null ? { ...value } : {})
