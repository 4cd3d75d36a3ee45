/** Composes the background jobs: payments, file deletions and polls of background responses. */

import type { Background } from '../base/background.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import { organizationOwner, personOwner } from '../control/authorize.ts'
import type { GatewayDeps } from '../gateway/deps.ts'
import type { Identity, Person } from '../identity/types.ts'
import { startRetention } from '../ledger/retention.ts'
import type { Ledger } from '../ledger/types.ts'
import type { Mail } from '../mail/mail.ts'
import type { EmailMessage, EmailSender } from '../payments/types.ts'
import { startPaymentWork } from '../payments/work.ts'
import { startFileDeletions } from '../providers/file-deletions.ts'
import type { Services } from './services.ts'

interface JobDeps {
  readonly config: Pick<Config, 'limits' | 'operator' | 'receiptMonths'>
  readonly clock: Clock
  readonly log: Log
}

/** Returns a function for each job that stops it. */
export function startJobs(around: JobDeps, services: Services, deps: GatewayDeps): (() => void)[] {
  const { background, address } = deps
  return [
    startPaymentJobs(around, services, { background, address }),
    ...retentionJobs(around, services, background),
    startFileDeletions({ ...deps, catalog: services.catalog }),
    deps.polls.start(),
  ]
}

/** Each round that removes receipts is a row of the audit log. */
function retentionJobs(
  { config, clock, log }: JobDeps,
  { ledger, audit, nextId }: Pick<Services, 'ledger' | 'audit' | 'nextId'>,
  background: Background,
): (() => void)[] {
  const { receiptMonths: months, limits } = config
  if (months === null) return []
  const stop = startRetention({
    ...{ ledger, background, clock, months, limits },
    async onRemoved({ beforeMs, receipts }) {
      const before = new Date(beforeMs).toISOString()
      log.info({ before, receipts }, 'removed old receipts')
      const facts = { operation: 'receipts.remove', account: null, input: { before, receipts } }
      const id = nextId()
      await audit.begin({ id, atMs: clock.wallMs(), actor: 'local', address: null, ...facts })
      await audit.end(id, 'done')
    },
  })
  return [stop]
}

/** `address`: the server's public URL. Returns a function that stops the job. */
function startPaymentJobs(
  { config, clock, log }: JobDeps,
  parts: Pick<Services, 'openPayments' | 'ledger' | 'usage' | 'identity' | 'mail'>,
  options: { readonly background: Background; readonly address: string },
): () => void {
  return startPaymentWork(parts.openPayments, {
    ...options,
    ...{ clock, log, limits: config.limits },
    letters: accountEmailSender({ ...parts, operator: config.operator, address: options.address }),
    account: parts.ledger.account,
    daysLeft: async (account) => (await parts.usage.runway(account))?.days ?? null,
  })
}

interface AccountEmailDeps {
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

/** For the people who pay for an account: the person of a personal one, owners and billing members of an organization. */
function accountEmailSender(deps: AccountEmailDeps): EmailSender {
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
