/**
 * Which paths belong to the control plane and which to the playground; all others are the data plane's. Also whether a
 * request is a browser's that opens a page.
 */
import type { IncomingMessage } from 'node:http'

const controlPlanePaths: ReadonlySet<string> = new Set([
  '/',
  '/pricing',
  '/livez',
  '/readyz',
  '/metrics',
  '/favicon.ico',
  '/style.css',
  '/openapi.json',
])

/** Where the playground's addresses lead in the data plane. */
export const playgroundPaths: ReadonlyMap<string, string> = new Map([
  ['/api/play/v1/chat/completions', '/v1/chat/completions'],
  ['/api/play/v1/models', '/v1/models'],
])

/** `/api/v1/…` is a spelling of the data plane that clients use. */
export function isControlPlanePath(path: string): boolean {
  if (controlPlanePaths.has(path)) return true
  if (path.startsWith('/api/')) return !/^\/api\/v1(\/|$)/.test(path)
  return path.startsWith('/console') || path.startsWith('/docs')
}

export function isPlaygroundPath(url: string): boolean {
  return playgroundPaths.has(pathOf(url))
}

/** The target of a request without its query. */
export function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

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
