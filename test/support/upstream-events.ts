/**
 * The events that an upstream of each format sends, in the smallest form that readers accept, so that a test
 * can compose streams that no correct upstream would send. Indexes count parts from 0.
 */
import type { ConversationFormat } from '../../src/wire/format-names.ts'

interface UpstreamEvents {
  /** All that comes before the first part. */
  readonly start: string
  /** A keep-alive event without content. */
  readonly ping: string
  readonly openText: (index: number) => string
  readonly text: (index: number, text: string) => string
  readonly closeText: (index: number) => string
  /** Reasoning that ends immediately; readers of every format may ignore it. */
  readonly hidden: (index: number) => string
  /** A call of the tool `name`, without its input. */
  readonly openCall: (index: number, name: string) => string
  readonly input: (index: number, json: string) => string
  readonly closeCall: (index: number) => string
  /** The finish, with or without calls, and the protocol's end. */
  readonly end: (calls: boolean) => string
}

/** Formats that stream a call in pieces; Gemini sends each call whole. */
export type PiecewiseFormat = Exclude<ConversationFormat, 'gemini'>

const unnamed = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const typed = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

function chatChunk(delta: object, reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }]
  return unnamed({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })
}

const chatUsage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 }

const chat: UpstreamEvents = {
  start: chatChunk({ role: 'assistant', content: '' }),
  ping: ': from the upstream\n\n',
  openText: () => '',
  text: (_index, content) => chatChunk({ content }),
  closeText: () => '',
  hidden: () => chatChunk({ tool_calls: [] }) + chatChunk({ reasoning_content: 'hm' }),
  openCall: (index, name) =>
    chatChunk({
      tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }],
    }),
  input: (index, json) => chatChunk({ tool_calls: [{ index, function: { arguments: json } }] }),
  closeCall: () => '',
  end: (calls) =>
    `${chatChunk({}, calls ? 'tool_calls' : 'stop')}${unnamed({ id: 'c1', choices: [], usage: chatUsage })}data: [DONE]\n\n`,
}

const response = { id: 'resp_1', object: 'response', model: 'm', output: [] }
const responsesUsage = { input_tokens: 7, output_tokens: 2, total_tokens: 9 }
const spot = (index: number) => ({ item_id: `item_${index}`, output_index: index, content_index: 0 })
const callItem = (index: number, name: string) => ({
  type: 'function_call',
  id: `fc_${index}`,
  call_id: `call_${index}`,
  name,
  arguments: '',
})

const responses: UpstreamEvents = {
  start: typed('response.created', { response }),
  ping: typed('response.in_progress', { response }),
  openText: (index) =>
    typed('response.output_item.added', {
      output_index: index,
      item: { type: 'message', id: `item_${index}`, role: 'assistant', content: [] },
    }),
  text: (index, delta) => typed('response.output_text.delta', { ...spot(index), delta }),
  closeText: (index) =>
    typed('response.output_item.done', {
      output_index: index,
      item: { type: 'message', id: `item_${index}`, role: 'assistant', content: [] },
    }),
  hidden: (index) =>
    typed('response.output_item.done', {
      output_index: index,
      item: { type: 'reasoning', id: `rs_${index}`, summary: [], encrypted_content: 'c2VhbA==' },
    }),
  openCall: (index, name) =>
    typed('response.output_item.added', { output_index: index, item: callItem(index, name) }),
  input: (index, delta) =>
    typed('response.function_call_arguments.delta', { item_id: `fc_${index}`, output_index: index, delta }),
  closeCall: (index) =>
    typed('response.output_item.done', { output_index: index, item: callItem(index, 'any') }),
  end: () =>
    typed('response.completed', { response: { ...response, status: 'completed', usage: responsesUsage } }),
}

const messages: UpstreamEvents = {
  start: typed('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      usage: { input_tokens: 7, output_tokens: 1 },
    },
  }),
  ping: typed('ping', {}),
  openText: (index) => typed('content_block_start', { index, content_block: { type: 'text', text: '' } }),
  text: (index, text) => typed('content_block_delta', { index, delta: { type: 'text_delta', text } }),
  closeText: (index) => typed('content_block_stop', { index }),
  hidden: (index) =>
    typed('content_block_start', { index, content_block: { type: 'redacted_thinking', data: 'c2VhbA==' } }) +
    typed('content_block_stop', { index }),
  openCall: (index, name) =>
    typed('content_block_start', {
      index,
      content_block: { type: 'tool_use', id: `call_${index}`, name, input: {} },
    }),
  input: (index, partial_json) =>
    typed('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } }),
  closeCall: (index) => typed('content_block_stop', { index }),
  end: (calls) =>
    typed('message_delta', {
      delta: { stop_reason: calls ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 2 },
    }) + typed('message_stop', {}),
}

const geminiParts = (parts: readonly object[], more: object = {}): string =>
  unnamed({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    modelVersion: 'm',
    responseId: 'r1',
  })

const gemini: UpstreamEvents = {
  start: '',
  ping: unnamed({ usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 } }),
  openText: () => '',
  text: (_index, text) => geminiParts([{ text }]),
  closeText: () => '',
  hidden: () => geminiParts([{ text: '', thoughtSignature: 'c2VhbA==' }]),
  openCall: () => '',
  input: (_index, json) => geminiParts([{ functionCall: { name: 'f', args: JSON.parse(json) as unknown } }]),
  closeCall: () => '',
  end: () =>
    unnamed({
      candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 },
    }),
}

export const upstreamEvents: Readonly<Record<ConversationFormat, UpstreamEvents>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  anthropic: messages,
  gemini,
}
