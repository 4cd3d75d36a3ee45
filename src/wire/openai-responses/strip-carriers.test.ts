/** Our carriers in bodies that go to OpenAI: cut out, restored or ignored, and no other byte changed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { brokenRequestRules } from '../../../test/support/rules/openai-responses.ts'
import type { ReadLimits } from '../format.ts'
import { applyEdits } from '../json/json.ts'
import { carrierId, tagged } from '../translation/reasoning-carriers.ts'
import { stripCarriers } from './strip-carriers.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 100_000, integerMax: 1_000_000 }
const google = { vendor: 'google', data: 'c2VhbA==' } as const

const cut = (text: string) =>
  Buffer.concat(applyEdits(Buffer.from(text), stripCarriers(Buffer.from(text), limits))).toString()
const bodyOf = (...items: string[]) => `{ "model": "m", "input" : [ ${items.join(' , ')} ], "x": 1e2 }`

const marked = carrierId('call_1', { encrypted: google, thoughts: [] })
const long = carrierId('y'.repeat(80), { encrypted: google, thoughts: [] })
const call = (id: string) => `{"type":"function_call","call_id":"${id}","name":"f","arguments":"{}"}`
const output = (id: string) => `{ "type":"function_call_output","call_id": "${id}", "output":"O" }`
const reasoning = (content: string) => `{"type":"reasoning","summary":[],"encrypted_content":"${content}"}`
const user = '{"role":"user","content":"U"}'
const foreign = reasoning(tagged({ vendor: 'anthropic', data: 'sig' }))
const own = reasoning(tagged({ vendor: 'openai', data: 'rs_1.gAAA' }))
const bare = reasoning(tagged({ vendor: 'openai', data: '-' }))
const damaged = reasoning(`${tagged(google)}x`)

const rows: [name: string, items: string[], remaining: string[]][] = [
  ['ids in call and output', [user, call(marked), output(marked)], [user, call('call_1'), output('call_1')]],
  ["OpenAI's own thought", [user, own, call('c')], [user, reasoning('gAAA'), call('c')]],
  ['a thought of another vendor', [user, foreign, call(marked)], [user, call('call_1')]],
  ['the first item', [foreign, call('c')], [call('c')]],
  ['the first items', [foreign, bare, call('c')], [call('c')]],
  ['the last items', [user, foreign, damaged], [user]],
  [
    'items in a row',
    [user, foreign, damaged, bare, call('c'), foreign, output('c')],
    [user, call('c'), output('c')],
  ],
  ['every item', [foreign, bare], []],
  ['nothing of ours', [user, reasoning('gAAA'), call('tg1_x')], [user, reasoning('gAAA'), call('tg1_x')]],
]
for (const [name, items, remaining] of rows) {
  test(`cut: ${name}`, () => {
    const cleaned = cut(bodyOf(...items))
    assert.deepEqual(JSON.parse(cleaned), JSON.parse(bodyOf(...remaining)))
    if (remaining.length > 0) for (const item of remaining) assert.ok(cleaned.includes(item), item)
    assert.match(cleaned, /"x": 1e2 \}$/)
  })
}

test('a long id becomes the same short one in call and output', () => {
  const { input } = JSON.parse(cut(bodyOf(call(long), output(long)))) as { input: { call_id: string }[] }
  assert.equal(input[0]?.call_id, input[1]?.call_id)
  assert.match(input[0]?.call_id ?? '', /^call_\w{24}$/)
})

test('a body without a mark is not even read', () => {
  assert.deepEqual(stripCarriers(Buffer.from('{"no JSON'), limits), [])
  assert.deepEqual(stripCarriers(Buffer.from('{"model":"m","input":"tg1"}'), limits), [])
})

test('for any history, no carrier is left and the rest is unchanged', () => {
  const item = fc.constantFrom(user, foreign, own, bare, damaged)
  fc.assert(
    fc.property(fc.array(item, { maxLength: 12 }), (items) => {
      const cleaned = JSON.parse(cut(bodyOf(...items))) as { input: unknown[] }
      const remaining = items.flatMap((one) =>
        one === own ? [reasoning('gAAA')] : one === user ? [user] : [],
      )
      assert.deepEqual(
        cleaned.input,
        remaining.map((one) => JSON.parse(one) as unknown),
      )
      assert.ok(!brokenRequestRules(cleaned).includes('no mark of ours goes upstream'))
    }),
  )
})
