/** The providers that an upstream can have, for display: vendors whose formats other hosts use too, and the hosts of the contract. */
import { customHosts, isCustomHost } from '../../../../contract/custom-hosts.ts'
import { cloudHosts, hostVariables } from '../../../../contract/hosts.ts'

const vendors = { openai: 'OpenAI', anthropic: 'Anthropic', google: 'Google' } as const
const hosts: Readonly<Record<string, { readonly displayName: string; readonly addressExample?: string }>> = {
  ...cloudHosts,
  ...hostVariables,
}

/** Example of a customer's URL; undefined: the provider is not a cloud. */
export const cloudAddress = (name: string): string | undefined =>
  isHost(name) ? hosts[name]?.addressExample : undefined

/** Names by ID. */
export const providers: Readonly<Record<string, string>> = {
  ...vendors,
  ...Object.fromEntries(Object.entries(hosts).map(([id, { displayName }]) => [id, displayName])),
}

/** Whether its models' public names begin with its own. */
export const isHost = (name: string): boolean => Object.hasOwn(hosts, name)

/** The name of a provider as it is shown; its id if it is not in the table. */
export function providerName(id: string): string {
  if (Object.hasOwn(providers, id)) return providers[id] ?? id
  return isCustomHost(id) ? customHosts[id].displayName : id === 'sandbox' ? 'Sandbox' : id
}

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
