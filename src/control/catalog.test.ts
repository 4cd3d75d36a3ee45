/** Published price lists over a real store and catalog: what they would change, what is applied, and what is rejected. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import {
  type ControlErrorBody,
  type OperationName,
  type OperationOutput,
  operations,
} from '../../contract/operations.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { systemRandom } from '../base/ids.ts'
import { createLog } from '../base/log.ts'
import { readConfig } from '../config/config.ts'
import { offlineStatus } from '../server/server-status.ts'
import { openServices, type Services } from '../server/services.ts'
import { dispatch } from './dispatch.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tollgate-catalog-'))
const clock = manualClock()
let services: Services
/** A host that may be reached without TLS. */
const host = { origin: '', answer: ((_, response) => void response.end()) as RequestListener }
const server = createServer((request, response) => host.answer(request, response))

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  host.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  writeFileSync(join(scratch, 'tollgate.yaml'), `plainOrigins: ['${host.origin}']\n`)
  const variables = { OPENAI_API_KEY: 'any-key', GROQ_API_KEY: 'any-key' }
  const config = readConfig({ TOLLGATE_DATA: join(scratch, 'data'), ...variables }, scratch)
  assert.ok(config.kind === 'config')
  const opened = await openServices(config.config, {
    clock,
    random: systemRandom,
    log: createLog({ level: 'silent' }),
    sandboxOrigin: null,
    onLost: (error) => assert.fail(error),
  })
  assert.ok(opened.kind === 'open')
  services = opened.services
})

after(async () => {
  server.close()
  await services.close()
  rmSync(scratch, { recursive: true })
})

const ask = (name: string, input: unknown) =>
  dispatch(services.control('http://127.0.0.1:9', offlineStatus(clock)), { kind: 'local' }, name, input)

async function done<Name extends OperationName>(name: Name, input: unknown): Promise<OperationOutput<Name>> {
  const { status, body } = await ask(name, input)
  assert.equal(status, 200, JSON.stringify(body))
  return operations[name].output.parse(body) as OperationOutput<Name>
}

async function rejected(input: unknown): Promise<string> {
  const { status, body } = await ask('catalog.check', input)
  const { error } = body as ControlErrorBody
  assert.deepEqual([status, error.code, error.param], [400, 'invalid_value', 'source'])
  return error.message
}

const list = (text: string) => ({ source: { name: 'list.json', text } })
const check = (text: string) => done('catalog.check', list(text))

/** The rows as lines, with the rates that differ. */
function lines({ rows }: OperationOutput<'catalog.check'>, ...changes: readonly string[]): readonly string[] {
  return rows
    .filter(({ change }) => changes.includes(change))
    .map(({ model, change, reason, changes: rates }) => {
      const words = rates.map(({ rate, aboveInputTokens, from, to, percent }) => {
        const tier = aboveInputTokens === null ? '' : `>${aboveInputTokens}`
        return `${rate}${tier} ${from ?? '-'} > ${to ?? '-'}${percent === null ? '' : ` ${percent}`}`
      })
      return [change, model, ...words, ...(reason === null ? [] : [`! ${reason}`])].join(' | ')
    })
}

/** models.dev's shape around the models of one provider. */
const modelsDev = (provider: string, models: string): string =>
  `{"${provider}":{"id":"${provider}","env":["X"],"name":"X","doc":"https://x.example","models":{${models}}}}`

const modelsDevModel = (id: string, cost: string): string =>
  `"${id}":{"id":"${id}","name":"Name of it","release_date":"2026-09-01","reasoning":true,"tool_call":true,` +
  `"modalities":{"input":["text","image"],"output":["text"]},"limit":{"context":200000,"output":8192},"cost":${cost}}`

const llama = (cost: string): string => modelsDev('groq', modelsDevModel('llama-3.3-70b-versatile', cost))

