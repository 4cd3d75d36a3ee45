/**
 * The e-mails that people get: what each says, in plain text. Every link in them begins with the configured address,
 * never with what a request claims. Sends through `mail` and waits for nothing.
 */
import type { OutgoingEmail } from '../../mail/mail.ts'

interface Addressee {
  readonly name: string
  readonly email: string
}

interface LinkEmail {
  readonly user: Addressee
  readonly token: string
}

interface InvitationEmail {
  readonly id: string
  readonly email: string
  readonly role: string
  readonly organization: { readonly name: string }
  readonly inviter: { readonly user: { readonly name: string } }
}

export interface PersonEmails {
  verifyAddress(of: LinkEmail): Promise<void>
  resetPassword(of: LinkEmail): Promise<void>
  /** Somebody signed up with an address that is here already. */
  alreadyHere(of: { readonly user: Addressee }): Promise<void>
  confirmChange(of: LinkEmail & { readonly newEmail: string }): Promise<void>
  joinOrganization(of: InvitationEmail): Promise<void>
  /** false: not sent. */
  invite(of: { readonly email: string; readonly link: string; readonly days: number }): Promise<boolean>
}

export interface PersonEmailsDeps {
  /** Sends an e-mail, or not when too many wait. */
  readonly sendEmail: (email: OutgoingEmail) => Promise<'queued' | 'full'>
  readonly address: string
  /** Who runs the installation, as people are told. */
  readonly operator: { readonly name: string; readonly contact: string | null }
}

const nameCharactersMax = 100

export function openPersonEmails(deps: PersonEmailsDeps): PersonEmails {
  const { operator } = deps
  const { send, url: page } = mailer(deps)
  return {
    async verifyAddress({ user, token }) {
      await send(user.email, `Confirm your address for ${operator.name}`, [
        greeting(user),
        '',
        `please confirm that this address is yours by opening this link within a day:`,
        '',
        page('/console/verify', { token }),
        '',
        'If you did not ask for this, somebody typed your address by mistake; you need do nothing.',
      ])
    },
    async resetPassword({ user, token }) {
      await send(user.email, `Set a new password for ${operator.name}`, [
        greeting(user),
        '',
        'somebody asked for a new password for your account. This link sets one; it works once, for an hour:',
        '',
        page('/console/reset', { token }),
        '',
        'If it was not you, you need do nothing: your password stays as it is.',
      ])
    },
    async alreadyHere({ user }) {
      await send(user.email, `You already have an account at ${operator.name}`, [
        greeting(user),
        '',
        'somebody tried to sign up with this address, but it has an account already. If it was you, sign in instead:',
        '',
        page('/console/sign-in'),
        '',
        `If you forgot the password, set a new one: ${page('/console/forgot')}`,
        'If it was not you, you need do nothing.',
      ])
    },
    async confirmChange({ user, newEmail, token }) {
      await send(user.email, `Confirm your new address for ${operator.name}`, [
        greeting(user),
        '',
        `somebody who is signed in as you wants to change the address of your account to ${newEmail}.`,
        'If that is you, open this link within a day; a second e-mail then goes to the new address:',
        '',
        page('/console/verify', { token }),
        '',
        'If it is not you, change your password now: somebody else is using your account.',
      ])
    },
    async joinOrganization({ id, email, role, organization, inviter }) {
      await send(email, `Join ${sanitizeName(organization.name)} at ${operator.name}`, [
        'Hello,',
        '',
        `${sanitizeName(inviter.user.name)} invites you to join ${sanitizeName(organization.name)} as ${role}:`,
        '',
        page('/console/invitation', { id }),
        '',
        `Sign in, or sign up, with this address (${email}) to accept.`,
      ])
    },
    invite: ({ email, link, days }) =>
      send(email, `You are invited to ${operator.name}`, [
        'Hello,',
        '',
        `you may sign up with this address. The link works once, for ${days} days:`,
        '',
        link,
      ]),
  }
}

/** How e-mails are sent and signed, and how their links are written. */
function mailer({ sendEmail, address, operator }: PersonEmailsDeps) {
  const contact = operator.contact === null ? [] : [operator.contact]
  const closing = ['', '-- ', `${operator.name}, ${address}`, ...contact, '']
  return {
    send: async (to: string, subject: string, lines: readonly string[]): Promise<boolean> =>
      (await sendEmail({ to, subject, text: [...lines, ...closing].join('\n') })) === 'queued',
    url(path: string, query: Readonly<Record<string, string>> = {}): string {
      const search = new URLSearchParams(query).toString()
      return `${address}${path}${search === '' ? '' : `?${search}`}`
    },
  }
}

const greeting = ({ name }: Addressee) => `Hello ${sanitizeName(name)},`

/** A name is one line and no address of its own, whatever somebody called themselves. */
function sanitizeName(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').replace(/:\/\/|www\./gi, ' ')
  return line.trim().slice(0, nameCharactersMax)
}
