/** The client's address: forwarding headers of trusted proxies are used, clients' own are not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientAddressOf, proxyCheck } from './client-address.ts'

const trusted = ['10.0.0.0/8', '192.0.2.1', 'fd00::/8']

type Case = readonly [
  about: string,
  peer: string,
  client: string,
  xForwardedFor?: string | undefined,
  forwarded?: string,
]

const cases: readonly Case[] = [
  ['a stranger is itself', '203.0.113.5', '203.0.113.5'],
  [
    'an untrusted peer cannot claim another address',
    '203.0.113.5',
    '203.0.113.5',
    '198.51.100.7',
    'for=198.51.100.7',
  ],
  ['a proxy without a header is itself', '10.1.2.3', '10.1.2.3'],
  ['a proxy speaks for its client', '10.1.2.3', '203.0.113.5', '203.0.113.5'],
  [
    'what the client put in front is not believed',
    '10.1.2.3',
    '203.0.113.5',
    '198.51.100.7, 10.0.0.1, 203.0.113.5',
  ],
  [
    'proxies behind each other are passed by',
    '10.1.2.3',
    '203.0.113.5',
    '198.51.100.7, 203.0.113.5, 192.0.2.1, 10.9.9.9',
  ],
  ['a chain of proxies alone ends at the first', '10.1.2.3', '10.0.0.7', '10.0.0.7'],
  ['rubbish ends what is believed', '10.1.2.3', '10.1.2.3', '203.0.113.5, unknown'],
  ['an empty header says nothing', '10.1.2.3', '10.1.2.3', ''],
  ['a port is cut off', '10.1.2.3', '203.0.113.5', '203.0.113.5:4711'],
  ['an IPv6 address', 'fd00::1', '2001:db8::5', '2001:DB8::5'],
  ['an IPv4 peer on an IPv6 socket', '::ffff:10.1.2.3', '203.0.113.5', '203.0.113.5'],
  ['Forwarded', '10.1.2.3', '203.0.113.5', undefined, 'for=203.0.113.5;proto=https'],
  [
    'Forwarded with quotes, brackets and a port',
    '10.1.2.3',
    '2001:db8::5',
    undefined,
    'for=198.51.100.7, For="[2001:db8::5]:4711";by=10.1.2.3',
  ],
  ['a hidden client', '10.1.2.3', '10.1.2.3', undefined, 'for=_hidden'],
  ['an element without for', '10.1.2.3', '10.1.2.3', undefined, 'for=203.0.113.5, proto=https'],
  ['both headers that agree', '10.1.2.3', '203.0.113.5', '203.0.113.5', 'for=203.0.113.5'],
  ['both headers that differ: one is invented', '10.1.2.3', '10.1.2.3', '198.51.100.7', 'for=203.0.113.5'],
]

for (const [about, peer, client, xForwardedFor, forwarded] of cases) {
  test(about, () => assert.equal(clientAddressOf(trusted)({ peer, xForwardedFor, forwarded }), client))
}

test('without trusted proxies nothing is believed', () => {
  const arrival = { peer: '127.0.0.1', xForwardedFor: '203.0.113.5', forwarded: 'for=203.0.113.5' }
  assert.equal(clientAddressOf([])(arrival), '127.0.0.1')
})

test('a connection that is gone has no address', () => {
  assert.equal(
    clientAddressOf(trusted)({ peer: undefined, xForwardedFor: '1.2.3.4', forwarded: undefined }),
    '',
  )
})

test('a header of a thousand proxies is read from its end, and not whole', () => {
  const xForwardedFor = `198.51.100.7, ${Array.from({ length: 1_000 }, () => '10.0.0.1').join(', ')}`
  assert.equal(
    clientAddressOf(trusted)({ peer: '10.1.2.3', xForwardedFor, forwarded: undefined }),
    '10.0.0.1',
  )
})

test('connections of proxies that are listed, and of this machine, may be those of many', () => {
  const isProxy = proxyCheck(trusted)
  const proxies = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '::ffff:10.1.2.3', 'fd00::7']
  assert.deepEqual(proxies.filter(isProxy), proxies)
  assert.deepEqual(['127.0.0.2', '203.0.113.5', '2001:db8::1', ''].filter(isProxy), [])
})
