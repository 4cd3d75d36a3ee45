/**
 * What the environment and the file say of people: who may sign up, with which providers they sign in, and how mail is
 * sent. Never repeats a secret: a mistake says only what is wrong with it.
 */
import { z } from 'zod'

export const mailNames = ['SMTP_URL', 'MAIL_FROM'] as const
type MailName = (typeof mailNames)[number]

export interface MailSetting {
  /** `smtp://` or `smtps://`, with user and password where they are needed. */
  readonly url: string
  /** An address, or a name with an address: `Tollgate <tollgate@example.org>`. */
  readonly from: string
}

export type SignUp = 'open' | 'invite' | 'closed'

export interface SignInSetting {
  readonly kind: 'github' | 'google' | 'oidc'
  /** In addresses: `/api/auth/callback/<id>`. */
  readonly id: string
  /** On the button. */
  readonly name: string
  /** Of OIDC alone. */
  readonly issuer: string | null
  readonly clientId: string
  readonly clientSecret: string
}

interface Reader {
  readonly mistakes: string[]
  text(variable: MailName): string | undefined
}

const addressPattern = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,189}$/
const namedPattern = /^([^\r\n<>"]{1,100}|"[^\r\n<>"]{1,100}") <([^<>]+)>$/

/** null: this installation sends no mail. */
export function mailOf(reader: Reader): MailSetting | null {
  const url = reader.text('SMTP_URL')
  const from = reader.text('MAIL_FROM')
  if (url !== undefined) checkUrl(reader, url)
  if (from !== undefined && !addressPattern.test(namedPattern.exec(from)?.[2] ?? from)) {
    reader.mistakes.push('MAIL_FROM: must be an address such as tollgate@example.org, or Name <address>')
  }
  if (url === undefined && from !== undefined) {
    reader.mistakes.push('SMTP_URL: is not set, but MAIL_FROM is; without it no mail can be sent')
  }
  if (url !== undefined && from === undefined) {
    reader.mistakes.push('MAIL_FROM: is not set, but SMTP_URL is; letters need a sender')
  }
  return url === undefined || from === undefined ? null : { url, from }
}

function checkUrl({ mistakes }: Reader, text: string): void {
  const url = URL.parse(text)
  const isServer = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
  if (!isServer)
    mistakes.push('SMTP_URL: must be smtp:// or smtps:// with a host, such as smtps://mail.example.org')
}

const text = (max: number) => z.string().min(1, 'must not be empty').max(max)
const provider = z.strictObject({
  kind: z.enum(['github', 'google', 'oidc'], 'must be github, google or oidc'),
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits and dashes, at most 40')
    .optional(),
  name: text(60).optional(),
  issuer: z
    .string()
    .refine(isIssuer, 'must be an https address without a query, such as https://login.example.org')
    .optional(),
  clientId: text(500),
  clientSecret: text(2_000),
})

/** The parts of `tollgate.yaml` that are about people. */
export const peopleSections = {
  signup: z.enum(['open', 'invite', 'closed'], 'must be open, invite or closed').optional(),
  signIn: z
    .array(provider.superRefine(checkProvider))
    .max(20)
    .superRefine((providers, issues) => {
      const ids = providers.map(idOf)
      for (const [index, id] of ids.entries()) {
        if (ids.indexOf(id) === index) continue
        issues.addIssue({ code: 'custom', path: [index, 'id'], message: `two providers have the id ${id}` })
      }
    })
    .optional(),
}

type Provider = z.infer<typeof provider>

/** Kinds that stand for one provider. */
const namedKinds: readonly string[] = ['github', 'google']

function checkProvider({ kind, issuer, id }: Provider, issues: z.RefinementCtx): void {
  const tell = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
  if (kind === 'oidc' && issuer === undefined) tell('issuer', 'is missing')
  if (kind !== 'oidc' && issuer !== undefined) tell('issuer', 'is for oidc alone')
  if (kind !== 'oidc' && id !== undefined && id !== kind) tell('id', `is always ${kind} here`)
  if (kind === 'oidc' && namedKinds.includes(id ?? '')) tell('id', `${id} is a provider of its own`)
}

const idOf = ({ kind, id }: Provider) => id ?? kind
const usualNames: Readonly<Record<Provider['kind'], string>> = {
  github: 'GitHub',
  google: 'Google',
  oidc: 'Single sign-on',
}

export function signInOf(providers: readonly Provider[] | undefined): readonly SignInSetting[] {
  return (providers ?? []).map((given) => ({
    kind: given.kind,
    id: idOf(given),
    name: given.name ?? usualNames[given.kind],
    issuer: given.issuer ?? null,
    clientId: given.clientId,
    clientSecret: given.clientSecret,
  }))
}

/** Open where only this machine can come, or where addresses can be verified. */
export function signUpOf(
  chosen: SignUp | undefined,
  facts: { hasMail: boolean; isLoopback: boolean },
): SignUp {
  return chosen ?? (facts.hasMail || facts.isLoopback ? 'open' : 'invite')
}

const loopback: readonly string[] = ['127.0.0.1', '::1', '[::1]', 'localhost']

/** Whether an installation is reached from its own machine alone. */
export function isLoopbackOnly(host: string, publicUrl: string | null): boolean {
  const published = publicUrl === null ? null : new URL(publicUrl).hostname
  return loopback.includes(host) && (published === null || loopback.includes(published))
}

function isIssuer(address: string): boolean {
  const url = URL.parse(address)
  if (url === null || url.username !== '' || /[?#]/.test(address)) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback.includes(url.hostname))
}
