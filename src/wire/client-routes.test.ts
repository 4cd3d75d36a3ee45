/** The routes of the formats do not contradict each other, so that a request has one format. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientFormats } from './formats.ts'

const all = Object.values(clientFormats).map(({ routes }) => routes)
const repeated = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index)

test('a path, a prefix, a model method and a header select one format', () => {
  assert.deepEqual(repeated(all.flatMap(({ paths }) => Object.keys(paths))), [])
  assert.deepEqual(repeated(all.flatMap(({ prefixes }) => prefixes)), [])
  assert.deepEqual(repeated(all.flatMap(({ modelMethods }) => Object.keys(modelMethods ?? {}))), [])
  assert.deepEqual(repeated(all.flatMap(({ ownHeader }) => ownHeader ?? [])), [])
})

test('the path that an error names is a path of the format', () => {
  for (const { guide, paths, modelMethods } of all) {
    const isPath = Object.hasOwn(paths, guide.example.replace(/^v1\//, ''))
    const isMethod = Object.hasOwn(modelMethods ?? {}, guide.example.split(':').at(-1) ?? '')
    assert.ok(isPath || isMethod, guide.example)
  }
})
