/**
 * The paths at which upstreams are asked, by format and by what is asked for: one table, which also says what can be
 * asked for at all, and how the path of an upstream's address is continued. Pure.
 */
import { assert } from '../base/assert.ts'
import type { DialectName } from '../wire/codec.ts'
import type { Outgoing, UpstreamOperation } from './connector.ts'

interface FormatPaths {
  /** Stands before the paths below where the upstream's address has no version of its own. */
  readonly version: string
  /** Whether a path of an address that was continued by the maker's own library ends where the paths below begin. */
  readonly isComplete: (basePath: string) => boolean
  readonly models: string
  readonly operations: Readonly<Partial<Record<UpstreamOperation, string>>>
}

/** `/openai/v1`, `/api/paas/v4`, `/v1/openai`; Azure's deployments have no version in the path. */
const hasVersion = (basePath: string) => /\/v\d+[a-z]*\d*(?:\/|$)|\/deployments\/[^/]+$/.test(basePath)
/** `/anthropic/v1`; a version further in front is the host's own. */
const endsWithVersion = (basePath: string) => /\/v\d+[a-z]*\d*$/.test(basePath)

const openai = { version: '/v1', isComplete: hasVersion, models: '/models' } as const

/** In Google's format the operation is a method of the model; it stands behind the model's name. */
const formats: Readonly<Record<DialectName, FormatPaths>> = {
  'openai-chat': { ...openai, operations: { generate: '/chat/completions' } },
  'openai-responses': {
    ...openai,
    operations: {
      generate: '/responses',
      compact: '/responses/compact',
      count_tokens: '/responses/input_tokens',
    },
  },
  'openai-embeddings': { ...openai, operations: { embed: '/embeddings' } },
  anthropic: {
    version: '/v1',
    isComplete: endsWithVersion,
    models: '/models?limit=1000',
    operations: { generate: '/messages', count_tokens: '/messages/count_tokens' },
  },
  gemini: {
    version: '/v1beta',
    isComplete: endsWithVersion,
    models: '/models?pageSize=1000',
    operations: { generate: 'generateContent', count_tokens: 'countTokens' },
  },
}

/** Whether a format has a path for it. */
export function hasAddress(operation: UpstreamOperation, dialect: DialectName): boolean {
  return formats[dialect].operations[operation] !== undefined
}

/** Path and query; throws for what the format has no path for. */
export function pathOf(outgoing: Outgoing): string {
  const { dialect, operation, basePath, query } = outgoing
  const path = formats[dialect].operations[operation]
  assert(path !== undefined, `${dialect} has no address for ${operation}`)
  const base = versionedBase(dialect, basePath)
  return dialect === 'gemini' ? base + geminiPath(outgoing, path) : `${base}${path}${query}`
}

/** Where a host is asked for an answer in a format, as people read it. */
export function requestPath(dialect: DialectName, basePath: string): string {
  const path = formats[dialect].operations.generate ?? ''
  return versionedBase(dialect, basePath) + (dialect === 'gemini' ? `/models/{model}:${path}` : path)
}

/** Where a host lists its models. */
export function modelListPath(dialect: DialectName, basePath: string): string {
  return versionedBase(dialect, basePath) + formats[dialect].models
}

/** Where a host keeps files: `files` for what is kept, `upload` for what is to be kept. */
export function filePath(dialect: DialectName, basePath: string, of: 'files' | 'upload'): string {
  const path = `${versionedBase(dialect, basePath)}/files`
  return dialect === 'gemini' && of === 'upload' ? `/upload${path}` : path
}

/** What operators copy from a host's page ends before the version or after it: both are understood. */
function versionedBase(dialect: DialectName, basePath: string): string {
  const { version, isComplete } = formats[dialect]
  if (basePath === '') return version
  return isComplete(basePath) ? basePath : basePath + version
}

/**
 * Nothing of the caller's query travels: `alt` is ours, and `fields` or `callback` would change what an answer
 * looks like, its usage included.
 */
function geminiPath({ model, streamed }: Outgoing, method: string): string {
  const path = `/models/${encodeURIComponent(model)}:`
  return streamed && method === 'generateContent'
    ? `${path}streamGenerateContent?alt=sse`
    : `${path}${method}`
}
