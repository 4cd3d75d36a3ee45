/**
 * Every provider that this program supports: an explicit list, found by name, and the servers that operators added, each
 * a separate provider.
 */
import type { CustomHost } from '../../contract/custom-hosts.ts'
import { assert } from '../base/assert.ts'
import { anthropic } from './anthropic.ts'
import type { Connector } from './connector.ts'
import { google } from './google.ts'
import { customConnector } from './hosts/custom-connector.ts'
import { hostConnectors } from './hosts/host-connector.ts'
import { openai } from './openai.ts'
import { sandbox } from './sandbox.ts'

export const connectors: readonly Connector[] = [openai, anthropic, google, sandbox, ...hostConnectors]

const byProvider = new Map(connectors.map((connector) => [connector.provider, connector]))

/** Throws for a name that is not in the list: the catalog admits no other. */
export function connectorOf(provider: string): Connector {
  const connector = byProvider.get(provider)
  assert(connector !== undefined, `no connector for the provider ${provider}`)
  return connector
}

/** An upstream as far as its connector depends on it. */
export interface ConnectedUpstream {
  readonly provider: string
  readonly custom?: CustomHost | undefined
}

/** The connector of an upstream, whether it is in the list or an operator's server. */
export function connectorOfUpstream({ provider, custom }: ConnectedUpstream): Connector {
  return custom === undefined ? connectorOf(provider) : customConnector(provider, custom)
}

/** Finds connectors by name, also those of the operators' servers, which come and go while the program runs. */
export function openConnectors(
  upstreams: () => readonly ConnectedUpstream[],
): (provider: string) => Connector {
  // A response in progress needs its connector after its upstream was removed, so none is forgotten.
  const customs = new Map<string, Connector>()
  let seen: readonly ConnectedUpstream[] = []
  return (provider) => {
    const known = byProvider.get(provider)
    if (known !== undefined) return known
    const present = upstreams()
    if (present !== seen) {
      seen = present
      for (const { provider: name, custom } of present)
        if (custom !== undefined) customs.set(name, customConnector(name, custom))
    }
    const connector = customs.get(provider)
    assert(connector !== undefined, `no connector for the provider ${provider}`)
    return connector
  }
}
