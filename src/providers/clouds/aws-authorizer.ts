/** Authorizes requests to AWS with a signature. The region and service of a signature are those of the host. */
import type { SecretFields } from '../../base/secret-fields.ts'
import { CredentialError } from '../credential-error.ts'
import type { Authorizer, UpstreamRequest } from '../send-types.ts'
import { obtainAwsKeys } from './aws-keys.ts'
import { type AwsKeys, type AwsScope, awsSignature } from './aws-signature.ts'

/** The error of AWS is in this header, its name before a colon. */
export const awsErrorType = 'x-amzn-errortype'

const expired = ['ExpiredTokenException', 'ExpiredToken', 'UnrecognizedClientException']

export function awsAuthorizer(credential: string, fields: SecretFields): Authorizer {
  return {
    async authorize(request, deps) {
      const { origin } = request
      const scope = awsScope(origin, fields['region'])
      const key = `${origin} ${credential}`
      const issued = await deps.tokens.get(key, () =>
        obtainAwsKeys({ fields, upstreamOrigin: origin, region: scope.region, deps }),
      )
      return {
        headers: await awsSignature(signed(request), keysIn(issued.fields), scope, deps.clock.wallMs()),
        discard: () => deps.tokens.discard(key, issued),
      }
    },
    // Keys that were written down cannot be replaced by new ones.
    isTokenRejected: (status, headers) =>
      fields['accessKeyId'] === undefined &&
      (status === 401 || status === 403) &&
      expired.includes((headers.get(awsErrorType) ?? '').split(':')[0] ?? ''),
  }
}

/** `bedrock-runtime.eu-central-1.amazonaws.com`, `bedrock-mantle.us-east-1.api.aws`, and private addresses that end so. */
const regional = /(?:^|\.)bedrock-(runtime|mantle)(?:-fips)?\.([a-z0-9-]+)\./

function awsScope(origin: string, region: string | undefined): AwsScope {
  const [, endpoint, written] = regional.exec(new URL(origin).hostname) ?? []
  if (written !== undefined)
    return { region: written, service: endpoint === 'mantle' ? 'bedrock-mantle' : 'bedrock' }
  if (region === undefined) throw new CredentialError('neither the address nor the credential has a region')
  // A part of the address that issues keys.
  if (!/^[a-z0-9-]{1,40}$/.test(region)) throw new CredentialError('region is not the name of a region')
  return { region, service: 'bedrock' }
}

/** Others may hold what the caller wrote, and a value that AWS reads differently would make the signature invalid. */
const signedNames = ['content-type']

/** The request with the headers that are signed. */
function signed(request: UpstreamRequest): UpstreamRequest {
  const headers: string[] = []
  for (let at = 0; at < request.headers.length; at += 2) {
    const [name = '', value = ''] = request.headers.slice(at, at + 2)
    if (signedNames.includes(name)) headers.push(name, value)
  }
  return { ...request, headers }
}

function keysIn({ accessKeyId = '', secretAccessKey = '', sessionToken }: SecretFields): AwsKeys {
  return { accessKeyId, secretAccessKey, sessionToken }
}
