/**
 * The hosts that use formats of other vendors, by the name that operators and models use for them. How each is called is in
 * `src/providers/`. Data only: the configuration and the console read it.
 */

/** With the environment variable of the credential. */
export const hostVariables = {
  alibaba: { displayName: 'Alibaba Cloud', variable: 'DASHSCOPE_API_KEY' },
  baseten: { displayName: 'Baseten', variable: 'BASETEN_API_KEY' },
  cerebras: { displayName: 'Cerebras', variable: 'CEREBRAS_API_KEY' },
  cohere: { displayName: 'Cohere', variable: 'COHERE_API_KEY' },
  deepinfra: { displayName: 'DeepInfra', variable: 'DEEPINFRA_API_KEY' },
  deepseek: { displayName: 'DeepSeek', variable: 'DEEPSEEK_API_KEY' },
  digitalocean: { displayName: 'DigitalOcean', variable: 'DIGITALOCEAN_ACCESS_TOKEN' },
  fireworks: { displayName: 'Fireworks AI', variable: 'FIREWORKS_API_KEY' },
  groq: { displayName: 'Groq', variable: 'GROQ_API_KEY' },
  huggingface: { displayName: 'Hugging Face', variable: 'HF_TOKEN' },
  inception: { displayName: 'Inception', variable: 'INCEPTION_API_KEY' },
  minimax: { displayName: 'MiniMax', variable: 'MINIMAX_API_KEY' },
  mistral: { displayName: 'Mistral', variable: 'MISTRAL_API_KEY' },
  moonshot: { displayName: 'Moonshot AI', variable: 'MOONSHOT_API_KEY' },
  nebius: { displayName: 'Nebius', variable: 'NEBIUS_API_KEY' },
  novita: { displayName: 'Novita AI', variable: 'NOVITA_API_KEY' },
  nvidia: { displayName: 'NVIDIA', variable: 'NVIDIA_API_KEY' },
  openrouter: { displayName: 'OpenRouter', variable: 'OPENROUTER_API_KEY' },
  ovh: { displayName: 'OVHcloud', variable: 'OVHCLOUD_API_KEY' },
  perplexity: { displayName: 'Perplexity', variable: 'PERPLEXITY_API_KEY' },
  scaleway: { displayName: 'Scaleway', variable: 'SCALEWAY_API_KEY' },
  siliconflow: { displayName: 'SiliconFlow', variable: 'SILICONFLOW_API_KEY' },
  together: { displayName: 'Together AI', variable: 'TOGETHER_API_KEY' },
  xai: { displayName: 'xAI', variable: 'XAI_API_KEY' },
  zai: { displayName: 'Z.AI', variable: 'ZAI_API_KEY' },
} as const satisfies Readonly<Record<string, { readonly displayName: string; readonly variable: string }>>

export type HostName = keyof typeof hostVariables

/** Clouds have a URL for each customer; what one looks like. */
export const cloudHosts = {
  azure: { displayName: 'Azure', addressExample: 'https://my-resource.services.ai.azure.com' },
  bedrock: {
    displayName: 'Amazon Bedrock',
    addressExample: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  },
  vertex: {
    displayName: 'Google Vertex AI',
    addressExample: 'https://aiplatform.googleapis.com/v1/projects/my-project/locations/global',
  },
} as const satisfies Readonly<
  Record<string, { readonly displayName: string; readonly addressExample: string }>
>
