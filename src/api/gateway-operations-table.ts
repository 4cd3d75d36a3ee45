/** The operations of the gateway's API: path, input and output of each, and its format. Pure data. */
import type { GatewaySchema } from './gateway-schemas.ts'

export const gatewayTags = {
  'Chat Completions': 'Conversations in OpenAI’s Chat Completions format.',
  Responses: 'Conversations in OpenAI’s Responses format, also in the background.',
  Messages: 'Conversations in Anthropic’s Messages format.',
  Gemini: 'Conversations in Google’s Gemini format.',
  Embeddings: 'Embeddings in the formats of OpenAI and Google.',
  Files: 'Files that later requests can reference, in the format of the provider that stores them.',
  Models: 'The enabled models, in three formats.',
  Account: 'The API key itself, its balance and its requests.',
} as const

export interface DocumentedOperation {
  readonly method: 'get' | 'post' | 'delete'
  readonly path: string
  readonly id: string
  readonly tag: keyof typeof gatewayTags
  readonly summary: string
  readonly takes?: GatewaySchema
  /** How the body is sent, where it is not JSON. */
  readonly media?: 'multipart/form-data'
  /** The response; a file has none. */
  readonly gives: readonly GatewaySchema[] | 'file'
  readonly streams?: true
  readonly query?: Readonly<Record<string, 'string' | 'integer'>>
  readonly error: 'OpenAiError' | 'MessagesError' | 'GeminiError'
  /** Whether the operation needs no key. */
  readonly isOpen?: true
}

type Row = Omit<DocumentedOperation, 'method' | 'path' | 'error'>
type Rows = Readonly<Record<`${'GET' | 'POST' | 'DELETE'} /${string}`, Row>>

const openAi: Rows = {
  'POST /v1/chat/completions': {
    id: 'createChatCompletion',
    tag: 'Chat Completions',
    summary: 'Create a chat completion',
    takes: 'ChatCompletionRequest',
    gives: ['ChatCompletion'],
    streams: true,
  },
  'POST /v1/responses': {
    id: 'createResponse',
    tag: 'Responses',
    summary: 'Create a response',
    takes: 'ResponseRequest',
    gives: ['Response'],
    streams: true,
  },
  'GET /v1/responses/{id}': {
    id: 'getResponse',
    tag: 'Responses',
    summary: 'Get a stored response',
    gives: ['Response'],
  },
  'DELETE /v1/responses/{id}': {
    id: 'deleteResponse',
    tag: 'Responses',
    summary: 'Delete a stored response',
    gives: ['Deleted'],
  },
  'POST /v1/responses/{id}/cancel': {
    id: 'cancelResponse',
    tag: 'Responses',
    summary: 'Cancel a background response',
    gives: ['Response'],
  },
  'GET /v1/responses/{id}/input_items': {
    id: 'listInputItems',
    tag: 'Responses',
    summary: 'List the input items of a stored response',
    gives: ['ItemList'],
  },
  'POST /v1/responses/compact': {
    id: 'compactResponse',
    tag: 'Responses',
    summary: 'Compact a conversation',
    takes: 'ResponseRequest',
    gives: ['Compaction'],
  },
  'POST /v1/responses/input_tokens': {
    id: 'countResponseTokens',
    tag: 'Responses',
    summary: 'Count input tokens',
    takes: 'ResponseRequest',
    gives: ['InputTokens'],
  },
  'POST /v1/embeddings': {
    id: 'createEmbedding',
    tag: 'Embeddings',
    summary: 'Create embeddings',
    takes: 'EmbeddingRequest',
    gives: ['EmbeddingList'],
  },
  'POST /v1/files': {
    id: 'uploadFile',
    tag: 'Files',
    summary: 'Upload a file to OpenAI',
    takes: 'FileUpload',
    media: 'multipart/form-data',
    gives: ['File'],
  },
  'GET /v1/files': { id: 'listFiles', tag: 'Files', summary: 'List files at OpenAI', gives: ['FileList'] },
  'GET /v1/files/{id}': { id: 'getFile', tag: 'Files', summary: 'Get a file at OpenAI', gives: ['File'] },
  'DELETE /v1/files/{id}': {
    id: 'deleteFile',
    tag: 'Files',
    summary: 'Delete a file at OpenAI',
    gives: ['Deleted'],
  },
  'GET /v1/files/{id}/content': {
    id: 'readFile',
    tag: 'Files',
    summary: 'Download a file from OpenAI',
    gives: 'file',
  },
  'GET /v1/models': { id: 'listModels', tag: 'Models', summary: 'List models', gives: ['ModelList'] },
  'GET /v1/models/{id}': { id: 'getModel', tag: 'Models', summary: 'Get a model', gives: ['Model'] },
  'GET /v1/credits': { id: 'getCredits', tag: 'Account', summary: 'Get the balance', gives: ['Credits'] },
  'GET /v1/key': {
    id: 'getKey',
    tag: 'Account',
    summary: 'Get the limits of this key',
    gives: ['KeyDescription'],
  },
  'GET /v1/generations/{id}': {
    id: 'getGeneration',
    tag: 'Account',
    summary: 'Get the receipt of a request',
    gives: ['Generation', 'RunningGeneration'],
  },
}

