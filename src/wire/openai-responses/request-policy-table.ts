/**
 * The outcome of each field of a Responses request in the other formats. A nested field has a row if its
 * outcome differs from its parent's. Texts for the compatibility page; no logic.
 */
import type { JsonOut } from '../json/text.ts'
import {
  type FieldOutcome,
  type FieldOutcomesOf,
  type PolicyTableOf,
  withDerivedColumns,
} from '../translation/policy.ts'

type ResponsesOutcomes = FieldOutcomesOf<'openai-responses'>

const all = (outcome: FieldOutcome): ResponsesOutcomes => ({
  'openai-chat': outcome,
  anthropic: outcome,
  gemini: outcome,
})
const carried = all('carried')
const adapted = all('adapted')
const dropped = all('dropped')
const rejected = all('rejected')

const parameters = { type: 'object', properties: {} }
const tool = { type: 'function', name: 'look', description: 'Looks.', parameters }
const answerSchema = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
}
const format = { type: 'json_schema', name: 'answer', schema: answerSchema, strict: true }
const userMessage = (part: Readonly<Record<string, JsonOut>>) => ({
  input: [{ role: 'user', content: [part] }],
})
const including = (...include: readonly string[]) => ({ include })
const logprobs = 'message.output_text.logprobs'

/** Rows that say the same of several fields. */
const rows = (
  to: ResponsesOutcomes,
  note: string,
  examples: Readonly<Record<string, Readonly<Record<string, JsonOut>>>>,
): PolicyTableOf<'openai-responses'> =>
  Object.entries(examples).map(([field, example]) => ({ field, to, note, example }))

