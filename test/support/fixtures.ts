/**
 * Reads recorded provider exchanges from `../shared/fixtures`, a folder next to the checkout that is not part of it.
 * Without the folder, tests that need it have no cases, and the run prints once how many were skipped.
 * Must not alter a byte of the recordings.
 */
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** How many exchanges were recorded of each provider's API: what a run without the folder skips. */
const recordedCases = {
  anthropic: 69,
  gemini: 52,
  'openai-chat': 46,
  'openai-responses': 25,
} as const

export type FixtureProvider = keyof typeof recordedCases

export interface FixtureCase {
  readonly name: string
  readonly kind: 'json' | 'stream' | 'error'
  readonly status: number
  /** Empty where the recording has none. */
  readonly model: string
  readonly url: string
  readonly request?: Buffer
  /** The JSON answer, or the raw SSE bytes of a stream. */
  readonly response: Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly meta: Readonly<Record<string, unknown>>
}

const folder = fileURLToPath(new URL('../../../shared/fixtures', import.meta.url))

/** The recorded exchanges of one provider's API ordered by name; none where the folder is missing. */
export function fixtureCases(provider: FixtureProvider): readonly FixtureCase[] {
  if (!existsSync(folder)) {
    reportSkipped(recordedCases[provider])
    return []
  }
  const names = readdirSync(join(folder, provider)).sort()
  assert.ok(names.length > 0, `${provider} has no recorded case`)
  return names.map((name) => readCase(join(folder, provider, name), name))
}

function readCase(path: string, name: string): FixtureCase {
  const meta = JSON.parse(readFileSync(join(path, 'meta.json'), 'utf8')) as Record<string, unknown>
  const { kind, status, model, url } = meta
  assert.ok(kind === 'json' || kind === 'stream' || kind === 'error', `${path}: kind`)
  assert.ok(typeof status === 'number', `${path}: status`)
  const requestPath = join(path, 'request.json')
  return {
    name,
    kind,
    status,
    model: typeof model === 'string' ? model : '',
    url: typeof url === 'string' ? url : '',
    response: readFileSync(join(path, kind === 'stream' ? 'stream.sse' : 'response.json')),
    headers: (meta.response_headers ?? {}) as Record<string, string>,
    meta,
    ...(existsSync(requestPath) ? { request: readFileSync(requestPath) } : {}),
  }
}

/** scripts/test.js names a file, adds up its lines and prints the total in one line at the end of the run. */
function reportSkipped(count: number): void {
  const path = process.env.TOLLGATE_SKIPPED_CASES_FILE
  if (path !== undefined) appendFileSync(path, `${count}\n`)
}
