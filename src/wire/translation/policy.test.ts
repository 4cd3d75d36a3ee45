/** The policy decides each given field by its table, and unknown fields are dropped and reported. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WireError } from '../format.ts'
import { applyPolicy, type PolicyTable } from './policy.ts'

const table: PolicyTable = [
  { field: 'kept', to: { gemini: 'carried', anthropic: 'adapted' }, note: '', example: { kept: 1 } },
  {
    field: 'lost',
    to: { gemini: 'dropped', anthropic: 'rejected' },
    note: 'nothing like it',
    example: { lost: 1 },
  },
]
const fieldsOf = (...names: string[]) => names.map((name) => ({ name, pointer: `at.${name}` }))

test('what is carried or adapted needs no word, what is dropped is said, what is not known too', () => {
  assert.deepEqual(applyPolicy(table, fieldsOf('kept'), 'gemini'), [])
  assert.deepEqual(applyPolicy(table, fieldsOf('kept'), 'anthropic'), [])
  assert.deepEqual(applyPolicy(table, fieldsOf('lost', 'kept', 'new', '__proto__', 'toString'), 'gemini'), [
    { kind: 'dropped', field: 'at.lost', why: 'nothing like it' },
    { kind: 'dropped', field: 'at.new', why: 'unknown field' },
    { kind: 'dropped', field: 'at.__proto__', why: 'unknown field' },
    { kind: 'dropped', field: 'at.toString', why: 'unknown field' },
  ])
  assert.deepEqual(applyPolicy(table, fieldsOf('kept'), 'openai-chat'), [
    { kind: 'dropped', field: 'at.kept', why: '' },
  ])
})

test('what is rejected names its place and why', () => {
  assert.throws(
    () => applyPolicy(table, fieldsOf('kept', 'lost'), 'anthropic'),
    (error) =>
      error instanceof WireError &&
      error.code === 'untranslatable' &&
      error.pointer === 'at.lost' &&
      /^at\.lost: .*\(nothing like it\)\. Remove it/.test(error.message),
  )
})
