/**
 * Tokens of Google for an identity of another platform (workload identity federation): the platform's token is read from a file and
 * exchanged, for the identity itself or for a service account that it may impersonate. As with key files, the addresses in the
 * credential are not used. cloud.google.com/iam/docs/workload-identity-federation-with-kubernetes.
 */
import { CredentialError } from '../credential-error.ts'
import type { AuthorizerDeps } from '../send-types.ts'
import type { IssuedSecret } from '../token-cache.ts'
import {
  answerObject,
  fieldOf,
  fileText,
  formRequest,
  issuerOrigin,
  objectIn,
  requestToken,
} from './token-answers.ts'

const exchangeOrigin = 'https://sts.googleapis.com'
const accountsOrigin = 'https://iamcredentials.googleapis.com'
const what = 'the external account'

type Fields = Readonly<Record<string, unknown>>

export interface WorkloadTokenRequest {
  /** The fields of a file of the type `external_account`. */
  readonly fields: Fields
  readonly upstreamOrigin: string
  readonly scope: string
  readonly deps: AuthorizerDeps
}

/** A token for the identity, or for the service account that the file names. */
export async function workloadToken(request: WorkloadTokenRequest): Promise<IssuedSecret> {
  const { fields, upstreamOrigin, scope, deps } = request
  const account = accountPath(fields['service_account_impersonation_url'])
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience: fieldOf(fields, 'audience', what),
    scope,
    subject_token_type: fieldOf(fields, 'subject_token_type', what),
    subject_token: await subjectToken(fields['credential_source']),
  }
  const origin = issuerOrigin(upstreamOrigin, exchangeOrigin)
  const own = await requestToken(deps, formRequest(origin, '/v1/token', form), "Google's token exchange")
  return account === null ? own : accountToken(request, account, own)
}

/** The platform replaces the file before its token expires, so it is read each time. */
async function subjectToken(source: unknown): Promise<string> {
  const { file, format } = objectOf(source)
  if (typeof file !== 'string')
    throw new CredentialError(
      `the credential source of ${what} is not a file, which is the only one that is supported`,
    )
  const text = await fileText(file)
  const { type, subject_token_field_name: name } = objectOf(format)
  if (type !== 'json') return text
  return fieldOf(objectIn(text) ?? {}, typeof name === 'string' ? name : 'access_token', file)
}

const impersonation =
  /^https:\/\/iamcredentials\.googleapis\.com(\/v1\/projects\/-\/serviceAccounts\/[\w.-]+@[\w.-]+:generateAccessToken)$/

/** null: the identity has the permissions itself. */
function accountPath(url: unknown): string | null {
  if (url === undefined) return null
  const path = impersonation.exec(String(url))?.[1]
  if (path !== undefined) return path
  throw new CredentialError(
    `service_account_impersonation_url of ${what} is not an address of a service account`,
  )
}

async function accountToken(
  { upstreamOrigin, scope, deps }: WorkloadTokenRequest,
  path: string,
  own: IssuedSecret,
): Promise<IssuedSecret> {
  const answer = answerObject(
    await deps.request({
      origin: issuerOrigin(upstreamOrigin, accountsOrigin),
      method: 'POST',
      path,
      headers: [
        ...['authorization', `Bearer ${own.fields['token']}`],
        ...['content-type', 'application/json', 'accept', 'application/json'],
      ],
      body: [new TextEncoder().encode(JSON.stringify({ scope: [scope] }))],
    }),
    "Google's service account",
  )
  const expiresMs = Date.parse(String(answer['expireTime']))
  if (Number.isNaN(expiresMs)) throw new CredentialError('the token of the service account has no expiry')
  return { fields: { token: fieldOf(answer, 'accessToken', 'the answer of the service account') }, expiresMs }
}

function objectOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
