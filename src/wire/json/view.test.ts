/** A view reads values, reports their positions, and names the position of a value with the wrong type. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WireError } from '../format.ts'
import { readJson } from './json.ts'
import { View } from './view.ts'

const limits = { depthMax: 64, valuesMax: 1_000_000 }
const encoder = new TextEncoder()

function over<Result>(text: string, read: (view: View) => Result): Result {
  return readJson(encoder.encode(text), limits, (json) => read(new View(json, json.root)))
}

/** The value as views tell it; names that occur twice as the last one. */
function rebuilt(view: View): unknown {
  switch (view.kind) {
    case 'object': {
      const members = view.members().map(([name, value]) => [name, rebuilt(value)] as const)
      return Object.fromEntries(members)
    }
    case 'array':
      return view.items().map(rebuilt)
    case 'string':
      return view.text()
    case 'number':
      return Number(view.numeral())
    case 'null':
      return null
    default:
      return view.flag()
  }
}

test('everything that is written is read', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
      assert.deepEqual(over(text, rebuilt), JSON.parse(text))
    }),
  )
})

test('a position is reported as by the scanner, at a constant cost', () => {
  const pointers = (view: View): string[] => {
    const inner = view.isList
      ? view.items()
      : view.kind === 'object'
        ? view.members().map(([, value]) => value)
        : []
    return [view.pointer, ...inner.flatMap(pointers)]
  }
  const scanned = (text: string) =>
    readJson(encoder.encode(text), limits, (json) => {
      const walk = (value: number): string[] => {
        const children = json.children(value)
        const values =
          json.kind(value) === 'object' ? children.filter((_, index) => index % 2 === 1) : children
        return [
          json.pointer(value),
          ...(['object', 'array'].includes(json.kind(value)) ? values : []).flatMap(walk),
        ]
      }
      return walk(json.root)
    })
  const long = JSON.stringify({ ['n'.repeat(100)]: [{ 'a.b': [1, [2]] }], '': { '': 1 } })
  for (const text of [long, '[[1],{"a":[]}]', '5']) assert.deepEqual(over(text, pointers), scanned(text))
  fc.assert(fc.property(fc.json(), (text) => assert.deepEqual(over(text, pointers), scanned(text))))
  const count = 200_000
  const last = over(`{"messages":[${'0,'.repeat(count)}0]}`, (view) => {
    const places = (view.get('messages')?.items() ?? []).map((item) => item.pointer)
    return places.at(-1)
  })
  assert.equal(last, `messages[${count}]`)
})

test('an absent member and null are nothing; of two the last counts; only objects have members', () => {
  const view = '{"a":1,"b":null,"a":2,"c":"x","\\u0064":3,"e":1,"e":null}'
  over(view, (whole) => {
    assert.equal(whole.get('a')?.numeral(), '2')
    assert.equal(whole.get('b'), undefined)
    assert.equal(whole.get('z'), undefined)
    assert.equal(whole.get('d')?.numeral(), '3')
    assert.equal(whole.get('e'), undefined)
    assert.equal(whole.get('c')?.get('a'), undefined)
    assert.equal(whole.members().length, 7)
    assert.equal(whole.members()[1]?.[1].isNull, true)
  })
  over('[1]', (list) => assert.equal(list.get('0'), undefined))
})

test('raw text is what was written, to the byte', () => {
  const schema = '{ "b" : 9007199254740993,\n"a":"\\u00e9" }'
  over(`{"x":${schema}}`, (view) => {
    const value = view.get('x')
    assert.equal(value?.raw.text, schema)
    assert.equal(value?.written, schema)
    assert.deepEqual(value?.span, { start: 5, end: 5 + encoder.encode(schema).length })
  })
})

const mistakes: readonly [text: string, read: (view: View) => unknown, expected: string][] = [
  [
    '{"a":[{"b":"x"}]}',
    (view) => view.get('a')?.items()[0]?.get('b')?.integer(0, 9),
    'a[0].b: must be a whole number from 0 to 9.',
  ],
  ['{"a":1.5}', (view) => view.get('a')?.integer(0, 9), 'a: must be a whole number from 0 to 9.'],
  ['{"a":10}', (view) => view.get('a')?.integer(0, 9), 'a: must be a whole number from 0 to 9.'],
  ['{"a":1}', (view) => view.get('a')?.text(), 'a: must be a string.'],
  ['{"a":"1"}', (view) => view.get('a')?.numeral(), 'a: must be a number.'],
  ['{"a":"true"}', (view) => view.get('a')?.flag(), 'a: must be true or false.'],
  ['{"a":{}}', (view) => view.get('a')?.items(), 'a: must be an array.'],
  ['{"a":[]}', (view) => view.get('a')?.members(), 'a: must be an object.'],
]

test('what is something else is an error that names its place', () => {
  for (const [text, read, expected] of mistakes) {
    assert.throws(
      () => over(text, read),
      (error) => error instanceof WireError && error.code === 'invalid_value' && error.message === expected,
      `${text}: ${expected}`,
    )
  }
  assert.equal(
    over('{"a":1024.0}', (view) => view.get('a')?.integer(0, 2_000)),
    1024,
  )
})
