/**
 * A passkey without a browser: creates and uses ES256 keys as WebAuthn does, for any origin and any relying party, also
 * for wrong ones. For tests of sign-in.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** The site of a passkey: its origin and relying party. */
export interface PasskeySite {
  readonly origin: string
  readonly name: string
}

export interface Authenticator {
  readonly id: string
  /** The response to the options of a registration. */
  attest(challenge: string, site: PasskeySite): object
  /** The response to the options of a sign-in. */
  prove(challenge: string, site: PasskeySite, userHandle?: string): object
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()

const userIsThere = 0x05
const withKey = 0x40

export function authenticator(): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credential = randomBytes(32)
  const id = base64url(credential)
  let uses = 0
  const shown = (response: object) => ({
    ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
    authenticatorAttachment: 'platform',
  })
  const said = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  function about(name: string, flags: number): Buffer {
    const count = Buffer.alloc(4)
    uses += 1
    count.writeUInt32BE(uses)
    return Buffer.concat([sha256(name), Buffer.from([flags]), count])
  }
  return {
    id,
    attest(challenge, { origin, name }) {
      const length = Buffer.from([0, credential.length])
      const authData = Buffer.concat([
        about(name, userIsThere | withKey),
        Buffer.alloc(16),
        length,
        credential,
        coseKey(publicKey),
      ])
      const attestation = cbor(
        new Map<string, Cbor>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', authData],
        ]),
      )
      const clientDataJSON = base64url(said('webauthn.create', challenge, origin))
      return shown({ clientDataJSON, attestationObject: base64url(attestation), transports: ['internal'] })
    },
    prove(challenge, { origin, name }, userHandle) {
      const authData = about(name, userIsThere)
      const clientData = said('webauthn.get', challenge, origin)
      const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), privateKey)
      return shown({
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(authData),
        signature: base64url(signature),
        ...(userHandle === undefined ? {} : { userHandle }),
      })
    },
  }
}

function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return cbor(
    new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  )
}

type Cbor = number | string | Uint8Array | ReadonlyMap<string | number, Cbor>

const kinds = { positive: 0, negative: 1, bytes: 2, text: 3, map: 5 } as const

/** The subset of RFC 8949 that keys and attestations need. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number')
    return value < 0 ? head(kinds.negative, -1 - value) : head(kinds.positive, value)
  if (typeof value === 'string')
    return Buffer.concat([head(kinds.text, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(kinds.bytes, value.length), value])
  const pairs = [...value].flatMap(([key, held]) => [cbor(key), cbor(held)])
  return Buffer.concat([head(kinds.map, value.size), ...pairs])
}

function head(kind: number, length: number): Buffer {
  const first = kind << 5
  if (length < 24) return Buffer.from([first | length])
  if (length < 256) return Buffer.from([first | 24, length])
  return Buffer.from([first | 25, length >> 8, length & 255])
}