test('models.dev: changed prices with old, new and percent; new models; models that are gone', async () => {
  const output = await check(
    modelsDev(
      'groq',
      [
        modelsDevModel('llama-3.3-70b-versatile', '{"input":0.649,"output":0.79,"cache_read":0.1}'),
        modelsDevModel('llama-3.1-8b-instant', '{"input":0.05,"output":0.08}'),
        modelsDevModel('llama-next', '{"input":0.1,"output":1.5e-1,"reasoning":0.2}'),
      ].join(),
    ),
  )
  assert.equal(output.format, 'models.dev')
  assert.deepEqual(lines(output, 'changed', 'new'), [
    'changed | groq/llama-3.3-70b-versatile | input 0.59 > 0.649 +10.0% | cacheRead 0.59 > 0.10 -83.1% | cacheWrite5m 0.59 > 0.649 +10.0% | cacheWrite1h 0.59 > 0.649 +10.0%',
    'new | groq/llama-next | input - > 0.10 | output - > 0.20',
  ])
  assert.equal(output.unchanged, 1)
  assert.ok(lines(output, 'gone').includes('gone | groq/qwen/qwen3-32b'))
  assert.ok(output.rows.every(({ provider }) => provider === 'groq'))
})

test('LiteLLM: dollars per token become dollars per million, exactly, with tiers by their names', async () => {
  const output = await check(`{
    "sample_spec": {"litellm_provider": "one of many", "input_cost_per_token": 0.0},
    "gpt-4.1": {"litellm_provider": "openai", "mode": "chat", "max_input_tokens": 1047576, "max_output_tokens": 32768,
      "input_cost_per_token": 2.000001e-06, "output_cost_per_token": 8e-06, "cache_read_input_token_cost": 5e-07,
      "input_cost_per_token_batches": 1e-06, "input_cost_per_token_priority": 3.5e-06,
      "input_cost_per_token_above_200k_tokens": 4e-06, "cache_read_input_token_cost_above_200k_tokens": 1e-06, "output_cost_per_token_above_200k_tokens": 1.2e-05},
    "groq/llama-3.1-8b-instant": {"litellm_provider": "groq", "mode": "chat", "input_cost_per_token": 5e-08,
      "output_cost_per_token": 8e-08},
    "dashscope/qwen": {"litellm_provider": "dashscope", "mode": "chat", "input_cost_per_token": 1e-06},
    "gpt-image": {"litellm_provider": "openai", "mode": "image_generation", "output_cost_per_image": 0.04}
  }`)
  assert.equal(output.format, 'LiteLLM')
  const [row] = output.rows.filter(({ model }) => model === 'gpt-4.1')
  assert.deepEqual(
    row?.changes.map(({ rate, aboveInputTokens, from, to }) => [rate, aboveInputTokens, from, to]),
    [
      ['input', null, '2.00', '2.000001'],
      ['cacheWrite5m', null, '2.00', '2.000001'],
      ['cacheWrite1h', null, '2.00', '2.000001'],
      ['input', 200_000, null, '4.00'],
      ['cacheRead', 200_000, null, '1.00'],
      ['cacheWrite5m', 200_000, null, '4.00'],
      ['cacheWrite1h', 200_000, null, '4.00'],
      ['output', 200_000, null, '12.00'],
    ],
  )
  assert.equal(output.unchanged, 1)
  // Left out: the model of a provider without an upstream, and the image model. The placeholder does not count.
  assert.equal(output.leftOut, 2)
})

const unclear: readonly (readonly [cost: string, reason: string])[] = [
  ['{"input":-1,"output":2}', 'input is negative'],
  ['{"input":"1","output":2}', 'input is not a number'],
  ['{"input":1,"output":2,"output":3}', 'output is listed twice'],
  ['{"input":1}', 'the list has no price of input and output'],
  ['{"input":0,"output":0}', 'the list has a price of 0, which means an unknown price'],
  ['{"input":0.1234567891,"output":1}', 'input has more than nine decimals per million tokens'],
  [
    '{"input":1,"output":2,"tiers":[{"input":3,"output":4}]}',
    'a tier does not say from which input it applies',
  ],
  [
    '{"input":1,"output":2,"tiers":[{"input":-3,"output":4,"tier":{"size":10}}]}',
    'in the tier above 10: input is negative',
  ],
]

for (const [cost, reason] of unclear) {
  test(`a price that cannot be used is listed with the reason: ${reason}`, async () => {
    const output = await check(llama(cost))
    assert.deepEqual(lines(output, 'changed', 'unclear'), [
      `unclear | groq/llama-3.3-70b-versatile | ! ${reason}`,
    ])
    assert.equal(output.rows.find(({ change }) => change === 'unclear')?.price, null)
  })
}

