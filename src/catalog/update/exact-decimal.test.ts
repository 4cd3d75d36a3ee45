/** Prices as lists write them → USD per million tokens, digit for digit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatUsd } from '../../../contract/usd.ts'
import { NumberText, RepeatedName } from './exact-json.ts'
import { type PriceUnit, readRate, readWhole } from './list-fields.ts'

const cases: readonly (readonly [digits: string, unit: PriceUnit, is: string])[] = [
  ['1.5e-07', 'perToken', '0.15'],
  ['3e-06', 'perToken', '3.00'],
  ['0.00000025', 'perToken', '0.25'],
  ['1e-15', 'perToken', '0.000000001'],
  ['1.00E-5', 'perToken', '10.00'],
  ['0', 'perToken', '0.00'],
  ['-0.0', 'perToken', '0.00'],
  ['0.1', 'perMillionTokens', '0.10'],
  ['0.000000001', 'perMillionTokens', '0.000000001'],
  ['12', 'perMillionTokens', '12.00'],
  ['1.25e1', 'perMillionTokens', '12.50'],
  ['1.3499999999999998e-06', 'perToken', 'has more than nine decimals per million tokens'],
  ['1e-16', 'perToken', 'has more than nine decimals per million tokens'],
  ['0.0000000001', 'perMillionTokens', 'has more than nine decimals per million tokens'],
  ['-3e-06', 'perToken', 'is negative'],
  ['10000000', 'perMillionTokens', 'is too large'],
  ['1e99', 'perToken', 'is too large'],
  ['1e999999999', 'perToken', 'has more than nine decimals per million tokens'],
  [`0.${'1'.repeat(200)}`, 'perMillionTokens', 'has more than nine decimals per million tokens'],
]

for (const [digits, unit, is] of cases) {
  test(`${digits.slice(0, 30)} ${unit}: ${is}`, () => {
    const read = readRate(new NumberText(digits), unit)
    assert.equal(read.kind === 'rate' ? read.usd : read.reason, is)
  })
}

test('anything that is not a number is an error', () => {
  for (const value of ['3', null, true, []]) {
    assert.deepEqual(readRate(value, 'perToken'), { kind: 'mistake', reason: 'is not a number' })
  }
  assert.deepEqual(readRate(new RepeatedName(), 'perToken'), { kind: 'mistake', reason: 'is listed twice' })
})

test('every price to the nano-dollar survives being written per token with an exponent', () => {
  for (let step = 1n; step < 4_000n; step += 1n) {
    const nano = step * 7_919n * step
    const [first = '0', rest = ''] = [nano.toString().slice(0, 1), nano.toString().slice(1)]
    const digits = `${first}${rest === '' ? '' : `.${rest}`}e${nano.toString().length - 1 - 15}`
    const read = readRate(new NumberText(digits), 'perToken')
    assert.equal(read.kind === 'rate' ? read.usd : read.reason, formatUsd(nano), digits)
  }
})

test('whole numbers may be written as decimals', () => {
  const whole = (digits: string) => readWhole(new NumberText(digits))
  assert.deepEqual(['256000.0', '2e5', '0', '1.5', '-1', '1e30'].map(whole), [
    256_000,
    200_000,
    0,
    undefined,
    undefined,
    undefined,
  ])
})
