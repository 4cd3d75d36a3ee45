/**
 * Addresses of the providers' APIs that keep state or work in the background and that this server does not have: what
 * each is and what to do instead, so that a client is not left with a plain 404. Pure data.
 */
const batches =
  'Batches are not supported yet. They are planned, with a charge when a batch ends. Until then send each request by itself: requests of one account run in parallel up to its limit.'
const conversations =
  'Conversations that are kept at the provider are not supported. Send the earlier items with each request, or continue a Responses answer of this account with previous_response_id.'
const assistants =
  'The Assistants API is not supported, and its maker has ended it. Use the Responses API: POST /v1/responses with tools, and previous_response_id to continue.'
const fileSearch = 'Vector stores and file search are not supported. Send documents with the request.'
const caches =
  'Cached contents that are kept at the provider are not supported. Send the same beginning with each request: what a provider caches by itself is charged at the cached rate.'
const containers =
  'Containers that are kept at the provider are not supported. A code tool that makes a container for one request needs no id.'
const uploads = 'Uploads in parts are not supported. Upload the file in one request: POST /v1/files.'

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

/** By what stands after the colon in `models/{model}:{method}`. */
export const unsupportedMethods: Readonly<Record<string, string>> = {
  batchGenerateContent: batches,
  asyncBatchEmbedContent: batches,
}

/** What to do instead; undefined for every other path. */
export function unsupportedPath(rest: readonly string[]): string | undefined {
  const names = [rest.slice(0, 2).join('/'), rest[0] ?? '']
  const name = names.find((one) => Object.hasOwn(unsupportedPaths, one))
  return name === undefined ? undefined : unsupportedPaths[name]
}
