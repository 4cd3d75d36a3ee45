/**
 * `node scripts/run.js bench/catalog-changes.ts`: how long a change of the catalog through the management API holds up the
 * event loop and requests, with 1,500 models at 40 upstreams: one price, and a price list with all of them.
 */
import assert from 'node:assert/strict'
import { ControlClient, sendTo } from '../test/support/control-client.ts'
import { testGateway } from '../test/support/gateway.ts'
import { Sent } from '../test/support/paying-client.ts'

const modelsTotal = 1_500
const upstreamsTotal = 40
const runs = 10

const gate = await testGateway({
  offers: 'as configured',
  limits: { requestsPerMinute: null, tokensPerMinute: null },
  upstreams: Array.from({ length: upstreamsTotal }, (_, at) => ({
    ...{
      name: `upstream-${at}`,
      provider: 'openai',
      url: `https://host-${at}.example`,
      credential: 'a-credential',
    },
    ...{ weight: 1, models: [] },
  })),
  models: Array.from({ length: modelsTotal }, (_, at) => ({
    ...{ id: `model-${at}`, context: 100_000, maxOutput: 1_000, prices: [{ input: '1', output: '2' }] },
    offers: [{ upstream: `upstream-${at % upstreamsTotal}` }],
  })),
})
const { start } = gate.gateway
assert.ok(start.kind === 'first')
const administrator = new ControlClient(gate.origin)
const [email, password] = ['operator@example.org', 'a long enough password']
await administrator.done('setup.claim', {
  token: new URL(start.setupLink).searchParams.get('token') ?? '',
  ...{ name: 'operator', email, password },
})
await administrator.post('/api/auth/sign-in/email', { email, password })
const { key } = await gate.account('100')

/** Sends one request after another while the change is made; returns the slowest in milliseconds. */
async function slowestRequest(isDone: () => boolean): Promise<number> {
  const body = { model: 'sandbox-echo', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] }
  let slowest = 0
  do {
    const began = performance.now()
    const { status } = await new Sent(gate.origin, { key, format: 'chat', body }).whole()
    assert.equal(status, 200)
    slowest = Math.max(slowest, performance.now() - began)
  } while (!isDone())
  return slowest
}

/** The longest time between two turns of the event loop. */
async function longestTurn(isDone: () => boolean): Promise<number> {
  let longest = 0
  for (let last = performance.now(); !isDone(); ) {
    await new Promise((resolve) => setImmediate(resolve))
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  return longest
}

/** The minimum of several runs is the best estimate, where other programs share the machine. */
function figures(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other)
  return `${sorted[0]?.toFixed(1)} ms (median ${sorted[sorted.length >> 1]?.toFixed(1)})`
}

/** Turns and requests are measured apart: what serves a request is a turn too. */
async function print(what: string, change: (at: number) => Promise<unknown>): Promise<void> {
  const [turns, requests, took]: [number[], number[], number[]] = [[], [], []]
  for (let at = 0; at < runs * 2; at += 1) {
    let isDone = false
    const watched = (at % 2 === 0 ? longestTurn : slowestRequest)(() => isDone)
    const began = performance.now()
    await change(at)
    took.push(performance.now() - began)
    isDone = true
    ;(at % 2 === 0 ? turns : requests).push(await watched)
  }
  process.stdout.write(
    `${what.padEnd(24)} longest turn ${figures(turns)}, slowest request ${figures(requests)}, took ${figures(took)}\n`,
  )
}

/** The text is made before, because its making is a client's work. */
async function changed(path: string, body: string): Promise<void> {
  const { cookie } = administrator
  const headers = { cookie, origin: gate.origin, 'content-type': 'application/json' }
  const { status } = await sendTo(gate.origin, { method: 'POST', path, headers, body })
  assert.equal(status, 200)
}

const amount = (at: number, more: number) => `${1 + more}.${String(at).padStart(2, '0')}`
const priceList = (at: number, rows: number) =>
  JSON.stringify({
    source: 'a list',
    models: Array.from({ length: rows }, (_, model) => ({
      ...{ model: `model-${model}`, facts: null },
      price: { input: amount(at, 0), output: amount(at, model % 7) },
    })),
  })
const lists = [1, 100, modelsTotal].map((rows) =>
  Array.from({ length: runs * 2 }, (_, at) => priceList(at, rows)),
)

await slowestRequest(() => true)
await print('nothing', () => new Promise((resolve) => setTimeout(resolve, 300)))
for (const texts of lists)
  await print(`prices of ${[1, 100, modelsTotal][lists.indexOf(texts)]} models`, (at) =>
    changed('/api/admin/catalog/update', texts[at] ?? ''),
  )
await gate.close()
