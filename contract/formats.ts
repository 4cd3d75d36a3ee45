/** The names of the formats of upstreams: the values of every list of them. */
export const formatNames = {
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
  'openai-embeddings': 'openai-embeddings',
  anthropic: 'anthropic',
  gemini: 'gemini',
  'gemini-embeddings': 'gemini-embeddings',
  'bedrock-converse': 'bedrock-converse',
} as const

/** Whether requests in the format hold a conversation; others are for embeddings. */
export function isConversationFormat(format: string): boolean {
  return !format.endsWith('-embeddings')
}
