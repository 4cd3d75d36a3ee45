/** The bodies of the gateway's API as JSON Schema. What a provider defines is open; what Tollgate defines is complete. Pure data. */
import { meterNames, meters } from '../../contract/meters.ts'

type Schema = Readonly<Record<string, unknown>>

const string: Schema = { type: 'string' }
const integer: Schema = { type: 'integer' }
const boolean: Schema = { type: 'boolean' }
const timestamp: Schema = { type: 'string', format: 'date-time' }
const usd: Schema = {
  type: 'string',
  pattern: '^-?\\d+(\\.\\d{1,9})?$',
  description: 'USD as a decimal string, exact to the nano-dollar.',
}
const list = (items: Schema): Schema => ({ type: 'array', items })
const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', enum: values })
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })

/** An object of a provider's format: these fields, and any others of the format. */
function open(required: readonly string[], properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', required, properties, additionalProperties: true }
}

/** An object of Tollgate's own: all fields are always there. */
function own(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false }
}

const model: Schema = { type: 'string', description: 'A model from `GET /v1/models`.' }
const stream: Schema = {
  type: 'boolean',
  description: 'Whether to stream the response as server-sent events.',
}
const openObject: Schema = { type: 'object', additionalProperties: true }
const objects = list(openObject)

const requestSchemas = {
  ChatCompletionRequest: open(['model', 'messages'], {
    model,
    messages: objects,
    stream,
    max_completion_tokens: integer,
    tools: objects,
  }),
  ResponseRequest: open(['model'], {
    model,
    input: { anyOf: [string, objects] },
    instructions: orNull(string),
    stream,
    background: {
      type: 'boolean',
      description: 'Whether to run the response in the background, to be polled.',
    },
    max_output_tokens: orNull(integer),
    tools: objects,
  }),
  MessagesRequest: open(['model', 'max_tokens', 'messages'], {
    model,
    max_tokens: integer,
    messages: objects,
    system: { anyOf: [string, objects] },
    stream,
    tools: objects,
  }),
  MessagesCountRequest: open(['model', 'messages'], { model, messages: objects, tools: objects }),
  GenerateContentRequest: open(['contents'], {
    contents: { anyOf: [objects, openObject] },
    systemInstruction: openObject,
    generationConfig: openObject,
    tools: objects,
  }),
  CountTokensRequest: open([], {
    contents: { anyOf: [objects, openObject] },
    generateContentRequest: openObject,
  }),
  EmbeddingRequest: open(['model', 'input'], {
    model,
    input: { anyOf: [string, list(string), list(integer), list(list(integer))] },
  }),
  EmbedContentRequest: open(['content'], { content: openObject }),
  BatchEmbedContentsRequest: open(['requests'], { requests: objects }),
  FileUpload: open(['file'], { file: { type: 'string', format: 'binary' }, purpose: string }),
} as const

const answerSchemas = {
  ChatCompletion: open(['id', 'object', 'model', 'choices'], {
    id: string,
    object: oneOf('chat.completion'),
    created: integer,
    model: string,
    choices: objects,
    usage: openObject,
  }),
  Response: open(['id', 'object', 'model', 'status', 'output'], {
    id: string,
    object: oneOf('response'),
    model: string,
    status: string,
    output: objects,
    usage: orNull(openObject),
  }),
  Message: open(['id', 'type', 'role', 'model', 'content', 'usage'], {
    id: string,
    type: oneOf('message'),
    role: oneOf('assistant'),
    model: string,
    content: objects,
    stop_reason: orNull(string),
    usage: openObject,
  }),
  GenerateContentResponse: open(['candidates'], {
    candidates: objects,
    usageMetadata: openObject,
    modelVersion: string,
    responseId: string,
  }),
  EmbeddingList: open(['object', 'data'], { object: oneOf('list'), data: objects, usage: openObject }),
  EmbedContentResponse: open(['embedding'], { embedding: openObject, usageMetadata: openObject }),
  BatchEmbedContentsResponse: open(['embeddings'], { embeddings: objects, usageMetadata: openObject }),
  InputTokens: open(['input_tokens'], { input_tokens: integer }),
  TotalTokens: open(['totalTokens'], { totalTokens: integer }),
  File: open(['id'], { id: string }),
  GeminiFile: open(['name'], { name: string, uri: string }),
  GeminiUpload: open(['file'], { file: { $ref: '#/components/schemas/GeminiFile' } }),
  FileList: open(['data', 'has_more'], {
    data: list({ $ref: '#/components/schemas/File' }),
    first_id: orNull(string),
    last_id: orNull(string),
    has_more: boolean,
  }),
  GeminiFileList: open(['files'], { files: list({ $ref: '#/components/schemas/GeminiFile' }) }),
  ItemList: open(['data'], { data: objects }),
  Deleted: open([], {}),
  Compaction: open([], {}),
} as const

