/** The scanner accepts what JSON.parse accepts and reads the same values from it; edits change nothing else. */
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { test } from 'node:test'
import fc from 'fast-check'
import { WireError } from '../format.ts'
import { applyEdits, type Json, type JsonLimits, readJson } from './json.ts'

const limits: JsonLimits = { depthMax: 64, valuesMax: 100_000 }
const encoder = new TextEncoder()

/** Rebuilds the value from the tape alone. */
function rebuilt(json: Json, value: number): unknown {
  switch (json.kind(value)) {
    case 'object': {
      const members = json.children(value)
      const entries = members.flatMap((member, index) =>
        index % 2 === 0 ? [[json.text(member), rebuilt(json, members[index + 1]!)]] : [],
      )
      return Object.fromEntries(entries) as unknown
    }
    case 'array':
      return json.children(value).map((element) => rebuilt(json, element))
    case 'string':
      return json.text(value)
    case 'number':
      return json.number(value)
    case 'null':
      return null
    default:
      return json.kind(value) === 'true'
  }
}

/** What reading gives, or the code of the error. */
function outcome(bytes: Uint8Array, within = limits): unknown {
  try {
    return { value: readJson(bytes, within, (json) => rebuilt(json, json.root)) }
  } catch (error) {
    assert.ok(error instanceof WireError, String(error))
    return error.code
  }
}

function expected(text: string): unknown {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return 'invalid_json'
  }
}

/** The same bytes at another alignment, with others around them. */
function shifted(bytes: Uint8Array, by: number): Uint8Array {
  const around = new Uint8Array(bytes.length + by + 9).fill(0x22)
  around.set(bytes, by)
  return around.subarray(by, by + bytes.length)
}

