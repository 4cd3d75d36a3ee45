/**
 * Sends email to the people who pay for an account: the person of a personal one, owners and billing members of an
 * organization. Combines what payments must not know: people and mail.
 */
import { organizationOwner, personOwner } from '../control/authorize.ts'
import type { Identity, Person } from '../identity/types.ts'
import type { Ledger } from '../ledger/types.ts'
import type { Mail } from '../mail/mail.ts'
import type { EmailMessage, EmailSender } from '../payments/types.ts'

export interface AccountEmailDeps {
  readonly ledger: Pick<Ledger, 'account'>
  readonly identity: Pick<Identity, 'findPerson' | 'listMembers'>
  /** null: no mail leaves this installation. */
  readonly mail: Mail | null
  /** Who runs the installation, as shown to users. */
  readonly operator: { readonly name: string; readonly contact: string | null }
  /** The server's public URL. */
  readonly address: string
}

/** Maximum recipients per organization. */
const recipientsMax = 10

export function accountEmailSender(deps: AccountEmailDeps): EmailSender {
  const { ledger, identity, mail } = deps
  return {
    async send(id, letter) {
      if (mail === null) return false
      const signed = signedEmail(deps, letter)
      const account = await ledger.account(id)
      const people = await payersOf(identity, account?.owner ?? null)
      const verified = people.filter((person) => person.verified).map(({ email }) => email)
      // An account created by the command line has an address and no people.
      const readers = people.length > 0 || account === undefined ? verified : [account.email]
      const taken = readers
        .slice(0, recipientsMax)
        .map((to) => (to === null ? 'full' : mail.send({ to, ...signed })))
      return taken.includes('queued')
    },
  }
}

/** With the greeting and the signature of every email of this installation. */
function signedEmail(
  { operator, address }: Pick<AccountEmailDeps, 'operator' | 'address'>,
  { subject, text }: EmailMessage,
): EmailMessage {
  const contact = operator.contact === null ? [] : [operator.contact]
  const lines = ['Hello,', '', text.trimEnd(), '', '-- ', `${operator.name}, ${address}`, ...contact, '']
  return { subject: `${subject} on ${operator.name}`, text: lines.join('\n') }
}

async function payersOf(
  identity: AccountEmailDeps['identity'],
  owner: string | null,
): Promise<readonly Person[]> {
  const person = ownerId(owner, personOwner(''))
  if (person !== null) {
    const found = await identity.findPerson(person)
    return found === undefined ? [] : [found]
  }
  const organization = ownerId(owner, organizationOwner(''))
  if (organization === null) return []
  const members = await identity.listMembers(organization)
  return members.filter(({ role }) => role === 'owner' || role === 'billing').map((member) => member.person)
}

const ownerId = (owner: string | null, prefix: string): string | null =>
  owner?.startsWith(prefix) === true ? owner.slice(prefix.length) : null
