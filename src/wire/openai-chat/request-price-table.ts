/**
 * The fields of a chat request that can change what the provider charges, with the page each fact was
 * read from. Every other field is passed through and costs only its tokens.
 */
import { type PriceField, routerPriceFields } from '../price-fields.ts'

const reference =
  'https://developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create'
const pricing = 'https://developers.openai.com/api/docs/pricing'
const caching = 'https://developers.openai.com/api/docs/guides/prompt-caching'

export const chatPriceFields = {
  /** `fast` and `priority` are more expensive, `flex` is cheaper, `scale` is a contract; the response names the tier it ran at. */
  service_tier: {
    rule: 'values',
    name: 'service_tier',
    // The last is how Groq calls its default.
    free: ['auto', 'default', 'standard', 'on_demand'],
    source: reference,
  },
  /** Audio output has its own rates. */
  modalities: { rule: 'each', name: 'modality', free: ['text'], source: pricing },
  audio: {
    rule: 'option',
    name: 'modality:audio',
    source: 'https://developers.openai.com/api/docs/guides/audio',
  },
  /** Rejected tokens of the prediction are charged as output on top of what the limit allows. */
  prediction: {
    rule: 'option',
    name: 'prediction',
    source: 'https://developers.openai.com/api/docs/guides/predicted-outputs',
  },
  /**
   * A fee for each search, which the answer does not count: not a tool with uses, so that it is sold
   * only where a price row knows the option.
   */
  web_search_options: {
    rule: 'option',
    name: 'web_search_options',
    source: 'https://developers.openai.com/api/docs/guides/tools-web-search',
  },
  /** Lifetimes of cached prompts: the shortest is the default and in the price of cache writes. */
  prompt_cache_retention: { rule: 'free', source: caching },
  moderation: { rule: 'free', source: 'https://developers.openai.com/api/docs/guides/moderation' },
  store: { rule: 'free', source: reference },
  background: {
    rule: 'rejected',
    why: 'background requests are not supported in this format. Remove the field.',
    source: 'https://developers.openai.com/api/docs/guides/background',
  },
  previous_response_id: {
    rule: 'reference',
    source: 'https://developers.openai.com/api/docs/guides/conversation-state',
  },
  conversation: {
    rule: 'reference',
    source: 'https://developers.openai.com/api/docs/guides/conversation-state',
  },
  prompt: {
    rule: 'reference',
    source: 'https://developers.openai.com/api/reference/resources/responses/methods/create',
  },
  // Options of compatible hosts that search, choose another model, or answer later.
  search_parameters: {
    rule: 'option',
    name: 'search_parameters',
    source: 'https://docs.x.ai/docs/guides/live-search',
  },
  enable_search: {
    rule: 'option',
    name: 'enable_search',
    source: 'https://help.aliyun.com/zh/model-studio/use-qwen-by-calling-api',
  },
  ...routerPriceFields,
  data_sources: {
    rule: 'option',
    name: 'data_sources',
    source: 'https://learn.microsoft.com/azure/ai-foundry/openai/references/on-your-data',
  },
  deferred: {
    rule: 'rejected',
    why: 'deferred responses are not supported. Remove the field.',
    source: 'https://docs.x.ai/docs/guides/deferred-chat-completions',
  },
} as const satisfies Readonly<Record<string, PriceField>>

/** Price fields of `extra_body.google`, for compatible hosts. */
export const googleFields = {
  cached_content: { rule: 'reference', source: 'https://ai.google.dev/gemini-api/docs/openai' },
} as const satisfies Readonly<Record<string, PriceField>>

/** Price fields of `prompt_cache_options` and `prompt_cache_breakpoint`; `30m` does not change the price. */
export const cacheLifetime = {
  ttl: { rule: 'values', name: 'prompt_cache_ttl', free: ['30m'], source: caching },
} as const satisfies Readonly<Record<string, PriceField>>

/** Tools that the caller runs; every other type runs at the provider and is charged by use. */
export const callerTools: readonly string[] = ['function', 'custom']
