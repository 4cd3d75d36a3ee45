/**
 * The outcome of each field of a Messages request in the other formats. A nested field has a row if its
 * outcome differs from its parent's. Texts for the compatibility page; no logic.
 */
import type { JsonOut } from '../json/text.ts'
import {
  type FieldOutcome,
  type FieldOutcomesOf,
  type PolicyTableOf,
  withDerivedColumns,
} from '../translation/policy.ts'

type MessagesOutcomes = FieldOutcomesOf<'anthropic'>

const all = (outcome: FieldOutcome): MessagesOutcomes => ({
  'openai-chat': outcome,
  'openai-responses': outcome,
  gemini: outcome,
})
const carried = all('carried')
const adapted = all('adapted')
const dropped = all('dropped')
const rejected = all('rejected')

const ephemeral = { type: 'ephemeral' }
const schema = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
}
const tool = { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} } }
const userMessage = (...content: JsonOut[]) => ({ messages: [{ role: 'user', content }] })
const text = 'Hello.'

const rows: PolicyTableOf<'anthropic'> = [
  { field: 'max_tokens', to: carried, note: 'the output limit', example: { max_tokens: 77 } },
  {
    field: 'system',
    to: carried,
    note: 'instructions before the first turn',
    example: { system: 'Be brief.' },
  },
  {
    field: 'system[]',
    to: dropped,
    note: "a client's billing header is not an instruction",
    example: { system: [{ type: 'text', text: 'x-anthropic-billing-header: version=1' }] },
  },
  {
    field: 'system[].cache_control',
    to: { ...adapted, gemini: 'dropped' },
    note: 'a cache breakpoint if the model supports them',
    example: { system: [{ type: 'text', text: 'Be brief.', cache_control: ephemeral }] },
  },
  {
    field: 'messages[].content[].cache_control',
    to: { ...adapted, gemini: 'dropped' },
    note: 'a cache breakpoint if the model supports them',
    example: userMessage({ type: 'text', text, cache_control: ephemeral }),
  },
  {
    field: 'tools[].cache_control',
    to: dropped,
    note: 'tools are cached automatically',
    example: { tools: [{ ...tool, cache_control: ephemeral }] },
  },
  {
    field: 'cache_control',
    to: dropped,
    note: 'prompts are cached automatically',
    example: { cache_control: ephemeral },
  },
  {
    field: 'messages[].content[].citations',
    to: dropped,
    note: 'citations are not supported',
    example: userMessage({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: text },
      citations: { enabled: true },
    }),
  },
  {
    field: 'messages[].content[].context',
    to: adapted,
    note: 'text before the document',
    example: userMessage({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: text },
      context: 'From the archive.',
    }),
  },
  {
    field: 'messages[].output_config',
    to: adapted,
    note: 'the effort of the current turn',
    example: {
      messages: [
        { role: 'user', content: text },
        { role: 'system', content: 'Think.', output_config: { effort: 'high' } },
      ],
    },
  },
  {
    field: 'messages[].clear_at',
    to: dropped,
    note: 'instructions between turns are carried',
    example: {
      messages: [
        { role: 'user', content: text },
        { role: 'system', content: 'Think.', clear_at: 'next_user_message' },
      ],
    },
  },
  {
    field: 'tools',
    to: carried,
    note: 'functions; web_search if the model has it',
    example: { tools: [tool] },
  },
  {
    field: 'tools[].type',
    to: rejected,
    note: 'bash, text_editor, computer, memory, browser: only Claude supports these',
    example: { tools: [{ type: 'bash_20250124', name: 'bash' }] },
  },
  {
    field: 'tools[].defer_loading',
    to: dropped,
    note: 'every tool is available from the start',
    example: { tools: [{ ...tool, defer_loading: true }] },
  },
  {
    field: 'tools[].input_examples',
    to: dropped,
    note: 'tool examples are not supported',
    example: { tools: [{ ...tool, input_examples: [{}] }] },
  },
  {
    field: 'tools[].allowed_callers',
    to: dropped,
    note: 'only the model calls tools',
    example: { tools: [{ ...tool, allowed_callers: ['direct'] }] },
  },
  {
    field: 'tools[].eager_input_streaming',
    to: dropped,
    note: 'the model decides how input is streamed',
    example: { tools: [{ ...tool, eager_input_streaming: true }] },
  },
  ...['allowed_domains', 'blocked_domains', 'user_location', 'max_content_tokens'].map((name) => ({
    field: `tools[].${name}`,
    to: dropped,
    note: 'the search is not restricted',
    example: { tools: [{ type: 'web_search_20250305', name: 'web_search', [name]: searchValue(name) }] },
  })),
  {
    field: 'tool_choice',
    to: carried,
    note: 'how the model chooses tools',
    example: { tools: [tool], tool_choice: { type: 'none' } },
  },
  {
    field: 'tool_choice.disable_parallel_tool_use',
    to: { ...carried, gemini: 'dropped' },
    note: 'Gemini has no such setting',
    example: { tools: [tool], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
  },
  {
    field: 'thinking',
    to: adapted,
    note: "the model's default reasoning",
    example: { max_tokens: 4_096, thinking: { type: 'enabled', budget_tokens: 2_048 } },
  },
  {
    field: 'thinking.display',
    to: { ...adapted, 'openai-chat': 'dropped' },
    note: 'whether reasoning is summarized',
    example: {
      max_tokens: 4_096,
      thinking: { type: 'enabled', budget_tokens: 2_048, display: 'omitted' },
    },
  },
  {
    field: 'thinking.block_binding',
    to: dropped,
    note: 'reasoning is not bound to a request',
    example: {
      max_tokens: 4_096,
      thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
    },
  },
  {
    field: 'output_config.effort',
    to: adapted,
    note: 'the nearest effort that the model supports',
    example: { output_config: { effort: 'high' } },
  },
  {
    field: 'output_config.format',
    to: carried,
    note: 'structured output',
    example: { output_config: { format: { type: 'json_schema', schema } } },
  },
  {
    field: 'output_config.task_budget',
    to: dropped,
    note: 'budgets across requests are not supported',
    example: { output_config: { task_budget: { type: 'tokens', total: 50_000 } } },
  },
  {
    field: 'output_format',
    to: carried,
    note: 'structured output',
    example: { output_format: { type: 'json_schema', schema } },
  },
  {
    field: 'temperature',
    to: carried,
    note: 'written as is; not enforced by the model',
    example: { temperature: 0.5 },
  },
  { field: 'top_p', to: carried, note: 'written as is; not enforced by the model', example: { top_p: 0.5 } },
  {
    field: 'top_k',
    to: { ...dropped, gemini: 'carried' },
    note: 'Gemini only',
    example: { top_k: 5 },
  },
  {
    field: 'stop_sequences',
    to: { ...carried, 'openai-responses': 'adapted' },
    note: 'if the model does not support them, the gateway applies them',
    example: { stop_sequences: ['END'] },
  },
  {
    field: 'metadata.user_id',
    to: { ...adapted, gemini: 'dropped' },
    note: 'the end user; hashed if too long',
    example: { metadata: { user_id: 'user-1' } },
  },
  {
    field: 'service_tier',
    to: dropped,
    note: 'a tier of one provider',
    example: { service_tier: 'priority' },
  },
  { field: 'speed', to: dropped, note: 'a speed of one provider', example: { speed: 'fast' } },
  {
    field: 'inference_geo',
    to: rejected,
    note: 'other providers cannot guarantee a location',
    example: { inference_geo: 'us' },
  },
  {
    field: 'container',
    to: rejected,
    note: 'state stored at the provider',
    example: { container: 'container_1' },
  },
  {
    field: 'thread',
    to: rejected,
    note: 'state stored at the provider',
    example: { thread: { id: 'thread_1' } },
  },
  {
    field: 'mcp_servers',
    to: rejected,
    note: 'tools on other servers',
    example: { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'one' }] },
  },
  {
    field: 'compaction',
    to: rejected,
    note: 'the response would not be a summary',
    example: { compaction: { type: 'summarize' } },
  },
  {
    field: 'context_management',
    to: dropped,
    note: 'the conversation is sent unchanged',
    example: { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } },
  },
  {
    field: 'fallbacks',
    to: dropped,
    note: 'no fallback model after a refusal',
    example: { fallbacks: [{ model: 'claude-other' }] },
  },
  {
    field: 'fallback_credit_token',
    to: dropped,
    note: 'a credit at one provider',
    example: { fallback_credit_token: 'token' },
  },
  {
    field: 'diagnostics',
    to: dropped,
    note: 'a report of one provider',
    example: { diagnostics: { previous_message_id: null } },
  },
  {
    field: 'billing_policy',
    to: dropped,
    note: 'an account at one provider',
    example: { billing_policy: { bill_to: 'self' } },
  },
  {
    field: 'user_profile_id',
    to: dropped,
    note: 'an account at one provider',
    example: { user_profile_id: 'profile' },
  },
  {
    field: 'workspace_id',
    to: dropped,
    note: 'an account at one provider',
    example: { workspace_id: 'workspace' },
  },
]

function searchValue(name: string): string[] | number | Record<string, string> {
  if (name === 'max_content_tokens') return 1_000
  return name === 'user_location' ? { type: 'approximate', city: 'Berlin' } : ['example.com']
}

export const policy = withDerivedColumns(rows, {
  'bedrock-converse': {
    like: 'gemini',
    apartFrom: {
      'thinking.display': 'dropped',
      top_k: 'dropped',
      'system[].cache_control': 'adapted',
      'messages[].content[].cache_control': 'adapted',
    },
  },
})
