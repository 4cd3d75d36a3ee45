/**
 * The encrypted parameters of the URL that continues an upload. Client libraries send no key there, so the URL itself
 * authorizes continuing that one upload. The gateway stores nothing for it.
 */
import type { SecretSealer } from './sealing.ts'

export interface UploadAddress {
  /** Credentials of the request that began the upload, which continues only while they are valid. */
  readonly credentials: readonly string[]
  /** ID of the row reserved for the file. */
  readonly id: bigint
  /** Where the upload is continued at the upstream: path and query. */
  readonly path: string
}

const boundTo = ['upload'] as const

/** For a query: base64url. */
export function sealUpload(sealer: SecretSealer, { credentials, id, path }: UploadAddress): string {
  const sealed = sealer.seal(JSON.stringify([id.toString(), path, ...credentials]), boundTo)
  return Buffer.from(sealed).toString('base64url')
}

/** undefined: it was not made here, or was changed since. */
export function openUpload(sealer: SecretSealer, text: string): UploadAddress | undefined {
  const opened = sealer.open(Buffer.from(text, 'base64url'), boundTo)
  if (opened === undefined) return undefined
  const [id = '', path = '', ...credentials] = JSON.parse(opened) as readonly string[]
  return { credentials, id: BigInt(id), path }
}
