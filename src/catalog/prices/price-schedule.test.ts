/** Times of the week: which texts are valid, and which moments they contain, to the millisecond. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildPrices } from '../../../test/support/build-prices.ts'
import { priceAt, pricesOfWeek } from '../types.ts'
import { formatWindow, holdsAt, parseWindow, weekTimeText, windowChanges } from './price-schedule.ts'

/** Monday, 23 November 2026. */
const mondayMs = Date.UTC(2026, 10, 23)
const hourMs = 3_600_000
/** `Tue 01:00`, also with seconds and milliseconds. */
function at(day: number, text: string): number {
  return Date.parse(`2026-11-${23 + day}T${text.padEnd(5, '0')}${text.length > 5 ? '' : ':00'}Z`)
}

const texts: readonly (readonly [text: string, written: readonly string[]])[] = [
  ['Mon-Fri 01:00-04:00', ['Mon-Fri 01:00-04:00']],
  ['00:30-16:30', ['00:30-16:30']],
  ['Sun 22:00-02:00', ['Sun 22:00-02:00']],
  ['Sat-Mon 00:00-24:00', ['Sat-Mon 00:00-24:00']],
  ['Wed 23:59-00:00', ['Wed 23:59-24:00']],
  ['Mon-Sun 12:00-13:00', ['12:00-13:00']],
]

for (const [text, written] of texts) {
  test(`${text} is understood and written as ${written.join(', ')}`, () => {
    const window = parseWindow(text)
    assert.ok(window !== undefined)
    assert.deepEqual(formatWindow(window), written)
  })
}

for (const text of [
  '',
  '1:00-2:00',
  '01:00',
  '24:00-25:00',
  '01:00-01:00',
  'Montag 01:00-02:00',
  'mon 01:00-02:00',
  'Mon-Xyz 01:00-02:00',
  '01:60-02:00',
  '01:00-04:00 ',
]) {
  test(`not a time of the week: ${JSON.stringify(text)}`, () => assert.equal(parseWindow(text), undefined))
}

const edges: readonly (readonly [text: string, moment: number, holds: boolean])[] = [
  ['Mon-Fri 01:00-04:00', at(0, '00:59:59.999'), false],
  ['Mon-Fri 01:00-04:00', at(0, '01:00'), true],
  ['Mon-Fri 01:00-04:00', at(0, '03:59:59.999'), true],
  ['Mon-Fri 01:00-04:00', at(0, '04:00'), false],
  ['Mon-Fri 01:00-04:00', at(4, '02:00'), true],
  ['Mon-Fri 01:00-04:00', at(5, '02:00'), false],
  ['Mon-Fri 01:00-04:00', at(6, '02:00'), false],
  ['22:00-02:00', at(2, '21:59:59.999'), false],
  ['22:00-02:00', at(2, '22:00'), true],
  ['22:00-02:00', at(2, '23:59:59.999'), true],
  ['22:00-02:00', at(3, '00:00'), true],
  ['22:00-02:00', at(3, '01:59:59.999'), true],
  ['22:00-02:00', at(3, '02:00'), false],
  ['Sun 22:00-02:00', at(6, '22:00'), true],
  ['Sun 22:00-02:00', at(7, '01:59:59.999'), true],
  ['Sun 22:00-02:00', at(6, '01:00'), false],
  ['Sun 22:00-02:00', at(1, '01:00'), false],
  ['Wed 00:00-24:00', at(2, '00:00'), true],
  ['Wed 00:00-24:00', at(2, '23:59:59.999'), true],
  ['Wed 00:00-24:00', at(3, '00:00'), false],
  ['Thu 00:00-01:00', 0, true],
  ['Wed 23:00-00:00', -1, true],
]

for (const [text, moment, holds] of edges) {
  test(`${new Date(moment).toISOString()} is ${holds ? 'in' : 'not in'} ${text}`, () => {
    const window = parseWindow(text)
    assert.ok(window !== undefined)
    assert.equal(holdsAt([window], moment), holds)
  })
}

