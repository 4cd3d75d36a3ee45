/**
 * The outcome of each field of a chat request in every format, its own included: a body that mixes formats is
 * encoded again. Fields that only shape our response (`stream_options`) are not here.
 */

import type { ConversationFormat } from '../format-names.ts'
import type { JsonOut } from '../json/text.ts'
import { type FieldOutcome, type PolicyRow, withDerivedColumns } from '../translation/policy.ts'

type ChatOutcomes = readonly [
  chat: FieldOutcome,
  responses: FieldOutcome,
  messages: FieldOutcome,
  gemini: FieldOutcome,
]
type ChatRow = PolicyRow<ConversationFormat>

const carried: ChatOutcomes = ['carried', 'carried', 'carried', 'carried']
const adapted: ChatOutcomes = ['adapted', 'adapted', 'adapted', 'adapted']
const dropped: ChatOutcomes = ['dropped', 'dropped', 'dropped', 'dropped']
const rejected: ChatOutcomes = ['rejected', 'rejected', 'rejected', 'rejected']

function row(
  field: string,
  [chat, responses, anthropic, gemini]: ChatOutcomes,
  note: string,
  example: ChatRow['example'],
): ChatRow {
  const to = { 'openai-chat': chat, 'openai-responses': responses, anthropic, gemini }
  return { field, to, note, example }
}

/** The same field with the example that is the field alone. */
function alone(field: string, outcomes: ChatOutcomes, note: string, value: JsonOut): ChatRow {
  return row(field, outcomes, note, { [field]: value })
}

const tool = {
  type: 'function',
  function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
}
const tools = [tool]
const strictSchema = { type: 'object', properties: {}, required: [], additionalProperties: false }
const userMessage = (...content: JsonOut[]): ChatRow['example'] => ({ messages: [{ role: 'user', content }] })
const pixel = 'data:image/png;base64,iVBORw0KGgo='

