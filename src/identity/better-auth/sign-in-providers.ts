/**
 * The configured sign-in providers as better-auth options.
 */
import type { BetterAuthOptions } from 'better-auth'
import { type GenericOAuthConfig, genericOAuth } from 'better-auth/plugins/generic-oauth'
import type { Config } from '../../config/config.ts'
import { discoveryUrl } from './issuers.ts'

type ProviderSetting = Config['signIn'][number]

type Social = NonNullable<BetterAuthOptions['socialProviders']>

/** Providers that better-auth supports by name. */
export function socialProviders(settings: readonly ProviderSetting[]): Social {
  const social: Social = {}
  for (const { kind, clientId, clientSecret } of settings) {
    if (kind !== 'oidc') social[kind] = { clientId, clientSecret }
  }
  return social
}

/** OpenID Connect providers with a discovery document. */
export function issuerProviders(settings: readonly ProviderSetting[]): ReturnType<typeof genericOAuth> {
  return genericOAuth({ config: settings.flatMap(issuerConfig) })
}

function issuerConfig(setting: ProviderSetting): GenericOAuthConfig[] {
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
