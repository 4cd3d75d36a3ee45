/** `limits` of an upstream: what the operator allows it is filled, and not exceeded, however many requests come. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { Config } from '../../src/config/config.ts'
import { type FaultUpstream, faultUpstream, type Reply, wholeAnswer } from '../support/fault-upstream.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type MovableClock, movableClock, passTime } from '../support/movable-clock.ts'
import { Sent } from '../support/paying-client.ts'
import { rejects, standsIn } from '../support/stand-in.ts'

interface Hosts {
  readonly gateway: TestGateway
  readonly account: TestAccount
  readonly clock: MovableClock
  /** Requests at each host that are not answered yet. */
  readonly waiting: Readonly<Record<'small' | 'spare', Reply[]>>
  readonly most: Readonly<Record<'small' | 'spare', number>>
}

const unlimited = { concurrent: null, requestsPerMinute: null, tokensPerMinute: null }

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function hosts(
  limits: object,
  more: Partial<Config['limits']> = {},
  spareLimits: object | undefined = undefined,
): Promise<Hosts> {
  const clock = movableClock()
  const waiting = { small: [] as Reply[], spare: [] as Reply[] }
  const most = { small: 0, spare: 0 }
  const host = async (name: 'small' | 'spare'): Promise<FaultUpstream> => {
    const upstream = await faultUpstream(() => ({
      answer(reply) {
        waiting[name].push(reply)
        most[name] = Math.max(most[name], waiting[name].length)
      },
    }))
    closing.unshift(() => upstream.close())
    return upstream
  }
  const upstream = async (name: 'small' | 'spare', own: object) => ({
    ...{ name, provider: 'openai', url: (await host(name)).origin, credential: `${name}-credential` },
    ...{ models: [{ id: `unused-${name}` }], weight: 1, ...own },
  })
  const offer = (name: string, priority: number) => ({
    ...{ upstream: name, model: `at-${name}`, formats: ['openai-chat'], priority },
  })
  const model = { context: 200_000, maxOutput: 1_000, prices: [{ input: '1', output: '2' }] }
  const gateway = await testGateway({
    offers: 'as configured',
    clock,
    upstreams: [
      await upstream('small', { limits: { ...unlimited, ...limits } }),
      await upstream('spare', spareLimits === undefined ? {} : { limits: { ...unlimited, ...spareLimits } }),
    ],
    models: [
      { id: 'alone', ...model, offers: [offer('small', 1)] },
      {
        ...{ id: 'falling', ...model, prices: [{ input: '3', output: '6' }] },
        ...{ offers: [offer('spare', 1)], fallbacks: ['alone'] },
      },
      { id: 'both', ...model, offers: [offer('small', 1), offer('spare', 2)] },
      {
        ...{ id: 'responding', ...model },
        offers: [offer('small', 1), offer('spare', 2)].map((one) => ({
          ...one,
          formats: ['openai-responses'],
        })),
      },
      { id: 'reserve', ...model, offers: [offer('spare', 1)] },
    ] as unknown as Config['models'],
    limits: {
      requestsPerMinute: null,
      retriesMin: 100,
      cooldownMsMax: 0,
      failuresBeforeEjection: 1_000,
      ...more,
    },
  })
  closing.unshift(() => gateway.close())
  return { gateway, account: await gateway.account('10'), clock, waiting, most }
}

function send({ gateway, account }: Hosts, model: string): Sent {
  const body = { model, max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }
  return new Sent(gateway.origin, { key: account.key, format: 'chat', body })
}

const arrived = (replies: Reply[], count: number) =>
  eventually(
    'requests',
    async () => replies.length,
    (length) => length >= count,
  )

/** Why attempts failed or offers were skipped, from the account's receipts, of which there are `count`. */
async function failures({ gateway, account }: Hosts, count: number): Promise<readonly string[]> {
  const receipts = await eventually(
    'the receipts',
    () => gateway.gateway.services.ledger.receipts(account.id, 100, null),
    ({ length }) => length === count,
  )
  return receipts.flatMap(({ attempts }) => attempts.flatMap(({ failure }) => failure ?? []))
}

test('requests beyond `concurrent` go to the next offer', async () => {
  const at = await hosts({ concurrent: 2, requestsPerMinute: null })
  const sent = Array.from({ length: 5 }, () => send(at, 'both'))
  await arrived(at.waiting.small, 2)
  await arrived(at.waiting.spare, 3)
  for (const reply of [...at.waiting.small, ...at.waiting.spare]) standsIn('hi').answer(reply)
  for (const one of sent) assert.equal((await one.whole()).status, 200)
  assert.deepEqual(at.most, { small: 2, spare: 3 })
})

