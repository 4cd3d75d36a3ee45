/**
 * Malicious routing preferences: `models` in every spelling reaches no upstream and no model that the key must not use, and
 * `x-tollgate-route` names no object of the language and no other account's provider key.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type FaultUpstream, faultUpstream } from '../support/fault-upstream.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { standsIn } from '../support/stand-in.ts'

let host: FaultUpstream
let gateway: TestGateway
let key: string

before(async () => {
  host = await faultUpstream(() => standsIn('hello'))
  const facts = { context: 100_000, maxOutput: 1_000, prices: [{ input: '3', output: '15' }] }
  const formats = ['openai-chat' as const]
  gateway = await testGateway({
    offers: 'as configured',
    upstreams: [
      {
        ...{ name: 'host', provider: 'openrouter', url: host.origin, credential: 'a-credential' },
        ...{ models: [], weight: 1 },
      },
    ],
    models: ['allowed', 'forbidden'].map((id) => ({
      ...{ id, ...facts },
      offers: [{ upstream: 'host', model: id, formats }],
    })),
    limits: { requestsPerMinute: null },
  })
  key = (await gateway.account('100', { models: ['allowed'] })).key
})
after(async () => {
  await gateway.close()
  await host.close()
})

async function post(members: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(`${gateway.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: `{"model":"allowed","max_tokens":9,"messages":[{"role":"user","content":"hello"}]${members}}`,
  })
  return { status: answer.status, text: await answer.text() }
}

const escaped = '"\\u006d\\u006fdels"'
const removed: readonly string[] = [
  ',"models":["allowed"]',
  ',"models":null',
  ',"models":[]',
  ' , "models" : [ "allowed" , "allowed" ] , "user" : "one" ',
]

for (const members of removed) {
  test(`not forwarded: ${members}`, async () => {
    const { status, text } = await post(members)
    assert.equal(status, 200, text)
    const sent = JSON.parse(host.requests.at(-1)?.body.toString() ?? '') as Record<string, unknown>
    assert.deepEqual([sent['model'], Object.keys(sent).includes('models')], ['allowed', false])
    assert.equal(typeof sent['messages'], 'object')
  })
}

const rejected: readonly (readonly [members: string, status: number, code: string])[] = [
  [',"models":["forbidden"]', 403, 'model_not_allowed'],
  [`,${escaped}:["forbidden"]`, 400, 'ambiguous_field'],
  [`,"models":["allowed"],${escaped}:["forbidden"]`, 400, 'ambiguous_field'],
  [',"models":["forbidden"],"models":["allowed"]', 400, 'ambiguous_field'],
  [',"models":["__proto__"]', 404, 'model_not_found'],
  [',"models":["constructor"]', 404, 'model_not_found'],
  [`,"models":[${Array.from({ length: 9 }, () => '"allowed"').join()}]`, 400, 'invalid_value'],
  [',"models":[["forbidden"]]', 400, 'invalid_value'],
  [',"models":"forbidden"', 400, 'invalid_value'],
  [',"models":{"0":"forbidden","length":1}', 400, 'invalid_value'],
]

for (const [members, status, code] of rejected) {
  test(`rejected before any upstream: ${members.slice(0, 60)}`, async () => {
    const before = host.requests.length
    const answer = await post(members)
    assert.deepEqual([answer.status, host.requests.length], [status, before], answer.text)
    assert.match(answer.text, new RegExp(`"${code}"`))
    assert.doesNotMatch(answer.text, /a-credential/)
  })
}

for (const route of [
  'only=__proto__',
  'only=constructor',
  'only=own:openai',
  'only=host,',
  'only=host;only=host',
  'only',
  ';',
  `only=${'host,'.repeat(1_000)}host`,
  `require=${' '.repeat(3_000)}x y`,
  '__proto__=host',
]) {
  test(`x-tollgate-route is rejected: ${route.slice(0, 40)}`, async () => {
    const before = host.requests.length
    const answer = await post('', { 'x-tollgate-route': route })
    assert.deepEqual([answer.status, host.requests.length], [400, before], answer.text)
  })
}

test('a tag with the name of an object of the language is had by no upstream', async () => {
  for (const tag of ['__proto__', 'constructor', 'toString', 'length'])
    assert.equal((await post('', { 'x-tollgate-route': `require=${tag}` })).status, 404, tag)
})
