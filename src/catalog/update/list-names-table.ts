/**
 * The names of our providers in price lists. models.dev: github.com/anomalyco/models.dev, folder providers; LiteLLM:
 * `litellm_provider` in github.com/BerriAI/litellm, model_prices_and_context_window.json; both read 2026-11-23.
 */

export interface ListNames {
  /** The provider's id in models.dev. */
  readonly modelsDev: string
  /** The provider in LiteLLM, and what its names begin with there and nowhere else. */
  readonly litellm: { readonly provider: string; readonly prefix: string } | null
  /** Why tokens alone do not give its price; its prices are not taken from lists. */
  readonly priceDependsOn?: string
}

const litellm = (provider: string, prefix = `${provider}/`) => ({ provider, prefix })

export const listNames: Readonly<Record<string, ListNames>> = {
  alibaba: { modelsDev: 'alibaba', litellm: litellm('dashscope') },
  anthropic: { modelsDev: 'anthropic', litellm: litellm('anthropic') },
  baseten: { modelsDev: 'baseten', litellm: litellm('baseten') },
  cerebras: { modelsDev: 'cerebras', litellm: litellm('cerebras') },
  cohere: { modelsDev: 'cohere', litellm: litellm('cohere_chat') },
  deepinfra: { modelsDev: 'deepinfra', litellm: litellm('deepinfra') },
  deepseek: { modelsDev: 'deepseek', litellm: litellm('deepseek') },
  digitalocean: { modelsDev: 'digitalocean', litellm: litellm('gradient_ai') },
  fireworks: { modelsDev: 'fireworks-ai', litellm: litellm('fireworks_ai') },
  google: { modelsDev: 'google', litellm: litellm('gemini') },
  groq: { modelsDev: 'groq', litellm: litellm('groq') },
  huggingface: {
    modelsDev: 'huggingface',
    litellm: null,
    priceDependsOn: 'on the inference provider that serves it',
  },
  inception: { modelsDev: 'inception', litellm: null },
  minimax: { modelsDev: 'minimax', litellm: litellm('minimax') },
  mistral: { modelsDev: 'mistral', litellm: litellm('mistral') },
  moonshot: { modelsDev: 'moonshotai', litellm: litellm('moonshot') },
  nebius: { modelsDev: 'nebius', litellm: litellm('nebius') },
  novita: { modelsDev: 'novita-ai', litellm: litellm('novita') },
  nvidia: { modelsDev: 'nvidia', litellm: litellm('nvidia_nim') },
  openai: { modelsDev: 'openai', litellm: litellm('openai') },
  openrouter: { modelsDev: 'openrouter', litellm: litellm('openrouter') },
  ovh: { modelsDev: 'ovhcloud', litellm: litellm('ovhcloud') },
  perplexity: {
    modelsDev: 'perplexity',
    litellm: litellm('perplexity'),
    priceDependsOn: 'on fees per request',
  },
  scaleway: { modelsDev: 'scaleway', litellm: litellm('scaleway') },
  siliconflow: { modelsDev: 'siliconflow', litellm: null },
  together: { modelsDev: 'togetherai', litellm: litellm('together_ai') },
  xai: { modelsDev: 'xai', litellm: litellm('xai') },
  zai: { modelsDev: 'zai', litellm: litellm('zai') },
}