test('in a week each moment has the price that a minute by minute reading gives', () => {
  const definition = {
    input: '1',
    output: '2',
    schedule: [
      { times: ['Mon-Fri 01:00-04:00', 'Mon-Fri 06:00-10:00'], input: '2', output: '4' },
      { times: ['Sat-Sun 22:00-03:00'], input: '3', output: '6' },
    ],
  }
  const model = buildPrices([definition])
  for (let hour = 0; hour < 7 * 24; hour += 1) {
    const [day, of] = [Math.floor(hour / 24), hour % 24]
    const isPeak = day < 5 && ((of >= 1 && of < 4) || (of >= 6 && of < 10))
    const isNight = (day >= 5 && of >= 22) || ((day === 6 || day === 0) && of < 3)
    const wanted = isNight ? 3n : isPeak ? 2n : 1n
    const { rates } = priceAt(model, mondayMs + hour * hourMs)
    assert.equal(rates.input, wanted * 10n ** 9n, `day ${day}, ${of}:00`)
  }
})

test('a later price ends the schedule of an earlier one, and a schedule begins with its price', () => {
  const schedule = [{ times: ['00:00-24:00'], input: '9', output: '9' }]
  const model = buildPrices([
    { input: '1', output: '1' },
    { input: '2', output: '2', effectiveFrom: '2026-11-24', schedule },
    { input: '3', output: '3', effectiveFrom: '2026-11-25' },
  ])
  const inputs = [0, 1, 2].map((day) => priceAt(model, mondayMs + day * 24 * hourMs).rates.input)
  assert.deepEqual(
    inputs,
    [1n, 9n, 3n].map((usd) => usd * 10n ** 9n),
  )
  const week = pricesOfWeek(model, mondayMs + 24 * hourMs).map(({ rates }) => rates.input)
  assert.deepEqual(
    week,
    [2n, 9n].map((usd) => usd * 10n ** 9n),
  )
  assert.equal(pricesOfWeek(model, mondayMs).length, 1)
})

test('a markup from a moment on keeps the schedule of the price that is in force', () => {
  const schedule = [{ times: ['Mon-Fri 01:00-04:00'], input: '2', output: '2' }]
  const model = buildPrices([{ input: '1', output: '1', schedule }], {
    markup: '50%',
    markupFromMs: mondayMs,
  })
  assert.equal(model.prices.length, 2)
  assert.equal(priceAt(model, mondayMs).rates.input, 1_500_000_000n)
  assert.equal(priceAt(model, mondayMs + hourMs).rates.input, 3_000_000_000n)
})

test('prices without a schedule keep the text by which their version is known', () => {
  const [price] = buildPrices([{ input: '1', output: '2' }]).prices
  assert.ok(price !== undefined && !Object.hasOwn(price, 'schedule'))
})

for (const text of ['Mon-Fri 01:00-04:00', 'Sun 22:00-02:00', '00:30-16:30', 'Wed 23:59-00:00']) {
  test(`within a week, ${text} begins and ends at its changes and at no other minute`, () => {
    const window = parseWindow(text)
    assert.ok(window !== undefined)
    const startMs = at(2, '03:07:09')
    const changes = new Set(windowChanges([window], startMs))
    for (let minute = 1; minute <= 7 * 24 * 60; minute += 1) {
      const nowMs = Math.floor(startMs / 60_000) * 60_000 + minute * 60_000
      const isChange: boolean = holdsAt([window], nowMs) !== holdsAt([window], nowMs - 1)
      assert.equal(changes.has(nowMs), isChange, weekTimeText(nowMs))
    }
  })
}

test('a moment is written as its day and time of the week', () => {
  assert.deepEqual([at(0, '01:00'), at(6, '23:59:59')].map(weekTimeText), ['Mon 01:00', 'Sun 23:59'])
})
