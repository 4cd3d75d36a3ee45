/**
 * `x-tollgate-route`: the sender of a request chooses among the upstreams that the operator offers, by name, provider and tag.
 * What it excludes is never called, also where the others fail.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type FaultUpstream, faultUpstream } from '../support/fault-upstream.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { type Path, Sent } from '../support/paying-client.ts'
import { rejects, standsIn } from '../support/stand-in.ts'

const names = ['one', 'two', 'three'] as const
type Name = (typeof names)[number]

const tags: Readonly<Record<Name, readonly string[] | undefined>> = {
  one: undefined,
  two: ['eu', 'no-training'],
  three: ['eu'],
}
const failing = new Set<Name>()
let hosts: readonly FaultUpstream[]
let gateway: TestGateway
let account: TestAccount

before(async () => {
  hosts = await Promise.all(
    names.map((name) => faultUpstream(() => (failing.has(name) ? rejects(503) : standsIn(name)))),
  )
  const facts = { context: 100_000, maxOutput: 1_000, prices: [{ input: '3', output: '15' }] }
  const formats = ['openai-chat' as const]
  gateway = await testGateway({
    offers: 'as configured',
    upstreams: names.map((name, index) => ({
      ...{ name, provider: name === 'three' ? 'mistral' : 'openai', url: hosts[index]!.origin },
      ...{ credential: `${name}-credential`, models: [], weight: 1, tags: tags[name] },
    })),
    models: [
      {
        ...{ id: 'offered', ...facts, fallbacks: ['dear'] },
        offers: names.map((upstream, index) => ({ upstream, model: 'm', formats, priority: index + 1 })),
      },
      {
        ...{ id: 'dear', ...facts, prices: [{ input: '300', output: '1500' }] },
        offers: [{ upstream: 'one', model: 'd', formats }],
      },
    ],
    limits: { requestsPerMinute: null, retriesMin: 100, cooldownMsMax: 0, failuresBeforeEjection: 1_000 },
  })
  account = await gateway.account('100')
})
after(async () => {
  await gateway.close()
  for (const host of hosts) await host.close()
})
beforeEach(() => failing.clear())

function send(route: string, path: Path = '/v1/chat/completions') {
  const body = { model: 'offered', messages: [{ role: 'user', content: 'hello' }], max_tokens: 100 }
  const headers = { 'x-tollgate-route': route }
  return new Sent(gateway.origin, { key: account.key, format: path, body, headers }).whole()
}

async function servedBy(route: string): Promise<unknown> {
  const { status, text, headers } = await send(route)
  assert.equal(status, 200, text)
  return headers['x-tollgate-upstream']
}

/** How many requests each upstream has received. */
const received = (): readonly number[] => hosts.map(({ requests }) => requests.length)

for (const [route, expected] of [
  ['only=two', 'two'],
  ['only = two , three', 'two'],
  ['only=mistral', 'three'],
  ['avoid=one', 'two'],
  ['avoid=openai', 'three'],
  ['order=three', 'three'],
  ['order=three,two', 'three'],
  ['order=mistral;avoid=three', 'one'],
  ['require=eu', 'two'],
  ['require=eu,no-training; order=three', 'two'],
] as const) {
  test(`${route} is served by ${expected}`, async () => {
    assert.equal(await servedBy(route), expected)
  })
}

test('the others follow in the order of the header, and then in that of the operator', async () => {
  failing.add('three')
  assert.equal(await servedBy('order=three,two'), 'two')
  failing.add('two')
  assert.equal(await servedBy('order=three,two'), 'one')
})

test('what is excluded is not called where the others fail, also for another model', async () => {
  failing.add('two').add('three')
  const before = received()
  const { status, text } = await send('require=eu')
  assert.equal(status, 503, text)
  const calls = received().map((count, index) => count - before[index]!)
  assert.deepEqual(calls, [0, 1, 1])
})

test('the hold does not cover an offer that the header excludes', async () => {
  const holdOf = async (route: string) => Number((await send(route)).headers['x-tollgate-hold'])
  const all = await holdOf('avoid=three')
  const cheap = await holdOf('only=two')
  assert.ok(all > cheap * 50, `${all} and ${cheap}`)
})

test('a header that leaves no upstream gets 404 with the reason for each', async () => {
  for (const path of ['/v1/chat/completions', '/v1/messages'] as const) {
    const { status, text } = await send('require=no-training; avoid=two', path)
    assert.equal(status, 404, text)
    assert.match(text, /no_matching_upstream/)
    assert.match(text, /one lacks the tag no-training; two is avoided; three lacks the tag no-training/)
  }
})

test('a key requires tags of every request, which the header cannot undo', async () => {
  const { key } = await gateway.account('100', { requiredTags: ['eu'] })
  const body = { model: 'offered', messages: [{ role: 'user', content: 'hello' }], max_tokens: 100 }
  const ask = (headers: Readonly<Record<string, string>>) =>
    new Sent(gateway.origin, { key, format: '/v1/chat/completions', body, headers }).whole()
  const before = received()[0]
  assert.equal((await ask({})).headers['x-tollgate-upstream'], 'two')
  assert.equal((await ask({ 'x-tollgate-route': 'order=one,three' })).headers['x-tollgate-upstream'], 'three')
  const { status, text } = await ask({ 'x-tollgate-route': 'only=one' })
  assert.equal(status, 404, text)
  assert.match(text, /x-tollgate-route and the tags that this API key requires: one lacks the tag eu/)
  failing.add('two').add('three')
  assert.equal((await ask({})).status, 503)
  assert.equal(received()[0], before)
})

for (const [route, message] of [
  ['only=nowhere', /no upstream or provider is named nowhere/],
  ['avoid=tow', /no upstream or provider is named tow/],
  ['only=', /is not one of/],
  ['two', /is not one of/],
  ['prefer=two', /is not one of/],
  ['only=two;only=three', /only is given twice/],
  ['only=two;', /is not one of/],
  ['only=two=three', /is not one of/],
] as const) {
  test(`${route} is rejected, and nothing is called`, async () => {
    const before = received()
    const { status, text } = await send(route)
    assert.equal(status, 400, text)
    assert.match(text, message)
    assert.match(text, /"param":"x-tollgate-route"/)
    assert.deepEqual(received(), before)
  })
}
