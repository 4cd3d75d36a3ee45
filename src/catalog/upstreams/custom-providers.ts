/**
 * Custom servers as providers: each has the upstream's name, and its models are named below it. Pure.
 */
import type { UpstreamDefinition } from '../definition.ts'
import type { ProviderFacts } from '../sources.ts'

type OwnProvider = Pick<UpstreamDefinition, 'name' | 'url' | 'custom'>

/** The known providers, plus one for each custom upstream. */
export function withCustomProviders(
  providers: readonly ProviderFacts[],
  upstreams: readonly OwnProvider[],
): readonly ProviderFacts[] {
  const own = upstreams.flatMap(customProvider)
  if (own.length === 0) return providers
  const names = new Set(own.map(({ provider }) => provider))
  return [...providers.filter(({ provider }) => !names.has(provider)), ...own]
}

function customProvider({ name, url, custom }: OwnProvider): readonly ProviderFacts[] {
  if (custom === undefined || url === null) return []
  const prefix = `${name}/`
  return [
    {
      provider: name,
      displayName: name,
      families: [prefix],
      namesModelsBelow: prefix,
      defaultOrigin: new URL(url).origin,
      formats: custom.formats,
    },
  ]
}

/** Error in the name of a custom upstream; undefined: none. */
export function customNameMistake(
  { name, custom }: Pick<UpstreamDefinition, 'name' | 'custom'>,
  providers: readonly ProviderFacts[],
): string | undefined {
  const taken = custom === undefined ? undefined : providers.find(({ provider }) => provider === name)
  return taken === undefined
    ? undefined
    : `${name} is the name of a provider, so an upstream of another kind needs another name`
}