/** JSON as careless programs write it: spaces anywhere, escapes where none are needed. */
function written(value: unknown, choose: () => number): string {
  const space = () => ['', '', ' ', '\n', '\r\n\t '][choose() % 5]
  const string = (text: string) =>
    [...JSON.stringify(text)]
      .map((letter, index, all) =>
        index > 0 &&
        index < all.length - 1 &&
        /[a-z/]/i.test(letter) &&
        choose() % 7 === 0 &&
        all[index - 1] !== '\\'
          ? escaped(letter)
          : letter,
      )
      .join('')
  const escaped = (letter: string) =>
    letter === '/' ? '\\/' : `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  const body = (): string => {
    if (Array.isArray(value))
      return `[${value.map((element) => written(element, choose)).join(',')}${space()}]`
    if (typeof value === 'string') return string(value)
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const members = Object.entries(value).map(
      ([name, member]) => `${space()}${string(name)}${space()}:${written(member, choose)}`,
    )
    return `{${members.join(',')}${space()}}`
  }
  return `${space()}${body()}${space()}`
}

const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 })
const choosing = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state >> 8
  }
}

test('reads any JSON as JSON.parse does, at any alignment', () => {
  const values = fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' })
  fc.assert(
    fc.property(values, seeds, fc.nat(3), (value, seed, by) => {
      const text = written(value, choosing(seed))
      assert.deepEqual(outcome(shifted(encoder.encode(text), by)), expected(text))
    }),
    { numRuns: 500 },
  )
})

test('rejects any damaged JSON that JSON.parse rejects, and no other', () => {
  const values = fc.jsonValue({ maxDepth: 4 })
  const junk = fc.constantFrom(...'{}[]:,"\\u0e+-.tfn 19\u0000\u001f\t\n\uFEFFé')
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(3), junk), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(values, seeds, changes, (value, seed, all) => {
      const letters = [...written(value, choosing(seed))]
      for (const [place, removed, added] of all) letters.splice(place % (letters.length + 1), removed, added)
      const text = letters.join('')
      assert.deepEqual(outcome(encoder.encode(text)), expected(text))
    }),
    { numRuns: 2_000 },
  )
})

test('finds the end of long strings with any content', () => {
  const pieces = fc.array(
    fc.constantFrom(
      'a'.repeat(29),
      '\\n',
      '\\"',
      '\\\\',
      '\\u00e9',
      'é',
      '€',
      '😀',
      ' ',
      '/',
      '\u007f',
      '\u0001',
      '\n',
      '\\x',
    ),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(pieces, fc.nat(3), fc.nat(70), (all, by, pad) => {
      const text = `["${'x'.repeat(pad)}${all.join('')}","after"]`
      assert.deepEqual(outcome(shifted(encoder.encode(text), by)), expected(text))
    }),
    { numRuns: 1_000 },
  )
})

const invalid = [
  '',
  ' ',
  '{',
  '[',
  '"',
  '"\\',
  '"\\u12',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{,}',
  '[1,]',
  '[,1]',
  '[1 2]',
  '{"a":1 "b":2}',
  '{1:2}',
  "{'a':1}",
  '{"a":1}}',
  '[1]]',
  '[1}',
  '{"a":1]',
  '1 2',
  '01',
  '-',
  '-a',
  '1.',
  '.5',
  '+1',
  '1e',
  '1e+',
  '0x1',
  'NaN',
  'Infinity',
  'nul',
  'nulll',
  'True',
  '// a\n1',
  '/* a */1',
  '"a\tb"',
  '"a\u0000b"',
  '"\\x41"',
  '"\\u00zz"',
  '\uFEFF{}',
  '\u00a0{}',
  '{"a":1}\u0000',
]

test('rejects what RFC 8259 does not allow', () => {
  for (const text of invalid) {
    assert.equal(expected(text), 'invalid_json', JSON.stringify(text))
    assert.equal(outcome(encoder.encode(text)), 'invalid_json', JSON.stringify(text))
  }
})

test('stops at its limits, however large the body', () => {
  const cases: [name: string, text: string][] = [
    ['one level too many', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['ten thousand levels', '['.repeat(10_000)],
    ['millions of levels', '{"a":'.repeat(1_000_000)],
    ['a million tiny messages', `[${'{},'.repeat(1_000_000)}{}]`],
    ['one value too many', `[${'1,'.repeat(100_000)}1]`],
  ]
  for (const [name, text] of cases) assert.equal(outcome(encoder.encode(text)), 'invalid_json', name)
  assert.notEqual(outcome(encoder.encode(`${'['.repeat(64)}${']'.repeat(64)}`)), 'invalid_json')
  assert.notEqual(outcome(encoder.encode(`[${'1,'.repeat(99_998)}1]`)), 'invalid_json')
})

test('keeps what is odd and legal', () => {
  const lone = outcome(encoder.encode('["\\ud800","\\udc00\\ud800"]'))
  assert.deepEqual(lone, { value: ['\ud800', '\udc00\ud800'] })
  const polluting = readJson(encoder.encode('{"__proto__":{"a":1},"constructor":2}'), limits, (json) => [
    json.find(['__proto__', 'a']),
    json.find(['constructor']),
    json.find(['toString']),
  ])
  assert.deepEqual(polluting, [4, 6, -1])
  const numbers = readJson(encoder.encode('[1e400,-0,1e-400,9007199254740993]'), limits, (json) =>
    json.children(0).map((element) => json.number(element)),
  )
  assert.deepEqual(numbers, [Number.POSITIVE_INFINITY, -0, 0, 9007199254740992])
})

test('a scan inside another leaves the outer one whole', () => {
  const inner = encoder.encode('[1,[2,[3,{"a":4}]]]')
  const text = '{"outer":["b",{"c":[true,null]}]}'
  const value = readJson(encoder.encode(text), limits, (json) => {
    assert.deepEqual(outcome(inner), { value: [1, [2, [3, { a: 4 }]]] })
    return rebuilt(json, json.root)
  })
  assert.deepEqual(value, JSON.parse(text))
  assert.equal(outcome(encoder.encode('[')), 'invalid_json')
  assert.deepEqual(outcome(inner), { value: [1, [2, [3, { a: 4 }]]] })
})

test('names the place of any value so that it is found again', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const named = JSON.parse(JSON.stringify(value), (_name, inner: unknown) =>
        typeof inner === 'object' && inner !== null && !Array.isArray(inner)
          ? Object.fromEntries(Object.values(inner).map((member, index) => [`k${index}`, member as unknown]))
          : inner,
      ) as unknown
      readJson(encoder.encode(JSON.stringify(named)), limits, (json) => {
        const all = [json.root]
        for (const container of all) {
          const isObject = json.kind(container) === 'object'
          if (!isObject && json.kind(container) !== 'array') continue
          all.push(...json.children(container).filter((_, index) => !isObject || index % 2 === 1))
        }
        for (const found of all) {
          const path = json
            .pointer(found)
            .split(/[.[\]]+/)
            .filter((step) => step !== '')
          const steps = path.map((step) => (/^\d+$/.test(step) ? Number(step) : step))
          assert.equal(json.find(steps), found, json.pointer(found))
        }
      })
    }),
  )
})

test('edits change the bytes they name and no other', () => {
  const cuts = fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.string({ maxLength: 5 })), { maxLength: 6 })
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 0, maxLength: 200 }), cuts, (body, all) => {
      let at = 0
      const whole: number[] = []
      const edits = all.flatMap(([skipped, length, text]) => {
        const start = Math.min(body.length, at + skipped)
        const end = Math.min(body.length, start + length)
        whole.push(...body.subarray(at, start), ...encoder.encode(text))
        at = end
        return [{ start, end, text }]
      })
      whole.push(...body.subarray(at))
      assert.deepEqual(Buffer.concat(applyEdits(body, edits)), Buffer.from(whole))
    }),
  )
  const overlapping = [
    { start: 1, end: 4, text: '' },
    { start: 3, end: 5, text: '' },
  ]
  assert.throws(() => applyEdits(new Uint8Array(9), overlapping), RangeError)
  assert.throws(() => applyEdits(new Uint8Array(2), [{ start: 1, end: 3, text: '' }]), RangeError)
})

test('valid UTF-8 is the caller’s to check', () => {
  const broken = Uint8Array.of(0x22, 0xc0, 0xaf, 0x22)
  assert.equal(isUtf8(broken), false)
  assert.deepEqual(outcome(broken), { value: '\ufffd\ufffd' })
})
