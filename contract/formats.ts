/** The names of the formats of upstreams: the values of every list of them. */
export const formatNames = {
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
  'openai-embeddings': 'openai-embeddings',
  anthropic: 'anthropic',
  gemini: 'gemini',
  'bedrock-converse': 'bedrock-converse',
} as const
