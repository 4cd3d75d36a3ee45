/**
 * Passkeys: the browser's part between two exchanges with the server. Cancelling is an outcome like any other.
 */
import { ApiError, type OperationOutput } from './api.ts'
import { identity, type Outcome } from './identity.ts'

export interface Passkey {
  readonly id: string
  readonly name?: string | null
  readonly createdAt: string
}

/**
 * Why passkeys do not work on this page, in words; null: they do. An installation on loopback keeps them for
 * `localhost`, whichever of its names the page was opened with.
 */
export function passkeyProblem({
  address,
  passkeysOff,
}: OperationOutput<'installation.show'>): string | null {
  const server = new URL(address)
  const isLoopback = loopback.includes(server.hostname)
  if (isLoopback && location.hostname !== 'localhost') {
    return `Browsers keep passkeys for names, not for IP addresses such as ${location.hostname}. Open ${server.protocol}//localhost${server.port === '' ? '' : `:${server.port}`}/console instead.`
  }
  if (!isLoopback && passkeysOff !== null) return passkeysOff
  const isAble =
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function'
  return isAble ? null : 'This browser is too old for passkeys, or does not allow them here.'
}

const loopback = ['127.0.0.1', 'localhost', '[::1]']

export async function addPasskey(name: string): Promise<Outcome<unknown>> {
  const query = new URLSearchParams({ name }).toString()
  const options = await identity<PublicKeyCredentialCreationOptionsJSON>(
    'GET',
    `/passkey/generate-register-options?${query}`,
  )
  if (options.kind === 'refused') return options
  const made = await fromBrowser(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options.value),
    }),
  )
  if (made.kind === 'refused') return made
  return identity('POST', '/passkey/verify-registration', { response: made.value.toJSON(), name })
}

export async function signInWithPasskey(): Promise<Outcome<unknown>> {
  const options = await identity<PublicKeyCredentialRequestOptionsJSON>(
    'GET',
    '/passkey/generate-authenticate-options',
  )
  if (options.kind === 'refused') return options
  const shown = await fromBrowser(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options.value),
    }),
  )
  if (shown.kind === 'refused') return shown
  return identity('POST', '/passkey/verify-authentication', { response: shown.value.toJSON() })
}

async function fromBrowser(ask: () => Promise<Credential | null>): Promise<Outcome<PublicKeyCredential>> {
  try {
    const credential = await ask()
    if (credential instanceof PublicKeyCredential) return { kind: 'done', value: credential }
    return refused('The browser offered no passkey.')
  } catch (error) {
    const name = error instanceof DOMException ? error.name : ''
    return refused(reasons[name] ?? 'The browser could not use a passkey here.')
  }
}

const reasons: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used: the request was cancelled or took too long.',
  InvalidStateError: 'This device has a passkey for this account already.',
  SecurityError: 'Passkeys do not work at this address.',
}

function refused(message: string): Outcome<never> {
  return { kind: 'refused', problem: new ApiError(0, { code: 'passkey', message }) }
}
