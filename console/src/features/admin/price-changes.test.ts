/** The changes of a new price, from the price history: every class, tier, option and fee, and nothing else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type UnsoldRate, unsoldRates } from '../../../../contract/meters.ts'
import { priceChanges, type Version, versionBefore } from './price-changes.ts'

const noUnsold = Object.fromEntries(unsoldRates.map((rate) => [rate, null])) as Record<UnsoldRate, null>
const first: Version = {
  id: 'prc_0000000000001',
  effectiveFrom: '1970-01-01T00:00:00.000Z',
  source: 'list',
  schedule: null,
  input: '1.00',
  output: '4.00',
  cacheRead: '0.10',
  cacheWrite5m: '1.25',
  cacheWrite1h: '2.00',
  ...noUnsold,
  tiers: [],
  options: { 'service_tier:flex': '0.5' },
  fees: { web_search: '0.01' },
}
const changesOf = (before: Version | undefined, after: Version): readonly string[] =>
  priceChanges(before, after).map(({ label, from, to }) => `${label}: ${from ?? '-'} > ${to ?? '-'}`)
const rates = { ...first, ...noUnsold }

test('the same price changes nothing, whatever its id and source are', () => {
  assert.deepEqual(changesOf(first, { ...first, id: 'prc_0000000000002', source: 'another' }), [])
})

test('every changed, added or removed class is listed', () => {
  const after = { ...first, cacheRead: '0.05', cacheWrite1h: '2.50', inputAudio: '10.00' }
  assert.deepEqual(changesOf(first, after), [
    'Cached input: 0.10 > 0.05',
    'Cache write, 1 hour: 2.00 > 2.50',
    'Audio in: - > 10.00',
  ])
  assert.deepEqual(changesOf(after, first).at(-1), 'Audio in: 10.00 > -')
})

test('tiers, options and fees are listed by name', () => {
  const tier = { ...rates, aboveInputTokens: 200_000, input: '2.00' }
  const after = { ...first, tiers: [tier], options: { 'service_tier:flex': '0.6' }, fees: {} }
  const changes = changesOf(first, after)
  assert.ok(changes.includes('Input, input over 200,000: - > 2.00'))
  assert.ok(changes.includes('service_tier:flex: 0.5 > 0.6'))
  assert.ok(changes.includes('web_search, per use: 0.01 > -'))
})

test('of the first price everything is new', () => {
  assert.equal(changesOf(undefined, first).length, 7)
})

test('a price for some times of the week is compared with the one whose place it takes, and so is the next price', () => {
  const night = { ...first, id: 'prc_0000000000002', schedule: ['22:00-02:00'] }
  const morning = { ...first, id: 'prc_0000000000003', schedule: ['06:00-08:00'] }
  const next = { ...first, id: 'prc_0000000000004' }
  const all = [first, night, morning, next]
  assert.deepEqual(
    all.map((version) => versionBefore(version, all)?.id),
    [undefined, first.id, first.id, first.id],
  )
})
