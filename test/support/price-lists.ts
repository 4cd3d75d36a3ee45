/**
 * Price lists of the size and the shape of the published ones, with made-up models: LiteLLM's
 * model_prices_and_context_window.json had 2,985 models in 1.6 MB in 2026-07, models.dev's api.json some 4,500 in 2.4 MB.
 */
import { listNames } from '../../src/catalog/update/list-names-table.ts'

/** 2026-07, github.com/BerriAI/litellm. */
const litellmModels = 2_985
/** 2026-07, github.com/anomalyco/models.dev. */
const modelsDevModels = 4_500
const otherProviders = 100

/** A list of LiteLLM, indented as it is published. */
export function litellmList(own: Readonly<Record<string, object>> = {}): string {
  const known = Object.values(listNames).flatMap(({ litellm }) => litellm)
  const providers = [
    ...known,
    ...Array.from({ length: otherProviders }, (_, at) => ({
      provider: `other-${at}`,
      prefix: `other-${at}/`,
    })),
  ]
  const made = Array.from({ length: litellmModels - Object.keys(own).length }, (_, at) => {
    const { provider, prefix } = providers[at % providers.length] ?? { provider: 'other', prefix: '' }
    return [`${prefix}made-up-model-${at}`, litellmModel(provider, at)] as const
  })
  const sample = {
    litellm_provider: 'one of the providers',
    mode: 'one of the modes',
    input_cost_per_token: 0,
  }
  return JSON.stringify({ sample_spec: sample, ...own, ...Object.fromEntries(made) }, null, 4)
}

/** A model as LiteLLM writes it. */
export function litellmModel(provider: string, at = 1): object {
  return {
    ...(at % 3 === 0 ? { cache_creation_input_token_cost: 1.25e-6, cache_read_input_token_cost: 1e-7 } : {}),
    input_cost_per_token: 1e-6,
    ...(at % 9 === 0 ? { input_cost_per_token_above_200k_tokens: 2e-6 } : {}),
    litellm_provider: provider,
    max_input_tokens: 128_000,
    max_output_tokens: 16_384,
    max_tokens: 16_384,
    mode: at % 11 === 0 ? 'embedding' : 'chat',
    output_cost_per_token: 4e-6,
    source: 'https://pricing.example/models',
    supported_endpoints: ['/v1/chat/completions', '/v1/responses'],
    supports_function_calling: true,
    supports_pdf_input: at % 2 === 0,
    supports_prompt_caching: true,
    supports_system_messages: true,
    supports_tool_choice: true,
    supports_vision: at % 4 === 0,
  }
}

/** A list of models.dev, indented by two. */
export function modelsDevList(own: Readonly<Record<string, Readonly<Record<string, object>>>> = {}): string {
  const ids = [
    ...Object.values(listNames).flatMap(({ modelsDev }) => modelsDev),
    ...Array.from({ length: otherProviders }, (_, at) => `other-${at}`),
  ]
  const each = Math.floor(modelsDevModels / ids.length)
  const made = ids.map((id) => {
    const models = Object.fromEntries(
      Array.from({ length: each }, (_, at) => [`made-up-${at}`, modelsDevModel(`made-up-${at}`)]),
    )
    const facts = { id, env: [`${id.toUpperCase()}_API_KEY`], npm: '@ai-sdk/openai-compatible', name: id }
    return [id, { ...facts, doc: 'https://docs.example/models', models: { ...own[id], ...models } }] as const
  })
  return JSON.stringify(Object.fromEntries(made), null, 2)
}

/** A model as models.dev writes it. */
export function modelsDevModel(id: string, input = 1): object {
  return {
    id,
    name: `The model ${id}`,
    family: 'made-up',
    attachment: true,
    reasoning: true,
    tool_call: true,
    temperature: true,
    knowledge: '2026-01',
    release_date: '2026-05-01',
    last_updated: '2026-05-01',
    modalities: { input: ['text', 'image'], output: ['text'] },
    open_weights: false,
    limit: { context: 128_000, output: 16_384 },
    cost: { input, output: 4, cache_read: 0.1, cache_write: 1.25 },
  }
}
