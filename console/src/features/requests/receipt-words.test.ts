/** Receipt labels of tokens and tools. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsText, type Receipt, usageLines, usageSum } from './receipt-words.ts'

const usage = {
  ...{ inputUncached: 0, cacheRead: 1_200, cacheWrite5m: 0, cacheWrite1h: 0, inputAudio: 0 },
  ...{ output: 3_000, outputAudio: 0, reasoning: 2_000 },
}

const receipt = {
  usage: { ...usage, fees: { web_search: 2 } },
  rates: { tokens: { cacheRead: '0.075', output: '4.50' }, fees: { web_search: '0.01' } },
  ranAt: [],
}

test('each used class and fee has a line with its rate and amount; input and output always have one', () => {
  const lines = usageLines(receipt).map(({ label, quantity, rate, unit, amount }) =>
    [label, quantity, rate, unit, amount].join(' '),
  )
  assert.deepEqual(lines, [
    'Input 0  / 1M ',
    'Read from cache 1200 0.075 / 1M 0.000090000',
    'Output 3000 4.50 / 1M 0.013500000',
    'Web search 2 0.01 each 0.020000000',
  ])
})

test('a line has no amount where a factor changes the rate or the price is not known', () => {
  const amounts = (changed: object) =>
    usageLines({ ...receipt, ...changed }).map(({ amount }) => amount ?? 'none')
  assert.deepEqual(amounts({ ranAt: ['service_tier:flex'] }), ['none', 'none', 'none', '0.020000000'])
  assert.deepEqual(amounts({ rates: null }), ['none', 'none', 'none', 'none'])
})

test('implausible counts have the labels of a receipt', () => {
  const counts = { output: 1_000_000_000, web_search: 1_000, constructor: 7 }
  assert.equal(countsText(counts), 'Output 1,000,000,000, Web search 1,000, Constructor 7')
})

test('a charge that is less than its lines is explained by the receipt', () => {
  const lines = usageLines(receipt)
  const cases = [
    [{ charged: '0.03359', held: '0.05' }, undefined],
    [{ charged: '0.033590001', held: '0.05' }, undefined],
    [{ charged: '0.03', held: '0.03' }, 'Above the reserved maximum, not charged'],
    [{ charged: '0.03', held: '0.05', writtenOff: '0.00359' }, 'Written off, not charged'],
    [{ charged: '0.03', held: '0.05', endReason: 'client_abort' }, 'Not delivered, not charged'],
  ] as const
  const plain = { writtenOff: '0.00', endReason: 'complete', ownKey: false }
  for (const [changed, reason] of cases) {
    const sum = usageSum({ ...plain, ...changed } as Receipt, lines)
    assert.equal(sum?.reason, reason)
    if (reason !== undefined) assert.deepEqual([sum?.total, sum?.uncharged], ['0.033590000', '0.003590000'])
  }
  // The fee for a request on a provider key is not what its lines cost.
  assert.equal(
    usageSum({ ...plain, charged: '0.01', held: '0.01', ownKey: true } as Receipt, lines),
    undefined,
  )
  assert.equal(
    usageSum({ ...plain, charged: '0.01', held: '0.01' } as Receipt, usageLines({ ...receipt, rates: null })),
    undefined,
  )
})
