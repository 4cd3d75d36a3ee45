/** Addresses of files, below the base address: what each asks for. Pure. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Operation } from '../../request.ts'

export interface FileRoute {
  /** By method; every other method is refused. */
  readonly operations: Readonly<Record<string, Operation>>
  /** The id in the path, as it is written there; ''. */
  readonly subject: string
}

/** What an upload in Google's format asks for: the address of a begun one has its id, all else is in headers. */
export function geminiUpload(headers: IncomingHttpHeaders, query: string): Operation {
  if (new URLSearchParams(query).has('upload_id')) return 'continue_upload'
  return headers['x-goog-upload-protocol'] === 'resumable' ? 'start_upload' : 'upload_file'
}

/** undefined: no address of files. */
export function fileRoute([first, id, part, ...more]: readonly string[]): FileRoute | undefined {
  if (first !== 'files' || more.length > 0) return undefined
  if (id === undefined) return { operations: { GET: 'list_files', POST: 'upload_file' }, subject: '' }
  if (part === undefined) return { operations: { GET: 'show_file', DELETE: 'delete_file' }, subject: id }
  return part === 'content' ? { operations: { GET: 'read_file' }, subject: id } : undefined
}