test('requests that come at the same time never wait while another offer has room', async () => {
  const at = await hosts({ concurrent: 2, requestsPerMinute: null })
  const sent = Array.from({ length: 20 }, () => send(at, 'both'))
  await arrived(at.waiting.spare, 18)
  for (const reply of [...at.waiting.small, ...at.waiting.spare]) standsIn('hi').answer(reply)
  for (const one of sent) assert.equal((await one.whole()).status, 200)
  assert.deepEqual(await failures(at, 20), [])
})

test('a request that waits takes the first place at any of its offers', async () => {
  const one = { concurrent: 1, requestsPerMinute: null }
  const at = await hosts(one, {}, one)
  const [first, second] = [send(at, 'alone'), send(at, 'reserve')]
  await arrived(at.waiting.small, 1)
  await arrived(at.waiting.spare, 1)
  const third = send(at, 'both')
  await eventually(
    'three holds',
    () => at.gateway.balance(at.account.id),
    ({ openHolds }) => openHolds === 3,
  )
  standsIn('hi').answer(at.waiting.spare.splice(0)[0]!)
  assert.equal((await second.whole()).status, 200)
  await arrived(at.waiting.spare, 1)
  for (const reply of [...at.waiting.small, ...at.waiting.spare]) standsIn('hi').answer(reply)
  for (const request of [first, third]) assert.equal((await request.whole()).status, 200)
  assert.deepEqual(at.most, { small: 1, spare: 1 })
  assert.deepEqual(await failures(at, 3), [])
})

const answered = {
  ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', store: true, error: null },
  output: [
    {
      ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text: 'hi', annotations: [] }],
    },
  ],
  usage: {
    ...{ input_tokens: 7, output_tokens: 3, total_tokens: 10 },
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
}

test('a request that only one offer can serve waits for it, and uses no limit of the others', async () => {
  const at = await hosts({ concurrent: 1, requestsPerMinute: null }, {}, { requestsPerMinute: 1 })
  const respond = (more: object): Sent => {
    const body = { model: 'responding', input: 'hello', max_output_tokens: 100, ...more }
    return new Sent(at.gateway.origin, { key: at.account.key, format: '/v1/responses', body })
  }
  const answer = wholeAnswer(200, JSON.stringify(answered), ['content-type: application/json'])
  const first = respond({ store: true })
  await arrived(at.waiting.small, 1)
  answer.answer(at.waiting.small.splice(0)[0]!)
  const { status, text } = await first.whole()
  assert.equal(status, 200, text)
  const [{ id } = assert.fail()] = [JSON.parse(text) as { id: string }]
  const busy = send(at, 'alone')
  await arrived(at.waiting.small, 1)
  const second = respond({ previous_response_id: id })
  await eventually(
    'two holds',
    () => at.gateway.balance(at.account.id),
    ({ openHolds }) => openHolds === 2,
  )
  const other = send(at, 'reserve')
  await arrived(at.waiting.spare, 1)
  for (const reply of [...at.waiting.small.splice(0), ...at.waiting.spare]) standsIn('hi').answer(reply)
  for (const one of [busy, other]) assert.equal((await one.whole()).status, 200)
  await arrived(at.waiting.small, 1)
  answer.answer(at.waiting.small[0]!)
  assert.equal((await second.whole()).status, 200)
})

test('without another offer they wait, each for one that ends, also by failing', async () => {
  const at = await hosts({ concurrent: 1, requestsPerMinute: null })
  const sent = Array.from({ length: 4 }, () => send(at, 'alone'))
  for (const end of [standsIn('hi'), rejects(529), rejects(400), standsIn('hi')]) {
    await arrived(at.waiting.small, 1)
    end.answer(at.waiting.small.splice(0)[0]!)
  }
  const ends = await Promise.all(sent.map(async (one) => (await one.whole()).status))
  assert.deepEqual(ends.sort(), [200, 200, 400, 503])
  assert.equal(at.most.small, 1)
})

test('a request that no upstream had room for in time gets 503 with Retry-After, and pays nothing', async () => {
  const at = await hosts({ concurrent: 1, requestsPerMinute: null }, { upstreamWaitMs: 10_000 })
  const first = send(at, 'alone')
  await arrived(at.waiting.small, 1)
  const second = send(at, 'alone').whole()
  const { status, text, headers } = await passTime(at.clock, second, () => true)
  assert.equal(status, 503, text)
  assert.equal(headers['retry-after'], '1')
  assert.match(text, /upstream_unavailable/)
  standsIn('hi').answer(at.waiting.small[0]!)
  assert.equal((await first.whole()).status, 200)
  assert.equal((await at.gateway.balance(at.account.id)).held, 0n)
})

