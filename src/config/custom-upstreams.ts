/** Items of the list `upstreams` that are servers of the operator's own, which no row of the table of hosts describes. */
import {
  type CustomHost,
  type CustomHostInput,
  customHostMistake,
  customHostOf,
  customHosts,
  isCustomHost,
} from '../../contract/custom-hosts.ts'
import type { UpstreamDefinition } from '../catalog/definition.ts'
import { canonicalAddress } from '../catalog/upstreams/upstream-address.ts'

interface UpstreamItem extends Pick<CustomHostInput, 'formats' | 'headers'> {
  readonly name: string
  readonly provider: string
  readonly url?: string | undefined
  readonly credential?: string | undefined
  readonly auth?: { readonly header: string } | undefined
}

interface FieldMistake {
  readonly field: string
  readonly message: string
}

/** Mistakes in the combination of an item's fields. */
export function upstreamMistakes(item: UpstreamItem): readonly FieldMistake[] {
  const custom = customOf(item)
  if (custom !== undefined) {
    const mistake = customHostMistake(custom)
    const noUrl = urlOf(item) === null ? [{ field: 'url', message: 'is missing' }] : []
    return mistake === undefined ? noUrl : [...noUrl, mistake]
  }
  const misplaced = (['auth', 'headers'] as const).filter((field) => item[field] !== undefined)
  return [
    ...(item.credential === undefined ? [{ field: 'credential', message: 'is missing' }] : []),
    ...misplaced.map((field) => ({ field, message: `cannot be set for the provider ${item.provider}` })),
  ]
}

/** The kind and URL of a server; an operator's own server is a separate provider. */
export function upstreamHost(
  item: UpstreamItem,
): Pick<UpstreamDefinition, 'name' | 'provider' | 'url' | 'credential' | 'custom' | 'formats'> {
  const { name, provider, credential = '', formats } = item
  const custom = customOf(item)
  const url = urlOf(item)
  return {
    ...{ name, credential, url: url === null ? null : canonicalAddress(url) },
    ...(custom === undefined
      ? { provider, ...(formats === undefined ? {} : { formats }) }
      : { provider: name, custom }),
  }
}

function customOf(item: UpstreamItem): CustomHost | undefined {
  const { provider, auth } = item
  return isCustomHost(provider) ? customHostOf(provider, { ...item, keyHeader: auth?.header }) : undefined
}

function urlOf({ provider, url }: UpstreamItem): string | null {
  return url ?? (isCustomHost(provider) ? customHosts[provider].url : null)
}
