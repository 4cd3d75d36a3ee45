/**
 * Providers that accounts can store a key for: they take a plain API key at a fixed address. Clouds and servers
 * of operators are left out, as their addresses and credentials differ by customer. Pure.
 */
import { canonicalAddress } from '../catalog/upstream-address.ts'
import type { Connector } from '../providers/connector.ts'
import type { KeyProvider } from './types.ts'

/** Answers without a credential. */
const withoutCredential = 'sandbox'

/** `urls`: other addresses of the operator's choice, by provider. */
export function keyProviders(
  connectors: readonly Connector[],
  urls: Readonly<Record<string, string>>,
): readonly KeyProvider[] {
  return connectors.filter(takesPlainKeys).map((connector) => {
    const { provider, displayName, defaultOrigin } = connector
    const chosen = Object.hasOwn(urls, provider) ? urls[provider] : undefined
    return { provider, displayName, connector, url: canonicalAddress(chosen ?? defaultOrigin) }
  })
}

function takesPlainKeys({ provider, addressExample, credentialForms }: Connector): boolean {
  return provider !== withoutCredential && addressExample === undefined && credentialForms === undefined
}

/** Mistakes in the configured addresses, as sentences for the operator. */
export function keyUrlMistakes(
  connectors: readonly Connector[],
  urls: Readonly<Record<string, string>>,
): readonly string[] {
  const known = connectors.filter(takesPlainKeys).map(({ provider }) => provider)
  return Object.keys(urls)
    .filter((provider) => !known.includes(provider))
    .map((provider) => `providerKeys.urls: ${provider} must be one of ${known.join(', ')}.`)
}
