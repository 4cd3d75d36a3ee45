/** Periods of usage: where they begin and end, their steps, and that invalid URLs are harmless. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysOf, type RangeChoice, stepsOf, stretchOf } from './usage-range.ts'

const now = Date.parse('2026-11-21T07:30:00Z')
const choice = (part: Partial<RangeChoice>): RangeChoice => ({
  range: '30d',
  from: undefined,
  to: undefined,
  step: undefined,
  ...part,
})

for (const [name, chosen, from, to, step, count] of [
  ['today', choice({ range: 'today' }), '2026-11-21T00', undefined, 'hour', 8],
  ['7 days', choice({ range: '7d' }), '2026-11-15T00', undefined, 'day', 7],
  ['7 days by hour', choice({ range: '7d', step: 'hour' }), '2026-11-15T00', undefined, 'hour', 152],
  ['30 days', choice({}), '2026-10-23T00', undefined, 'day', 30],
  ['30 days are too long for hours', choice({ step: 'hour' }), '2026-10-23T00', undefined, 'day', 30],
  ['the month', choice({ range: 'month' }), '2026-11-01T00', undefined, 'day', 21],
  [
    'one day',
    choice({ range: 'custom', from: '2026-11-19', to: '2026-11-19' }),
    '2026-11-19T00',
    '2026-11-20T00',
    'hour',
    24,
  ],
  [
    'until today',
    choice({ range: 'custom', from: '2026-11-20', to: '2026-11-21' }),
    '2026-11-20T00',
    undefined,
    'hour',
    32,
  ],
  [
    'two years',
    choice({ range: 'custom', from: '2024-11-01', to: '2026-10-31' }),
    '2024-11-01T00',
    '2026-11-01T00',
    'month',
    24,
  ],
  [
    'backwards',
    choice({ range: 'custom', from: '2026-11-20', to: '2026-11-10' }),
    '2026-10-23T00',
    undefined,
    'day',
    30,
  ],
  [
    'no days',
    choice({ range: 'custom', from: 'x', to: '2026-99-99' }),
    '2026-10-23T00',
    undefined,
    'day',
    30,
  ],
  [
    'in the future',
    choice({ range: 'custom', from: '2027-01-01', to: '2027-01-02' }),
    '2026-10-23T00',
    undefined,
    'day',
    30,
  ],
] as const) {
  test(`${name} reaches from ${from} to ${to ?? 'now'} in ${count} steps`, () => {
    const stretch = stretchOf(chosen, now)
    assert.equal(stretch.from, `${from}:00:00.000Z`)
    assert.equal(stretch.to, to === undefined ? undefined : `${to}:00:00.000Z`)
    assert.equal(stretch.step, step)
    assert.equal(stepsOf(stretch, now).length, count)
  })
}

for (const [from, to, isRange] of [
  ['2026-11-21', '2026-11-21', true],
  ['2026-11-21', '2026-12-31', true],
  ['2026-11-22', '2026-12-31', false],
  ['2026-11-20', '2026-11-19', false],
  ['2000-01-01', '2026-11-20', true],
  ['0002-11-20', '2026-11-20', false],
  ['yesterday', '2026-11-20', false],
] as const) {
  test(`${from} to ${to} ${isRange ? 'is a range' : 'is said to be none'}`, () =>
    assert.equal(daysOf({ from, to }, now) !== undefined, isRange))
}

test('a stretch of many years stays within what can be drawn', () => {
  const stretch = stretchOf(choice({ range: 'custom', from: '0001-01-01', to: '2026-11-20' }), now)
  assert.ok(stepsOf(stretch, now).length <= 401)
})
