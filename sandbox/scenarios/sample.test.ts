/** The arguments that the tool model generates for a schema. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleArguments } from './sample.ts'

const string = { type: 'string' }
const required = (property: object, root: object = {}): Record<string, unknown> => ({
  type: 'object',
  properties: { it: property },
  required: ['it'],
  ...root,
})

const cases: readonly (readonly [what: string, property: object, expected: unknown])[] = [
  ['text', string, 'sample'],
  ['a number', { type: 'number' }, 1],
  ['a number from 10', { type: 'integer', minimum: 10 }, 10],
  ['a number up to 0', { type: 'number', maximum: 0 }, 0],
  ['a truth', { type: 'boolean' }, true],
  ['nothing', { type: 'null' }, null],
  ['one of several types', { type: ['integer', 'null'] }, 1],
  ['one of several values', { enum: ['b', 'a'] }, 'b'],
  ['one value', { const: { x: 1 } }, { x: 1 }],
  ['a list', { type: 'array', items: string }, ['sample']],
  ['a list of anything', { type: 'array' }, []],
  ['an object inside', { properties: { a: string, b: string }, required: ['b'] }, { b: 'sample' }],
  ['a choice of schemas', { anyOf: [{ type: 'integer' }, string] }, 1],
  ['no schema', {}, 'sample'],
]

for (const [what, property, expected] of cases) {
  test(`sample of ${what}`, () => assert.deepEqual(sampleArguments(required(property)), { it: expected }))
}

test('references are followed', () => {
  const schema = required({ $ref: '#/$defs/city' }, { $defs: { city: { type: 'integer' } } })
  assert.deepEqual(sampleArguments(schema), { it: 1 })
})

test('optional properties are left out, required ones without a schema are text', () => {
  assert.deepEqual(sampleArguments({ properties: { a: string }, required: ['b'] }), { b: 'sample' })
  assert.deepEqual(sampleArguments({}), {})
})

test('a schema that holds itself many times ends', () => {
  const self = { $ref: '#' }
  const names = Array.from({ length: 50 }, (_, index) => `p${index}`)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, self])),
    required: names,
  }
  const values = JSON.stringify(sampleArguments(schema)).match(/null/g) ?? []
  assert.ok(values.length > 0 && values.length < 100_000)
})
