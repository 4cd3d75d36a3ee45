/**
 * The hosts that use a format of another vendor: one row each, with its source. A comment `unverified` marks what
 * the host does not document; there the row has the value that is harmless if wrong. How a row is read: `host-row.ts`.
 *
 * Whether canceling stops billing: openrouter.ai/docs/api/reference/streaming lists the hosts that stop and those that
 * do not; a host in neither list is assumed not to stop, as one without `onCancel` is.
 */

import type { HostName } from '../../../contract/hosts.ts'
import type { HostRow } from './host-row.ts'

/** Fields of OpenAI that hosts which check every field reject. */
const openaiOnly = ['store', 'metadata', 'service_tier', 'prompt_cache_key', 'safety_identifier', 'verbosity']

export const hosts: Readonly<Record<HostName, HostRow>> = {
  alibaba: {
    origin: 'https://dashscope-intl.aliyuncs.com',
    prefixes: {
      'openai-chat': '/compatible-mode/v1',
      anthropic: '/apps/anthropic/v1',
      'openai-embeddings': '/compatible-mode/v1',
    },
    // A key of another region is a 401 too, and the overdue bill of the operator a 400.
    errors: [
      {
        words: ['Arrearage', 'AllocationQuota.FreeTierOnly', 'AccessDenied.Unpurchased'],
        meaning: 'billing',
      },
      { words: ['data_inspection_failed', 'DataInspectionFailed'], meaning: 'content' },
      { statuses: [429], words: ['insufficient_quota', 'Throttling.AllocationQuota'], meaning: 'quota' },
    ],
    requests: {
      'openai-chat': {
        limitField: 'max_tokens',
        ownFields: ['cache_control'],
        drops: ['frequency_penalty'],
        effortAs: { member: 'enable_thinking', on: 'true', off: 'false' },
      },
    },
    capabilities: { thinkingOff: 'none', penalties: false },
    source: 'help.aliyun.com/en/model-studio/error-code, .../compatibility-of-openai-with-dashscope, 2026-06',
  },
  baseten: {
    origin: 'https://inference.baseten.co',
    prefixes: { 'openai-chat': '/v1' },
    requests: { 'openai-chat': { limitField: 'max_tokens' } },
    source: 'docs.baseten.co/inference/model-apis/overview, 2026-06',
  },
  cerebras: {
    origin: 'https://api.cerebras.ai',
    prefixes: { 'openai-chat': '/v1' },
    errors: [
      { statuses: [429], words: ['queue_exceeded'], meaning: 'overloaded' },
      { words: ['wrong_api_key'], meaning: 'credential' },
    ],
    requests: {
      'openai-chat': {
        limitField: 'max_completion_tokens',
        streamUsage: 'unasked',
        // The penalties and the bias are rejected; unverified for the rest.
        drops: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'store', 'metadata'],
        // History has thoughts in `reasoning` alone.
        messageDrops: ['reasoning_content', 'reasoning_details'],
      },
    },
    capabilities: { penalties: false },
    source: 'inference-docs.cerebras.ai/resources/openai, /support/error, 2026-06',
  },
  cohere: {
    origin: 'https://api.cohere.ai',
    prefixes: { 'openai-chat': '/compatibility/v1', 'openai-embeddings': '/compatibility/v1' },
    modelList: null,
    // 498 is a rejection of what was written or answered: unverified, docs.cohere.com/reference/errors.
    errors: [{ statuses: [498], meaning: 'content' }],
    onCancel: 'stops',
    requests: {
      'openai-chat': {
        limitField: 'max_tokens',
        streamUsage: 'unasked',
        drops: [...openaiOnly, 'n', 'logit_bias', 'top_logprobs', 'parallel_tool_calls'],
      },
    },
    capabilities: { efforts: ['high'], thinkingOff: 'none', parallelSwitch: false },
    source: 'docs.cohere.com/docs/compatibility-api, 2026-06',
  },
  deepinfra: {
    origin: 'https://api.deepinfra.com',
    prefixes: {
      'openai-chat': '/v1/openai',
      anthropic: '/anthropic/v1',
      'openai-embeddings': '/v1/openai',
    },
    onCancel: 'stops',
    requests: { 'openai-chat': { limitField: 'max_tokens', ownFields: ['reasoning'] } },
    capabilities: { thinkingOff: 'none' },
    source: 'deepinfra.com/docs/advanced/openai_api, 2026-06',
  },
  deepseek: {
    origin: 'https://api.deepseek.com',
    prefixes: { 'openai-chat': '', 'openai-responses': '', anthropic: '/anthropic/v1' },
    authentication: { anthropic: { header: 'x-api-key' } },
    errors: [{ statuses: [400], begins: ['content exists risk'], meaning: 'content' }],
    requestIdHeader: 'x-ds-trace-id',
    onCancel: 'stops',
    requests: {
      'openai-chat': {
        limitField: 'max_tokens',
        effortAs: { member: 'thinking', off: '{"type":"disabled"}' },
        // Models think by default and reject a history without their thoughts.
        reasoningHistory: { member: 'reasoning_content', on: 'always' },
      },
      // Seen in github.com/claude-code-best/claude-code/pull/420: letters, digits, `_` and `-`.
      anthropic: { userIdMax: 128 },
    },
    capabilities: {
      efforts: ['high', 'max'],
      thinkingOff: 'none',
      schemaOutput: false,
      schemaWithTools: false,
    },
    source:
      'api-docs.deepseek.com: quick_start/error_codes, guides/thinking_mode, guides/anthropic_api, 2026-06',
  },
  digitalocean: {
    origin: 'https://inference.do-ai.run',
    prefixes: { 'openai-chat': '/v1' },
    requests: { 'openai-chat': { limitField: 'max_completion_tokens' } },
    source: 'docs.digitalocean.com/products/gradient-ai-platform/how-to/use-serverless-inference, 2026-06',
  },
  fireworks: {
    origin: 'https://api.fireworks.ai',
    prefixes: {
      'openai-chat': '/inference/v1',
      'openai-responses': '/inference/v1',
      anthropic: '/inference/v1',
      'openai-embeddings': '/inference/v1',
    },
    // 412: the account is suspended; unverified.
    errors: [{ statuses: [412], meaning: 'billing' }],
    onCancel: 'stops',
    requests: {
      'openai-chat': {
        limitField: 'max_tokens',
        // Otherwise what is too long is cut without a word.
        adds: { context_length_exceeded_behavior: '"error"' },
      },
    },
    capabilities: { thinkingOff: 'none' },
    source: 'docs.fireworks.ai/guides/inference-error-codes, /tools-sdks/openai-compatibility, 2026-06',
  },
  groq: {
    origin: 'https://api.groq.com',
    // Responses is beta there and rejects members that its clients send.
    prefixes: { 'openai-chat': '/openai/v1' },
    errors: [
      { statuses: [498], meaning: 'overloaded' },
      { statuses: [413], words: ['rate_limit_exceeded'], meaning: 'larger_than_rate' },
    ],
    requests: {
      'openai-chat': {
        // Rejected in 2024 (github.com/vercel/ai/issues/1578), and its usage comes in `x_groq` unasked.
        streamUsage: 'unasked',
        drops: ['logprobs', 'top_logprobs', 'logit_bias', 'store', 'metadata'],
        messageDrops: ['name', 'reasoning_content', 'reasoning_details'],
      },
    },
    capabilities: { logprobs: false },
    source: 'console.groq.com/docs/openai, /errors, /reasoning, 2026-06',
  },
  huggingface: {
    origin: 'https://router.huggingface.co',
    prefixes: { 'openai-chat': '/v1' },
    requests: { 'openai-chat': { limitField: 'max_tokens' } },
    source: 'huggingface.co/docs/inference-providers, 2026-06',
  },
  inception: {
    origin: 'https://api.inceptionlabs.ai',
    prefixes: { 'openai-chat': '/v1' },
    requests: {
      'openai-chat': {
        limitField: 'max_tokens',
        // Inception has no value for no effort; `instant` is the fastest.
        words: { reasoning_effort: { none: 'instant' } },
      },
    },
    capabilities: { thinkingOff: 'none' },
    source: 'docs.inceptionlabs.ai/api-reference/chat, 2026-06',
  },
  minimax: {
    origin: 'https://api.minimax.io',
    // Messages separates reasoning, while Chat Completions writes it into the text.
    prefixes: { anthropic: '/anthropic/v1', 'openai-chat': '/v1' },
    modelList: '/v1/models',
    // Codes of `base_resp`, which comes with status 200; those that platform.minimax.io/docs does not explain are unverified.
    errors: [
      { words: ['1004', '2049'], meaning: 'credential' },
      { words: ['1008'], meaning: 'billing' },
      { words: ['1002', '1039', '2056'], meaning: 'rate' },
      { words: ['1001'], meaning: 'timeout' },
      { words: ['1000', '1013'], meaning: 'server' },
      { words: ['1026', '1027'], meaning: 'content' },
      { words: ['2013'], meaning: 'content' },
    ],
    requests: {
      'openai-chat': { limitField: 'max_tokens', drops: ['n'], adds: { reasoning_split: 'true' } },
    },
    capabilities: { temperatureMax: 1, topK: false, stopsMax: 0 },
    source: 'platform.minimax.io/docs/api-reference/text-anthropic-api, .../errorcode, 2026-06',
  },
  mistral: {
    origin: 'https://api.mistral.ai',
    prefixes: { 'openai-chat': '/v1', 'openai-embeddings': '/v1' },
    errors: [
      // The tier is at capacity for all callers: unverified.
      { statuses: [429], words: ['3505'], meaning: 'overloaded' },
    ],
    requests: {
      'openai-chat': {
        // Every member that it does not know is a 422: github.com/editor-code-assistant/eca/issues/231 (2026).
        limitField: 'max_tokens',
        streamUsage: 'unasked',
        renames: { seed: 'random_seed' },
        drops: [...openaiOnly, 'user', 'logprobs', 'top_logprobs', 'logit_bias'],
        messageDrops: ['name', 'reasoning_content', 'reasoning_details', 'refusal', 'audio', 'annotations'],
        words: { tool_choice: { required: 'any' } },
        toolIdLength: 9,
      },
    },
    capabilities: { efforts: ['high'], thinkingOff: 'none', logprobs: false },
    source: 'docs.mistral.ai/api, github.com/vercel/ai packages/mistral, 2026-08',
  },
  moonshot: {
    origin: 'https://api.moonshot.ai',
    prefixes: { 'openai-chat': '/v1', anthropic: '/anthropic/v1' },
    errors: [
      { words: ['exceeded_current_quota_error'], meaning: 'billing' },
      { words: ['engine_overloaded_error'], meaning: 'overloaded' },
      { statuses: [400], words: ['content_filter'], meaning: 'content' },
      { statuses: [403], meaning: 'billing' },
    ],
    requests: {
      'openai-chat': {
        limitField: 'max_tokens',
        effortAs: { member: 'thinking', on: '{"type":"enabled"}', off: '{"type":"disabled"}' },
        reasoningHistory: { member: 'reasoning_content', on: 'with_tools' },
      },
    },
    capabilities: { temperatureMax: 1, thinkingOff: 'none' },
    source: 'platform.kimi.ai/docs/api/chat, 2026-06',
  },
  nebius: {
    origin: 'https://api.tokenfactory.nebius.com',
    prefixes: { 'openai-chat': '/v1', 'openai-embeddings': '/v1' },
    requests: { 'openai-chat': { limitField: 'max_tokens' } },
    source: 'docs.tokenfactory.nebius.com/api-reference, 2026-06',
  },
  novita: {
    origin: 'https://api.novita.ai',
    // Messages is only for models whose row in the host's list includes it: not offered.
    prefixes: { 'openai-chat': '/openai/v1', 'openai-embeddings': '/openai/v1' },
    errors: [{ words: ['NOT_ENOUGH_BALANCE'], meaning: 'billing' }],
    onCancel: 'stops',
    requests: {
      'openai-chat': {
        limitField: 'max_tokens',
        effortAs: { member: 'enable_thinking', on: 'true', off: 'false' },
      },
    },
    capabilities: { thinkingOff: 'none' },
    source: 'novita.ai/docs/guides/llm-api, 2026-06',
  },
  nvidia: {
    origin: 'https://integrate.api.nvidia.com',
    prefixes: { 'openai-chat': '/v1', 'openai-embeddings': '/v1' },
    requests: {
      'openai-chat': { limitField: 'max_tokens', drops: [...openaiOnly, 'parallel_tool_calls'] },
    },
    capabilities: { parallelSwitch: false },
    source: 'docs.api.nvidia.com/nim/reference, 2026-06',
  },
  openrouter: {
    origin: 'https://openrouter.ai',
    prefixes: {
      'openai-chat': '/api/v1',
      'openai-responses': '/api/v1',
      anthropic: '/api/v1',
      'openai-embeddings': '/api/v1',
    },
    errors: [
      // Running requests fill the budget: it recovers on its own.
      { statuses: [402], tellsWait: true, meaning: 'rate' },
      { statuses: [403], begins: ['key limit exceeded'], meaning: 'billing' },
      // Moderation and guardrails judge what the caller wrote.
      { statuses: [403], meaning: 'content' },
      { statuses: [400], words: ['model_not_found'], meaning: 'model_missing' },
      { words: ['provider_overloaded'], meaning: 'overloaded' },
      { words: ['provider_unavailable'], meaning: 'server' },
      { statuses: [524], meaning: 'timeout' },
    ],
    requestIdHeader: 'x-generation-id',
    // OpenRouter may choose a host that bills on (Bedrock, Google, Groq, Mistral), and the stream does not tell in time.
    onCancel: 'bills_on',
    // OpenAI's limit for IDs of tool calls applies behind it: github.com/openclaw/openclaw/pull/875.
    requests: {
      'openai-chat': { ownFields: ['cache_control', 'reasoning'], streamUsage: 'unasked', toolIdMax: 40 },
    },
    capabilities: { thinkingOff: 'none' },
    source: 'openrouter.ai/docs/api/reference: overview, errors-and-debugging, streaming, 2026-08',
  },
  ovh: {
    origin: 'https://oai.endpoints.kepler.ai.cloud.ovh.net',
    prefixes: { 'openai-chat': '/v1', 'openai-embeddings': '/v1' },
    requests: { 'openai-chat': { limitField: 'max_tokens' } },
    source: 'help.ovhcloud.com: AI Endpoints, capabilities, 2026-06',
  },
  perplexity: {
    origin: 'https://api.perplexity.ai',
    // Chat Completions ended there in September 2026.
    prefixes: { 'openai-responses': '/v1' },
    modelList: null,
    // No credit is a 401 as well: both are the operator's.
    source: 'docs.perplexity.ai/docs/agent-api, 2026-10',
  },
  scaleway: {
    origin: 'https://api.scaleway.ai',
    prefixes: { 'openai-chat': '/v1', 'openai-embeddings': '/v1' },
    requests: { 'openai-chat': { limitField: 'max_tokens' } },
    source: 'www.scaleway.com/en/docs/generative-apis/reference-content, 2026-06',
  },
  siliconflow: {
    origin: 'https://api.siliconflow.com',
    prefixes: { 'openai-chat': '/v1', 'openai-embeddings': '/v1' },
    errors: [
      { words: ['30001'], meaning: 'billing' },
      // A model is full: unverified.
      { words: ['50501', '50505'], meaning: 'overloaded' },
    ],
    requests: {
      'openai-chat': {
        limitField: 'max_tokens',
        effortAs: { member: 'enable_thinking', on: 'true', off: 'false' },
      },
    },
    capabilities: { thinkingOff: 'none' },
    source: 'docs.siliconflow.com/en/api-reference/chat-completions, 2026-06',
  },
  together: {
    origin: 'https://api.together.ai',
    // Messages is right for some models alone there: not offered.
    prefixes: { 'openai-chat': '/v1', 'openai-embeddings': '/v1' },
    errors: [{ statuses: [524], meaning: 'timeout' }],
    onCancel: 'stops',
    requests: { 'openai-chat': { limitField: 'max_tokens', ownFields: ['reasoning'] } },
    source: 'docs.together.ai/reference/chat-completions, /docs/error-codes, 2026-06',
  },
  xai: {
    origin: 'https://api.x.ai',
    prefixes: { 'openai-chat': '/v1', 'openai-responses': '/v1' },
    errors: [
      { statuses: [400], begins: ['incorrect api key'], meaning: 'credential' },
      { statuses: [403], begins: ['content violates usage guidelines'], meaning: 'content' },
      { statuses: [403], meaning: 'billing' },
    ],
    onCancel: 'stops',
    requests: {
      'openai-chat': {
        drops: ['presence_penalty', 'frequency_penalty'],
        messageDrops: ['name'],
      },
    },
    capabilities: { penalties: false, stopsMax: 0 },
    source: 'docs.x.ai/docs/guides/reasoning, /developers/cost-tracking, 2026-08',
  },
  zai: {
    origin: 'https://api.z.ai',
    // Responses is for keys of the coding plan alone: not offered.
    prefixes: { 'openai-chat': '/api/paas/v4', anthropic: '/api/anthropic/v1' },
    modelList: null,
    // Codes: docs.z.ai/api-reference/api-code; those other than 1113 are unverified.
    errors: [
      { words: ['1113', '1112', '1121'], meaning: 'billing' },
      { statuses: [434], meaning: 'credential' },
      { words: ['1302', '1303', '1308', '1309', '1310'], meaning: 'rate' },
      { words: ['1305'], meaning: 'overloaded' },
      { words: ['1301'], meaning: 'content' },
    ],
    requestIdHeader: 'x-log-id',
    requests: {
      'openai-chat': {
        limitField: 'max_tokens',
        words: { tool_choice: { required: 'auto' } },
        effortAs: { member: 'thinking', on: '{"type":"enabled"}', off: '{"type":"disabled"}' },
      },
      anthropic: { userIdMax: 128 },
    },
    capabilities: { temperatureMax: 1, thinkingOff: 'none' },
    source: 'docs.z.ai/api-reference/llm/chat-completion, /api-reference/api-code, 2026-06',
  },
}
