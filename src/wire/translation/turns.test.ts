/** Turns of one speaker are joined without loss, and calls are found by their ids. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CallPart, ConversationPart, ConversationTurn, TextPart } from './neutral.ts'
import { callsById, joinedTurns, leadingSystemCount } from './turns.ts'

const text = (words: string): TextPart => ({ kind: 'text', text: words, cache: null, citations: [] })
const call = (id: string, name: string): CallPart => ({
  kind: 'call',
  id,
  name,
  namespace: null,
  form: 'json',
  input: '{}',
  encrypted: null,
  pointer: '',
})
const turn = (role: ConversationTurn['role'], ...parts: ConversationPart[]): ConversationTurn => ({
  role,
  parts,
})

test('adjacent turns of one role become one turn, and no part is lost or moved', () => {
  const turns = fc.array(
    fc.record({
      role: fc.constantFrom('system', 'user', 'assistant'),
      parts: fc.array(fc.string().map(text), { maxLength: 3 }),
    }),
  )
  fc.assert(
    fc.property(turns, (input) => {
      const before = JSON.stringify(input)
      const joined = joinedTurns(input)
      assert.equal(JSON.stringify(input), before)
      const texts = (all: readonly ConversationTurn[]) =>
        all.flatMap(({ role, parts }) => parts.map((part) => [role, part]))
      assert.deepEqual(texts(joined), texts(input))
      for (const [index, { role }] of joined.entries()) {
        assert.ok(role === 'system' || role !== joined[index - 1]?.role)
      }
      const systems = (all: readonly ConversationTurn[]) => all.filter(({ role }) => role === 'system').length
      assert.equal(systems(joined), systems(input), 'instructions stay apart')
    }),
  )
})

test('as many parts as a body can hold are joined', () => {
  const many = Array.from({ length: 300_000 }, () => text('x'))
  assert.equal(
    joinedTurns([turn('user', text('a')), { role: 'user', parts: many }])[0]?.parts.length,
    many.length + 1,
  )
})

test('of two calls with one id the later one counts', () => {
  const calls = callsById([
    turn('assistant', text('a'), call('1', 'first'), call('2', 'second')),
    turn('user', text('b')),
    turn('assistant', call('1', 'third')),
  ])
  assert.deepEqual([...calls.values()].map(({ name }) => name).sort(), ['second', 'third'])
  assert.equal(calls.get('1')?.name, 'third')
})

test('instructions are counted from the beginning alone', () => {
  const rows: readonly [roles: readonly ConversationTurn['role'][], count: number][] = [
    [[], 0],
    [['system'], 1],
    [['system', 'system', 'user', 'system'], 2],
    [['user', 'system'], 0],
  ]
  for (const [roles, count] of rows) assert.equal(leadingSystemCount(roles.map((role) => turn(role))), count)
})