const modelFields = {
  display_name: string,
  context_length: orNull(integer),
  max_output_tokens: orNull(integer),
  architecture: own({ input_modalities: list(string), output_modalities: list(string) }),
  formats: { ...list(string), description: 'The API formats that this model supports without translation.' },
  deprecated: boolean,
  pricing: {
    ...openObject,
    description: 'USD per token, and per use of a provider tool. `version` is the price in force.',
  },
}

const metadataSchemas = {
  Model: open(['id', 'object', ...Object.keys(modelFields)], {
    id: string,
    object: oneOf('model'),
    created: integer,
    owned_by: string,
    ...modelFields,
  }),
  ModelList: own({ object: oneOf('list'), data: list({ $ref: '#/components/schemas/Model' }) }),
  MessagesModel: open(['id', 'type', ...Object.keys(modelFields)], {
    type: oneOf('model'),
    id: string,
    created_at: timestamp,
    ...modelFields,
  }),
  MessagesModelList: own({
    data: list({ $ref: '#/components/schemas/MessagesModel' }),
    has_more: boolean,
    first_id: orNull(string),
    last_id: orNull(string),
  }),
  GeminiModel: open(['name', 'supportedGenerationMethods', ...Object.keys(modelFields)], {
    name: string,
    version: string,
    displayName: string,
    inputTokenLimit: integer,
    outputTokenLimit: integer,
    supportedGenerationMethods: list(string),
    ...modelFields,
  }),
  GeminiModelList: open(['models'], {
    models: list({ $ref: '#/components/schemas/GeminiModel' }),
    nextPageToken: string,
  }),
  Credits: own({
    balance: { ...usd, description: 'The sum of all ledger entries, in USD.' },
    held: { ...usd, description: 'Reserved by running requests, in USD.' },
    available: { ...usd, description: 'Available to the next request, in USD.' },
    currency: oneOf('USD'),
  }),
  KeyDescription: own({
    data: own({
      label: { ...string, description: 'The recognizable start of the key.' },
      limit: orNull(usd),
      limit_window: orNull(oneOf('day', 'week', 'month', 'total')),
      usage: orNull(usd),
      limit_remaining: orNull(usd),
      models: orNull(list(string)),
      on_short_balance: oneOf('lower', 'reject'),
      rate_limits: own({
        requests_per_minute: orNull(integer),
        tokens_per_minute: orNull(integer),
        concurrent: orNull(integer),
      }),
    }),
  }),
  RunningGeneration: own({
    data: own({
      id: string,
      status: oneOf('running'),
      model: string,
      format: string,
      streamed: boolean,
      hold: usd,
    }),
  }),
  Generation: own({
    data: own({
      id: string,
      status: oneOf(
        'complete',
        'client_abort',
        'upstream_error',
        'upstream_truncated',
        'timeout',
        'interrupted',
      ),
      settled: oneOf('in_time', 'late'),
      model: string,
      format: string,
      streamed: boolean,
      provider: orNull(string),
      upstream_id: orNull(string),
      http_status: orNull(integer),
      error: orNull(string),
      created_at: timestamp,
      ended_at: timestamp,
      first_byte_ms: orNull(integer),
      usage: own({
        source: oneOf('reported', 'counted', 'estimated', 'none'),
        ...Object.fromEntries(meterNames.map((name) => [meters[name].column, integer])),
        reasoning: orNull(integer),
        fees: openObject,
        ran_at: list(string),
        unpriced: boolean,
        implausible: orNull(openObject),
      }),
      cost: usd,
      hold: usd,
      input_bound: orNull(oneOf('reported', 'pages', 'counted', 'bytes')),
      background: boolean,
      upstream_cost: orNull(usd),
      own_key: boolean,
      price_version: string,
      max_output: orNull(integer),
      max_output_lowered: boolean,
      attempts: list(
        own({ upstream: orNull(string), status: orNull(integer), failure: orNull(string), ms: integer }),
      ),
    }),
  }),
  Status: own({ status: oneOf('ok') }),
} as const

const errorSchemas = {
  OpenAiError: own({
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: string,
        type: string,
        param: orNull(string),
        code: orNull(string),
        source: oneOf('gateway', 'upstream'),
        details: openObject,
      },
      additionalProperties: true,
    },
  }),
  MessagesError: open(['type', 'error'], {
    type: oneOf('error'),
    error: open(['type', 'message'], { type: string, message: string, details: openObject }),
    request_id: orNull(string),
  }),
  GeminiError: open(['error'], {
    error: open(['code', 'message', 'status'], {
      code: integer,
      message: string,
      status: string,
      details: objects,
    }),
  }),
} as const

export const gatewaySchemas = {
  ...requestSchemas,
  ...answerSchemas,
  ...metadataSchemas,
  ...errorSchemas,
} as const satisfies Readonly<Record<string, Schema>>

export type GatewaySchema = keyof typeof gatewaySchemas
