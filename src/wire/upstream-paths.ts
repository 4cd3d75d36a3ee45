/** The upstream paths of a format, and what several formats share of that. Pure. */
import type { EndpointName } from '../../contract/endpoints.ts'

export type UpstreamOperation = EndpointName | 'count_tokens'

/** Paths of a format's upstream operations. */
export interface UpstreamPaths {
  /** Precedes the paths below if the upstream's base URL has no version of its own. */
  readonly version: string
  /** Whether a path of an address that was continued by the vendor's own library ends where the paths below begin. */
  isComplete(basePath: string): boolean
  readonly models: string
  /** Names in the caller's query that are forwarded; others could choose what a host serves, which is not what is charged. */
  readonly queryNames: readonly string[]
  /** Precedes the path of files for uploads. */
  readonly uploadPrefix: string
  /** What the format has no path for is left out. The first operation is the one that is shown and probed. */
  readonly operations: Readonly<Partial<Record<UpstreamOperation, string>>>
  /** Where the model is in the path: the path and query of one request; null: in the body. */
  readonly ofModel:
    | ((operationPath: string, request: { readonly model: string; readonly streamed: boolean }) => string)
    | null
}

/** `/openai/v1`, `/api/paas/v4`, `/v1/openai`; Azure's deployments have no version in the path. */
const hasVersion = (basePath: string) => /\/v\d+[a-z]*\d*(?:\/|$)|\/deployments\/[^/]+$/.test(basePath)

/** `/anthropic/v1`; a version further in front is the host's own. */
export const endsWithVersion = (basePath: string): boolean => /\/v\d+[a-z]*\d*$/.test(basePath)

/** Paths shared by OpenAI's formats. */
export const openaiPaths = {
  version: '/v1',
  isComplete: hasVersion,
  models: '/models',
  queryNames: ['api-version'],
  uploadPrefix: '',
  ofModel: null,
} as const
