/** Billing labels: runway, preset amounts and the names of documents. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountPresets, daysLeftShort, daysLeftWords, invoiceName, runwayHint } from './billing-words.ts'

for (const [days, words, short] of [
  [0.4, 'less than a day', '<1 day'],
  [1.9, 'about a day', '~1 day'],
  [12.7, 'about 12 days', '~12 days'],
  [729.9, 'about 729 days', '~729 days'],
  [2_866, 'about 7 years', '~7 years'],
  [4_000, 'more than ten years', '>10 years'],
] as const) {
  test(`${days} days are ${words}`, () =>
    assert.deepEqual([daysLeftWords(days), daysLeftShort(days)], [words, short]))
}

test('a runway without enough history is a dash that says so', () =>
  assert.deepEqual([daysLeftShort(null), runwayHint(null)], ['–', 'Not enough history']))

for (const [minimum, maximum, presets] of [
  ['5.00', '500.00', ['5', '10', '25', '50', '100', '250']],
  ['5.50', '30.00', ['10', '25']],
  ['20.00', '60.00', ['25', '50']],
  ['1000.00', '2000.00', []],
] as const) {
  test(`from ${minimum} to ${maximum} there are ${presets.length} amounts to choose`, () =>
    assert.deepEqual(amountPresets(minimum, maximum), presets))
}

for (const [id, name] of [
  ['2026-11', 'Statement for November 2026'],
  ['2026-01', 'Statement for January 2026'],
  ['top_0000000000001', 'Payment receipt'],
] as const) {
  test(`${id} is called ${name}`, () => assert.equal(invoiceName(id), name))
}