const table: PolicyTableOf<'openai-responses'> = [
  ...rows(carried, 'has the same meaning', {
    instructions: { instructions: 'Be brief.' },
    max_output_tokens: { max_output_tokens: 77 },
    tools: { tools: [tool] },
    tool_choice: { tools: [tool], tool_choice: 'none' },
    'text.format': { text: { format } },
  }),
  ...rows(carried, 'written as is; not enforced by the model', {
    temperature: { temperature: 0.5 },
    top_p: { top_p: 0.5 },
  }),
  ...rows({ ...carried, anthropic: 'rejected' }, 'Messages has no log probabilities', {
    top_logprobs: { top_logprobs: 2, include: [logprobs] },
    [`include[${logprobs}]`]: including(logprobs),
  }),
  ...rows({ ...dropped, anthropic: 'adapted' }, 'the number of provider tool calls', {
    max_tool_calls: { tools: [{ type: 'web_search' }], max_tool_calls: 3 },
  }),
  ...rows(
    { 'openai-chat': 'carried', anthropic: 'adapted', gemini: 'dropped' },
    'Gemini decides automatically',
    {
      parallel_tool_calls: { tools: [tool], parallel_tool_calls: false },
    },
  ),
  ...rows({ ...dropped, 'openai-chat': 'carried' }, 'only OpenAI has it', {
    'text.verbosity': { text: { verbosity: 'low' } },
    prompt_cache_key: { prompt_cache_key: 'project-1' },
  }),
  ...rows({ ...adapted, 'openai-chat': 'carried' }, "the model's default reasoning", {
    'reasoning.effort': { reasoning: { effort: 'high' } },
  }),
  ...rows({ ...adapted, 'openai-chat': 'dropped' }, 'whether reasoning is shown', {
    'reasoning.summary': { reasoning: { effort: 'high', summary: 'auto' } },
    'reasoning.generate_summary': { reasoning: { effort: 'high', generate_summary: 'auto' } },
  }),
  ...rows(adapted, 'the last one applies from the start', {
    'input[type=configuration_update]': {
      input: [
        { role: 'user', content: 'Hello.' },
        { type: 'configuration_update', reasoning: { effort: 'high' } },
      ],
    },
  }),
  ...rows({ 'openai-chat': 'carried', anthropic: 'adapted', gemini: 'dropped' }, 'the end user', {
    safety_identifier: { safety_identifier: 'user-1' },
    user: { user: 'user-1' },
  }),
  ...rows({ ...dropped, 'openai-chat': 'carried' }, 'images have no such setting', {
    'input[].content[].detail': userMessage({
      type: 'input_image',
      image_url: 'https://example.com/a.png',
      detail: 'high',
    }),
  }),
  ...rows({ ...adapted, gemini: 'dropped' }, 'a cache breakpoint if the model supports them', {
    'input[].content[].prompt_cache_breakpoint': userMessage({
      type: 'input_text',
      text: 'Hello.',
      prompt_cache_breakpoint: { mode: 'explicit' },
    }),
  }),
  ...rows(dropped, "prompts are cached as the provider's default", {
    prompt_cache_options: { prompt_cache_options: { mode: 'explicit' } },
    prompt_cache_retention: { prompt_cache_retention: '24h' },
  }),
  ...rows(dropped, 'repeated in the response', { metadata: { metadata: { purpose: 'test' } } }),
  ...rows(dropped, 'the order of comments and messages is preserved', {
    'input[].phase': {
      input: [
        { role: 'user', content: 'Hi.' },
        { type: 'message', role: 'assistant', phase: 'final_answer', content: 'Yes?' },
        { role: 'user', content: 'Hello.' },
      ],
    },
  }),
  ...rows(dropped, 'nothing is stored', { store: { store: true } }),
  ...rows(dropped, 'a setting of one provider', {
    access_programs: { access_programs: { cyber: 'standard' } },
    client_metadata: { client_metadata: { window: '1' } },
    image: { image: { context_compression: 'auto' } },
    service_tier: { service_tier: 'flex' },
    stream_options: { stream_options: { include_obfuscation: true } },
    'reasoning.context': { reasoning: { context: 'all_turns' } },
    'reasoning.mode': { reasoning: { mode: 'pro' } },
  }),
  ...rows(dropped, 'the conversation is sent unchanged', {
    context_management: { context_management: [{ type: 'compaction', compact_threshold: 100_000 }] },
    truncation: { truncation: 'auto' },
  }),
  ...rows(dropped, 'included by default', {
    include: including('web_search_call.action.sources'),
  }),
  ...rows(dropped, 'every tool is available from the start and called by the model itself', {
    'tools[].defer_loading': { tools: [{ ...tool, defer_loading: true }] },
    'tools[].allowed_callers': { tools: [{ ...tool, allowed_callers: ['direct'] }] },
    // tidy-allow wire-is-pure: a field of the format has that name
    'tools[].async': { tools: [{ ...tool, async: true }] },
    'tools[].output_schema': { tools: [{ ...tool, output_schema: parameters }] },
    'tools[type=tool_search]': { tools: [{ type: 'tool_search' }] },
  }),
  ...rows(rejected, 'supported by OpenAI models only', {
    'tools[type=apply_patch]': { tools: [{ type: 'apply_patch' }] },
    'tools[type=computer]': { tools: [{ type: 'computer' }] },
    'tools[type=computer_use]': { tools: [{ type: 'computer_use' }] },
    'tools[type=computer_use_preview]': {
      tools: [
        { type: 'computer_use_preview', display_width: 800, display_height: 600, environment: 'linux' },
      ],
    },
    'tools[type=local_shell]': { tools: [{ type: 'local_shell' }] },
    'tools[type=shell]': { tools: [{ type: 'shell', environment: { type: 'local' } }] },
  }),
  ...rows(rejected, "a choice of the provider's tools", {
    'tool_choice.type': { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search_preview' } },
  }),
  ...rows(rejected, 'only OpenAI can read compacted items', {
    'input[type=compaction]': {
      input: [
        { type: 'compaction', encrypted_content: 'opaque' },
        { role: 'user', content: 'Hello.' },
      ],
    },
    'input[type=compaction_trigger]': {
      input: [{ role: 'user', content: 'Hello.' }, { type: 'compaction_trigger' }],
    },
  }),
  ...rows(rejected, 'the response would not be moderated', {
    moderation: { moderation: { model: 'omni-moderation-latest' } },
  }),
  ...rows(rejected, 'only models served in the Responses format run in the background', {
    background: { background: true },
  }),
  ...rows(rejected, 'state stored at the provider', {
    conversation: { conversation: 'conv_1' },
    previous_response_id: { previous_response_id: 'resp_1' },
    prompt: { prompt: { id: 'pmpt_1' } },
  }),
]

export const policy = withDerivedColumns(table, {
  'bedrock-converse': {
    like: 'anthropic',
    apartFrom: {
      max_tool_calls: 'dropped',
      parallel_tool_calls: 'dropped',
      'reasoning.summary': 'dropped',
      'reasoning.generate_summary': 'dropped',
      safety_identifier: 'dropped',
      user: 'dropped',
      'text.format': 'adapted',
    },
  },
})
