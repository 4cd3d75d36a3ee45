/**
 * A self-signed certificate, generated on the fly, so that the repository contains no key.
 * Just enough DER for Node's TLS; not for use outside tests.
 */
import { generateKeyPairSync, sign } from 'node:crypto'

interface Certificate {
  /** PEM. */
  readonly key: string
  /** PEM. */
  readonly cert: string
}

/** Valid for `localhost` and 127.0.0.1 between the two timestamps (ms since 1970). */
export function selfSigned(notBeforeMs: number, notAfterMs: number): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der(0x30, objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
  const commonName = der(0x30, objectId(0x55, 0x04, 0x03), der(0x0c, Buffer.from('localhost')))
  const name = der(0x30, der(0x31, commonName))
  const names = der(0x30, der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])))
  const extension = der(0x30, objectId(0x55, 0x1d, 0x11), der(0x04, names))
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    der(0x30, time(notBeforeMs), time(notAfterMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, extension)),
  )
  const signature = sign('sha256', body, privateKey)
  const whole = der(0x30, body, algorithm, der(0x03, Buffer.from([0]), signature))
  const lines = whole.toString('base64').replace(/.{1,64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `${'-----BEGIN '}CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`,
  }
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function objectId(...bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes))
}

/** GeneralizedTime, UTC. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14)
  return der(0x18, Buffer.from(`${digits}Z`))
}