const messages: Rows = {
  'POST /v1/alt/v1/messages': {
    id: 'createMessage',
    tag: 'Messages',
    summary: 'Create a message',
    takes: 'MessagesRequest',
    gives: ['Message'],
    streams: true,
  },
  'POST /v1/alt/v1/messages/count_tokens': {
    id: 'countMessageTokens',
    tag: 'Messages',
    summary: 'Count input tokens',
    takes: 'MessagesCountRequest',
    gives: ['InputTokens'],
  },
  'GET /v1/alt': {
    id: 'probeMessages',
    tag: 'Messages',
    summary: 'Check the base URL of the Messages format',
    gives: ['Status'],
    isOpen: true,
  },
  'POST /v1/alt/v1/files': {
    id: 'uploadMessagesFile',
    tag: 'Files',
    summary: 'Upload a file to Anthropic',
    takes: 'FileUpload',
    media: 'multipart/form-data',
    gives: ['File'],
  },
  'GET /v1/alt/v1/files': {
    id: 'listMessagesFiles',
    tag: 'Files',
    summary: 'List files at Anthropic',
    gives: ['FileList'],
  },
  'GET /v1/alt/v1/files/{id}': {
    id: 'getMessagesFile',
    tag: 'Files',
    summary: 'Get a file at Anthropic',
    gives: ['File'],
  },
  'DELETE /v1/alt/v1/files/{id}': {
    id: 'deleteMessagesFile',
    tag: 'Files',
    summary: 'Delete a file at Anthropic',
    gives: ['Deleted'],
  },
  'GET /v1/alt/v1/files/{id}/content': {
    id: 'readMessagesFile',
    tag: 'Files',
    summary: 'Download a file from Anthropic',
    gives: 'file',
  },
  'GET /v1/alt/v1/models': {
    id: 'listMessagesModels',
    tag: 'Models',
    summary: 'List models in Anthropic’s format',
    query: { limit: 'integer', after_id: 'string', before_id: 'string' },
    gives: ['MessagesModelList'],
  },
  'GET /v1/alt/v1/models/{id}': {
    id: 'getMessagesModel',
    tag: 'Models',
    summary: 'Get a model in Anthropic’s format',
    gives: ['MessagesModel'],
  },
}

const gemini: Rows = {
  'POST /v1beta/models/{model}:generateContent': {
    id: 'generateContent',
    tag: 'Gemini',
    summary: 'Generate content',
    takes: 'GenerateContentRequest',
    gives: ['GenerateContentResponse'],
  },
  'POST /v1beta/models/{model}:streamGenerateContent': {
    id: 'streamGenerateContent',
    tag: 'Gemini',
    summary: 'Stream generated content: server-sent events with `alt=sse`, otherwise one JSON array',
    takes: 'GenerateContentRequest',
    gives: [],
    streams: true,
    query: { alt: 'string' },
  },
  'POST /v1beta/models/{model}:countTokens': {
    id: 'countTokens',
    tag: 'Gemini',
    summary: 'Count input tokens',
    takes: 'CountTokensRequest',
    gives: ['TotalTokens'],
  },
  'POST /v1beta/models/{model}:embedContent': {
    id: 'createGeminiEmbedding',
    tag: 'Embeddings',
    summary: 'Create an embedding in Google’s format',
    takes: 'EmbedContentRequest',
    gives: ['EmbedContentResponse'],
  },
  'POST /v1beta/models/{model}:batchEmbedContents': {
    id: 'createGeminiEmbeddings',
    tag: 'Embeddings',
    summary: 'Create embeddings in Google’s format',
    takes: 'BatchEmbedContentsRequest',
    gives: ['BatchEmbedContentsResponse'],
  },
  'POST /upload/v1beta/files': {
    id: 'uploadGeminiFile',
    tag: 'Files',
    summary: 'Upload a file to Google, in one request or resumable',
    takes: 'FileUpload',
    media: 'multipart/form-data',
    gives: ['GeminiUpload'],
  },
  'GET /v1beta/files': {
    id: 'listGeminiFiles',
    tag: 'Files',
    summary: 'List files at Google',
    gives: ['GeminiFileList'],
  },
  'GET /v1beta/files/{id}': {
    id: 'getGeminiFile',
    tag: 'Files',
    summary: 'Get a file at Google',
    gives: ['GeminiFile'],
  },
  'DELETE /v1beta/files/{id}': {
    id: 'deleteGeminiFile',
    tag: 'Files',
    summary: 'Delete a file at Google',
    gives: ['Deleted'],
  },
  'GET /v1beta/models': {
    id: 'listGeminiModels',
    tag: 'Models',
    summary: 'List models in Google’s format',
    query: { pageSize: 'integer', pageToken: 'string' },
    gives: ['GeminiModelList'],
  },
  'GET /v1beta/models/{id}': {
    id: 'getGeminiModel',
    tag: 'Models',
    summary: 'Get a model in Google’s format',
    gives: ['GeminiModel'],
  },
}

function rowsOf(rows: Rows, error: DocumentedOperation['error']): readonly DocumentedOperation[] {
  return Object.entries(rows).map(([address, row]) => {
    const [method = '', path = ''] = address.split(' ')
    return { ...row, method: method.toLowerCase() as DocumentedOperation['method'], path, error }
  })
}

export const gatewayOperations: readonly DocumentedOperation[] = [
  ...rowsOf(openAi, 'OpenAiError'),
  ...rowsOf(messages, 'MessagesError'),
  ...rowsOf(gemini, 'GeminiError'),
]
