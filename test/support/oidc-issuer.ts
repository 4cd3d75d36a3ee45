/**
 * An OpenID provider for tests: real HTTP on loopback, one person, tokens signed with its own key. A test chooses
 * who signs in, and what is wrong with the token.
 */
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../../src/base/clock.ts'
import type { Lifetime } from './open-ledger.ts'

export interface Claims {
  readonly sub: string
  readonly email: string
  readonly email_verified: boolean
  readonly name: string
}

export interface OidcIssuer {
  readonly issuer: string
  /** Whether it responds at all. */
  isUp: boolean
  /** Overrides for claims of the next token. */
  wrong: Readonly<Record<string, unknown>>
  /** Replaces the next tokens; undefined: valid ones. */
  token: string | undefined
  /** Signs this person in for the request of this URL; the query that the browser returns with. */
  approve(authorization: string, who: Claims): string
}

export const clientId = 'tollgate-test'
export const clientSecret = 'the secret of the test'

export async function oidcIssuer(context: Lifetime): Promise<OidcIssuer> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const codes = new Map<string, { nonce: string | null; challenge: string | null; who: Claims }>()
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', state.issuer)
      const form = new URLSearchParams(Buffer.concat(pieces).toString())
      const answer = state.isUp ? routes[url.pathname]?.(form) : undefined
      response.writeHead(answer === undefined ? 503 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? {}))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const state: OidcIssuer = {
    issuer,
    isUp: true,
    wrong: {},
    token: undefined,
    approve(authorization, who) {
      const query = new URL(authorization).searchParams
      const code = `code-${codes.size}`
      codes.set(code, { nonce: query.get('nonce'), challenge: query.get('code_challenge'), who })
      return new URLSearchParams({ code, state: query.get('state') ?? '' }).toString()
    },
  }
  const routes: Readonly<Record<string, (form: URLSearchParams) => object | undefined>> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    '/keys': () => ({
      keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
    }),
    '/token': (form) => {
      const code = form.get('code') ?? ''
      const found = codes.get(code)
      codes.delete(code)
      const proof = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      if (found === undefined || found.challenge !== proof) return undefined
      const seconds = Math.floor(systemClock.wallMs() / 1_000)
      const times = { iat: seconds, exp: seconds + 300 }
      const claims = {
        iss: issuer,
        aud: clientId,
        nonce: found.nonce,
        ...times,
        ...found.who,
        ...state.wrong,
      }
      const head = part({ alg: 'RS256', typ: 'JWT', kid: 'one' })
      const body = `${head}.${part(claims)}`
      const signature = sign('sha256', Buffer.from(body), privateKey).toString('base64url')
      return {
        access_token: 'discarded-token',
        token_type: 'Bearer',
        id_token: state.token ?? `${body}.${signature}`,
      }
    },
  }
  return state
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