const rows: readonly ChatRow[] = [
  alone('system', carried, 'becomes the first instructions', 'Be brief.'),
  alone('max_completion_tokens', carried, 'the output limit', 500),
  alone('max_tokens', carried, 'the output limit', 500),
  alone('temperature', carried, 'if the model supports it, up to its maximum', 0.5),
  alone('top_p', carried, 'if the model supports it', 0.5),
  alone('top_k', ['dropped', 'dropped', 'carried', 'carried'], 'OpenAI has no such field', 40),
  alone(
    'presence_penalty',
    ['carried', 'dropped', 'dropped', 'carried'],
    'Chat Completions and Gemini only',
    0.5,
  ),
  alone(
    'frequency_penalty',
    ['carried', 'dropped', 'dropped', 'carried'],
    'Chat Completions and Gemini only',
    0.5,
  ),
  alone('seed', ['carried', 'dropped', 'dropped', 'carried'], 'Chat Completions and Gemini only', 7),
  alone(
    'stop',
    ['carried', 'adapted', 'carried', 'carried'],
    'if the model does not support them, the gateway applies them',
    ['END'],
  ),
  alone('logit_bias', dropped, 'a hint to one tokenizer', { '50256': -100 }),
  alone('logprobs', ['carried', 'carried', 'rejected', 'carried'], 'Messages has no log probabilities', true),
  row('top_logprobs', ['carried', 'carried', 'rejected', 'carried'], 'Messages has no log probabilities', {
    logprobs: true,
    top_logprobs: 2,
  }),
  alone('n', rejected, 'one choice per request when translated', 2),
  alone('reasoning_effort', adapted, 'rounded to what the model supports', 'high'),
  alone('reasoning', adapted, 'read as effort or budget', { effort: 'high' }),
  alone('thinking', adapted, 'read as effort or budget', { type: 'enabled', budget_tokens: 4_096 }),
  row('include_reasoning', ['dropped', 'adapted', 'adapted', 'adapted'], 'whether reasoning is shown', {
    reasoning_effort: 'high',
    include_reasoning: false,
  }),
  alone('verbosity', ['carried', 'carried', 'dropped', 'dropped'], 'only OpenAI has it', 'low'),
  alone('response_format', adapted, 'a schema, or any JSON object', {
    type: 'json_schema',
    json_schema: { name: 'answer', schema: { type: 'object', properties: {}, additionalProperties: false } },
  }),
  alone('tools', carried, 'schemas are sent unchanged', tools),
  alone('functions', adapted, 'become tools', [tool.function]),
  row('tool_choice', carried, 'validated becomes auto except for Gemini', { tools, tool_choice: 'none' }),
  row('function_call', adapted, 'becomes the choice of a tool', {
    functions: [tool.function],
    function_call: 'none',
  }),
  row('parallel_tool_calls', ['carried', 'carried', 'carried', 'dropped'], 'Gemini has no such setting', {
    tools,
    parallel_tool_calls: false,
  }),
  row(
    'tools[].function.strict',
    ['carried', 'carried', 'carried', 'adapted'],
    'applies to all tools in Gemini',
    {
      tools: [{ ...tool, function: { ...tool.function, parameters: strictSchema, strict: true } }],
    },
  ),
  row('tools[].custom', adapted, 'free-form input becomes one string except in Responses', {
    tools: [{ type: 'custom', custom: { name: 'write', description: 'Writes.' } }],
  }),
  row(
    'tools[].cache_control',
    ['dropped', 'dropped', 'carried', 'dropped'],
    'only Messages supports cache breakpoints on tools',
    {
      tools: [{ ...tool, cache_control: { type: 'ephemeral' } }],
    },
  ),
  alone(
    'web_search_options',
    ['dropped', 'adapted', 'adapted', 'dropped'],
    'becomes the search tool if the model has one',
    {},
  ),
  row('messages[].name', dropped, 'other formats have no participant names', {
    messages: [{ role: 'user', name: 'alex', content: 'Hello.' }],
  }),
  row(
    'messages[].cache_control',
    ['carried', 'carried', 'carried', 'dropped'],
    'a cache breakpoint on its last part',
    {
      messages: [{ role: 'user', content: 'Hello.', cache_control: { type: 'ephemeral' } }],
    },
  ),
  row(
    'messages[].content[].cache_control',
    ['carried', 'carried', 'carried', 'dropped'],
    'Gemini caches automatically',
    userMessage({ type: 'text', text: 'Hello.', cache_control: { type: 'ephemeral' } }),
  ),
  row(
    'messages[].content[].prompt_cache_breakpoint',
    ['carried', 'carried', 'carried', 'dropped'],
    'Gemini caches automatically',
    userMessage({ type: 'text', text: 'Hello.', prompt_cache_breakpoint: { mode: 'explicit' } }),
  ),
  row(
    'messages[].content[].image_url.detail',
    ['carried', 'carried', 'dropped', 'dropped'],
    'only OpenAI has it',
    userMessage({ type: 'image_url', image_url: { url: pixel, detail: 'low' } }),
  ),
  row(
    'messages[].content[].input_audio',
    ['carried', 'rejected', 'rejected', 'carried'],
    'Chat Completions and Gemini only',
    userMessage({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }),
  ),
  alone('user', ['carried', 'carried', 'carried', 'dropped'], 'the end user', 'user-1'),
  alone('safety_identifier', ['carried', 'carried', 'carried', 'dropped'], 'the end user', 'user-1'),
  alone(
    'prompt_cache_key',
    ['carried', 'carried', 'dropped', 'dropped'],
    'other caches need no key',
    'cache-1',
  ),
  alone('prompt_cache_options', dropped, "one provider's cache setting", { mode: 'explicit' }),
  alone('prompt_cache_retention', dropped, "one provider's cache setting", '24h'),
  alone('metadata', dropped, 'Not stored when translated', { topic: 'greeting' }),
  alone('store', dropped, 'Not stored when translated', true),
  alone('service_tier', dropped, 'tiers differ by provider', 'flex'),
  alone('prediction', dropped, 'speeds up one provider only', { type: 'content', content: 'Hello.' }),
  alone('modalities', rejected, 'audio output is supported in this format only', ['text', 'audio']),
  alone('audio', rejected, 'audio output is supported in this format only', {
    voice: 'alloy',
    format: 'wav',
  }),
  alone('moderation', rejected, 'results are only in untranslated responses', {
    model: 'omni-moderation-latest',
  }),
]

export const policy = withDerivedColumns(rows, {
  'bedrock-converse': {
    like: 'anthropic',
    apartFrom: {
      top_k: 'dropped',
      include_reasoning: 'dropped',
      parallel_tool_calls: 'dropped',
      'tools[].function.strict': 'dropped',
      'tools[].cache_control': 'dropped',
      web_search_options: 'dropped',
      user: 'dropped',
      safety_identifier: 'dropped',
    },
  },
})
