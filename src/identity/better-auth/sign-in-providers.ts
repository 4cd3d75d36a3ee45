/**
 * Providers that people may sign in with, as better-auth wants them. Knows their protocol by kind, and keeps none of
 * what they send but who somebody is.
 */
import type { BetterAuthOptions } from 'better-auth'
import { type GenericOAuthConfig, genericOAuth } from 'better-auth/plugins/generic-oauth'
import type { Config } from '../../config/config.ts'
import { discoveryUrl } from './issuers.ts'

type SignInSetting = Config['signIn'][number]

type Social = NonNullable<BetterAuthOptions['socialProviders']>

/** Those that better-auth knows by name. */
export function socialProviders(settings: readonly SignInSetting[]): Social {
  const social: Social = {}
  for (const { kind, clientId, clientSecret } of settings) {
    if (kind !== 'oidc') social[kind] = { clientId, clientSecret }
  }
  return social
}

/** Those that are described by their issuer. */
export function issuerProviders(settings: readonly SignInSetting[]): ReturnType<typeof genericOAuth> {
  return genericOAuth({ config: settings.flatMap(issuerConfig) })
}

function issuerConfig(setting: SignInSetting): GenericOAuthConfig[] {
  const { kind, id, name, issuer, clientId, clientSecret } = setting
  if (kind !== 'oidc' || issuer === null) return []
  return [
    {
      providerId: id,
      name,
      discoveryUrl: discoveryUrl(issuer),
      clientId,
      clientSecret,
      scopes: ['openid', 'email', 'profile'],
      pkce: true,
      requireIdTokenVerification: true,
    },
  ]
}
