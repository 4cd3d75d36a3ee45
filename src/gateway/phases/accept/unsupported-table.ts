/**
 * Endpoints of the providers' APIs that this server does not support, each with an alternative, so that a client gets
 * more than a plain 404. Pure data.
 */
const batches =
  'Batches are not supported. Send the requests individually; an account can run requests in parallel up to its limit.'
const conversations =
  "Conversations stored at the provider are not supported. Send the earlier items with each request, or continue one of this account's responses with previous_response_id."
const assistants =
  'The Assistants API is not supported, and OpenAI has shut it down. Use the Responses API: POST /v1/responses with tools, and previous_response_id to continue.'
const fileSearch = 'Vector stores and file search are not supported. Send documents with the request.'
const caches =
  'Cached contents stored at the provider are not supported. Start each request with the same prefix: automatic prompt caching is charged at the cached rate.'
const containers =
  'Containers stored at the provider are not supported. A code tool that creates a container for a single request needs no ID.'
const uploads =
  'Multipart uploads (/v1/uploads) are not supported. Upload the file in one request: POST /v1/files.'

const notYet = (what: string): string =>
  `${what} are not supported. This server answers text generation, embeddings and files; send these requests to the provider.`
const images = notYet('Image endpoints')
const audio = notYet('Audio endpoints')
const videos = notYet('Video endpoints')
const realtime = notYet('Realtime and live sessions')
const tuning = notYet('Fine-tuning and evaluations')
const agents = notYet('Agents, sessions and skills stored at the provider')
const administration = notYet("The administration endpoints of a provider's account")
const completions =
  'Legacy completions are not supported. Use POST /v1/chat/completions, which the same models answer.'
const textCompletions = 'Text Completions are not supported. Use the Messages API: POST /v1/messages.'
const moderations = notYet('Moderations')
const interactions =
  'The Interactions API is not supported. Use POST /v1beta/models/{model}:generateContent, and send earlier turns with each request.'

/** By the first segment of the path, or the first two, below the base address. */
const unsupportedPaths: Readonly<Record<string, string>> = {
  batches,
  'messages/batches': batches,
  conversations,
  assistants,
  threads: assistants,
  vector_stores: fileSearch,
  fileSearchStores: fileSearch,
  cachedContents: caches,
  containers,
  uploads,
  images,
  audio,
  videos,
  realtime,
  live: realtime,
  auth_tokens: realtime,
  completions,
  complete: textCompletions,
  moderations,
  fine_tuning: tuning,
  'fine-tunes': tuning,
  evals: tuning,
  tunedModels: tuning,
  chatkit: agents,
  agents,
  sessions: agents,
  environments: agents,
  skills: agents,
  memory_stores: agents,
  vaults: agents,
  corpora: fileSearch,
  interactions,
  operations: batches,
  organization: administration,
  organizations: administration,
  projects: administration,
}

/** By the method in `models/{model}:{method}`. */
export const unsupportedMethods: Readonly<Record<string, string>> = {
  batchGenerateContent: batches,
  asyncBatchEmbedContent: batches,
  predict: images,
  predictLongRunning: videos,
  bidiGenerateContent: realtime,
  generateAnswer: fileSearch,
}

/** The alternative to an unsupported path; undefined for every other path. */
export function unsupportedPath(rest: readonly string[]): string | undefined {
  const names = [rest.slice(0, 2).join('/'), rest[0] ?? '']
  const name = names.find((one) => Object.hasOwn(unsupportedPaths, one))
  return name === undefined ? undefined : unsupportedPaths[name]
}
