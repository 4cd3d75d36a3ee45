/**
 * `models` in a request: the caller's own fallbacks, in every format whose clients send it. The list is never forwarded.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { KeyPolicy } from '../../src/access/types.ts'
import type { Config } from '../../src/config/config.ts'
import { type FaultUpstream, faultUpstream, wholeAnswer } from '../support/fault-upstream.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type Path, rejectionIn, Sent, type Whole } from '../support/paying-client.ts'
import { rejects, standsIn } from '../support/stand-in.ts'

const json = ['content-type: application/json']
const vectors = JSON.stringify({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.1] }],
  model: 'vectors',
  usage: { prompt_tokens: 1, total_tokens: 1 },
})

let broken: FaultUpstream
let working: FaultUpstream
let gateway: TestGateway

before(async () => {
  broken = await faultUpstream(() => rejects(529))
  working = await faultUpstream(({ path }) =>
    path.includes('embeddings') ? wholeAnswer(200, vectors, json) : standsIn('served'),
  )
  const upstream = (name: string, provider: string, url: string) => ({
    ...{ name, provider, url, credential: `${name}-credential` },
    ...{ models: [{ id: `unused-${name}` }], weight: 1 },
  })
  const chat = (id: string, upstreamName: string) => ({
    ...{ id, context: 200_000, maxOutput: 1_000, prices: [{ input: '1', output: '2' }] },
    offers: [{ upstream: upstreamName, model: `${id}-there`, formats: ['openai-chat'] }],
  })
  const claude = (id: string, upstreamName: string) => ({
    ...{ id, context: 200_000, maxOutput: 1_000, prices: [{ input: '1', output: '2' }] },
    offers: [{ upstream: upstreamName, model: 'claude-sonnet-4-5' }],
  })
  const embeddings = (id: string, upstreamName: string) => ({
    ...{ id, context: 8_000, outputs: ['embeddings'], formats: ['openai-embeddings'] },
    prices: [{ input: '1', output: '0' }],
    offers: [{ upstream: upstreamName, model: `${id}-there`, formats: ['openai-embeddings'] }],
  })
  gateway = await testGateway({
    offers: 'as configured',
    upstreams: [
      upstream('broken', 'openai', broken.origin),
      upstream('working', 'openai', working.origin),
      upstream('broken-messages', 'anthropic', broken.origin),
      upstream('working-messages', 'anthropic', working.origin),
    ],
    models: [
      { ...chat('first', 'broken'), fallbacks: ['operators'] },
      chat('operators', 'working'),
      chat('second', 'broken'),
      chat('third', 'working'),
      claude('claude-first', 'broken-messages'),
      claude('claude-third', 'working-messages'),
      embeddings('vectors-first', 'broken'),
      embeddings('vectors-third', 'working'),
    ] as unknown as Config['models'],
    limits: { requestsPerMinute: null, retriesMin: 100, cooldownMsMax: 0, failuresBeforeEjection: 1_000 },
  })
})
after(async () => {
  await gateway.close()
  for (const upstream of [broken, working]) await upstream.close()
})

const send = (account: TestAccount, body: string, format: Path = '/v1/chat/completions'): Promise<Whole> =>
  new Sent(gateway.origin, { key: account.key, format, body }).whole()

const messages = '"messages":[{"role":"user","content":"hello"}]'
const bodies: readonly (readonly [place: string, body: string])[] = [
  ['first', `{"models":["third"],"model":"first",${messages}}`],
  ['between', `{"model":"first", "models" : [ "third" ] ,${messages}}`],
  [
    'in a body that is read on another thread',
    `{"model":"first","models":["third"],"user":"${'u'.repeat(300_000)}",${messages}}`,
  ],
  ['last', `{"model":"first",${messages},"models":["third"]}`],
]
for (const [place, body] of bodies) {
  test(`a list that is written ${place} replaces the operator's, and is not forwarded`, async () => {
    const account = await gateway.account('1')
    const { status, text, headers } = await send(account, body)
    assert.equal(status, 200, text)
    assert.equal(headers['x-tollgate-model'], 'third')
    const { models: _, ...expected } = JSON.parse(body) as Record<string, unknown>
    for (const [upstream, name] of [
      [broken, 'first-there'],
      [working, 'third-there'],
    ] as const) {
      const sent = upstream.requests.at(-1)?.body.toString() ?? ''
      assert.deepEqual(JSON.parse(sent), { ...expected, model: name })
    }
    const { ledger } = gateway.gateway.services
    const [receipt] = await eventually(
      'a receipt',
      () => ledger.receipts(account.id, 10, null),
      (rows) => rows.length > 0,
    )
    assert.equal(receipt?.model, 'third')
  })
}

const ofKey: readonly (readonly [
  name: string,
  policy: Partial<KeyPolicy>,
  models: string,
  served: string | null,
])[] = [
  ["a key's fallbacks replace the operator's", { fallbacks: ['second', 'third'] }, '', 'third'],
  [
    "a request's list replaces that of its key",
    { fallbacks: ['third'] },
    ',"models":["operators"]',
    'operators',
  ],
  [
    'the requested model and repeated names are not tried again',
    { fallbacks: ['first', 'third', 'third'] },
    '',
    'third',
  ],
  ['a name that is not sold is skipped', { fallbacks: ['nothing', 'third'] }, '', 'third'],
  [
    'a model that the key may not use is skipped',
    { fallbacks: ['third'], models: ['first', 'operators'] },
    '',
    null,
  ],
  ["without fallbacks the operator's apply", { fallbacks: null }, '', 'operators'],
]
for (const [name, policy, models, served] of ofKey) {
  test(`fallbacks of a key: ${name}`, async () => {
    const account = await gateway.account('1', policy)
    const answer = await send(account, `{"model":"first"${models},${messages}}`)
    assert.equal(answer.status, served === null ? 503 : 200, answer.text)
    if (served !== null) assert.equal(answer.headers['x-tollgate-model'], served)
  })
}

test('the models are tried in their order, each once', async () => {
  const account = await gateway.account('1')
  const body = `{"model":"first","models":["first","second","second","third"],${messages}}`
  const before = broken.requests.length
  assert.equal((await send(account, body)).headers['x-tollgate-model'], 'third')
  const names = broken.requests.slice(before).map((request) => JSON.parse(request.body.toString()).model)
  assert.deepEqual(names, ['first-there', 'second-there'])
})

for (const empty of ['null', '[]']) {
  test(`without names in it (${empty}), the operator's fallbacks apply`, async () => {
    const { status, headers } = await send(
      await gateway.account('1'),
      `{"model":"first","models":${empty},${messages}}`,
    )
    assert.deepEqual([status, headers['x-tollgate-model']], [200, 'operators'])
    assert.ok(!working.requests.at(-1)?.body.toString().includes('models'))
  })
}

const others: readonly (readonly [path: Path, body: string, model: string])[] = [
  ['/v1/responses', '{"model":"first","models":["third"],"input":"hello"}', 'third'],
  [
    '/v1/alt/v1/messages',
    `{"model":"claude-first","models":["claude-third"],"max_tokens":10,${messages}}`,
    'claude-third',
  ],
  ['/v1/chat/completions', `{"model":"first","models":["claude-third"],${messages}}`, 'claude-third'],
  ['/v1/embeddings', '{"model":"vectors-first","models":["vectors-third"],"input":"hello"}', 'vectors-third'],
]
for (const [path, body, model] of others) {
  test(`POST ${path} falls back to ${model}`, async () => {
    const { status, text, headers } = await send(await gateway.account('1'), body, path)
    assert.deepEqual([status, headers['x-tollgate-model']], [200, model], text)
    assert.ok(!working.requests.at(-1)?.body.toString().includes('models'))
  })
}

const mistakes: readonly (readonly [list: string, status: number, code: string])[] = [
  ['["third","none-such"]', 404, 'model_not_found'],
  ['["operators"]', 403, 'model_not_allowed'],
  ['"third"', 400, 'invalid_value'],
  ['[1]', 400, 'invalid_value'],
  ['[""]', 400, 'invalid_value'],
  [JSON.stringify(Array.from({ length: 9 }, () => 'third')), 400, 'invalid_value'],
]
for (const [list, status, code] of mistakes) {
  test(`models: ${list} is rejected with ${code}`, async () => {
    const account = await gateway.account('1', { models: ['first', 'third'] })
    const before = broken.requests.length
    const rejected = await send(account, `{"model":"first","models":${list},${messages}}`)
    assert.deepEqual([rejected.status, rejectionIn(rejected.text).code], [status, code], rejected.text)
    assert.match(String((JSON.parse(rejected.text) as { error: { param: string } }).error.param), /^models/)
    assert.equal(broken.requests.length, before)
  })
}
