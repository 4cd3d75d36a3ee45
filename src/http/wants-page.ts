/** Whether a request is a browser's that opens a page, by its method and its Accept header. Pure. */
import type { IncomingMessage } from 'node:http'

const html = 'text/html'

/** True for GET and HEAD whose Accept header names HTML and prefers it to JSON. */
export function wantsPage({ method, headers: { accept } }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (accept?.includes(html) !== true) return false
  const ranges = accept.split(',').map(rangeOf)
  const weightOf = (type: string) => ranges.find((range) => range.type === type)?.weight ?? 0
  return weightOf(html) > weightOf('application/json')
}

function rangeOf(written: string): { readonly type: string; readonly weight: number } {
  const [type = '', ...parameters] = written.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return { type, weight: weight === undefined ? 1 : Number(weight.slice(2)) }
}
