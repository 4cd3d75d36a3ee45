/** Bodies that are forwarded unchanged lose only our carriers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ReadLimits } from '../format.ts'
import { applyEdits } from '../json/json.ts'
import type { EncryptedReasoning } from '../translation/neutral.ts'
import { carrierId, plainId, tagged, taggedBase64, unencrypted } from '../translation/reasoning-carriers.ts'
import { stripCarriers } from './strip-carriers.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 100_000, integerMax: 1_000_000_000 }
const encoder = new TextEncoder()
const google: EncryptedReasoning = { vendor: 'google', data: 'R09PRw==' }
const claude: EncryptedReasoning = { vendor: 'anthropic', data: 'sig' }

function cut(body: string): string {
  const bytes = encoder.encode(body)
  return Buffer.concat(applyEdits(bytes, stripCarriers(bytes, limits))).toString()
}

const marked = carrierId('call_1', {
  encrypted: google,
  thoughts: [{ kind: 'thinking', text: 'hm', redacted: false, encrypted: claude }],
})
const long = carrierId('toolu_'.padEnd(60, 'x'), { encrypted: google, thoughts: [] })
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
    'a thought that nobody encrypted',
    `{"messages":[{"role":"assistant","content":"x","reasoning_content":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"${tagged(unencrypted)}"}]}]}`,
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
      const expected = isOurs ? names.filter((one) => !one.startsWith('reasoning_')) : names
      const [message] = JSON.parse(cut(body)).messages
      assert.deepEqual(Object.keys(message), expected)
    }),
    { numRuns: 300, verbose: 1 },
  )
})
