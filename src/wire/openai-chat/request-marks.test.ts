/** Bodies that go as they are lose our marks and nothing else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ReadLimits } from '../codec.ts'
import { applyEdits } from '../json.ts'
import { markedId, plainId, tagged, taggedBase64, unsealed } from '../marks.ts'
import type { Seal } from '../neutral.ts'
import { cutMarks } from './request-marks.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 100_000, integerMax: 1_000_000_000 }
const encoder = new TextEncoder()
const google: Seal = { maker: 'google', data: 'R09PRw==' }
const claude: Seal = { maker: 'anthropic', data: 'sig' }

function cut(body: string): string {
  const bytes = encoder.encode(body)
  return Buffer.concat(applyEdits(bytes, cutMarks(bytes, limits))).toString()
}

const marked = markedId('call_1', {
  seal: google,
  thoughts: [{ kind: 'thinking', text: 'hm', redacted: false, seal: claude }],
})
const long = markedId('toolu_'.padEnd(60, 'x'), { seal: google, thoughts: [] })
const detail = JSON.stringify([{ type: 'reasoning.text', text: 'hm', signature: tagged(claude) }])
const extra = (signature: string) => `{"google": {"thought_signature": "${signature}"}}`

const cases: readonly (readonly [why: string, body: string, expected: string])[] = [
  [
    'ids in call and result',
    `{"messages": [ {"role":"assistant","tool_calls":[ {"id" : "${marked}","type":"function"}]}, {"role":"tool","tool_call_id":"${marked}", "content":"x"} ]}`,
    `{"messages": [ {"role":"assistant","tool_calls":[ {"id" : "call_1","type":"function"}]}, {"role":"tool","tool_call_id":"call_1", "content":"x"} ]}`,
  ],
  [
    'a long id becomes the same short one',
    `{"messages":[{"tool_calls":[{"id":"${long}"}]},{"tool_call_id":"${long}"}]}`,
    `{"messages":[{"tool_calls":[{"id":"${plainId(long, 40)}"}]},{"tool_call_id":"${plainId(long, 40)}"}]}`,
  ],
  [
    'our fields, wherever they stand',
    `{"messages":[{"reasoning_details":${detail} , "reasoning_content":"hm","role":"assistant", "content":"x"},{"role":"assistant","content":"x", "reasoning_content" : "hm","reasoning_details":${detail}},{"reasoning_details":${detail}}]}`,
    `{"messages":[{"role":"assistant", "content":"x"},{"role":"assistant","content":"x"},{}]}`,
  ],
  [
    'a thought that nobody sealed',
    `{"messages":[{"role":"assistant","content":"x","reasoning_content":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"${tagged(unsealed)}"}]}]}`,
    '{"messages":[{"role":"assistant","content":"x"}]}',
  ],
  [
    'signatures beside our ids',
    `{"messages":[{"role":"assistant","reasoning_content":"hm","content":null,"tool_calls":[{"id":"${marked}","extra_content":${extra('R09PRw==')},"type":"function"}]}]}`,
    `{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function"}]}]}`,
  ],
  [
    'signatures that had no room in the id',
    `{"messages":[{"tool_calls":[{"id":"a","extra_content":${extra(taggedBase64(google))}},{"id":"b","extra_content":${extra('plain')}}]}]}`,
    `{"messages":[{"tool_calls":[{"id":"a"},{"id":"b","extra_content":${extra('plain')}}]}]}`,
  ],
]

test('marks are cut, and every other byte stays', () => {
  for (const [why, body, expected] of cases) assert.equal(cut(body), expected, why)
})

test('what another host wrote, and what only looks like a mark, is left alone', () => {
  for (const body of [
    '{"messages":[{"reasoning_content":"hm","reasoning_details":[{"signature":"x"}],"tool_calls":[{"id":"a","extra_content":{"google":{"thought_signature":"x"}}}]}]}',
    '{"messages":[{"role":"user","content":"_tg1_ tg1.anthropic. dGcxL"}]}',
    '{"messages":[{"tool_calls":[{"id":"tg1.x"}],"tool_call_id":7,"reasoning_details":"tg1."},7]}',
    '{"input":"_tg1_W"}',
    '{"messages":{"tool_call_id":"_tg1_W"}}',
  ]) {
    assert.equal(cut(body), body)
  }
})

test('members are removed with their commas in every order', () => {
  const name = fc.constantFrom('reasoning_details', 'reasoning_content', 'role', 'content', 'other')
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1 }), fc.constantFrom('', ' ', '\n  '), (names, space) => {
      const values: Readonly<Record<string, string>> = { reasoning_details: detail }
      const member = (one: string) => `${space}"${one}"${space}:${space}${values[one] ?? '"x"'}${space}`
      const body = `{"messages":[{${names.map(member).join(',')}}],"keep":"${tagged(claude)}"}`
      const isOurs = names.includes('reasoning_details')
      const left = isOurs ? names.filter((one) => !one.startsWith('reasoning_')) : names
      const [message] = JSON.parse(cut(body)).messages
      assert.deepEqual(Object.keys(message), left)
    }),
    { numRuns: 300, verbose: 1 },
  )
})
