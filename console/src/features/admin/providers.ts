/** The providers that an upstream can have: vendors whose formats other hosts use too, and hosts with their own row. */
import { customHosts, isCustomHost } from '../../../../contract/custom-hosts.ts'

const vendors = { openai: 'OpenAI', anthropic: 'Anthropic', google: 'Google' } as const

/** Same as the server's table of hosts; a test compares them. */
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
  inception: 'Inception',
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

/** Example of a customer's URL; a test compares it with the server's table. */
const cloudAddresses: Readonly<Record<string, string>> = {
  azure: 'https://my-resource.services.ai.azure.com',
  bedrock: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  vertex: 'https://aiplatform.googleapis.com/v1/projects/my-project/locations/global',
}

/** undefined: the provider is not a cloud. */
export const cloudAddress = (name: string): string | undefined =>
  Object.hasOwn(clouds, name) ? cloudAddresses[name] : undefined

export const providers = { ...vendors, ...clouds, ...hosts } as const

const isProvider = (name: string): name is keyof typeof providers => Object.hasOwn(providers, name)

/** Whether its models' public names begin with its own. */
export const isHost = (name: string): boolean => Object.hasOwn(hosts, name) || Object.hasOwn(clouds, name)

/** The name of a provider as it is shown; its id if it is not in the table. */
export const providerName = (id: string): string =>
  isProvider(id)
    ? providers[id]
    : isCustomHost(id)
      ? customHosts[id].displayName
      : id === 'sandbox'
        ? 'Sandbox'
        : id

export interface ProviderGroup {
  readonly title: string
  readonly ids: readonly string[]
}

/** Most used providers, listed first. */
const popular: readonly string[] = [
  ...Object.keys(vendors),
  ...['openrouter', 'azure', 'bedrock', 'vertex', 'groq', 'deepseek'],
]

/** The groups from which an operator chooses. */
const providerGroups: readonly ProviderGroup[] = [
  { title: 'Popular', ids: popular },
  { title: 'More providers', ids: Object.keys(providers).filter((id) => !popular.includes(id)) },
  { title: 'Your own servers', ids: Object.keys(customHosts) },
]

/** The groups with the providers whose name or ID contains a text. */
export function matchingProviders(sought: string): readonly ProviderGroup[] {
  const text = sought.trim().toLowerCase()
  return providerGroups
    .map(({ title, ids }) => ({
      title,
      ids: ids.filter((id) => `${id} ${providerName(id)}`.toLowerCase().includes(text)),
    }))
    .filter(({ ids }) => ids.length > 0)
}

/** Initials as a provider's logo: `Hugging Face` → HF, `OpenAI` → OA, `vLLM` → vL. */
export function initials(name: string): string {
  const words = name.split(/[ .]+/).filter((word) => word !== '')
  const [first = '', second] = words
  if (second !== undefined) return `${first.charAt(0)}${second.charAt(0)}`.toUpperCase()
  const capital = /(?!^)[A-Z]/.exec(first)?.[0] ?? first.charAt(1)
  return `${first.charAt(0)}${capital}`
}

/** The hue of a provider's mark in degrees: neighbors in the table are far apart. */
export function hueOf(id: string): number {
  const place = [...Object.keys(providers), ...Object.keys(customHosts)].indexOf(id)
  return Math.round((place * 137.5) % 360)
}
