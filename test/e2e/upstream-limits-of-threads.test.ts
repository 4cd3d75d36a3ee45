/** `limits` of an upstream hold over all threads of a process, and a request that waits in one thread takes the place left in another. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../src/config/config.ts'
import { faultUpstream, type Reply } from '../support/fault-upstream.ts'
import { testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { Sent } from '../support/paying-client.ts'
import { standsIn } from '../support/stand-in.ts'

const unlimited = { concurrent: null, requestsPerMinute: null, tokensPerMinute: null }

interface Host {
  readonly origin: string
  /** Requests that are not answered yet. */
  readonly waiting: Reply[]
  most(): number
  close(): Promise<void>
}

async function host(): Promise<Host> {
  const waiting: Reply[] = []
  let most = 0
  const { origin, close } = await faultUpstream(() => ({
    answer(reply) {
      waiting.push(reply)
      most = Math.max(most, waiting.length)
    },
  }))
  return { origin, waiting, most: () => most, close }
}

test('two threads fill limits of upstreams and never exceed them', async (context) => {
  const [narrow, slow] = [await host(), await host()]
  const upstream = (name: string, { origin }: Host, limits: object) => ({
    ...{ name, provider: 'openai', url: origin, credential: `${name}-credential` },
    ...{ models: [{ id: `unused-${name}` }], weight: 1, limits: { ...unlimited, ...limits } },
  })
  const model = (name: string) => ({
    ...{ id: name, context: 200_000, maxOutput: 1_000, prices: [{ input: '1', output: '2' }] },
    offers: [{ upstream: name, model: `at-${name}`, formats: ['openai-chat'], priority: 1 }],
  })
  const gateway = await testGateway({
    offers: 'as configured',
    environment: { TOLLGATE_THREADS: '2' },
    upstreams: [
      upstream('narrow', narrow, { concurrent: 3 }),
      upstream('slow', slow, { requestsPerMinute: 5 }),
    ] as unknown as Config['upstreams'],
    models: [model('narrow'), model('slow')] as unknown as Config['models'],
    limits: { requestsPerMinute: null, concurrent: null, upstreamWaitMs: 30_000 },
  })
  context.after(async () => {
    await gateway.close()
    await narrow.close()
    await slow.close()
  })
  await new Promise<void>((ready) => gateway.gateway.finishStart(ready))
  const account = await gateway.account('10')
  const send = (name: string): Sent => {
    const body = { model: name, max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }
    return new Sent(gateway.origin, { key: account.key, format: 'chat', body })
  }
  const arrived = (at: Host, count: number) =>
    eventually(
      'requests at the host',
      () => at.waiting.length,
      (length) => length >= count,
    )

  await context.test('requests at the same time', async () => {
    const sent = Array.from({ length: 30 }, () => send('narrow'))
    await arrived(narrow, 3)
    const here = gateway.gateway.deps.inFlight.count
    assert.ok(here > 0 && here < sent.length, `${here} of ${sent.length} in the main thread`)
    for (let answered = 0; answered < sent.length; answered += 1) {
      await arrived(narrow, 1)
      standsIn('hi').answer(narrow.waiting.shift()!)
    }
    for (const one of sent) assert.equal((await one.whole()).status, 200)
    assert.equal(narrow.most(), 3)
  })

  await context.test('requests per minute', async () => {
    const sent = Array.from({ length: 30 }, () => send('slow'))
    const held = (holds: number) =>
      eventually(
        'holds',
        () => gateway.balance(account.id),
        ({ openHolds }) => openHolds === holds,
      )
    await held(sent.length)
    await arrived(slow, 5)
    for (const one of sent) one.leave()
    for (const reply of slow.waiting) standsIn('hi').answer(reply)
    await held(0)
    assert.equal(slow.most(), 5)
  })
})
