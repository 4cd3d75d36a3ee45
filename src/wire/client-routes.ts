/**
 * Where the clients of a format send requests, and what distinguishes them from requests of other formats. Types, and
 * what several formats share. Pure.
 */
import type { EndpointName } from '../../contract/endpoints.ts'

/** Fields that Gemini puts in the URL; in other formats the model is null and `stream` is not read. */
export interface UrlFields {
  readonly model: string | null
  readonly stream: boolean
}

/** The operation that a request's path and method select. */
export type FormatOperation =
  | EndpointName
  | 'count_tokens'
  | 'show_response'
  | 'list_response_items'
  | 'cancel_response'
  | 'delete_response'

export type UploadOperation = 'upload_file' | 'start_upload' | 'continue_upload'

/** The operation of each method that a path takes; every other method is rejected. */
export type MethodOperations<Operation extends string = FormatOperation> = Readonly<
  Partial<Record<'GET' | 'POST' | 'DELETE', Operation>>
>

/** Header names are lower case. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface ClientRoutes {
  /** Path segments before a path that select the format. */
  readonly prefixes: readonly string[]
  /** Paths below the base URL; `{id}` matches one segment. */
  readonly paths: Readonly<Record<string, MethodOperations>>
  /** The methods after the colon in `models/{model}:{method}`; null: the model is in the body. */
  readonly modelMethods: Readonly<Record<string, ModelMethod>> | null
  /** Matches paths that only this format can mean, whether they exist or not; null: there are none. */
  readonly ownPaths: RegExp | null
  /** A header that only its clients send: it selects the format on paths that several formats have. */
  readonly ownHeader: string | null
  /** The format's clients request the base URL to check whether the server is up. */
  readonly probesBase: boolean
  /** The format's clients try a WebSocket before they send a request. */
  readonly triesWebSocket: boolean
  /** The operation that a file upload selects. */
  uploadOperation(headers: RequestHeaders, query: string): UploadOperation
  /** How errors about unknown paths describe the format. */
  readonly guide: RouteGuide
}

export interface ModelMethod {
  readonly operation: FormatOperation
  readonly stream: boolean
}

export interface RouteGuide {
  /** The format's display name. */
  readonly title: string
  /** Where its base URL continues the server's address. */
  readonly basePath: string
  /** The path of a request that generates, below the base URL. */
  readonly example: string
}

/** Defaults for most formats: one path per operation, and the model in the body. */
export const plainRoutes = {
  prefixes: [],
  modelMethods: null,
  ownPaths: null,
  ownHeader: null,
  probesBase: false,
  triesWebSocket: false,
  uploadOperation: () => 'upload_file',
} as const satisfies Omit<ClientRoutes, 'paths' | 'guide'>

/** URL fields of formats whose model is in the body. */
export const noUrlFields: UrlFields = { model: null, stream: false }
