/**
 * How providers store files, by wire format: the fields of a file object, and the shapes of lists and deletions, which
 * are written here and never relayed, because a provider's own list contains the files of every account. Pure.
 */
import type { ClientFormatName, UpstreamFormatName } from '../wire/format-names.ts'
import { typeOfFile } from '../wire/openai-responses/decode-request-media.ts'

/** A provider's description of a file. */
export interface ReadFile {
  readonly fileId: string
  readonly bytes: number | null
  readonly purpose: string | null
  readonly expiresMs: number | null
}

export interface FilePage {
  readonly limit: number
  readonly after: string | null
  readonly order: 'asc' | 'desc'
  readonly purpose: string | null
}

export interface FileHost {
  readonly provider: string
  readonly format: UpstreamFormatName
  /** Words of `anthropic-beta` that the addresses need. */
  readonly betas: readonly string[]
  /** Whether callers could choose the ids of files. */
  readonly takesNames: boolean
  fileIn(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** undefined: not a file. */
  read(object: Readonly<Record<string, unknown>>): ReadFile | undefined
  page(query: URLSearchParams): FilePage
  /** Whether an ascending page is one that precedes a file, shown newest first. */
  readonly pagesBackwards: boolean
  list(files: readonly unknown[], hasMore: boolean): object
  deleted(fileId: string): object
}

/** A value in a URL stays one segment of it. */
const idPattern = /^[\w-]{1,200}$/

function idOf(value: unknown): string | undefined {
  return typeof value === 'string' && idPattern.test(value) ? value : undefined
}

function wholeNumber(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null
}

function limitIn(query: URLSearchParams, usual: number, most: number): number {
  const written = query.get('limit')
  if (written === null || !/^\d{1,9}$/.test(written)) return usual
  return Math.min(Math.max(Number(written), 1), most)
}

const idIn = (file: unknown): string | null => (file as { readonly id?: string } | undefined)?.id ?? null

/** platform.openai.com/docs/api-reference/files */
const openai: FileHost = {
  provider: 'openai',
  format: 'openai-chat',
  betas: [],
  takesNames: false,
  fileIn: (answer) => answer,
  pagesBackwards: false,
  read({ id, bytes, purpose, expires_at: expires }) {
    const fileId = idOf(id)
    if (fileId === undefined) return undefined
    const expiresAt = wholeNumber(expires)
    return {
      fileId,
      bytes: wholeNumber(bytes),
      purpose: typeof purpose === 'string' ? purpose : null,
      expiresMs: expiresAt === null ? null : expiresAt * 1_000,
    }
  },
  page: (query) => ({
    limit: limitIn(query, 10_000, 10_000),
    after: query.get('after'),
    order: query.get('order') === 'asc' ? 'asc' : 'desc',
    purpose: query.get('purpose'),
  }),
  list: (files, hasMore) => ({
    object: 'list',
    data: files,
    first_id: idIn(files[0]),
    last_id: idIn(files.at(-1)),
    has_more: hasMore,
  }),
  deleted: (id) => ({ id, object: 'file', deleted: true }),
}

/** platform.claude.com/docs/en/build-with-claude/files */
const anthropic: FileHost = {
  provider: 'anthropic',
  format: 'anthropic',
  betas: ['files-api-2025-04-14'],
  takesNames: false,
  fileIn: (answer) => answer,
  pagesBackwards: true,
  read({ id, size_bytes: bytes }) {
    const fileId = idOf(id)
    if (fileId === undefined) return undefined
    return { fileId, bytes: wholeNumber(bytes), purpose: null, expiresMs: null }
  },
  page(query) {
    const before = query.get('before_id')
    return {
      limit: limitIn(query, 20, 1_000),
      after: before ?? query.get('after_id'),
      order: before === null ? 'desc' : 'asc',
      purpose: null,
    }
  },
  list: (files, hasMore) => ({
    data: files,
    first_id: idIn(files[0]),
    last_id: idIn(files.at(-1)),
    has_more: hasMore,
  }),
  deleted: (id) => ({ id, type: 'file_deleted' }),
}

const namePrefix = 'files/'

/** ai.google.dev/api/files */
const gemini: FileHost = {
  provider: 'google',
  format: 'gemini',
  betas: [],
  takesNames: true,
  fileIn: ({ file, ...answer }) =>
    typeof file === 'object' && file !== null ? (file as Readonly<Record<string, unknown>>) : answer,
  pagesBackwards: false,
  read({ name, sizeBytes, expirationTime }) {
    const written = typeof name === 'string' && name.startsWith(namePrefix) ? name : ''
    const fileId = idOf(written.slice(namePrefix.length))
    if (fileId === undefined) return undefined
    const expiresMs = typeof expirationTime === 'string' ? Date.parse(expirationTime) : Number.NaN
    return {
      fileId,
      bytes: typeof sizeBytes === 'string' ? wholeNumber(Number(sizeBytes)) : null,
      purpose: null,
      expiresMs: Number.isSafeInteger(expiresMs) ? expiresMs : null,
    }
  },
  page(query) {
    const written = query.get('pageSize') ?? query.get('page_size')
    const asked = new URLSearchParams(written === null ? {} : { limit: written })
    return {
      limit: limitIn(asked, 10, 100),
      after: query.get('pageToken') ?? query.get('page_token'),
      order: 'desc',
      purpose: null,
    }
  },
  list(files, hasMore) {
    const last = files.at(-1) as { readonly name?: string } | undefined
    const token = last?.name?.slice(namePrefix.length)
    return { files, ...(hasMore ? { nextPageToken: token } : {}) }
  },
  deleted: () => ({}),
}

/** The media type of a stored file, from its file object as JSON text: the provider's, else by the file's name. */
export function mediaTypeOf(object: string): string {
  const { mime_type: typed, mimeType = typed, filename } = JSON.parse(object) as Record<string, unknown>
  if (typeof mimeType === 'string') return mimeType.toLowerCase()
  return typeOfFile(typeof filename === 'string' ? filename : null)
}

/** The file API of client formats that have one. */
export const fileHosts: Readonly<Partial<Record<ClientFormatName, FileHost>>> = {
  'openai-chat': openai,
  anthropic,
  gemini,
}