test('a price that changes more than tenfold is marked, and so is one that an administrator set', async () => {
  const marked = await check(llama('{"input":5.91,"output":0.79}'))
  assert.match(lines(marked, 'changed').join(), /! a price changes by more than a factor of 10$/)
  assert.doesNotMatch(lines(await check(llama('{"input":5.9,"output":0.79}')), 'changed').join(), /!/)
  const own = { model: 'groq/openai/gpt-oss-20b', price: { input: '1', output: '2' } }
  await done('models.price', own)
  const list = modelsDev('groq', modelsDevModel('openai/gpt-oss-20b', '{"input":0.9,"output":2}'))
  assert.match(lines(await check(list), 'changed').join(), /! an administrator set its price$/)
})

test('rows become prices from a date on, with the list as their source, and the same list then changes nothing', async () => {
  const text = modelsDev(
    'groq',
    [
      modelsDevModel('llama-3.3-70b-versatile', '{"input":0.7,"output":0.8}'),
      modelsDevModel(
        'llama-later',
        '{"input":0.1,"output":0.2,"tiers":[{"input":0.3,"tier":{"type":"context","size":32000}}]}',
      ),
    ].join(),
  )
  const { rows, source } = await check(text)
  const models = rows.flatMap(({ model, price, facts }) => (price === null ? [] : [{ model, price, facts }]))
  const effectiveFrom = new Date(clock.wallMs() + 60_000).toISOString()
  const updated = await done('catalog.update', { source, effectiveFrom, models })
  assert.deepEqual(updated.models, [
    { model: 'groq/llama-3.3-70b-versatile', sold: true, reason: null },
    { model: 'groq/llama-later', sold: true, reason: null },
  ])
  const inputs = async (model: string) =>
    (await done('models.prices', { model })).map((price) => [price.input, price.effectiveFrom, price.source])
  assert.deepEqual((await inputs('groq/llama-3.3-70b-versatile')).at(-1), ['0.70', effectiveFrom, source])
  const present = (await done('models.list', {})).find(
    ({ model }) => model === 'groq/llama-3.3-70b-versatile',
  )
  assert.equal(present?.details?.price.input, '0.59')
  clock.advance(60_000)
  const later = (await done('models.list', {})).find(({ model }) => model === 'groq/llama-3.3-70b-versatile')
  assert.equal(later?.details?.price.input, '0.70')
  assert.deepEqual(lines(await check(text), 'changed', 'new', 'unclear'), [])
  const added = (await done('models.list', {})).find(({ model }) => model === 'groq/llama-later')
  assert.deepEqual(
    [added?.details?.displayName, added?.details?.contextTokens, added?.details?.price.tiers[0]?.input],
    ['Name of it', 200_000, '0.30'],
  )
})

test('what the list does not say stays: options, fees, rates and tiers', async () => {
  const before = (await done('models.list', {})).find(({ model }) => model === 'gpt-5')?.details?.price
  assert.ok(before !== undefined && Object.keys(before.options).length > 0)
  const { rows, source } = await check(
    modelsDev('openai', modelsDevModel('gpt-5', '{"input":1.3,"output":10}')),
  )
  const [row] = rows.filter(({ model }) => model === 'gpt-5')
  await done('catalog.update', { source, models: [{ model: 'gpt-5', price: row?.price, facts: null }] })
  const after = (await done('models.list', {})).find(({ model }) => model === 'gpt-5')?.details?.price
  assert.equal(after?.input, '1.30')
  assert.deepEqual(
    [after.options, after.fees, after.cacheRead],
    [before.options, before.fees, before.cacheRead],
  )
})

const wrongLists: readonly (readonly [text: string, message: RegExp])[] = [
  ['', /^The list is empty\.$/],
  ['<html></html>', /^The list is not valid JSON: unexpected "<html><\/html" in line 1\.$/],
  ['{"groq":{"models":{"x":{"cost":{"input":NaN}}}}}', /unexpected "NaN}}}}}" in line 1/],
  ['[]', /^The list is neither api\.json of models\.dev nor/],
  ['{"data":[{"id":"x"}]}', /^The list is neither/],
]

for (const [text, message] of wrongLists) {
  test(`rejected with the reason: ${text.slice(0, 40)}`, async () => {
    assert.match(await rejected(list(text)), message)
  })
}

test('a list that is too large is rejected', async () => {
  assert.match(
    await rejected(list(' '.repeat(8 * 1024 * 1024 + 1))),
    /^The list is larger than 8388608 bytes\.$/,
  )
})

function answers(t: TestContext, answer: RequestListener): void {
  host.answer = answer
  t.after(() => server.closeAllConnections())
}

