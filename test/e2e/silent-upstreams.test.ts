/**
 * An upstream that sends no content: a streamed request goes to another offer once, the customer pays for that one alone, and
 * what the first one cost is the operator's loss under its name.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  chunkedHead,
  type FaultUpstream,
  faultUpstream,
  hangs,
  httpChunk,
  type Reply,
} from '../support/fault-upstream.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type Format, formats, type SentRequest } from '../support/paying-client.ts'
import { type Begun, type SilentGateway, silentGateway, turns } from '../support/silent-gateway.ts'
import { standInUsage, standsIn, streams } from '../support/stand-in.ts'

const formatNames = { chat: 'openai-chat', messages: 'anthropic' } as const
const providers = { chat: 'openai', messages: 'anthropic' } as const
const servedCost = BigInt(standInUsage.input) * 3_000n + BigInt(standInUsage.output) * 15_000n
const rich = 1_000_000_000n
const metricsToken = 'a-token-of-this-test'

let well: FaultUpstream
let silent: FaultUpstream
/** Waits as long as by default. */
let gate: SilentGateway
/** Waits for a second, and for a model that reasons as long as it takes. */
let hasty: SilentGateway

async function start(limits: object): Promise<SilentGateway> {
  const upstream = (name: string, format: Format, url: string) => {
    return { name, provider: providers[format], url, credential: 'a-credential', weight: 1 }
  }
  // Each with a name of its own there, so that they are measured separately.
  const model = (id: string, format: Format, offers: readonly string[], more: object = {}) => ({
    ...{ id, context: 2_000_000, maxOutput: 32_000, prices: [{ input: '3', output: '15' }], ...more },
    offers: offers.map((name, at) => {
      return { upstream: name, model: `at-${id}`, formats: [formatNames[format]], priority: at + 1 }
    }),
  })
  const pair = (format: Format) => [providers[format], `spare-${format}`]
  return await silentGateway({
    metricsToken,
    models: [
      ...formats.map((format) => model(`${format}-pair`, format, pair(format))),
      model('chat-thinks', 'chat', pair('chat'), { reasoning: true }),
      model('chat-alone', 'chat', ['openai']),
      model('chat-share', 'chat', pair('chat')),
      model('chat-slow', 'chat', pair('chat')),
      model('chat-fallback', 'chat', ['openai'], { fallbacks: ['messages-spare'] }),
      model('messages-spare', 'messages', ['spare-messages']),
      model('chat-three', 'chat', ['openai', 'also-silent', 'spare-chat']),
    ],
    upstreams: [
      ...formats.map((format) => upstream(`spare-${format}`, format, well.origin)),
      upstream('also-silent', 'chat', silent.origin),
    ],
    limits: { requestsPerMinute: null, ...limits },
  })
}

before(async () => {
  well = await faultUpstream(() => standsIn('served'))
  silent = await faultUpstream(() => hangs)
  gate = await start({})
  hasty = await start({ firstContentMs: 1_000, firstContentReasoningMs: 0 })
})
after(async () => {
  for (const one of [gate, hasty]) await one.close()
  for (const one of [well, silent]) await one.close()
})

type Asked = Partial<Omit<SentRequest, 'key'>> & { readonly stream?: boolean; readonly content?: string }

/** A request that has reached the first upstream. */
function begin(at: SilentGateway, model: string, asked: Asked = {}): Promise<Begun> {
  const { stream = true, content = 'hello', ...more } = asked
  const body = { model, max_tokens: 100, stream, messages: [{ role: 'user', content }] }
  return at.begin({ format: model.startsWith('chat') ? 'chat' : 'messages', body, ...more })
}

async function receiptOf(at: SilentGateway, { account }: Pick<Begun, 'account'>) {
  const { ledger } = at.gateway.gateway.services
  const [receipt] = await eventually(
    'the receipt',
    () => ledger.receipts(account.id, 1, null),
    ({ length }) => length > 0,
  )
  return receipt!
}

