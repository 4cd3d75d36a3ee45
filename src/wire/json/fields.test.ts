/** A field counts only if it is present once and spelled plainly; numbers are integers within their bounds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WireError } from '../format.ts'
import { absent, FieldReader, flag, isGiven, string, wholeNumber } from './fields.ts'
import { type Json, readJson } from './json.ts'

const fields = new FieldReader('model', 'max_tokens', 'stream')
const limits = { depthMax: 64, valuesMax: 250_000 }
const encoder = new TextEncoder()

function reading<Result>(text: string, read: (json: Json) => Result): Result | string {
  try {
    return readJson(encoder.encode(text), limits, read)
  } catch (error) {
    assert.ok(error instanceof WireError, String(error))
    return `${error.code} ${error.pointer}`
  }
}

/** The names that were found, or the error. */
const found = (text: string) =>
  reading(text, (json) => {
    const values = fields.read(json, json.root)
    return (['model', 'max_tokens', 'stream'] as const).filter((name) => values[name] !== absent).join(' ')
  })

const cases: [body: string, outcome: string][] = [
  ['{}', ''],
  ['[]', ''],
  ['"model"', ''],
  ['{"max_tokens":1,"model":"a"}', 'model max_tokens'],
  ['{"model":null}', 'model'],
  ['{"x":{"model":1,"Model":2}}', ''],
  ['{"model":1,"model":2}', 'ambiguous_field model'],
  ['{"model":1,"Model":2}', 'ambiguous_field Model'],
  ['{"Model":1}', 'ambiguous_field Model'],
  ['{"maxTokens":1}', 'ambiguous_field maxTokens'],
  ['{"MAX_TOKENS":1}', 'ambiguous_field MAX_TOKENS'],
  ['{"max__tokens_":1}', 'ambiguous_field max__tokens_'],
  ['{"m\\u006fdel":1}', 'ambiguous_field model'],
  ['{"\\u004dodel":1}', 'ambiguous_field Model'],
  ['{"\u017ftream":true}', 'ambiguous_field \u017ftream'],
  ['{"max_to\u212aens":1}', 'ambiguous_field max_to\u212aens'],
  ['{"other":1,"other":2}', 'ambiguous_field other'],
  ['{"fooBar":1,"foo_bar":2}', 'ambiguous_field foo_bar'],
  ['{"\\u0066oo":1,"foo":2}', 'ambiguous_field foo'],
  ['{"\\u0066oo":1,"bar":2}', ''],
  ['{"é":1,"É":2}', 'ambiguous_field É'],
  ['{"models":1,"model_":2}', 'ambiguous_field model_'],
  ['{"__proto__":1,"constructor":2,"toString":3}', ''],
]

test('a name that could be read in two ways is rejected', () => {
  for (const [body, outcome] of cases) assert.equal(found(body), outcome, body)
})

test('names are compared as strings are, folded, in objects of any size', () => {
  const names = fc.array(fc.string({ unit: fc.constantFrom('a', 'A', 'b', '_', 'ſ', 's'), maxLength: 4 }), {
    maxLength: 80,
  })
  const fold = (name: string) => name.toUpperCase().toLowerCase().replaceAll('_', '')
  fc.assert(
    fc.property(names, (all) => {
      const body = `{${all.map((name) => `${JSON.stringify(name)}:0`).join(',')}}`
      const isRepeated = new Set(all.map(fold)).size < all.length
      assert.equal(String(found(body)).startsWith('ambiguous_field'), isRepeated, body)
    }),
    { numRuns: 500 },
  )
})

test('names with equal hashes are not repetitions, and many of them do not take quadratic time', () => {
  // 32-bit FNV-1a gives both the same hash.
  assert.equal(found('{"costarring":1,"liquid":2}'), '')
  const many = Array.from({ length: 100_000 }, (_, index) => `"k${index}":0`).join(',')
  assert.equal(found(`{${many}}`), '')
  assert.equal(found(`{${many},"k7":1}`), 'ambiguous_field k7')
})

const bounds = { min: 1, max: 1_000_000 }
const numbers: [written: string, outcome: number | 'rejected'][] = [
  ['1', 1],
  ['1024', 1024],
  ['1024.0', 1024],
  ['1e3', 1000],
  ['1.5e1', 15],
  ['100E-2', 1],
  ['1000000', 1_000_000],
  ['0', 'rejected'],
  ['-0', 'rejected'],
  ['-1', 'rejected'],
  ['1.5', 'rejected'],
  ['1000001', 'rejected'],
  ['1e400', 'rejected'],
  ['9007199254740993', 'rejected'],
  ['9223372036854775808', 'rejected'],
  ['1e-400', 'rejected'],
  ['"5"', 'rejected'],
  ['true', 'rejected'],
  ['[5]', 'rejected'],
  ['{}', 'rejected'],
]

test('numbers that reach money are whole and within their bounds', () => {
  for (const [written, outcome] of numbers) {
    const read = reading(`{"n":${written}}`, (json) => wholeNumber(json, 2, bounds))
    assert.equal(read, outcome === 'rejected' ? 'invalid_value n' : outcome, written)
  }
})

test('no double becomes a number out of bounds', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.maxSafeInteger().map(Number), fc.nat(2_000_000)), (value) => {
      const written = JSON.stringify(value)
      const read = reading(`{"n":${written}}`, (json) => wholeNumber(json, 2, bounds))
      const isFine = Number.isInteger(value) && value >= 1 && value <= 1_000_000
      assert.equal(read, isFine ? value : 'invalid_value n', written)
    }),
    { numRuns: 2_000 },
  )
})

test('switches and strings are what they say or rejected', () => {
  const flags: [string, boolean | string][] = [
    ['true', true],
    ['false', false],
    ['null', false],
    ['1', 'invalid_value n'],
    ['"true"', 'invalid_value n'],
  ]
  for (const [written, outcome] of flags) {
    assert.equal(
      reading(`{"n":${written}}`, (json) => flag(json, 2)),
      outcome,
      written,
    )
  }
  assert.equal(
    reading('{}', (json) => flag(json, absent)),
    false,
  )
  assert.equal(
    reading('["a\\u0062"]', (json) => string(json, 1)),
    'ab',
  )
  assert.equal(
    reading('[5]', (json) => string(json, 1)),
    'invalid_value [0]',
  )
  assert.deepEqual(
    reading('[null,0]', (json) => [absent, 1, 2].map((value) => isGiven(json, value))),
    [false, false, true],
  )
})
