/**
 * Tokens of Google: for a service account, for a person's application default credentials, or for the service account of the
 * machine. The address of a key file's `token_uri` is not used: tokens are issued at one address alone.
 * developers.google.com/identity/protocols/oauth2/service-account.
 */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { CredentialError } from '../credential-error.ts'
import type { UpstreamRequest } from '../send-types.ts'
import type { TokenSource } from './bearer-authorizer.ts'
import { workloadToken } from './google-workload-tokens.ts'
import {
  fieldOf,
  fileText,
  formRequest,
  issuerOrigin,
  machineOrigin,
  objectIn,
  plainRequest,
  requestToken,
} from './token-answers.ts'

const issuer = 'https://oauth2.googleapis.com'
const scope = 'https://www.googleapis.com/auth/cloud-platform'
const lifeSeconds = 3_600
const what = "Google's token endpoint"

/** `{ file }`, the fields of such a file, or `{ machine }` with the name of a service account or `default`. */
export const googleToken: TokenSource = async (fields, upstreamOrigin, deps) => {
  const { machine, file } = fields
  if (machine !== undefined) {
    const path = `/computeMetadata/v1/instance/service-accounts/${encodeURIComponent(machine)}/token`
    const origin = issuerOrigin(upstreamOrigin, machineOrigin)
    return requestToken(
      deps,
      plainRequest(origin, path, ['metadata-flavor', 'Google']),
      'the metadata server',
    )
  }
  const written: Readonly<Record<string, unknown>> = file === undefined ? fields : await keyFile(file)
  if (written['type'] === 'external_account')
    return workloadToken({ fields: written, upstreamOrigin, scope, deps })
  const form = formOf(written, deps.clock.wallMs())
  return requestToken(deps, tokenForm(issuerOrigin(upstreamOrigin, issuer), form), what)
}

function tokenForm(origin: string, form: Readonly<Record<string, string>>): UpstreamRequest {
  return formRequest(origin, '/token', form)
}

async function keyFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  const fields = objectIn(await fileText(path))
  if (fields === null) throw new CredentialError(`${path} is not a JSON file`)
  return fields
}

function formOf(fields: Readonly<Record<string, unknown>>, nowMs: number): Readonly<Record<string, string>> {
  const { type } = fields
  if (type === 'service_account') {
    return {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertion(fields, nowMs),
    }
  }
  if (type === 'authorized_user') {
    return {
      grant_type: 'refresh_token',
      client_id: fieldOf(fields, 'client_id', 'the credential'),
      client_secret: fieldOf(fields, 'client_secret', 'the credential'),
      refresh_token: fieldOf(fields, 'refresh_token', 'the credential'),
    }
  }
  throw new CredentialError(
    'the type of the credential is not service_account, authorized_user or external_account',
  )
}

/** The claims of a service account, signed with its key. */
function assertion(fields: Readonly<Record<string, unknown>>, nowMs: number): string {
  const iat = Math.floor(nowMs / 1_000)
  const { private_key_id: kid } = fields
  const header = { alg: 'RS256', typ: 'JWT', ...(typeof kid === 'string' ? { kid } : {}) }
  const claims = {
    iss: fieldOf(fields, 'client_email', 'the service account'),
    scope,
    aud: `${issuer}/token`,
    iat,
    exp: iat + lifeSeconds,
  }
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const key = privateKey(fieldOf(fields, 'private_key', 'the service account'))
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`
}

function privateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    // The reason may quote the key.
    throw new CredentialError('the private key of the service account cannot be read')
  }
}
