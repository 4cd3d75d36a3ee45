/** Settings for users: sign-up policy, sign-in providers and mail. */
import { z } from 'zod'
import { signInProvider } from './file-lists.ts'
import { loopbackNames } from './schemas.ts'

export interface MailSetting {
  /** `smtp://` or `smtps://`, with user and password if required. */
  readonly url: string
  /** An address, or a name with an address: `Tollgate <tollgate@example.org>`. */
  readonly from: string
}

export type SignUp = 'open' | 'invite' | 'closed'

export interface SignInSetting {
  readonly kind: 'github' | 'google' | 'oidc'
  /** Used in the callback URL `/api/auth/callback/<id>`. */
  readonly id: string
  /** The button label. */
  readonly name: string
  /** OIDC only. */
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
      issues.addIssue({ code: 'custom', path: [index, 'id'], message: `duplicate provider ID ${id}` })
    }
  })

/** Kinds with exactly one provider. */
const namedKinds: readonly string[] = ['github', 'google']

function checkProvider({ kind, issuer, id }: SignInProviderInput, issues: z.RefinementCtx): void {
  const add = (path: string, message: string) => issues.addIssue({ code: 'custom', path: [path], message })
  if (kind === 'oidc' && issuer === undefined) add('issuer', 'is missing')
  if (kind !== 'oidc' && issuer !== undefined) add('issuer', 'is only for oidc')
  if (kind !== 'oidc' && id !== undefined && id !== kind) add('id', `must be ${kind}`)
  if (kind === 'oidc' && namedKinds.includes(id ?? '')) add('id', `${id} is reserved for that provider`)
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
  return providers.map((provider) => ({
    kind: provider.kind,
    id: idOf(provider),
    name: provider.name ?? usualNames[provider.kind],
    issuer: provider.issuer ?? null,
    clientId: provider.clientId,
    clientSecret: provider.clientSecret,
  }))
}

/** By default open if email addresses can be verified or the server is reachable from this machine only. */
export function signUpOf(chosen: SignUp | null, facts: { hasMail: boolean; isLoopback: boolean }): SignUp {
  return chosen ?? (facts.hasMail || facts.isLoopback ? 'open' : 'invite')
}

/** Whether the server is reachable from its own machine only. */
export function isLoopbackOnly(host: string, publicUrl: string | null): boolean {
  const published = publicUrl === null ? null : new URL(publicUrl).hostname
  return loopbackNames.includes(host) && (published === null || loopbackNames.includes(published))
}
