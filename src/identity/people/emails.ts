/**
 * The emails to people, in plain text. Links begin with the configured public URL, never with a request's host. Sends
 * through the mail queue and does not wait for delivery.
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
  verifyAddress(email: LinkEmail): Promise<void>
  resetPassword(email: LinkEmail): Promise<void>
  /** For a sign-up with an address that already has an account. */
  alreadyRegistered(email: { readonly user: Addressee }): Promise<void>
  confirmChange(email: LinkEmail & { readonly newEmail: string }): Promise<void>
  joinOrganization(email: InvitationEmail): Promise<void>
  /** false: the mail queue is full and the email was not sent. */
  invite(invitation: {
    readonly email: string
    readonly link: string
    readonly days: number
  }): Promise<boolean>
}

export interface PersonEmailsDeps {
  /** `full`: the mail queue is full and the email is dropped. */
  readonly sendEmail: (email: OutgoingEmail) => Promise<'queued' | 'full'>
  readonly address: string
  /** Who runs the installation, as shown to users. */
  readonly operator: { readonly name: string; readonly contact: string | null }
}

const nameCharactersMax = 100
const roleText: Readonly<Record<string, string>> = {
  owner: 'an owner',
  admin: 'an admin',
  developer: 'a developer',
  billing: 'a billing member',
}

export function openPersonEmails(deps: PersonEmailsDeps): PersonEmails {
  const { operator } = deps
  const { send, url: page } = mailer(deps)
  return {
    async verifyAddress({ user, token }) {
      await send(user.email, `Confirm your email address for ${operator.name}`, [
        greeting(user),
        '',
        'Confirm your email address by opening this link. It expires in 24 hours.',
        '',
        page('/console/verify', { token }),
        '',
        "If you didn't sign up, you can ignore this email.",
      ])
    },
    async resetPassword({ user, token }) {
      await send(user.email, `Reset your ${operator.name} password`, [
        greeting(user),
        '',
        'We received a request to reset your password. Open this link to choose a new one. It works once and expires in 1 hour.',
        '',
        page('/console/reset', { token }),
        '',
        "If you didn't request this, you can ignore this email. Your password won't change.",
      ])
    },
    async alreadyRegistered({ user }) {
      await send(user.email, `You already have a ${operator.name} account`, [
        greeting(user),
        '',
        'Someone tried to sign up with this email address, but it already has an account. If it was you, sign in instead:',
        '',
        page('/console/sign-in'),
        '',
        `Forgot your password? Reset it: ${page('/console/forgot')}`,
        "If it wasn't you, you can ignore this email.",
      ])
    },
    async confirmChange({ user, newEmail, token }) {
      await send(user.email, `Confirm your new email address for ${operator.name}`, [
        greeting(user),
        '',
        `We received a request to change the email address of your account to ${newEmail}.`,
        'To confirm, open this link within 24 hours. We will then send a second email to the new address.',
        '',
        page('/console/verify', { token }),
        '',
        "If you didn't request this, change your password now: someone else may have access to your account.",
      ])
    },
    async joinOrganization({ id, email, role, organization, inviter }) {
      await send(email, `Join ${sanitizeName(organization.name)} on ${operator.name}`, [
        'Hello,',
        '',
        `${sanitizeName(inviter.user.name)} invited you to join ${sanitizeName(organization.name)} as ${roleText[role] ?? role}.`,
        '',
        page('/console/invitation', { id }),
        '',
        `To accept, open the link and sign in or sign up with this email address (${email}).`,
      ])
    },
    invite: ({ email, link, days }) =>
      send(email, `You've been invited to ${operator.name}`, [
        'Hello,',
        '',
        `You've been invited to sign up with this email address. This link works once and expires in ${days} days.`,
        '',
        link,
      ]),
  }
}

/** Sends emails with the operator's signature, and builds links. */
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

/** A user-chosen name as one line that no mail client turns into a link. */
function sanitizeName(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').replace(/:\/\/|www\./gi, ' ')
  return line.trim().slice(0, nameCharactersMax)
}
