/** The calendar arithmetic agrees with the platform's calendar. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dateOf, dayMs, dayOf, firstDayOf, momentText, monthOf, weekOf } from './calendar.ts'

const anyMs = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2200, 0, 1) })

test('dates, months and their first days are those of the platform', () => {
  fc.assert(
    fc.property(anyMs, (ms) => {
      const platform = new Date(ms)
      const day = dayOf(ms)
      assert.deepEqual(dateOf(day), {
        year: platform.getUTCFullYear(),
        month: platform.getUTCMonth() + 1,
        day: platform.getUTCDate(),
      })
      const first = Date.UTC(platform.getUTCFullYear(), platform.getUTCMonth(), 1)
      assert.equal(firstDayOf(monthOf(day)) * dayMs, first)
    }),
    { numRuns: 2_000 },
  )
})

test('a week changes exactly when Monday begins', () => {
  fc.assert(
    fc.property(anyMs, (ms) => {
      const day = dayOf(ms)
      const isMonday = new Date(day * dayMs).getUTCDay() === 1
      assert.equal(weekOf(day) !== weekOf(day - 1), isMonday)
    }),
  )
})

test('a moment is written like the platform writes it, rounded up to the second', () => {
  fc.assert(
    fc.property(anyMs, (ms) => {
      const whole = Math.ceil(ms / 1_000) * 1_000
      assert.equal(momentText(ms), `${new Date(whole).toISOString().slice(0, 19)}Z`)
    }),
  )
})