test('a client that leaves while it waits takes no place', async () => {
  const at = await hosts({ concurrent: 1, requestsPerMinute: null })
  const first = send(at, 'alone')
  await arrived(at.waiting.small, 1)
  const second = send(at, 'alone')
  await eventually(
    'two holds',
    () => at.gateway.balance(at.account.id),
    ({ openHolds }) => openHolds === 2,
  )
  second.leave()
  await eventually(
    'one hold',
    () => at.gateway.balance(at.account.id),
    ({ openHolds }) => openHolds === 1,
  )
  standsIn('hi').answer(at.waiting.small.splice(0)[0]!)
  assert.equal((await first.whole()).status, 200)
  const third = send(at, 'alone')
  await arrived(at.waiting.small, 1)
  standsIn('hi').answer(at.waiting.small[0]!)
  assert.equal((await third.whole()).status, 200)
})

test('requests beyond `requestsPerMinute` wait for the next minute', async () => {
  const at = await hosts({ concurrent: null, requestsPerMinute: 2 }, { upstreamWaitMs: 120_000 })
  const answer = async (): Promise<void> => {
    await arrived(at.waiting.small, 1)
    standsIn('hi').answer(at.waiting.small.splice(0)[0]!)
  }
  for (let sent = 0; sent < 2; sent += 1) {
    const whole = send(at, 'alone').whole()
    await answer()
    assert.equal((await whole).status, 200)
  }
  const began = at.clock.monoMs()
  const third = send(at, 'alone').whole()
  await passTime(at.clock, arrived(at.waiting.small, 1), () => true)
  assert.ok(at.clock.monoMs() - began > 30_000)
  await answer()
  assert.equal((await third).status, 200)
})

test('tokens per minute are filled by what requests use, and never exceeded by what they may use', async () => {
  const at = await hosts({ tokensPerMinute: 1_000 })
  const sent = Array.from({ length: 40 }, () => send(at, 'alone'))
  for (let answered = 0; answered < sent.length; answered += 1) {
    await arrived(at.waiting.small, 1)
    standsIn('hi').answer(at.waiting.small.splice(0, 1)[0]!)
  }
  for (const one of sent) assert.equal((await one.whole()).status, 200)
  assert.deepEqual(await failures(at, 40), [])
  // Each may use 100 tokens of output and has a prompt; only a few run at the same time, but all in one minute.
  assert.ok(at.most.small > 2 && at.most.small < 10, `${at.most.small} at the same time`)
})

/** Not before the first byte: a connection that was used before may have ended without the request. */
function breaksOff(reply: Reply): void {
  reply.send('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{')
  reply.whenSent(() => reply.rst())
}

test('what a host rejects uses none of its tokens; what may have been processed does', async () => {
  const at = await hosts({ tokensPerMinute: 300 }, { upstreamWaitMs: 10_000 })
  const end = async (how: (reply: Reply) => void): Promise<Sent> => {
    const one = send(at, 'alone')
    await arrived(at.waiting.small, 1)
    how(at.waiting.small.splice(0)[0]!)
    return one
  }
  for (let rejected = 0; rejected < 4; rejected += 1)
    assert.equal((await (await end((reply) => rejects(400).answer(reply))).whole()).status, 400)
  for (let lost = 0; lost < 2; lost += 1) assert.equal((await (await end(breaksOff)).whole()).status, 502)
  const { capacity } = at.gateway.gateway.deps
  const isWaiting = () => capacity.waitingAt('small') > 0
  const { status } = await passTime(at.clock, send(at, 'alone').whole(), isWaiting)
  assert.equal(status, 503)
  assert.equal(at.waiting.small.length, 0)
})

test('a fallback that had no room is not the model of the receipt', async () => {
  const at = await hosts({ concurrent: 1, requestsPerMinute: null }, { upstreamWaitMs: 0 })
  const first = send(at, 'alone')
  await arrived(at.waiting.small, 1)
  const falling = send(at, 'falling').whole()
  await arrived(at.waiting.spare, 1)
  rejects(529).answer(at.waiting.spare[0]!)
  assert.equal((await falling).status, 503)
  const [receipt] = await eventually(
    'a receipt',
    () => at.gateway.gateway.services.ledger.receipts(at.account.id, 10, null),
    (rows) => rows.length > 0,
  )
  assert.equal(receipt?.model, 'falling')
  assert.deepEqual(
    receipt?.attempts.map(({ upstream, failure }) => [upstream, failure]),
    [
      ['spare', 'upstream_overloaded'],
      ['small', 'upstream_at_limit'],
    ],
  )
  standsIn('hi').answer(at.waiting.small[0]!)
  assert.equal((await first.whole()).status, 200)
})
