/** Responses of imitated clouds in each format, whole and streamed; all report the same usage. */

import { converseEvent, converseException } from './event-stream-frames.ts'

export type CloudFormat = 'chat' | 'responses' | 'messages' | 'gemini' | 'converse'

export const cloudUsage = { input: 1_000, cached: 400, output: 20 } as const
const { input, cached, output } = cloudUsage
const args = '{"a":1}'

/** The answer as JSON. */
export function wholeAnswer(format: CloudFormat, isTool: boolean): unknown {
  return { chat, responses, messages, gemini, converse }[format](isTool)
}

/** The answer as events, as they go over the wire. */
export function streamedAnswer(format: CloudFormat, isTool: boolean): Buffer {
  if (format === 'converse') return Buffer.concat(converseEvents(isTool))
  const written = {
    chat: chatEvents,
    responses: responsesEvents,
    messages: messagesEvents,
    gemini: geminiEvents,
  }
  return Buffer.from(written[format](isTool))
}

/** The events of a text up to the text, as when the model is still writing. */
export function streamedBeginning(format: CloudFormat): Buffer {
  if (format === 'converse') return Buffer.concat(converseEvents(false).slice(0, 2))
  const events = streamedAnswer(format, false).toString().split('\n\n')
  const upToText = events.findIndex((one) => one.includes('hello')) + 1
  return Buffer.from(`${events.slice(0, upToText).join('\n\n')}\n\n`)
}

const event = (data: unknown, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`

const chatUsage = {
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
}
const chatCall = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: args } }

function chat(isTool: boolean): unknown {
  const message = isTool ? { content: null, tool_calls: [chatCall] } : { content: 'hello' }
  const finish = isTool ? 'tool_calls' : 'stop'
  const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }
  return {
    id: 'c-1',
    object: 'chat.completion',
    created: 1,
    model: 'base',
    choices: [choice],
    usage: chatUsage,
  }
}

/** Azure begins with a chunk without choices, and ends with one that has no delta: learn.microsoft.com, content streaming. */
function chatEvents(isTool: boolean): string {
  const chunk = (choices: readonly unknown[], more: object = {}) =>
    event({ id: 'c-1', object: 'chat.completion.chunk', created: 1, model: 'base', choices, ...more })
  const delta = isTool ? { tool_calls: [chatCall] } : { content: 'hello' }
  const finish = isTool ? 'tool_calls' : 'stop'
  return [
    event({
      id: '',
      object: '',
      created: 0,
      model: '',
      choices: [],
      prompt_filter_results: [{ prompt_index: 0 }],
    }),
    chunk([{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: finish }]),
    chunk([{ index: 0, finish_reason: null, content_filter_results: {}, content_filter_offsets: {} }]),
    chunk([], { usage: chatUsage }),
    'data: [DONE]\n\n',
  ].join('')
}

const responseUsage = {
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + output,
}
const responseText = { type: 'output_text', text: 'hello', annotations: [] }
const responseMessage = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [responseText],
}

const responseCall = {
  id: 'fc_1',
  type: 'function_call',
  status: 'completed',
  call_id: 'call_1',
  name: 'look',
  arguments: args,
}

function responses(isTool = false): unknown {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'base',
    output: [isTool ? responseCall : responseMessage],
    usage: responseUsage,
  }
}

function responsesEvents(): string {
  const whole = responses() as Record<string, unknown>
  const begun = { ...whole, status: 'in_progress', output: [], usage: null }
  const item = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  return [
    { type: 'response.created', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: { ...responseMessage, content: [] } },
    { type: 'response.content_part.added', ...item, part: { ...responseText, text: '' } },
    { type: 'response.output_text.delta', ...item, delta: 'hello' },
    { type: 'response.output_text.done', ...item, text: 'hello' },
    { type: 'response.content_part.done', ...item, part: responseText },
    { type: 'response.output_item.done', output_index: 0, item: responseMessage },
    { type: 'response.completed', response: whole },
  ]
    .map((data, number) => event({ ...data, sequence_number: number }, data.type))
    .join('')
}

/** Cached tokens are counted outside of `input_tokens` here. */
const messagesInput = {
  input_tokens: input - cached,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: 0,
}
const messagesCall = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { a: 1 } }

function messages(isTool: boolean): unknown {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'base',
    content: [isTool ? messagesCall : { type: 'text', text: 'hello' }],
    stop_reason: isTool ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { ...messagesInput, output_tokens: output },
  }
}

function messagesEvents(isTool: boolean): string {
  const whole = messages(isTool) as Record<string, unknown>
  const begun = { ...whole, content: [], stop_reason: null, usage: { ...messagesInput, output_tokens: 1 } }
  const block = isTool ? { ...messagesCall, input: {} } : { type: 'text', text: '' }
  const delta = isTool
    ? { type: 'input_json_delta', partial_json: args }
    : { type: 'text_delta', text: 'hello' }
  return [
    { type: 'message_start', message: begun },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'ping' },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: isTool ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: output },
    },
    { type: 'message_stop' },
  ]
    .map((data) => event(data, data.type))
    .join('')
}

function gemini(isTool: boolean): unknown {
  const part = isTool ? { functionCall: { name: 'look', args: { a: 1 } } } : { text: 'hello' }
  return {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: input,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
      trafficType: 'ON_DEMAND',
    },
    modelVersion: 'base',
    responseId: 'r-1',
  }
}

const geminiEvents = (isTool: boolean): string => event(gemini(isTool))

const converseUsage = {
  inputTokens: input - cached,
  cacheReadInputTokens: cached,
  cacheWriteInputTokens: 0,
  outputTokens: output,
  totalTokens: input + output,
}
const converseCall = { toolUseId: 'tooluse_1', name: 'look' }

function converse(isTool: boolean): unknown {
  const block = isTool ? { toolUse: { ...converseCall, input: { a: 1 } } } : { text: 'hello' }
  return {
    output: { message: { role: 'assistant', content: [block] } },
    stopReason: isTool ? 'tool_use' : 'end_turn',
    usage: converseUsage,
    metrics: { latencyMs: 5 },
  }
}

function converseEvents(isTool: boolean): readonly Buffer[] {
  const delta = isTool ? { toolUse: { input: args } } : { text: 'hello' }
  const start = converseEvent('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: converseCall } })
  return [
    converseEvent('messageStart', { role: 'assistant', p: 'abcdefgh' }),
    // A text is not announced.
    ...(isTool ? [start] : []),
    converseEvent('contentBlockDelta', { contentBlockIndex: 0, delta }),
    converseEvent('contentBlockStop', { contentBlockIndex: 0 }),
    converseEvent('messageStop', { stopReason: isTool ? 'tool_use' : 'end_turn' }),
    converseEvent('metadata', { usage: converseUsage, metrics: { latencyMs: 5 } }),
  ]
}

/** An exception that ends a stream. */
export function converseFailure(type: string): Buffer {
  return converseException(type, 'it broke')
}
