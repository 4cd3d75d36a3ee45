/** Purposes of request formats. */

/** Whether requests in a format hold a conversation; others are for embeddings. */
export function isConversationFormat(format: string): boolean {
  return !format.endsWith('-embeddings')
}
