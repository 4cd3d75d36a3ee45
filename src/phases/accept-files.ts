/** Addresses of files, below the base address: what each asks for. Pure. */
import type { Operation } from '../values.ts'

export interface FileRoute {
  /** By method; every other method is refused. */
  readonly operations: Readonly<Record<string, Operation>>
  /** The id in the path, as it is written there; ''. */
  readonly subject: string
}

/** undefined: no address of files. */
export function fileRoute([first, id, part, ...more]: readonly string[]): FileRoute | undefined {
  if (first !== 'files' || more.length > 0) return undefined
  if (id === undefined) return { operations: { GET: 'list_files', POST: 'upload_file' }, subject: '' }
  if (part === undefined) return { operations: { GET: 'show_file', DELETE: 'delete_file' }, subject: id }
  return part === 'content' ? { operations: { GET: 'read_file' }, subject: id } : undefined
}
