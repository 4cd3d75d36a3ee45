/** JSON of price lists: digits are preserved, repeated names are detected, and invalid JSON is rejected. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInTurns } from '../../base/steps.ts'
import { type ExactJson, exactJsonSteps, NumberText, RepeatedName } from './exact-json.ts'

async function read(text: string): Promise<unknown> {
  let turns = 0
  const yieldTurn = async () => {
    turns += 1
  }
  const steps = exactJsonSteps(text, { depthMax: 8, valuesMax: 100_002 })
  const result = await runInTurns(steps, { unitsPerTurn: 20, yieldTurn })
  if (result.kind === 'mistake') return result.message
  return { value: plain(result.value), turns }
}

function plain(value: ExactJson): unknown {
  if (value instanceof NumberText) return `#${value.digits}`
  if (value instanceof RepeatedName) return 'repeated'
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, inner]) => [name, plain(inner)]))
  return Array.isArray(value) ? value.map((inner: ExactJson) => plain(inner)) : value
}

test('values are what JSON.parse gives, with numbers as their digits', async () => {
  const text =
    ' {"a": [1, -0.5, 1.5e-07, 1E+3, true, null, "x\\u00e9\\n\\"", {}, []], "": {"__proto__": false}} '
  assert.deepEqual(await read(text), {
    value: {
      a: ['#1', '#-0.5', '#1.5e-07', '#1E+3', true, null, 'xé\n"', {}, []],
      '': Object.fromEntries([['__proto__', false]]),
    },
    turns: 0,
  })
  assert.deepEqual(await read('\ufeff3'), { value: '#3', turns: 0 })
})

test('a repeated name in an object is marked, whatever its values are', async () => {
  assert.deepEqual(await read('{"a":1,"b":2,"a":1,"a":3}'), { value: { a: 'repeated', b: '#2' }, turns: 0 })
})

const mistakes: readonly (readonly [text: string, message: string])[] = [
  ['', 'ends too early'],
  ['{"a":1', 'ends too early'],
  ['[1,]', 'unexpected "]" in line 1'],
  ['{"a":1,}', 'unexpected "}" in line 1'],
  ['[NaN]', 'unexpected "NaN]" in line 1'],
  ['[1]\n\n  x', 'unexpected "x" in line 3'],
  ['[01]', 'unexpected "1]" in line 1'],
  ['[.5]', 'unexpected ".5]" in line 1'],
  ['["a\nb"]', 'unexpected "\\"a" in line 1'],
  ['["\\x"]', 'unexpected "\\"\\\\x\\"]" in line 1'],
  ['[[[[[[[[[1]]]]]]]]]', 'nested deeper than 8 levels'],
  ['<!doctype html>', 'unexpected "<!doctype" in line 1'],
  ['][', 'unexpected "][" in line 1'],
  [`[${'0,'.repeat(100_002)}0]`, 'more than 100002 values'],
  [`["${'x'.repeat(70_000)}"]`, 'a value has more than 65536 characters'],
  [`[${' '.repeat(70_000)}]`, 'a value has more than 65536 characters'],
  [`${'[1]\n'.repeat(1)}${'\n'.repeat(60_000)}x`, 'unexpected "x" in line 60002'],
]

for (const [text, message] of mistakes) {
  test(`rejected: ${JSON.stringify(text).slice(0, 40)}`, async () => assert.equal(await read(text), message))
}

test('a large list is read in slices, so that requests get their turn', async () => {
  const text = JSON.stringify(Array.from({ length: 50_000 }, (_, index) => ({ index })))
  const { turns, value } = (await read(text)) as { turns: number; value: readonly unknown[] }
  assert.equal(value.length, 50_000)
  assert.ok(turns >= Math.floor(text.length / (20 * 300)), String(turns))
})
