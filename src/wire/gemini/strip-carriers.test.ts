/** Our carriers on their way to Google: short IDs, its own signatures restored, reasoning of others removed, no other byte changed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { brokenRequestRules } from '../../../test/support/rules/gemini.ts'
import { applyEdits } from '../json/json.ts'
import type { ThinkingPart } from '../translation/neutral.ts'
import { carrierId, plainId, taggedBase64 } from '../translation/reasoning-carriers.ts'
import { clientStandIn, standIn } from './encrypted-reasoning.ts'
import { stripCarriers } from './strip-carriers.ts'

const limits = { depthMax: 64, valuesMax: 250_000 }
const encoder = new TextEncoder()
const google = { vendor: 'google', data: 'c2ln' } as const
const foreign = { vendor: 'anthropic', data: 'EqQB/x==' } as const
const thought: ThinkingPart = { kind: 'thinking', text: 't', redacted: false, encrypted: foreign }
const tag = taggedBase64(foreign)
const own = taggedBase64(google)

function cut(text: string): string {
  const bytes = encoder.encode(text)
  return Buffer.concat(applyEdits(bytes, stripCarriers(bytes, { ...limits, integerMax: 10 }))).toString()
}

const body = (...parts: readonly string[]) =>
  `{ "contents" : [ {"role":"model","parts":[${parts.join(' , ')}]} ] }`
const call = (id: string, more = '') =>
  `{"functionCall":{"name":"f","id":${JSON.stringify(id)},"args":{"a":"tg1."}}${more}}`
const marked = carrierId('toolu_1', { encrypted: null, thoughts: [thought] })
const encrypted = carrierId('call_1', { encrypted: google, thoughts: [] })
const signed = (signature: string) => `,"thoughtSignature":${JSON.stringify(signature)}`
const hidden = `{"text":"t","thought":true${signed(tag)}}`

const piece = '{"text":"t","thought":true}'

const cuts: [name: string, parts: string[], parts: string[]][] = [
  ['nothing of ours', [call('a', signed('c2ln'))], [call('a', signed('c2ln'))]],
  ['an id', [call(marked, signed(standIn))], [call('toolu_1', signed(standIn))]],
  [
    'an id that carries the signature',
    [call(encrypted)],
    [`{"thoughtSignature":"c2ln",${call('call_1').slice(1)}`],
  ],
  ['a signature of its own, tagged', [call('a', signed(own))], [call('a', signed('c2ln'))]],
  ['the signature of another on a call', [call('a', signed(tag))], [call('a', signed(standIn))]],
  ['the same, with its own in the id', [call(encrypted, signed(tag))], [call('call_1', signed('c2ln'))]],
  ['the placeholder of our answers', [call('a', signed(clientStandIn))], [call('a', signed(standIn))]],
  ['a damaged tag on a call', [call('a', signed(tag.slice(0, -6)))], [call('a', signed(standIn))]],
  ['the signature of another on a text', [`{"text":"x"${signed(tag)}}`], ['{"text":"x"}']],
  ['the same, in front', [`{"thoughtSignature":"${tag}" , "text":"x"}`], ['{"text":"x"}']],
  ['the other spelling', [`{"text":"x","thought_signature":"${tag}"}`], ['{"text":"x"}']],
  [
    'a result',
    [`{"functionResponse":{"name":"f","id":"${marked}","response":{}}}`],
    ['{"functionResponse":{"name":"f","id":"toolu_1","response":{}}}'],
  ],
  ['a thought of another', [hidden, '{"text":"x"}'], ['{"text":"x"}']],
  ['one behind', ['{"text":"x"}', hidden], ['{"text":"x"}']],
  [
    'several',
    [hidden, '{"text":"x"}', hidden, hidden, call('a'), hidden, hidden],
    ['{"text":"x"}', call('a')],
  ],
  ['its pieces', [piece, piece, hidden, '{"text":"x"}'], ['{"text":"x"}']],
  ["Google's own pieces", [piece, call(marked, signed('c2ln'))], [piece, call('toolu_1', signed('c2ln'))]],
  ['all of it', [hidden, hidden], ['{"text":""}']],
]

test('marks are cut, and every other byte stays', () => {
  for (const [name, input, remaining] of cuts) assert.equal(cut(body(...input)), body(...remaining), name)
})

test('the pieces of a thought are found in the contents before, where a library keeps each chunk as one', () => {
  const contents = (...all: readonly string[][]) =>
    `{"contents":[${all.map((parts) => `{"role":"model","parts":[${parts.join(',')}]}`).join(',')}]}`
  const user = ['{"text":"u"}']
  assert.equal(
    cut(contents([piece], user, [piece], [piece], [hidden], ['{"text":"x"}'])),
    contents([piece], user, ['{"text":""}'], ['{"text":""}'], ['{"text":""}'], ['{"text":"x"}']),
  )
})

test('a part in place of a list is cut too', () => {
  const one = (part: string) => `{"contents":{"role":"model","parts":${part}}}`
  assert.equal(cut(one(hidden)), one('{"text":""}'))
  assert.equal(cut(one(call(marked))), one(call('toolu_1')))
})

test('call and result keep one id, however it is marked', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.boolean(), (id, isSealed) => {
      const mark = carrierId(id, { encrypted: isSealed ? google : null, thoughts: [thought] })
      const result = `{"functionResponse":{"name":"f","id":${JSON.stringify(mark)},"response":{}}}`
      const parsed = JSON.parse(cut(body(call(mark), result))) as {
        contents: { parts: { functionCall?: { id: string }; functionResponse?: { id: string } }[] }[]
      }
      const [first, second] = parsed.contents[0]?.parts ?? []
      assert.equal(first?.functionCall?.id, plainId(mark, 64))
      assert.equal(second?.functionResponse?.id, plainId(mark, 64))
    }),
  )
})

test('what is left is what the API takes, with recorded histories around it', () => {
  for (const { name, request } of fixtureCases('gemini')) {
    if (request === undefined) continue
    assert.deepEqual(stripCarriers(request, { ...limits, integerMax: 10 }), [], name)
    const parsed = JSON.parse(request.toString()) as { contents: object[] }
    const history = [
      { role: 'model', parts: [{ text: 't', thought: true, thoughtSignature: tag }, { text: 'x' }] },
      { role: 'user', parts: [{ text: 'y' }] },
    ]
    const remaining = JSON.parse(
      cut(JSON.stringify({ ...parsed, contents: [...parsed.contents, ...history] })),
    ) as object
    assert.deepEqual(brokenRequestRules(remaining), [], name)
    assert.deepEqual(
      remaining,
      { ...parsed, contents: [...parsed.contents, { role: 'model', parts: [{ text: 'x' }] }, history[1]] },
      name,
    )
  }
})
