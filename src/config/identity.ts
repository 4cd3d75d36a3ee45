/** What settings mean for people: who may sign up, with which providers they sign in, and how mail is sent. */
import { z } from 'zod'
import { signInProvider } from './file-lists.ts'
import { loopbackNames } from './schemas.ts'

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

type SignInProviderInput = z.infer<typeof signInProvider>

/** The section `signIn` of `tollgate.yaml`. */
export const signInProviders = z
  .array(signInProvider.superRefine(checkProvider))
  .max(20)
  .superRefine((providers, issues) => {
    const ids = providers.map(idOf)
    for (const [index, id] of ids.entries()) {
      if (ids.indexOf(id) === index) continue
      issues.addIssue({ code: 'custom', path: [index, 'id'], message: `two providers have the id ${id}` })
    }
  })

/** Kinds that are one provider each. */
const namedKinds: readonly string[] = ['github', 'google']

function checkProvider({ kind, issuer, id }: SignInProviderInput, issues: z.RefinementCtx): void {
  const add = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
  if (kind === 'oidc' && issuer === undefined) add('issuer', 'is missing')
  if (kind !== 'oidc' && issuer !== undefined) add('issuer', 'is for oidc alone')
  if (kind !== 'oidc' && id !== undefined && id !== kind) add('id', `is always ${kind} here`)
  if (kind === 'oidc' && namedKinds.includes(id ?? '')) add('id', `${id} is a provider of its own`)
}

function idOf({ kind, id }: SignInProviderInput): string {
  return id ?? kind
}

const usualNames: Readonly<Record<SignInProviderInput['kind'], string>> = {
  github: 'GitHub',
  google: 'Google',
  oidc: 'Single sign-on',
}

export function signInOf(providers: readonly SignInProviderInput[]): readonly SignInSetting[] {
  return providers.map((given) => ({
    kind: given.kind,
    id: idOf(given),
    name: given.name ?? usualNames[given.kind],
    issuer: given.issuer ?? null,
    clientId: given.clientId,
    clientSecret: given.clientSecret,
  }))
}

/** Open where only this machine can come, or where addresses can be verified. */
export function signUpOf(chosen: SignUp | null, facts: { hasMail: boolean; isLoopback: boolean }): SignUp {
  return chosen ?? (facts.hasMail || facts.isLoopback ? 'open' : 'invite')
}

/** Whether an installation is reached from its own machine alone. */
export function isLoopbackOnly(host: string, publicUrl: string | null): boolean {
  const published = publicUrl === null ? null : new URL(publicUrl).hostname
  return loopbackNames.includes(host) && (published === null || loopbackNames.includes(published))
}
