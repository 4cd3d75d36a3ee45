/** Schemas for Claude: unchanged if supported, otherwise rewritten with supported keywords. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RawJson } from '../json/text.ts'
import { inputSchema, isRecursive, isStrictSchema, outputSchema } from './encode-request-schema.ts'

const raw = (value: unknown) => new RawJson(JSON.stringify(value))
const closed = { additionalProperties: false }

const outputs: readonly [what: string, schema: unknown, expected: unknown][] = [
  [
    'constraints are told',
    { type: 'string', minLength: 1, maxLength: 5 },
    { type: 'string', description: '{minLength: 1, maxLength: 5}' },
  ],
  [
    'behind what is told already',
    { type: 'integer', description: 'How "many".', minimum: 0 },
    { type: 'integer', description: 'How "many".\n\n{minimum: 0}' },
  ],
  [
    'objects are closed',
    { type: 'object', properties: { a: { type: 'object', properties: {} } } },
    { type: 'object', properties: { a: { type: 'object', properties: {}, ...closed } }, ...closed },
  ],
  [
    'open objects too',
    { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    { type: 'object', properties: {}, description: '{additionalProperties: {"type":"string"}}', ...closed },
  ],
  [
    'all of one reference is that reference',
    {
      type: 'object',
      properties: { a: { allOf: [{ $ref: '#/$defs/x' }], description: 'A.' } },
      $defs: { x: { type: 'string' } },
    },
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/x', description: 'A.' } },
      $defs: { x: { type: 'string' } },
      ...closed,
    },
  ],
  [
    'one of is any of',
    { oneOf: [{ type: 'string' }, { type: 'null' }] },
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
  ],
  [
    'lists',
    { type: 'array', items: { type: 'number', multipleOf: 2 }, minItems: 3 },
    {
      type: 'array',
      items: { type: 'number', description: '{multipleOf: 2}' },
      description: '{minItems: 3}',
    },
  ],
  ['formats', { type: 'string', format: 'binary' }, { type: 'string', description: '{format: "binary"}' }],
  [
    'definitions',
    { $defs: { a: { type: 'string', pattern: 'x' } }, $ref: '#/$defs/a' },
    { $defs: { a: { type: 'string', description: '{pattern: "x"}' } }, $ref: '#/$defs/a' },
  ],
  ['the name of the draft is silent', { $schema: 'x', type: 'null' }, { type: 'null' }],
  [
    'objects or null',
    { type: ['object', 'null'], properties: {} },
    { type: ['object', 'null'], properties: {}, ...closed },
  ],
]

test('a keyword that cannot be enforced is added to the description', () => {
  for (const [what, schema, expected] of outputs) {
    const written = outputSchema(raw(schema))
    assert.deepEqual(JSON.parse(written.schema.text), expected, what)
    assert.ok(written.isChanged, what)
    // What was written once need not be written again.
    assert.equal(outputSchema(written.schema).isChanged, false, what)
  }
})

const unchanged = [
  '{ "type":"object", "properties": {"b":{"type":"string","format":"date"},"1":{"enum":[9007199254740993]}}, "required":["b"], "additionalProperties" : false }',
  '{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"null"},"minItems":1}]}',
]

test('a schema that can bind goes byte for byte', () => {
  for (const text of unchanged) {
    const { schema, isChanged } = outputSchema(new RawJson(text))
    assert.deepEqual([schema.text, isChanged], [text, false])
  }
  assert.equal(isStrictSchema(new RawJson(unchanged[0] ?? '')), true)
  assert.equal(isStrictSchema(new RawJson(unchanged[1] ?? '')), false, 'no object')
  assert.equal(outputSchema(new RawJson('true')).schema.text, 'true')
})

const inputs: readonly [what: string, schema: unknown, expected: unknown, isChanged: boolean][] = [
  ['nothing', {}, { type: 'object', properties: {} }, false],
  ['no type', { properties: { a: {} } }, { type: 'object', properties: { a: {} } }, false],
  [
    'another type',
    { type: ['object', 'null'], properties: { a: {} } },
    { type: 'object', properties: { a: {} } },
    true,
  ],
  ['no schema at all', true, { type: 'object', properties: {} }, true],
  [
    'alternatives',
    {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      anyOf: [
        { properties: { b: {}, a: {} }, required: ['b', 'c'] },
        { properties: { c: {} }, required: ['c'] },
      ],
    },
    { type: 'object', properties: { a: { type: 'string' }, b: {}, c: {} }, required: ['a', 'c'] },
    true,
  ],
  [
    'all of several',
    {
      allOf: [
        { properties: { a: {} }, required: ['a'] },
        { properties: { b: {} }, required: ['b'] },
      ],
      $defs: { x: {} },
    },
    { type: 'object', $defs: { x: {} }, properties: { a: {}, b: {} }, required: ['a', 'b'] },
    true,
  ],
]

test('tool input must be an object', () => {
  for (const [what, schema, expected, isChanged] of inputs) {
    const written = inputSchema(raw(schema))
    assert.deepEqual(JSON.parse(written.schema.text), expected, what)
    assert.equal(written.isChanged, isChanged, what)
  }
  const whole = '{ "type" : "object", "$schema":"x", "properties":{"__proto__":{}} }'
  assert.equal(inputSchema(new RawJson(whole)).schema.text, whole)
  const proto = inputSchema(new RawJson('{"properties":{"__proto__":{"type":"string"}},"2":1,"1":2}'))
  assert.equal(
    proto.schema.text,
    '{"type":"object","properties":{"__proto__":{"type":"string"}},"2":1,"1":2}',
  )
  assert.equal(inputSchema(null).schema.text, '{"type":"object","properties":{}}')
})

const refers = (to: string) => ({ type: 'object', properties: { next: { $ref: to } } })
const recursions: readonly [schema: unknown, isOne: boolean][] = [
  [refers('#'), true],
  [{ $ref: '#/$defs/a', $defs: { a: refers('#/$defs/a') } }, true],
  [{ $defs: { a: refers('#/$defs/b'), b: refers('#/$defs/a') } }, true],
  [{ definitions: { a: { anyOf: [{ type: 'null' }, { items: refers('#/definitions/a') }] } } }, true],
  [
    { $ref: '#/$defs/a', $defs: { a: refers('#/$defs/b'), b: { type: 'null' }, c: refers('#/$defs/b') } },
    false,
  ],
  [refers('https://example.com/schema'), false],
  [{ properties: { $ref: { type: 'string' } } }, false],
]

test('a schema that refers to itself is found', () => {
  for (const [schema, isOne] of recursions)
    assert.equal(isRecursive(raw(schema)), isOne, JSON.stringify(schema))
})
