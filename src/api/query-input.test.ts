/** Texts of a URL become the values that an operation accepts, and nothing else does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { operations } from '../../contract/operations.ts'
import { TollgateError } from '../base/errors.ts'
import { fieldsOf, inputOfTexts, kindOf, type Texts } from './routes.ts'

const schema = z.strictObject({
  text: z.string().optional(),
  number: z.int().min(1).default(5),
  either: z.boolean().nullable().optional(),
  list: z.array(z.string()).default([]),
  many: z.array(z.string()).optional(),
})

const cases: readonly (readonly [texts: Texts, input: Readonly<Record<string, unknown>>])[] = [
  [{}, {}],
  [{ text: '7' }, { text: '7' }],
  [{ text: '' }, { text: '' }],
  [{ number: '7' }, { number: 7 }],
  [{ number: '-7' }, { number: -7 }],
  [{ number: '7.5' }, { number: '7.5' }],
  [{ number: '7e3' }, { number: '7e3' }],
  [{ number: '0x10' }, { number: '0x10' }],
  [{ number: '' }, { number: '' }],
  [{ number: '9'.repeat(16) }, { number: '9'.repeat(16) }],
  [{ either: 'true' }, { either: true }],
  [{ either: 'false' }, { either: false }],
  [{ either: '1' }, { either: '1' }],
  [{ either: 'True' }, { either: 'True' }],
  [{ list: 'a' }, { list: ['a'] }],
  [{ list: ['a', 'b'] }, { list: ['a', 'b'] }],
  [{ many: 'a,b' }, { many: ['a,b'] }],
  [{ unknown: '7' }, { unknown: '7' }],
  [{ text: undefined }, {}],
]

for (const [texts, input] of cases) {
  test(`${JSON.stringify(texts)} is ${JSON.stringify(input)}`, () => {
    assert.deepEqual(inputOfTexts(schema, texts), input)
  })
}

for (const texts of [{ text: ['a', 'b'] }, { number: ['1', '2'] }, { unknown: ['1', '2'] }]) {
  test(`${JSON.stringify(texts)} came twice`, () => {
    assert.throws(
      () => inputOfTexts(schema, texts),
      (error) => error instanceof TollgateError && error.code === 'invalid_value',
    )
  })
}

test('an input cannot reach the prototype of anything', () => {
  const input = inputOfTexts(schema, JSON.parse('{"__proto__":"x","constructor":"y"}') as Texts)
  assert.deepEqual(Object.keys(input), ['__proto__', 'constructor'])
  assert.equal(Object.getPrototypeOf(input), Object.prototype)
})

test('every value in a URL can be written as text', () => {
  for (const [name, { http, input }] of Object.entries(operations)) {
    if (http === null) continue
    const [method, path] = http
    for (const [field, type] of Object.entries(fieldsOf(input))) {
      if (method !== 'GET' && !path.includes(`{${field}}`)) continue
      assert.ok(type !== undefined)
      const kind = kindOf(type)
      assert.match(
        kind,
        /^(?:string|number|boolean|enum|union|literal|array)$/,
        `${name}: ${field} is ${kind}`,
      )
    }
    for (const [, field = ''] of path.matchAll(/\{(\w+)\}/g))
      assert.ok(Object.hasOwn(fieldsOf(input), field), name)
  }
})

test('what is only read is asked with GET, and only that', () => {
  for (const [name, { effect, http }] of Object.entries(operations)) {
    if (http !== null) assert.equal(http[0] === 'GET', effect === 'reads', name)
  }
})

test('no two operations are at one address', () => {
  const addresses = Object.values(operations).flatMap(({ http }) =>
    http === null ? [] : [http.join(' ').replaceAll(/\{\w+\}/g, '{}')],
  )
  assert.deepEqual(addresses.toSorted(), [...new Set(addresses)].toSorted())
})
