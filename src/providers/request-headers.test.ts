/** Where the count of gateways is sent: to addresses that may be another gateway, and never to a provider's own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customHostOf } from '../../contract/custom-hosts.ts'
import { parseAddress } from '../catalog/upstream-address.ts'
import { connectors } from './registry.ts'
import { hopsOf, hopsTo } from './request-headers.ts'

test("a provider's own address and a cloud never get the count", () => {
  for (const connector of connectors) {
    const { origin } = parseAddress(connector.defaultOrigin)
    assert.equal(hopsTo(connector, { origin }, { 'x-tollgate-hops': '2' }), null, connector.provider)
  }
  for (const connector of connectors.filter(({ addressExample }) => addressExample !== undefined))
    assert.equal(hopsTo(connector, { origin: 'https://elsewhere.example' }, {}), null, connector.provider)
})

test('an address of the operator gets it, also where a well-known server usually is', () => {
  const [connector] = connectors
  assert.ok(connector !== undefined)
  assert.equal(hopsTo(connector, { origin: 'https://proxy.example' }, {}), 1)
  const custom = customHostOf('ollama', {})
  const { defaultOrigin: origin } = connector
  assert.equal(hopsTo(connector, { origin, custom }, { 'x-tollgate-hops': '1' }), 2)
})

test('the largest of several values counts, and what is not a count is ignored', () => {
  for (const [value, count] of [
    [undefined, 0],
    ['', 0],
    ['3', 3],
    ['1, 7', 7],
    [['2', '1'], 2],
    ['1e3', 0],
    ['99999999999', 0],
  ] as const) {
    assert.equal(hopsOf({ 'x-tollgate-hops': value as string | string[] | undefined }), count)
  }
})