test('a list is downloaded from its URL without a credential, and redirects are not followed', async (t) => {
  const text = llama('{"input":0.71,"output":0.8}')
  const seen: (readonly (string | undefined)[])[] = []
  answers(t, ({ url, headers }, response) => {
    seen.push([url, headers.authorization, headers.cookie])
    if (url === '/moved') response.writeHead(302, { location: '/api.json' }).end()
    else if (url === '/missing') response.writeHead(404).end()
    else if (url === '/large') response.end(Buffer.alloc(8 * 1024 * 1024 + 1, ' '))
    else response.end(text)
  })
  const at = (path: string) => ({ source: { url: `${host.origin}${path}` } })
  const { rows } = await done('catalog.check', at('/api.json?all=1'))
  assert.ok(
    rows.some(({ model, change }) => model === 'groq/llama-3.3-70b-versatile' && change === 'changed'),
  )
  assert.match(await rejected(at('/moved')), /^The URL redirects \(HTTP 302\), which is not followed\./)
  assert.match(await rejected(at('/missing')), /^The host did not return the list \(HTTP 404\)\.$/)
  assert.match(await rejected(at('/large')), /^The list is larger than 8388608 bytes\.$/)
  assert.deepEqual(seen[0], ['/api.json?all=1', undefined, undefined])
  assert.equal(seen.length, 4)
})

test('a download ends after its time', async (t) => {
  answers(t, (_, response) => void response.write('{'))
  const asked = rejected({ source: { url: `${host.origin}/slow` } })
  await new Promise<void>((resolve) => server.once('request', () => resolve()))
  clock.advance(30_000)
  assert.equal(await asked, 'The download took too long.')
})

test('only https is downloaded, and the origins that may be reached without TLS', async () => {
  for (const url of ['http://models.example/api.json', 'file:///etc/hosts', 'ftp://models.example/x']) {
    assert.equal(await rejected({ source: { url } }), 'The URL must begin with https://.')
  }
  const name = 'ada'
  const url = `https://${name}:x@models.example/api.json`
  assert.equal(await rejected({ source: { url } }), 'The URL must not contain a password.')
})

test('the audit log has what was applied, and of a file its size', async () => {
  const rows = await done('audit.list', { limit: 1_000 })
  const kept = (name: string) => rows.filter(({ operation }) => operation === name)
  assert.ok(kept('catalog.update').some(({ input }) => JSON.stringify(input).includes('groq/llama-later')))
  assert.ok(kept('catalog.check').every(({ input }) => JSON.stringify(input).length < 21_000))
})

test('a row of an unknown model without its limits is rejected whole', async () => {
  const price = { input: '1', output: '2' }
  const models = [
    { model: 'groq/llama-3.1-8b-instant', price, facts: null },
    { model: 'groq/no-such', price, facts: null },
  ]
  const { status, body } = await ask('catalog.update', { source: 'models.dev, by hand', models })
  assert.deepEqual([status, (body as ControlErrorBody).error.code], [404, 'model_not_found'])
  const prices = await done('models.prices', { model: 'groq/llama-3.1-8b-instant' })
  assert.deepEqual(
    prices.map(({ input }) => input),
    ['0.05'],
  )
})

test('a price below the list price at an upstream is a warning in the list of models and on System', async () => {
  const facts = { model: 'cheap', provider: 'groq', upstreamModel: 'qwen/qwen3-32b', upstreams: ['groq'] }
  const limits = { contextTokens: 1_000, outputTokensMax: 100 }
  const added = await done('models.add', { ...facts, ...limits, price: { input: '0.1', output: '0.59' } })
  assert.deepEqual(
    added.details?.belowCost.filter(({ rate }) => rate === 'input' || rate === 'output'),
    [
      {
        upstream: 'groq',
        upstreamModel: 'qwen/qwen3-32b',
        rate: 'input',
        price: '0.10',
        cost: '0.29',
        from: null,
        at: null,
      },
    ],
  )
  const warned = async () =>
    (await done('system.show', {})).warnings.filter((text) => text.includes('below the cost'))
  assert.match(
    (await warned()).join(),
    /^Priced below the cost at an upstream: cheap \(qwen\/qwen3-32b at groq\)\. Run/,
  )
  await done('models.price', { model: 'cheap', price: { input: '0.29', output: '0.59' } })
  assert.deepEqual(await warned(), [])
  const others = (await done('models.list', {})).filter(({ details }) => (details?.belowCost.length ?? 0) > 0)
  assert.deepEqual(others, [])
})
