/** Nesting is read from the bytes, ignoring the content of strings. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nestsDeeper } from './depth.ts'

const cases: readonly (readonly [json: string, depth: number])[] = [
  ['1', 0],
  ['[]', 1],
  ['{"a":[{}],"b":[]}', 3],
  ['{"a":"[[[["}', 1],
  ['["\\"[[[", "\\\\", []]', 2],
  ['["', 1],
  ['["\\', 1],
]

for (const [json, depth] of cases) {
  test(`${json} nests ${depth} deep`, () => {
    assert.equal(nestsDeeper(Buffer.from(json), depth), false)
    if (depth > 0) assert.equal(nestsDeeper(Buffer.from(json), depth - 1), true)
  })
}
