/**
 * Signs requests to AWS with version 4 of its signature: over method, path, query, some headers and the bytes of the body.
 * docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html. Pure, but for the digest of large bodies.
 */
import { createHash, createHmac, webcrypto } from 'node:crypto'
import type { UpstreamRequest } from '../send-types.ts'

export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Set for temporary keys. */
  readonly sessionToken?: string | undefined
}

/** Where a signature is valid. */
export interface AwsScope {
  readonly region: string
  readonly service: string
}

type SignedParts = Pick<UpstreamRequest, 'origin' | 'method' | 'path' | 'headers' | 'body'>

/** The headers that make a request a signed one: flat, name and value. */
export async function awsSignature(
  request: SignedParts,
  keys: AwsKeys,
  scope: AwsScope,
  nowMs: number,
): Promise<readonly string[]> {
  const time = `${new Date(nowMs).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
  const added = [
    'x-amz-date',
    time,
    ...(keys.sessionToken === undefined ? [] : ['x-amz-security-token', keys.sessionToken]),
  ]
  const headers = signedHeaders(request, added)
  const names = headers.map(([name]) => name).join(';')
  const [path = '', query = ''] = request.path.split('?', 2)
  const canonical = [
    request.method,
    canonicalPath(path),
    canonicalQuery(query),
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    await bodyDigest(request.body),
  ].join('\n')
  const day = time.slice(0, 8)
  const area = `${day}/${scope.region}/${scope.service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, area, createHash('sha256').update(canonical).digest('hex')].join(
    '\n',
  )
  const signature = createHmac('sha256', signingKey(keys.secretAccessKey, day, scope))
    .update(text)
    .digest('hex')
  const credential = `Credential=${keys.accessKeyId}/${area}`
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`
  return [...added, 'authorization', authorization]
}

/** Headers that a proxy may change are not signed. */
const unsigned = ['user-agent', 'accept', 'accept-encoding', 'connection', 'authorization']

/** Sorted by name. */
function signedHeaders({ origin, headers }: SignedParts, added: readonly string[]): [string, string][] {
  const all = ['host', new URL(origin).host, ...headers, ...added]
  const pairs: [string, string][] = []
  for (let at = 0; at < all.length; at += 2) {
    const name = (all[at] ?? '').toLowerCase()
    const value = (all[at + 1] ?? '').trim().replace(/\s+/g, ' ')
    if (!unsigned.includes(name)) pairs.push([name, value])
  }
  return pairs.sort(([one], [other]) => (one < other ? -1 : 1))
}

/** Each part of a path that is written already is encoded once more. */
function canonicalPath(path: string): string {
  return path.split('/').map(encoded).join('/')
}

function canonicalQuery(query: string): string {
  if (query === '') return ''
  return query
    .split('&')
    .map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2)
      return `${encoded(decodeURIComponent(name))}=${encoded(decodeURIComponent(value))}`
    })
    .sort()
    .join('&')
}

/** All but the unreserved characters of RFC 3986. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function signingKey(secret: string, day: string, { region, service }: AwsScope): Buffer {
  return [day, region, service, 'aws4_request'].reduce<Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  )
}

/** Larger bodies are digested in another thread, so that no other request waits. */
const bytesHereMax = 256 * 1024

async function bodyDigest(body: readonly Uint8Array[]): Promise<string> {
  if (body.reduce((sum, { length }) => sum + length, 0) > bytesHereMax) {
    return Buffer.from(await webcrypto.subtle.digest('SHA-256', Buffer.concat(body))).toString('hex')
  }
  const hash = createHash('sha256')
  for (const piece of body) hash.update(piece)
  return hash.digest('hex')
}
