/** Authorizes requests with a token in `authorization`, obtained with the fields of a credential. */
import type { SecretFields } from '../../base/secret-fields.ts'
import type { Authorizer, AuthorizerDeps, UpstreamRequest } from '../send-types.ts'
import type { IssuedSecret } from '../token-cache.ts'

/** Obtains the field `token` for requests to an origin. */
export type TokenSource = (
  fields: SecretFields,
  upstreamOrigin: string,
  deps: AuthorizerDeps,
) => Promise<IssuedSecret>

export function bearerAuthorizer(credential: string, fields: SecretFields, source: TokenSource): Authorizer {
  return {
    async authorize({ origin }: UpstreamRequest, deps) {
      const key = `${origin} ${credential}`
      const issued = await deps.tokens.get(key, () => source(fields, origin, deps))
      return {
        headers: ['authorization', `Bearer ${issued.fields['token']}`],
        discard: () => deps.tokens.discard(key, issued),
      }
    },
    isTokenRejected: (status) => status === 401,
  }
}
