/**
 * Keys of AWS: as they are, from a profile of the shared credentials file, for a role with a token of the platform (web
 * identity), or for the role of the container or machine.
 * docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html.
 */
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { SecretFields } from '../../base/secret-fields.ts'
import { CredentialError } from '../credential-error.ts'
import type { AuthorizerDeps } from '../send-types.ts'
import type { IssuedSecret } from '../token-cache.ts'
import {
  answerObject,
  fieldOf,
  fileText,
  formRequest,
  issuerOrigin,
  machineOrigin,
  objectIn,
  plainRequest,
} from './token-answers.ts'

export interface KeysInput {
  readonly fields: SecretFields
  readonly upstreamOrigin: string
  readonly region: string
  readonly deps: AuthorizerDeps
}

/** The fields of the result are those of `AwsKeys`. */
export function obtainAwsKeys(ask: KeysInput): Promise<IssuedSecret> {
  const found = sources.find(({ field }) => ask.fields[field] !== undefined)
  if (found === undefined) throw new CredentialError('the credential has neither keys nor a source of keys')
  return found.obtain(ask)
}

/** By the field that a credential of the kind always has. */
const sources: readonly { readonly field: string; obtain(ask: KeysInput): Promise<IssuedSecret> }[] = [
  { field: 'accessKeyId', obtain: async ({ fields }) => ({ fields: writtenKeys(fields), expiresMs: null }) },
  { field: 'profile', obtain: profileKeys },
  { field: 'roleArn', obtain: roleKeys },
  { field: 'container', obtain: containerKeys },
  { field: 'machine', obtain: machineKeys },
]

function writtenKeys(fields: SecretFields): SecretFields {
  const { sessionToken } = fields
  return {
    accessKeyId: fieldOf(fields, 'accessKeyId', 'the credential'),
    secretAccessKey: fieldOf(fields, 'secretAccessKey', 'the credential'),
    ...(sessionToken === undefined ? {} : { sessionToken }),
  }
}

/** Sources of keys that a profile can name, by a setting that each has. */
const unsupportedSources = [
  ['credential_process', 'credential_process'],
  ['sso_session', 'single sign-on'],
  ['sso_start_url', 'single sign-on'],
  ['role_arn', 'a role of another profile'],
] as const

/** How long keys from a file are used before it is read again. */
const fileMs = 900_000

async function profileKeys({ fields, deps }: KeysInput): Promise<IssuedSecret> {
  const { profile = 'default', file = join(homedir(), '.aws', 'credentials') } = fields
  const section = sectionOf(await fileText(file), profile)
  if (section === null) throw new CredentialError(`${file} has no profile ${profile}`)
  const other = unsupportedSources.find(
    ([setting]) => section[setting] !== undefined && section['aws_access_key_id'] === undefined,
  )
  if (other !== undefined)
    throw new CredentialError(`the profile ${profile} uses ${other[1]}, which is not supported`)
  const keys = {
    accessKeyId: fieldOf(section, 'aws_access_key_id', `the profile ${profile}`),
    secretAccessKey: fieldOf(section, 'aws_secret_access_key', `the profile ${profile}`),
  }
  const { aws_session_token: sessionToken } = section
  return {
    fields: sessionToken === undefined ? keys : { ...keys, sessionToken },
    expiresMs: deps.clock.wallMs() + fileMs,
  }
}

/** The settings of one section; null: there is no such section. */
function sectionOf(text: string, wanted: string): SecretFields | null {
  let section: Record<string, string> | null = null
  let current = ''
  for (const line of text.split(/\r?\n/)) {
    current = /^\s*\[\s*(?:profile\s+)?([^\]]*?)\s*\]/.exec(line)?.[1] ?? current
    if (current !== wanted) continue
    section ??= {}
    const [, name, value] = /^\s*([\w-]+)\s*=\s*(\S+)/.exec(line) ?? []
    if (name !== undefined && value !== undefined) section[name] = value
  }
  return section
}

