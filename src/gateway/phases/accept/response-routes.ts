/** Addresses of responses that are kept, below the base address: what each asks for. Pure. */
import type { Operation } from '../../request.ts'

export interface ResponseRoute {
  /** By method; every other method is refused. */
  readonly operations: Readonly<Record<string, Operation>>
  /** The id in the path, as it is written there. */
  readonly subject: string
}

/** Addresses beside those of responses by their ids. */
const others = ['input_tokens', 'compact']

/** undefined: no address of a response. */
export function responseRoute([first, id, part, ...more]: readonly string[]): ResponseRoute | undefined {
  if (first !== 'responses' || id === undefined || others.includes(id) || more.length > 0) return undefined
  if (part === undefined)
    return { operations: { GET: 'show_response', DELETE: 'delete_response' }, subject: id }
  if (part === 'cancel') return { operations: { POST: 'cancel_response' }, subject: id }
  return part === 'input_items' ? { operations: { GET: 'list_response_items' }, subject: id } : undefined
}
