/** Addresses and the networks that they are counted in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf, networkScopes } from './network.ts'

const networks: readonly [address: string, network: string][] = [
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
]
for (const [address, network] of networks) {
  test(`the network of ${address} is ${network}`, () => assert.equal(networkOf(address), network))
}

test('a site is the /48 of an IPv6 address, and a single IPv4 address', () => {
  const sites = ['2001:db8:1:2::9', '192.0.2.7', '::ffff:192.0.2.7'].map(
    (address) => networkScopes(address).site,
  )
  assert.deepEqual(sites, ['2001:db8:1::/48', '192.0.2.7', '192.0.2.7'])
})
