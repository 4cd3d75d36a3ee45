/** What of a passed-through response does not reach the client, and that no other byte changes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutMembers, withoutMembersInEvents } from './left-out-members.ts'

const hidden = { hidesProvider: true, hasEmptyRole: false }
const written = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString()

const bodies: readonly [before: string, after: string][] = [
  ['{"id":"x", "provider": "Azure", "usage":{"a":1}}', '{"id":"x", "usage":{"a":1}}'],
  ['{"usage":{"cost":1,"a":1e2,"cost_details":{"b":2}}}', '{"usage":{"a":1e2}}'],
  ['{"usage":{"cost":{"total":1}}}', '{"usage":{}}'],
  ['{"usage":{"is_byok":true,"estimated_cost":1,"cost_in_usd_ticks":37,"n":1}}', '{"usage":{"n":1}}'],
  [
    '{"type":"message_start","message":{"provider":"Google","usage":{"cost":1,"n":2}}}',
    '{"type":"message_start","message":{"usage":{"n":2}}}',
  ],
  ['{"response":{"usage":{"n":2,"cost":0}}}', '{"response":{"usage":{"n":2}}}'],
  [
    '{"error":{"message":"no","metadata":{"provider_name":"Azure"}}}',
    '{"error":{"message":"no","metadata":{}}}',
  ],
  // What the model writes, and what tools return, stays.
  ['{"choices":[{"message":{"content":"{\\"provider\\":1}"}}],"output":[{"provider":"p","cost":1}]}', ''],
  ['{"provider":"Azure"', ''],
]

test('a hidden provider names neither itself nor its cost', () => {
  for (const [before, after] of bodies) {
    const expected = after === '' ? before : after
    assert.equal(written(withoutMembers(Buffer.from(before), hidden)), expected)
    const events = (data: string) => `: ping\r\n\r\nevent: x\r\ndata: ${data}\r\n\r\ndata:[DONE]\n\n`
    assert.equal(written(withoutMembersInEvents(Buffer.from(events(before)), hidden)), events(expected))
  }
})

test('an empty role is left out of each delta, and no other', () => {
  const deltas = (one: string, other: string) =>
    `data: {"choices":[{"index":0,"delta":{${one}}},{"index":1,"delta":{${other}}}],"role":""}\n\n`
  const leftOut = { hidesProvider: false, hasEmptyRole: true }
  const edited = (one: string, other: string) =>
    written(withoutMembersInEvents(Buffer.from(deltas(one, other)), leftOut))
  assert.equal(
    edited('"role":"","content":"a"', '"content":"b", "role": ""'),
    deltas('"content":"a"', '"content":"b"'),
  )
  assert.equal(edited('"role":"assistant"', '"role":""'), deltas('"role":"assistant"', ''))
})
