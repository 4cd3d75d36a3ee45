/** Offers of provider keys: enabled models of the provider, under the names and formats of the key's address. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Offer, Upstream } from '../catalog/types.ts'
import { connectorOf } from '../providers/registry.ts'
import type { OwnModel } from './own-offers.ts'
import { ownRoute } from './own-offers.ts'
import type { KeyProvider, OwnKey, OwnKeyState, ProviderKeys } from './types.ts'

const account = 7n

function providerOf(name: string): KeyProvider {
  const connector = connectorOf(name)
  const { displayName, defaultOrigin: url } = connector
  return { provider: name, displayName, connector, url }
}

function keyOf(name: string, use: OwnKey['use'] = 'first'): OwnKey {
  const provider = providerOf(name)
  const upstream: Upstream = {
    ...{ name: `own:${name}`, provider: name, basePath: '', credential: 'a-key', weight: 1 },
    origin: provider.url,
    ownKey: { account, displayName: provider.displayName },
  }
  return { provider, use, upstream }
}

/** An offer of the operator. */
function offered(
  provider: string,
  upstreamModel: string,
  more: Partial<Offer> & { origin?: string } = {},
): Offer {
  const { origin = connectorOf(provider).defaultOrigin, ...offer } = more
  return {
    upstream: { name: provider, provider, origin, basePath: '', credential: 'operators', weight: 1 },
    ...{ upstreamModel, catalogName: upstreamModel, formats: ['openai-chat'], priority: 1, weight: 1 },
    ...offer,
  }
}

function routed(keys: readonly OwnKey[], model: OwnModel, state: OwnKeyState = 'usable') {
  const health = { state: () => state } as unknown as ProviderKeys['health']
  return ownRoute({ of: (asked) => (asked === account ? keys : []), health }, account, model)
}

const gpt = { provider: 'openai', upstreamModel: 'gpt-x' }

const names: readonly (readonly [what: string, key: string, model: OwnModel, name: string | null])[] = [
  ['its own address', 'openai', { ...gpt, offers: [offered('openai', 'gpt-x-2')] }, 'gpt-x-2'],
  [
    'a mirror with other names',
    'openai',
    {
      ...gpt,
      offers: [offered('openai', 'mirrored', { origin: 'https://mirror.example', catalogName: 'gpt-x' })],
    },
    'gpt-x',
  ],
  ['another cloud alone', 'openai', { ...gpt, offers: [offered('azure', 'my-deployment')] }, 'gpt-x'],
  [
    'a second host',
    'openrouter',
    { ...gpt, offers: [offered('openai', 'gpt-x'), offered('openrouter', 'openai/gpt-x')] },
    'openai/gpt-x',
  ],
  ['another provider', 'groq', { ...gpt, offers: [offered('openai', 'gpt-x')] }, null],
]

for (const [what, key, model, name] of names) {
  test(`a model with an offer at ${what}`, () => {
    assert.equal(routed([keyOf(key)], model)?.first[0]?.upstreamModel ?? null, name)
  })
}

test('another account has no keys', () => {
  const model = { ...gpt, offers: [offered('openai', 'gpt-x')] }
  const health = { state: () => 'usable' } as unknown as ProviderKeys['health']
  const keys = { of: (asked: bigint) => (asked === account ? [keyOf('openai')] : []), health }
  assert.equal(ownRoute(keys, account + 1n, model), undefined)
})

test('a key that cools down is last, and a rejected or unreadable one is not used', () => {
  const model = { ...gpt, offers: [offered('openai', 'gpt-x')] }
  const shape = (route: ReturnType<typeof routed>) => [
    route?.first.length,
    route?.last.length,
    route?.unusable.length,
    route?.isOnly,
  ]
  assert.deepEqual(shape(routed([keyOf('openai')], model)), [1, 0, 0, false])
  assert.deepEqual(shape(routed([keyOf('openai', 'only')], model, 'cooling')), [0, 1, 0, true])
  assert.deepEqual(shape(routed([keyOf('openai')], model, 'rejected')), [0, 0, 1, false])
  const unreadable = { ...keyOf('openai', 'only'), upstream: null }
  assert.deepEqual(shape(routed([unreadable], model)), [0, 0, 1, true])
})
