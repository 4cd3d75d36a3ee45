/** Passkeys: the browser's part between two requests. Canceling is an ordinary outcome. */
import { ApiError, type OperationOutput } from './api.ts'
import { identity, type Outcome } from './identity.ts'

export interface Passkey {
  readonly id: string
  readonly name?: string | null
  readonly createdAt: string
}

/**
 * Why passkeys do not work on this page; null: they do. A loopback installation registers them for `localhost`,
 * whichever name the page was opened with.
 */
export function passkeyProblem({
  address,
  passkeysOff,
}: OperationOutput<'installation.show'>): string | null {
  const server = new URL(address)
  const isLoopback = loopback.includes(server.hostname)
  if (isLoopback && location.hostname !== 'localhost') {
    return `Passkeys need a domain name, not an IP address such as ${location.hostname}. Open ${server.protocol}//localhost${server.port === '' ? '' : `:${server.port}`}/console instead.`
  }
  if (!isLoopback && passkeysOff !== null) return passkeysOff
  const isAble =
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function'
  return isAble ? null : "This browser doesn't support passkeys, or doesn't allow them here."
}

const loopback = ['127.0.0.1', 'localhost', '[::1]']

export async function addPasskey(name: string): Promise<Outcome<unknown>> {
  const query = new URLSearchParams({ name }).toString()
  const options = await identity<PublicKeyCredentialCreationOptionsJSON>(
    'GET',
    `/passkey/generate-register-options?${query}`,
  )
  if (options.kind === 'rejected') return options
  const made = await fromBrowser(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options.value),
    }),
  )
  if (made.kind === 'rejected') return made
  return identity('POST', '/passkey/verify-registration', { response: made.value.toJSON(), name })
}

export async function signInWithPasskey(): Promise<Outcome<unknown>> {
  const options = await identity<PublicKeyCredentialRequestOptionsJSON>(
    'GET',
    '/passkey/generate-authenticate-options',
  )
  if (options.kind === 'rejected') return options
  const shown = await fromBrowser(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options.value),
    }),
  )
  if (shown.kind === 'rejected') return shown
  return identity('POST', '/passkey/verify-authentication', { response: shown.value.toJSON() })
}

async function fromBrowser(ask: () => Promise<Credential | null>): Promise<Outcome<PublicKeyCredential>> {
  try {
    const credential = await ask()
    if (credential instanceof PublicKeyCredential) return { kind: 'done', value: credential }
    return rejected('The browser offered no passkey.')
  } catch (error) {
    const name = error instanceof DOMException ? error.name : ''
    return rejected(reasons[name] ?? "The browser couldn't use a passkey here.")
  }
}

const reasons: Readonly<Record<string, string>> = {
  NotAllowedError: 'The passkey request was canceled or timed out.',
  InvalidStateError: 'This device already has a passkey for this account.',
  SecurityError: "Passkeys don't work at this address.",
}

function rejected(message: string): Outcome<never> {
  return { kind: 'rejected', problem: new ApiError(0, { code: 'passkey', message }) }
}