function finish(reply: Reply, format: Format = 'chat'): void {
  const { opening, content, finish: end } = streams[format]
  reply.send(chunkedHead + httpChunk(opening + content('at last') + end) + httpChunk())
}

/** Whether the request is still at the first upstream once this time has passed. */
async function waits(at: SilentGateway, ms: number): Promise<boolean> {
  const before = well.requests.length
  at.time.advance(ms)
  await turns()
  return well.requests.length === before
}

const silences: Readonly<Record<string, (reply: Reply, format: Format) => void>> = {
  'without a response': () => {},
  'with a response that does not begin': (reply, format) =>
    reply.send(chunkedHead + httpChunk(streams[format].opening)),
  'with comments alone': (reply) => reply.send(chunkedHead + httpChunk(': wait\n\n')),
}

for (const format of formats) {
  for (const [name, silence] of Object.entries(silences)) {
    test(`${format}: ${name}: after 20 s another offer serves, and is the only one that is charged`, async () => {
      const begun = await begin(gate, `${format}-pair`)
      silence(begun.reply, format)
      await turns()
      assert.ok(await waits(gate, 19_900))
      gate.time.advance(200)
      const { status, text, headers } = await begun.sent.whole()
      assert.equal(status, 200, text)
      assert.match(text, /"served"/)
      assert.doesNotMatch(text, /error/)
      assert.equal(
        headers['x-tollgate-upstream'],
        undefined,
        'no upstream had begun when the headers were sent',
      )
      await begun.reply.closed

      const receipt = await receiptOf(gate, begun)
      assert.deepEqual(
        receipt.attempts.map(({ upstream, failure }) => [upstream, failure]),
        [
          [providers[format], 'upstream_timeout'],
          [`spare-${format}`, null],
        ],
      )
      assert.deepEqual([receipt.endReason, receipt.charged], ['complete', servedCost])
      assert.ok(receipt.writtenOff > 0n && receipt.writtenOff < 200_000n, String(receipt.writtenOff))
      const account = await gate.gateway.gateway.services.ledger.account(begun.account.id)
      assert.deepEqual(
        [account?.posted, account?.held, account?.writtenOffToday],
        [rich - servedCost, 0n, 0n],
      )
    })
  }
}

test('what the first attempt cost is written off under the name of its offer', async () => {
  const { gateway, origin } = gate.gateway
  const sums = await gateway.services.offerStatistics.sums('hour', null)
  assert.ok(sums.of('openai', 'at-chat-pair').cost > 0n)
  assert.equal(sums.of('spare-chat', 'at-chat-pair').cost, 3n * servedCost)
  assert.equal(sums.of('openai', 'at-chat-pair').failures, 3)
  const answer = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  const text = await answer.text()
  const writtenOff = (upstream: string) =>
    Number(
      new RegExp(`written_off_usd_total{model="chat-pair",upstream="${upstream}"} (\\S+)`).exec(text)?.[1],
    )
  assert.ok(writtenOff('openai') > 0, text)
  assert.ok(Math.abs(writtenOff('spare-chat')) < 1e-12)
})

test('the headers name the upstream that serves, where none was sent before', async () => {
  const begun = await begin(hasty, 'chat-pair')
  assert.ok(await waits(hasty, 900))
  hasty.time.advance(200)
  const { headers, text } = await begun.sent.whole()
  assert.match(text, /"served"/)
  assert.deepEqual([headers['x-tollgate-upstream'], headers['x-tollgate-model']], ['spare-chat', 'chat-pair'])
})

test('a model that reasons has 120 s, or as long as the setting says', async () => {
  const begun = await begin(gate, 'chat-thinks')
  assert.ok(await waits(gate, 119_900))
  gate.time.advance(200)
  assert.match((await begun.sent.whole()).text, /"served"/)
  const { writtenOff } = await receiptOf(gate, begun)
  assert.ok(writtenOff > 200_000n, 'it may have reasoned all the time')

  const unlimited = await begin(hasty, 'chat-thinks')
  assert.ok(await waits(hasty, 299_000))
  finish(unlimited.reply)
  assert.match((await unlimited.sent.whole()).text, /at last/)
})

