/**
 * The hosts that use a format of another vendor, by the name that operators and models use for them, with the
 * environment variable of their credential. How each is called is in `hosts-table.ts`. Data only: the configuration reads it.
 */
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
