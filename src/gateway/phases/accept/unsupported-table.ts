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
}

/** By the method in `models/{model}:{method}`. */
export const unsupportedMethods: Readonly<Record<string, string>> = {
  batchGenerateContent: batches,
  asyncBatchEmbedContent: batches,
}

/** The alternative to an unsupported path; undefined for every other path. */
export function unsupportedPath(rest: readonly string[]): string | undefined {
  const names = [rest.slice(0, 2).join('/'), rest[0] ?? '']
  const name = names.find((one) => Object.hasOwn(unsupportedPaths, one))
  return name === undefined ? undefined : unsupportedPaths[name]
}
