/** The providers that an upstream can have: vendors whose formats other hosts use too, and hosts with their own row. */
const vendors = { openai: 'OpenAI', anthropic: 'Anthropic', google: 'Google' } as const

/** As the server's table of hosts has them; a test compares both. */
const hosts = {
  alibaba: 'Alibaba Cloud',
  baseten: 'Baseten',
  cerebras: 'Cerebras',
  cohere: 'Cohere',
  deepinfra: 'DeepInfra',
  deepseek: 'DeepSeek',
  digitalocean: 'DigitalOcean',
  fireworks: 'Fireworks AI',
  groq: 'Groq',
  huggingface: 'Hugging Face',
  minimax: 'MiniMax',
  mistral: 'Mistral',
  moonshot: 'Moonshot AI',
  nebius: 'Nebius',
  novita: 'Novita AI',
  nvidia: 'NVIDIA',
  openrouter: 'OpenRouter',
  ovh: 'OVHcloud',
  perplexity: 'Perplexity',
  scaleway: 'Scaleway',
  siliconflow: 'SiliconFlow',
  together: 'Together AI',
  xai: 'xAI',
  zai: 'Z.AI',
} as const

/** The same for clouds, where each customer has a separate URL. */
const clouds = {
  azure: 'Azure',
  bedrock: 'Amazon Bedrock',
  vertex: 'Google Vertex AI',
} as const

export const providers = { ...vendors, ...clouds, ...hosts } as const

export const isProvider = (name: string): name is keyof typeof providers => Object.hasOwn(providers, name)

/** The name of a provider as it is shown; its id if it is not in the table. */
export const providerName = (id: string): string =>
  isProvider(id) ? providers[id] : id === 'sandbox' ? 'Sandbox' : id

/** The same in the choice of a provider: other hosts can be reached as a vendor whose format they speak. */
export const providerChoice = (id: string): string =>
  Object.hasOwn(vendors, id) ? `${providerName(id)} or compatible` : providerName(id)