async function roleKeys({ fields, upstreamOrigin, region, deps }: KeysInput): Promise<IssuedSecret> {
  const form = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: fieldOf(fields, 'roleArn', 'the credential'),
    RoleSessionName: fields['sessionName'] ?? 'tollgate',
    WebIdentityToken: await fileText(fieldOf(fields, 'tokenFile', 'the credential')),
  }
  const origin = issuerOrigin(upstreamOrigin, `https://sts.${region}.amazonaws.com`)
  const answer = answerObject(await deps.request(formRequest(origin, '/', form)), 'AWS STS')
  const response = objectAt(answer, 'AssumeRoleWithWebIdentityResponse')
  const result = objectAt(response, 'AssumeRoleWithWebIdentityResult')
  return issuedKeys(objectAt(result, 'Credentials'), 'AWS STS')
}

/** Keys from the container's address, which is on this machine or encrypted. */
async function containerKeys({ fields, deps }: KeysInput): Promise<IssuedSecret> {
  const url = URL.parse(fieldOf(fields, 'container', 'the credential'))
  if (url === null || !isContainerAddress(url))
    throw new CredentialError('container must be https, or an address of this machine')
  const token =
    fields['tokenFile'] === undefined ? (fields['token'] ?? null) : await fileText(fields['tokenFile'])
  const headers = token === null ? [] : ['authorization', token]
  const asked = plainRequest(url.origin, `${url.pathname}${url.search}`, headers)
  return issuedKeys(answerObject(await deps.request(asked), 'the container'), 'the container')
}

/** docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html. */
function isContainerAddress({ protocol, hostname }: URL): boolean {
  const near = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|169\.254\.170\.(?:2|23)|\[fd00:ec2::23\])$/
  return protocol === 'https:' || (protocol === 'http:' && near.test(hostname))
}

const metadataPath = '/latest/meta-data/iam/security-credentials/'

/** A session of the metadata service first, which requests from other machines cannot open. */
async function machineKeys({ upstreamOrigin, deps }: KeysInput): Promise<IssuedSecret> {
  const origin = issuerOrigin(upstreamOrigin, machineOrigin)
  const life = ['x-aws-ec2-metadata-token-ttl-seconds', '300']
  const session = await text(deps, plainRequest(origin, '/latest/api/token', life, 'PUT'))
  const headers = ['x-aws-ec2-metadata-token', session]
  const role = await text(deps, plainRequest(origin, metadataPath, headers))
  const path = `${metadataPath}${encodeURIComponent(role)}`
  const answer = answerObject(await deps.request(plainRequest(origin, path, headers)), 'the machine')
  return issuedKeys(answer, 'the machine')
}

async function text(deps: AuthorizerDeps, asked: ReturnType<typeof plainRequest>): Promise<string> {
  const { status, text: answer } = await deps.request(asked)
  const [line = ''] = answer.trim().split('\n')
  if (status !== 200 || !/^[\x21-\x7e]{1,1000}$/.test(line))
    throw new CredentialError(`the machine answered HTTP ${status} without a role`)
  return line
}

/** STS writes other names than containers and machines do, and seconds in place of a date. */
function issuedKeys(answer: Readonly<Record<string, unknown>>, what: string): IssuedSecret {
  const { Token, SessionToken, Expiration } = answer
  const sessionToken = [Token, SessionToken].find((value) => typeof value === 'string')
  const expiresMs = typeof Expiration === 'number' ? Expiration * 1_000 : Date.parse(String(Expiration))
  if (Number.isNaN(expiresMs)) throw new CredentialError(`${what} did not say when the keys expire`)
  const keys = {
    accessKeyId: fieldOf(answer, 'AccessKeyId', what),
    secretAccessKey: fieldOf(
      answer,
      answer['SecretAccessKey'] === undefined ? 'Secret' : 'SecretAccessKey',
      what,
    ),
  }
  return { fields: typeof sessionToken === 'string' ? { ...keys, sessionToken } : keys, expiresMs }
}

function objectAt(
  answer: Readonly<Record<string, unknown>>,
  name: string,
): Readonly<Record<string, unknown>> {
  return objectIn(JSON.stringify(answer[name] ?? null)) ?? {}
}
