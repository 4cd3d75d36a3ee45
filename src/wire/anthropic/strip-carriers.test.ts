/** Our carriers are removed from a body on its way to Anthropic; every other byte stays. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { brokenRequestRules } from '../../../test/support/rules/anthropic.ts'
import type { ReadLimits } from '../format.ts'
import { applyEdits } from '../json/json.ts'
import { carrierId, tagged } from '../translation/reasoning-carriers.ts'
import { stripCarriers } from './strip-carriers.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 250_000, integerMax: 1_000_000_000 }
const encoder = new TextEncoder()

function cut(body: string): string {
  const bytes = encoder.encode(body)
  return Buffer.concat(applyEdits(bytes, stripCarriers(bytes, limits))).toString()
}

const google = tagged({ vendor: 'google', data: 'c2ln' })
const own = tagged({ vendor: 'anthropic', data: 'sig+/=' })
const id = carrierId('toolu_1', { encrypted: { vendor: 'google', data: 'c2ln' }, thoughts: [] })
const wrong = carrierId('a b', { encrypted: { vendor: 'google', data: 'c2ln' }, thoughts: [] })
const foreign = `{"type":"thinking","thinking":"","signature":"${google}"}`
const claudes = '{ "type":"thinking" , "thinking":"hm","signature":"EqQB" }'
const text = '{"type":"text","text":"x"}'
const use = (name: string) => `{"type":"tool_use","id":"${name}","name":"f","input":{"id":"${name}"}}`
const cited = (index: string) => `{"type":"web_search_result_location","encrypted_index":"${index}"}`
const bodyWith = (content: string) =>
  `{"model":"m", "messages":[{"role":"user","content":"tg1"},{"role":"assistant","content":${content}}]}`

const cases: readonly [what: string, before: string, after: string][] = [
  ['first', `[${foreign}, ${text}]`, `[${text}]`],
  ['last', `[${text} , ${foreign}]`, `[${text}]`],
  ['between', `[${claudes}, ${foreign} ,${foreign}, ${text}]`, `[${claudes}, ${text}]`],
  ['around', `[${foreign},${text},${foreign},${claudes},${foreign}]`, `[${text},${claudes}]`],
  ['alone', `[ ${foreign} ]`, '[{"type":"text","text":"..."}]'],
  ['all of them', `[${foreign},${foreign}]`, '[{"type":"text","text":"..."}]'],
  ['damaged', `[${foreign.replace('google.', 'google.x')},${text}]`, `[${text}]`],
  ['redacted', `[{"type":"redacted_thinking","data":"${google}"},${text}]`, `[${text}]`],
  ['its own', `[${claudes},${text}]`, `[${claudes},${text}]`],
  [
    'its own, tagged',
    `[{"type":"thinking","thinking":"","signature":"${own}"},${text}]`,
    `[{"type":"thinking","thinking":"","signature":"sig+/="},${text}]`,
  ],
  [
    'an id',
    `[${foreign},${use(id)}]`,
    `[{"type":"tool_use","id":"toolu_1","name":"f","input":{"id":"${id}"}}]`,
  ],
  [
    'a result',
    `[{"type":"tool_result","tool_use_id":"${id}","content":"${google}"}]`,
    `[{"type":"tool_result","tool_use_id":"toolu_1","content":"${google}"}]`,
  ],
  [
    'an id that was cut',
    `[${use(id.slice(0, -3))}]`,
    `[{"type":"tool_use","id":"toolu_1","name":"f","input":{"id":"${id.slice(0, -3)}"}}]`,
  ],
  [
    'a citation',
    `[{"type":"text","text":"x","citations":[${cited(google)}, ${cited('E')}]}]`,
    `[{"type":"text","text":"x","citations":[${cited('E')}]}]`,
  ],
  [
    'the only citation',
    `[{"type":"text","text":"x","citations": [${cited(google)}]}]`,
    '[{"type":"text","text":"x","citations": []}]',
  ],
  [
    'text that speaks of marks',
    `[{"type":"text","text":"${google} ${id}"}]`,
    `[{"type":"text","text":"${google} ${id}"}]`,
  ],
  ['a string', `"${id}"`, `"${id}"`],
]

test('marks go with their commas, and nothing else does', () => {
  for (const [what, before, after] of cases) assert.equal(cut(bodyWith(before)), bodyWith(after), what)
})

test('an id is as short in the call as in the result', () => {
  for (const marked of [
    id,
    wrong,
    carrierId('x'.repeat(90), { encrypted: { vendor: 'google', data: 'c2ln' }, thoughts: [] }),
  ]) {
    const result = `{"type":"tool_result","tool_use_id":"${marked}"}`
    const body = JSON.parse(cut(bodyWith(`[${use(marked)},${result}]`))) as {
      messages: { content: Record<string, string>[] }[]
    }
    const [call, answer] = body.messages[1]?.content ?? []
    assert.match(String(call?.id), /^[a-zA-Z0-9_-]{1,64}$/)
    assert.equal(call?.id, answer?.tool_use_id)
  }
})

test('what is left keeps the rules of the format', () => {
  const body = {
    model: 'm',
    max_tokens: 5,
    messages: [
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: [JSON.parse(foreign), JSON.parse(use(id))] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'seen' }] },
      { role: 'assistant', content: [JSON.parse(foreign)] },
      { role: 'user', content: 'More.' },
    ],
  }
  assert.notDeepEqual(brokenRequestRules(body), [])
  assert.deepEqual(brokenRequestRules(JSON.parse(cut(JSON.stringify(body)))), [])
})

test('a body without marks is not read, and none that was recorded is touched', () => {
  assert.deepEqual(stripCarriers(encoder.encode('not JSON'), limits), [])
  for (const { name, request } of fixtureCases('anthropic')) {
    if (request !== undefined) assert.deepEqual(stripCarriers(request, limits), [], name)
  }
})

test('a carrier is found in every position', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 12 }),
      fc.constantFrom('', 't', 'g', 'tg', 'ttg', 'gt', 't1', 'tgt'),
      (before, near) => {
        const words = JSON.stringify(before + near)
        const found = bodyWith(`[{"type":"text","text":${words}},${foreign}]`).replace('"tg1"', '"x"')
        assert.notEqual(cut(found), found)
      },
    ),
  )
})