test('without another offer, and for a response that is not streamed, the first one is waited for', async () => {
  const alone = await begin(gate, 'chat-alone')
  const whole = await begin(gate, 'chat-pair', { stream: false })
  assert.ok(await waits(gate, 200_000))
  finish(alone.reply)
  assert.match((await alone.sent.whole()).text, /at last/)
  standsIn('whole').answer(whole.reply)
  assert.match((await whole.sent.whole()).text, /whole/)
})

test('an offer that is set aside is no reason to leave the first one', async () => {
  const begun = await begin(gate, 'chat-pair')
  const { health } = gate.gateway.gateway.services
  const failure = {
    code: 'upstream_error',
    retry: 'elsewhere',
    status: null,
    message: '',
    retryAfterMs: null,
  } as const
  const aside = { cooldownMs: 0, concerns: 'host', otherModelMay: null, operator: false } as const
  for (let count = 0; count < 1_000; count += 1) health.failed('spare-chat', { ...failure, ...aside })
  assert.ok(await waits(gate, 25_000))
  health.served('spare-chat')
  finish(begun.reply)
  assert.match((await begun.sent.whole()).text, /at last/)
})

test('a fallback of another model and format serves, at its price', async () => {
  const begun = await begin(gate, 'chat-fallback')
  assert.ok(await waits(gate, 19_900))
  gate.time.advance(200)
  assert.match((await begun.sent.whole()).text, /"served"/)
  const receipt = await receiptOf(gate, begun)
  assert.deepEqual(
    [receipt.model, receipt.upstream, receipt.charged],
    ['messages-spare', 'spare-messages', servedCost],
  )
})

test('a request goes elsewhere once', async () => {
  const begun = await begin(gate, 'chat-three')
  assert.ok(await waits(gate, 20_100))
  const second = await silent.nextRequest()
  assert.ok(await waits(gate, 200_000))
  finish(second)
  assert.match((await begun.sent.whole()).text, /at last/)
  const { attempts } = await receiptOf(gate, begun)
  assert.deepEqual(
    attempts.map(({ upstream }) => upstream),
    ['openai', 'also-silent'],
  )
})

test('once a tenth of the requests to an offer have left it, and ten, others wait for it', async () => {
  const begun: Begun[] = []
  for (let count = 0; count < 12; count += 1) begun.push(await begin(gate, 'chat-share'))
  const before = well.requests.length
  gate.time.advance(20_100)
  await eventually(
    'ten are served',
    () => well.requests.length,
    (count) => count === before + 10,
  )
  assert.ok(await waits(gate, 100_000))
  for (const { reply } of begun) finish(reply)
  const texts = await Promise.all(begun.map(async ({ sent }) => (await sent.whole()).text))
  assert.equal(texts.filter((text) => text.includes('"served"')).length, 10)
  assert.equal(texts.filter((text) => text.includes('"at last"')).length, 2)
})

test('an offer that was measured to be slower has longer, and a long prompt is read first', async () => {
  const avoiding = { headers: { 'x-tollgate-route': 'avoid=spare-chat' } }
  const measured = await begin(gate, 'chat-slow', avoiding)
  assert.ok(await waits(gate, 40_000))
  finish(measured.reply)
  await measured.sent.whole()
  const begun = await begin(gate, 'chat-slow')
  assert.ok(await waits(gate, 35_000))
  gate.time.advance(10_000)
  assert.match((await begun.sent.whole()).text, /"served"/)

  const long = await begin(hasty, 'chat-pair', { content: 'word '.repeat(40_000) })
  assert.ok(await waits(hasty, 10_000))
  hasty.time.advance(2_000)
  assert.match((await long.sent.whole()).text, /"served"/)
})

test('for a client that leaves meanwhile no other offer is asked', async () => {
  const begun = await begin(gate, 'chat-pair')
  begun.sent.leave()
  await begun.reply.closed
  assert.ok(await waits(gate, 30_000))
  assert.equal((await receiptOf(gate, begun)).attempts.length, 1)
})
