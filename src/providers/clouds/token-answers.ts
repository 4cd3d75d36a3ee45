/** Shared code for getting tokens and keys from clouds: forms, files, addresses and reading of answers. */
import { readFile, stat } from 'node:fs/promises'
import type { SecretFields } from '../../base/secret-fields.ts'
import { CredentialError } from '../credential-error.ts'
import type { AuthorizerDeps, TokenResponse, UpstreamRequest } from '../send-types.ts'
import type { IssuedSecret } from '../token-cache.ts'

/** Where clouds keep what they say to their own machines. */
export const machineOrigin = 'http://169.254.169.254'

/**
 * Where tokens are issued for an upstream: at the cloud's own address, and for an emulator on loopback at the emulator, since
 * a credential that was given for a place on this machine goes nowhere else.
 */
export function issuerOrigin(upstreamOrigin: string, own: string): string {
  const { protocol, hostname } = new URL(upstreamOrigin)
  const isLoopback =
    hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
  return protocol === 'http:' && isLoopback ? upstreamOrigin : own
}

/** A form to an address that issues tokens. */
export function formRequest(origin: string, path: string, form: SecretFields): UpstreamRequest {
  return {
    origin,
    method: 'POST',
    path,
    headers: ['content-type', 'application/x-www-form-urlencoded', 'accept', 'application/json'],
    body: [new TextEncoder().encode(new URLSearchParams({ ...form }).toString())],
  }
}

/** A question without a body. */
export function plainRequest(
  origin: string,
  path: string,
  headers: readonly string[],
  method: 'GET' | 'PUT' = 'GET',
): UpstreamRequest {
  return { origin, method, path, headers: ['accept', 'application/json', ...headers], body: [] }
}

/** The JSON object of an answer; its sentences may name accounts, so that only the cloud's word for an error is used. */
export function answerObject(
  { status, text }: TokenResponse,
  what: string,
): Readonly<Record<string, unknown>> {
  const answer = objectIn(text)
  if (status === 200 && answer !== null) return answer
  const { error } = answer ?? {}
  const word = typeof error === 'string' && /^[\w.]{1,60}$/.test(error) ? `: ${error}` : ''
  throw new CredentialError(`${what} answered HTTP ${status}${word}`)
}

/** An access token as OAuth answers it. */
export async function requestToken(
  { request, clock }: Pick<AuthorizerDeps, 'request' | 'clock'>,
  asked: UpstreamRequest,
  what: string,
): Promise<IssuedSecret> {
  const { access_token: token, expires_in: seconds } = answerObject(await request(asked), what)
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
    throw new CredentialError(`${what} answered without a token`)
  const lifeSeconds = Number(seconds)
  const expiresMs = clock.wallMs() + (Number.isFinite(lifeSeconds) ? lifeSeconds : 0) * 1_000
  return { fields: { token }, expiresMs }
}

const fileBytesMax = 64 * 1024

/** The text of a file that a credential names. */
export async function fileText(path: string): Promise<string> {
  const unreadable = (error: NodeJS.ErrnoException): never => {
    throw new CredentialError(`${path} cannot be read (${error.code ?? 'unknown'})`)
  }
  // Before it is opened: reading a pipe or a device may never end.
  const found = await stat(path).catch(unreadable)
  if (!found.isFile()) throw new CredentialError(`${path} is not a file`)
  if (found.size > fileBytesMax) throw new CredentialError(`${path} is too large to be a credential`)
  return (await readFile(path, 'utf8').catch(unreadable)).trim()
}

/** The JSON object of a text; null: there is none. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null
  } catch {
    return null
  }
}

/** A field that must be there. */
export function fieldOf(fields: Readonly<Record<string, unknown>>, name: string, what: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || value === '') throw new CredentialError(`${what} has no ${name}`)
  return value
}
