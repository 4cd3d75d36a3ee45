/**
 * Of two hosts of a model one fails or hangs, and the other serves every request: at every host, and at a server of one's own.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { upstreamHost } from '../../src/config/custom-upstreams.ts'
import { hosts } from '../../src/providers/hosts/hosts-table.ts'
import type { FormatName } from '../../src/wire/format-names.ts'
import { streamedAnswer, wholeAnswer as wholeAnswerIn } from '../support/cloud-answers.ts'
import {
  type Behaviour,
  chunkedHead,
  type FaultUpstream,
  faultUpstream,
  httpChunk,
  type Reply,
  sends,
  wholeAnswer,
} from '../support/fault-upstream.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { manualClock } from '../support/manual-clock.ts'
import { eventually } from '../support/metered-gateway.ts'
import { Sent, type Whole } from '../support/paying-client.ts'
import { rejects } from '../support/stand-in.ts'

/** Every host, in Chat Completions or in the only format that it has, and a server of one's own. */
const providers = [...Object.keys(hosts), 'openai', 'anthropic', 'custom']
const formats: Readonly<Record<string, FormatName>> = {
  anthropic: 'anthropic',
  perplexity: 'openai-responses',
}
const atOnce = 12
const statuses = [429, 503, 529]

/** Responds in the format that it is asked in. */
const serves: Behaviour = {
  answer(reply) {
    const { path, body } = reply.request
    const format = path.includes('responses') ? 'responses' : path.includes('messages') ? 'messages' : 'chat'
    if (/"stream": *true/.test(body.toString('latin1')))
      sends(chunkedHead + httpChunk(streamedAnswer(format, false).toString()) + httpChunk()).answer(reply)
    else
      wholeAnswer(200, JSON.stringify(wholeAnswerIn(format, false)), [
        'content-type: application/json',
      ]).answer(reply)
  },
}

const time = manualClock()
/** What the first host does with its requests. */
let fails: (reply: Reply) => void
let failing: FaultUpstream
let well: FaultUpstream
let gateway: TestGateway
let account: TestAccount

before(async () => {
  failing = await faultUpstream(() => ({ answer: (reply) => fails(reply) }))
  well = await faultUpstream(() => serves)
  const upstream = (name: string, provider: string, url: string) => ({
    ...upstreamHost({
      name,
      provider,
      url,
      credential: 'a-credential',
      formats: provider === 'custom' ? ['openai-chat'] : undefined,
    }),
    ...{ weight: 1, models: [] },
  })
  gateway = await testGateway({
    clock: time,
    offers: 'as configured',
    upstreams: providers.flatMap((provider) => [
      upstream(`${provider}-first`, provider, failing.origin),
      upstream(`${provider}-second`, provider, well.origin),
    ]),
    models: providers.map((provider) => ({
      ...{ id: `at-${provider}`, context: 100_000, maxOutput: 8_000, prices: [{ input: '1', output: '2' }] },
      offers: ['first', 'second'].map((name, at) => ({
        upstream: `${provider}-${name}`,
        model: 'a-model',
        formats: [formats[provider] ?? 'openai-chat'],
        priority: at + 1,
      })),
    })),
    // A host that failed stays the first one that is asked.
    limits: { requestsPerMinute: null, cooldownMsMax: 0, failuresBeforeEjection: 100_000 },
  })
  account = await gateway.account('1000')
})
after(async () => {
  await gateway.close()
  await failing.close()
  await well.close()
})

function ask(provider: string, stream: boolean): Promise<Whole> {
  const messages = [{ role: 'user', content: 'hello' }]
  const body = { model: `at-${provider}`, max_tokens: 50, stream, messages }
  return new Sent(gateway.origin, { key: account.key, format: 'chat', body }).whole()
}

/** How many of the responses have each status. */
function counted(responses: readonly Whole[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

for (const provider of providers) {
  test(`${provider}: requests that fail at one host at the same time are all served by another one`, async () => {
    for (const [round, status] of statuses.entries()) {
      const arrived: Reply[] = []
      fails = (reply) => {
        arrived.push(reply)
        if (arrived.length === atOnce) for (const one of arrived) rejects(status).answer(one)
      }
      const asked = Array.from({ length: atOnce }, () => ask(provider, round === 1))
      assert.deepEqual(counted(await Promise.all(asked)), { 200: atOnce }, `status ${status}`)
    }
  })
}

for (const provider of providers) {
  test(`${provider}: a host that hangs is left for another one`, async () => {
    fails = () => {}
    const hung = failing.requests.length
    const asked = ask(provider, true)
    await eventually(
      'the first host is asked',
      () => failing.requests.length,
      (count) => count > hung,
    )
    // A read stores its hold: a stream waits for that in real time, while the test's own passes.
    await gateway.balance(account.id)
    time.advance(20_100)
    assert.deepEqual(counted([await asked]), { 200: 1 })
  })
}

test('a host that fails half of the time takes no request with it: 200 of 200 are served', async () => {
  let asked = 0
  fails = (reply) => {
    asked += 1
    if (asked % 2 === 0) serves.answer(reply)
    else rejects(statuses[asked % statuses.length] ?? 503).answer(reply)
  }
  const responses: Whole[] = []
  let left = 200
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      responses.push(await ask('custom', left % 2 === 0))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, client))
  assert.deepEqual(counted(responses), { 200: 200 })
})
