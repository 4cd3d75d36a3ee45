/** The client's address: forwarding headers of trusted proxies are used, clients' own are not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientAddressOf, proxyCheck } from './client-address.ts'

const trusted = ['10.0.0.0/8', '192.0.2.1', 'fd00::/8']

interface Case {
  readonly about: string
  readonly peer: string
  readonly xForwardedFor?: string
  readonly forwarded?: string
  readonly client: string
}

const cases: readonly Case[] = [
  { about: 'a stranger is itself', peer: '203.0.113.5', client: '203.0.113.5' },
  {
    about: 'an untrusted peer cannot claim another address',
    peer: '203.0.113.5',
    xForwardedFor: '198.51.100.7',
    forwarded: 'for=198.51.100.7',
    client: '203.0.113.5',
  },
  { about: 'a proxy without a header is itself', peer: '10.1.2.3', client: '10.1.2.3' },
  {
    about: 'a proxy speaks for its client',
    peer: '10.1.2.3',
    xForwardedFor: '203.0.113.5',
    client: '203.0.113.5',
  },
  {
    about: 'what the client put in front is not believed',
    peer: '10.1.2.3',
    xForwardedFor: '198.51.100.7, 10.0.0.1, 203.0.113.5',
    client: '203.0.113.5',
  },
  {
    about: 'proxies behind each other are passed by',
    peer: '10.1.2.3',
    xForwardedFor: '198.51.100.7, 203.0.113.5, 192.0.2.1, 10.9.9.9',
    client: '203.0.113.5',
  },
  {
    about: 'a chain of proxies alone ends at the first',
    peer: '10.1.2.3',
    xForwardedFor: '10.0.0.7',
    client: '10.0.0.7',
  },
  {
    about: 'rubbish ends what is believed',
    peer: '10.1.2.3',
    xForwardedFor: '203.0.113.5, unknown',
    client: '10.1.2.3',
  },
  { about: 'an empty header says nothing', peer: '10.1.2.3', xForwardedFor: '', client: '10.1.2.3' },
  { about: 'a port is cut off', peer: '10.1.2.3', xForwardedFor: '203.0.113.5:4711', client: '203.0.113.5' },
  { about: 'an IPv6 address', peer: 'fd00::1', xForwardedFor: '2001:DB8::5', client: '2001:db8::5' },
  {
    about: 'an IPv4 peer on an IPv6 socket',
    peer: '::ffff:10.1.2.3',
    xForwardedFor: '203.0.113.5',
    client: '203.0.113.5',
  },
  { about: 'Forwarded', peer: '10.1.2.3', forwarded: 'for=203.0.113.5;proto=https', client: '203.0.113.5' },
  {
    about: 'Forwarded with quotes, brackets and a port',
    peer: '10.1.2.3',
    forwarded: 'for=198.51.100.7, For="[2001:db8::5]:4711";by=10.1.2.3',
    client: '2001:db8::5',
  },
  { about: 'a hidden client', peer: '10.1.2.3', forwarded: 'for=_hidden', client: '10.1.2.3' },
  {
    about: 'an element without for',
    peer: '10.1.2.3',
    forwarded: 'for=203.0.113.5, proto=https',
    client: '10.1.2.3',
  },
  {
    about: 'both headers that agree',
    peer: '10.1.2.3',
    xForwardedFor: '203.0.113.5',
    forwarded: 'for=203.0.113.5',
    client: '203.0.113.5',
  },
  {
    about: 'both headers that differ: one is invented',
    peer: '10.1.2.3',
    xForwardedFor: '198.51.100.7',
    forwarded: 'for=203.0.113.5',
    client: '10.1.2.3',
  },
]

for (const { about, peer, xForwardedFor, forwarded, client } of cases) {
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
