/**
 * Where the clients of a format send requests, and what distinguishes them from requests of other formats. Types, and
 * what several formats share. Pure.
 */

/** What the address says where the format puts it there (Gemini); elsewhere the model is null and nothing is read from it. */
export interface UrlFields {
  readonly model: string | null
  readonly stream: boolean
}

/** What a request asks for, as far as a format decides it. */
export type FormatOperation =
  | 'generate'
  | 'compact'
  | 'embed'
  | 'embed_batch'
  | 'count_tokens'
  | 'show_response'
  | 'list_response_items'
  | 'cancel_response'
  | 'delete_response'

export type UploadOperation = 'upload_file' | 'start_upload' | 'continue_upload'

/** The operation of each method that a path takes; every other method is refused. */
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
  /** What follows the colon in `models/{model}:{method}`; null: the model is in the body. */
  readonly modelMethods: Readonly<Record<string, ModelMethod>> | null
  /** Matches paths that only this format can mean, whether they exist or not; null: there are none. */
  readonly ownPaths: RegExp | null
  /** A header that only its clients send: it selects the format on paths that several formats have. */
  readonly ownHeader: string | null
  /** Its clients request the base URL itself to see whether the server is there. */
  readonly probesBase: boolean
  /** Its clients try a WebSocket before they send a request. */
  readonly triesWebSocket: boolean
  /** What the upload of a file asks for. */
  uploadOperation(headers: RequestHeaders, query: string): UploadOperation
  /** How errors about unknown paths describe the format. */
  readonly guide: RouteGuide
}

export interface ModelMethod {
  readonly operation: FormatOperation
  readonly stream: boolean
}

export interface RouteGuide {
  /** What people call the format. */
  readonly title: string
  /** Where its base URL continues the server's address. */
  readonly basePath: string
  /** The path of a request that generates, below the base URL. */
  readonly example: string
}

/** What most formats have: one path for each operation, and the model in the body. */
export const plainRoutes = {
  prefixes: [],
  modelMethods: null,
  ownPaths: null,
  ownHeader: null,
  probesBase: false,
  triesWebSocket: false,
  uploadOperation: () => 'upload_file',
} as const satisfies Omit<ClientRoutes, 'paths' | 'guide'>

/** Of requests whose format has the model in the body. */
export const noUrlFields: UrlFields = { model: null, stream: false }
