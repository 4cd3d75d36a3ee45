/**
 * The names of our providers in price lists. models.dev: github.com/anomalyco/models.dev, folder providers; LiteLLM:
 * `litellm_provider` in github.com/BerriAI/litellm, model_prices_and_context_window.json; both read 2026-11-23.
 */

export interface ListNames {
  /** The provider's IDs in models.dev. */
  readonly modelsDev: readonly string[]
  /** The provider's names in LiteLLM. */
  readonly litellm: readonly LitellmNames[]
  /** The reason why token prices are incomplete; such prices are not taken from lists. */
  readonly priceDependsOn?: string
  /** Names in models.dev that have another model's price. */
  readonly mispricedInModelsDev?: RegExp
  /** Names that end with a colon and a number, which is a part of the name here and chooses something elsewhere. */
  readonly hasColonVersions?: true
  /** Listed names to skip: not a callable model at one price. */
  readonly leftOut?: RegExp
}

export interface LitellmNames {
  /** The value of `litellm_provider`. */
  readonly provider: string
  /** Prefix of the provider's names in LiteLLM, used for no others. */
  readonly prefix: string
  /** LiteLLM has the names with capitals, the provider's models here do not. */
  readonly isLowerCased?: true
}

const litellm = (provider: string, prefix = `${provider}/`) => [{ provider, prefix }]

/** On Vertex AI the name of a vendor is a part of LiteLLM's provider, and the prefix is the same. */
const vertexVendors = ['anthropic', 'deepseek', 'llama', 'minimax', 'moonshot', 'openai', 'qwen', 'zai']

export const listNames: Readonly<Record<string, ListNames>> = {
  alibaba: { modelsDev: ['alibaba'], litellm: litellm('dashscope') },
  anthropic: { modelsDev: ['anthropic'], litellm: litellm('anthropic') },
  azure: {
    modelsDev: ['azure'],
    litellm: [
      { provider: 'azure', prefix: 'azure/' },
      { provider: 'azure_ai', prefix: 'azure_ai/', isLowerCased: true },
    ],
    // Same as in scripts/host-models.js; in LiteLLM a name with a slash is a region's price, one with a date a version's.
    leftOut: /^model[-_]router$|embed|^gpt-(?:3\.?5|4)(?:$|-)|\/|-\d{4}-\d{2}-\d{2}$/,
  },
  baseten: { modelsDev: ['baseten'], litellm: litellm('baseten') },
  // LiteLLM's `bedrock_mantle` is another host of AWS, and some of its prices differ.
  bedrock: {
    modelsDev: ['amazon-bedrock'],
    litellm: [
      { provider: 'bedrock_converse', prefix: '' },
      { provider: 'bedrock', prefix: 'bedrock/' },
    ],
    hasColonVersions: true,
    // Regions cost a tenth more than the global name, whose price they have: see scripts/host-models.js.
    mispricedInModelsDev:
      /^(?!global\.)(?:[a-z]+\.)?anthropic\.claude-(?!(?:opus-4-1|sonnet-4|opus-4|3[-.\w]*)-\d{8}|3)/,
    // Video, a name without its maker, and in LiteLLM the prices of regions, which have a slash.
    leftOut: /^(?:[a-z-]+\.)?twelvelabs\.|^claude-|[/@]/,
  },
  cerebras: { modelsDev: ['cerebras'], litellm: litellm('cerebras') },
  cohere: { modelsDev: ['cohere'], litellm: litellm('cohere_chat') },
  deepinfra: { modelsDev: ['deepinfra'], litellm: litellm('deepinfra') },
  deepseek: { modelsDev: ['deepseek'], litellm: litellm('deepseek') },
  digitalocean: { modelsDev: ['digitalocean'], litellm: litellm('gradient_ai') },
  fireworks: { modelsDev: ['fireworks-ai'], litellm: litellm('fireworks_ai') },
  google: { modelsDev: ['google'], litellm: litellm('gemini') },
  groq: { modelsDev: ['groq'], litellm: litellm('groq') },
  huggingface: {
    modelsDev: ['huggingface'],
    litellm: [],
    priceDependsOn: 'on the inference provider that serves it',
  },
  inception: { modelsDev: ['inception'], litellm: [] },
  minimax: { modelsDev: ['minimax'], litellm: litellm('minimax') },
  mistral: { modelsDev: ['mistral'], litellm: litellm('mistral') },
  moonshot: { modelsDev: ['moonshotai'], litellm: litellm('moonshot') },
  nebius: { modelsDev: ['nebius'], litellm: litellm('nebius') },
  novita: { modelsDev: ['novita-ai'], litellm: litellm('novita') },
  nvidia: { modelsDev: ['nvidia'], litellm: litellm('nvidia_nim') },
  openai: { modelsDev: ['openai'], litellm: litellm('openai') },
  openrouter: { modelsDev: ['openrouter'], litellm: litellm('openrouter') },
  ovh: { modelsDev: ['ovhcloud'], litellm: litellm('ovhcloud') },
  perplexity: {
    modelsDev: ['perplexity'],
    litellm: litellm('perplexity'),
    priceDependsOn: 'on fees per request',
  },
  scaleway: { modelsDev: ['scaleway'], litellm: litellm('scaleway') },
  siliconflow: { modelsDev: ['siliconflow'], litellm: [] },
  together: { modelsDev: ['togetherai'], litellm: litellm('together_ai') },
  vertex: {
    modelsDev: ['google-vertex', 'google-vertex-anthropic'],
    litellm: [
      { provider: 'vertex_ai', prefix: 'vertex_ai/' },
      { provider: 'vertex_ai-language-models', prefix: 'vertex_ai/' },
      ...vertexVendors.map((vendor) => ({ provider: `vertex_ai-${vendor}_models`, prefix: 'vertex_ai/' })),
    ],
    // Same as in scripts/host-models.js, and Claude without its version, which is listed with one as well.
    leftOut: /embedding|[-@]latest$|-customtools$|^claude-[^@]*$|^medlm-|-tts$/,
  },
  xai: { modelsDev: ['xai'], litellm: litellm('xai') },
  zai: { modelsDev: ['zai'], litellm: litellm('zai') },
}
