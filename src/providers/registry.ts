/** Every provider that this program can speak to: an explicit list, found by name. */
import { assert } from '../base/assert.ts'
import { anthropic } from './anthropic.ts'
import type { Connector } from './connector.ts'
import { google } from './google.ts'
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
