/** The arguments that the tool model generates for a schema. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleArguments } from './sample.ts'

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
