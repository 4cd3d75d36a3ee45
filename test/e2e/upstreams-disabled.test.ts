/**
 * Upstreams and single models there that an administrator disables: the next request goes elsewhere, a restart changes
 * nothing, a model that would have no upstream left needs a confirmation, and statistics show what each offer did.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { temporaryDirectory } from '../support/open-ledger.ts'
import { asking, controlOf, personActor } from '../support/operators.ts'
import { Sent } from '../support/paying-client.ts'
import { recordingHost } from '../support/recording-hosts.ts'

const [first, second] = [await recordingHost(), await recordingHost()]
const models = [{ model: 'gpt-4.1' }, { model: 'gpt-4.1-mini' }]
const gate = await testGateway()
const control = controlOf(gate)
const operator = asking(control, personActor('ada', { operator: true }))
const account = await gate.account('5')
after(async () => {
  await gate.close()
  await first.close()
  await second.close()
})

async function statusOf(model: string): Promise<number> {
  const body = { model, max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] }
  return (await new Sent(gate.origin, { key: account.key, format: 'chat', body }).whole()).status
}

async function offerAt(upstream: string, upstreamModel: string) {
  const { upstreams } = await operator.done('upstreams.status', { upstream })
  return upstreams[0]?.offers.find((offer) => offer.upstreamModel === upstreamModel)
}

for (const [upstream, host] of [
  ['first', first],
  ['second', second],
] as const) {
  await operator.done('upstreams.put', {
    ...{ upstream, provider: 'openai', models, url: host.origin, weight: upstream === 'first' ? 1_000 : 1 },
    ...{ credential: ['a', 'credential', '12345678'].join('-'), saveAnyway: true },
  })
}

test('a disabled model at an upstream gets no request from the next one on, and its statistics stay', async () => {
  await operator.done('upstreams.disable', { upstream: 'second', upstreamModel: 'gpt-4.1' })
  assert.equal(await statusOf('gpt-4.1'), 200)
  const served = await offerAt('first', 'gpt-4.1')
  assert.deepEqual([served?.state, served?.requests, served?.failures], ['serving', 1, 0])
  assert.notEqual(served?.cost, '0.00')
  await operator.done('upstreams.enable', { upstream: 'second', upstreamModel: 'gpt-4.1' })
  const before = first.arrivals.length
  assert.deepEqual(
    await operator.done('upstreams.disable', { upstream: 'first', upstreamModel: 'gpt-4.1' }),
    {
      upstream: 'first',
      upstreamModel: 'gpt-4.1',
      disabled: true,
    },
  )
  for (let times = 0; times < 3; times += 1) assert.equal(await statusOf('gpt-4.1'), 200)
  assert.equal(first.arrivals.length, before)
  const disabled = await offerAt('first', 'gpt-4.1')
  assert.deepEqual([disabled?.state, disabled?.requests], ['disabled', 1])
  assert.equal((await offerAt('second', 'gpt-4.1'))?.requests, 3)
  assert.equal((await offerAt('first', 'gpt-4.1-mini'))?.state, 'serving', 'other models are not affected')
})

test('what would leave a model without an upstream is rejected unless that is allowed', async () => {
  const rejected = await operator.rejected('upstreams.disable', { upstream: 'second' })
  assert.deepEqual([rejected.status, rejected.code, rejected.param], [409, 'conflict', 'allowUnserved'])
  assert.match(rejected.message, /No other upstream serves gpt-4\.1\./)
  assert.equal(await statusOf('gpt-4.1'), 200)
  await operator.done('upstreams.disable', { upstream: 'second', allowUnserved: true })
  assert.equal(await statusOf('gpt-4.1'), 404)
  assert.equal(await statusOf('gpt-4.1-mini'), 200)
})

test('what is disabled stays disabled when the catalog is loaded again, and is enabled again', async () => {
  await control.catalog.reload()
  assert.equal(await statusOf('gpt-4.1'), 404)
  await operator.done('upstreams.enable', { upstream: 'first', upstreamModel: 'gpt-4.1' })
  assert.equal(await statusOf('gpt-4.1'), 200)
})

test('an upstream of the configuration is disabled too', async () => {
  const { upstreams } = await operator.done('upstreams.status', {})
  const configured = upstreams.find(({ upstream }) => !['first', 'second'].includes(upstream))?.upstream ?? ''
  await operator.done('upstreams.disable', { upstream: configured, allowUnserved: true })
  const listed = async () =>
    (await operator.done('upstreams.list', {})).find(({ name }) => name === configured)
  await control.catalog.reload()
  assert.deepEqual([(await listed())?.disabled, (await listed())?.serves], [true, []])
  await operator.done('upstreams.enable', { upstream: configured })
  assert.notEqual((await listed())?.serves.length, 0)
})

test('test models that simulate failures are listed after all others', async () => {
  const { upstreams } = await operator.done('upstreams.status', { upstream: 'sandbox', limit: 1_000 })
  const [sandbox] = upstreams
  const names = sandbox?.offers.map(({ upstreamModel }) => upstreamModel) ?? []
  assert.ok(names.indexOf('sandbox-stream') < names.indexOf('sandbox-401'), names.join(', '))
  assert.notEqual(names.indexOf('sandbox-stream'), -1)
  const marks = new Map(sandbox?.offers.map(({ upstreamModel, testCase }) => [upstreamModel, testCase]))
  assert.deepEqual([marks.get('sandbox-stream'), marks.get('sandbox-401')], [false, true])
})

test('an upstream that is removed and added again under its name is not disabled', async () => {
  await operator.done('upstreams.disable', {
    upstream: 'first',
    upstreamModel: 'gpt-4.1',
    allowUnserved: true,
  })
  await operator.done('upstreams.remove', { upstream: 'first' })
  await operator.done('upstreams.put', {
    ...{ upstream: 'first', provider: 'openai', models, url: first.origin, saveAnyway: true },
    credential: ['another', 'credential', '12345678'].join('-'),
  })
  assert.deepEqual((await offerAt('first', 'gpt-4.1'))?.state, 'serving')
  assert.equal(await statusOf('gpt-4.1'), 200)
})

test('unknown upstreams and models are named', async () => {
  const upstream = await operator.rejected('upstreams.disable', { upstream: 'absent' })
  assert.equal(upstream.code, 'upstream_not_found')
  const model = await operator.rejected('upstreams.disable', { upstream: 'first', upstreamModel: 'absent' })
  assert.deepEqual([model.code, model.param], ['model_not_found', 'upstreamModel'])
})

test('a restart keeps the statistics of offers', async (context) => {
  const dataFolder = temporaryDirectory(context)
  const status = async ({ gateway, origin }: TestGateway) => {
    const asked = asking(controlOf({ gateway, origin }), personActor('ada', { operator: true }))
    const { since, upstreams } = await asked.done('upstreams.status', { upstream: 'sandbox', period: 'day' })
    const [used] = upstreams.flatMap(({ offers }) => offers).filter(({ requests }) => requests > 0)
    return { since, requests: used?.requests, failures: used?.failures, p50: used?.firstByteP50Ms ?? null }
  }
  const before = await testGateway({ dataFolder })
  const { key } = await before.account('5')
  const messages = [{ role: 'user', content: 'Hello' }]
  const body = { model: 'sandbox-echo', max_tokens: 10, messages, stream: true }
  const sent = await new Sent(before.origin, { key, format: 'chat', body }).whole()
  assert.equal(sent.status, 200, sent.text)
  const shown = await status(before)
  assert.deepEqual([shown.requests, shown.failures], [1, 0])
  assert.notEqual(shown.p50, null)
  await before.close()
  const again = await testGateway({ dataFolder })
  context.after(() => again.close())
  assert.deepEqual(await status(again), shown)
})
