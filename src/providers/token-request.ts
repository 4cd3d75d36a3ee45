/** Requests tokens over the same connections as everything else: bounded in time and size, without following redirects. */
import type { Clock } from '../base/clock.ts'
import { CredentialError } from './credential-error.ts'
import type { AuthorizerDeps, Exchange, TokenLimits, UpstreamRequest } from './send-types.ts'

interface TokenRequestDeps {
  readonly send: (request: UpstreamRequest) => Exchange
  readonly clock: Clock
  readonly limits: TokenLimits
}

/** The function with which authorizers request tokens. */
export function tokenRequests({ send, clock, limits }: TokenRequestDeps): AuthorizerDeps['request'] {
  return (request) =>
    new Promise((resolve, reject) => {
      const exchange = send(request)
      const chunks: Uint8Array[] = []
      let [length, status] = [0, 0]
      const host = new URL(request.origin).host
      const fail = (reason: string): void => {
        timer.cancel()
        exchange.abort()
        reject(new CredentialError(`${host} ${reason}`))
      }
      const timer = clock.after(limits.tokenRequestMs, () => fail('did not issue a token in time'))
      exchange.listen({
        head(headStatus) {
          status = headStatus
          if (status >= 300 && status < 400) fail('answered with a redirect, which is not followed')
        },
        chunk(bytes) {
          length += bytes.length
          if (length > limits.tokenResponseBytesMax) fail('answered with more than a token')
          else chunks.push(bytes)
        },
        end() {
          timer.cancel()
          resolve({ status, text: Buffer.concat(chunks).toString() })
        },
        failed: ({ kind }) => fail(`could not be asked for a token (${kind})`),
      })
    })
}
