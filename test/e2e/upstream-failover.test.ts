/**
 * Where one upstream fails another replaces it, as long as nothing of a response was relayed: with one hold and one
 * charge, within bounds, never twice where the work may have been done, and invisibly to the client.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLog } from '../../src/base/log.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import { type Behaviour, type FaultUpstream, faultUpstream, wholeAnswer } from '../support/fault-upstream.ts'
import { unreachableOrigin } from '../support/free-port.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually, type MeteredGateway, meteredGateway, meteredModels } from '../support/metered-gateway.ts'
import { type Format, formats, type Path, rejectionIn, Sent, type Whole } from '../support/paying-client.ts'
import { rejects, standInUsage, standsIn } from '../support/stand-in.ts'

const rich = 1_000_000_000n
const provider: Readonly<Record<Format, string>> = { chat: 'openai', messages: 'anthropic' }
const spareCost = BigInt(standInUsage.input) * 3_000n + BigInt(standInUsage.output) * 15_000n
const success = /\[DONE\]|"finish_reason":"|message_stop|"stop_reason":"/

function upstream(name: string, of: string, origin: string, weight: number) {
  return { name, provider: of, url: origin, credential: `${name}-credential`, weight }
}

interface Logged {
  readonly level: string
  readonly upstream?: string
  readonly code?: string
}
const logged: Logged[] = []
const log = createLog({
  level: 'debug',
  destination: { write: (line) => void logged.push(JSON.parse(line) as Logged) },
})

/** How the spare responds to its next requests. */
let spareDoes: Behaviour
let spare: FaultUpstream
/** The sandbox is called first and the spare second; none is skipped for its health. */
let gate: MeteredGateway
/** The default retry policy; four upstreams of one provider, one of the other. */
let crowd: MeteredGateway
/** Two upstreams, in one format by priority, in the other one at equal priority. */
let pair: TestGateway
let first: FaultUpstream
let firstDoes: Behaviour

before(async () => {
  spare = await faultUpstream(() => ({ answer: (reply) => spareDoes.answer(reply) }))
  first = await faultUpstream(() => ({ answer: (reply) => firstDoes.answer(reply) }))
  gate = await meteredGateway({
    log,
    upstreams: formats.map((format) => upstream(`spare-${format}`, provider[format], spare.origin, 0)),
    limits: {
      silenceMs: 1_500,
      contentGapReasoningMs: 1_500,
      cooldownMsMax: 0,
      failuresBeforeEjection: 1_000,
      retriesMin: 1,
      requestsPerMinute: null,
    },
  })
  crowd = await meteredGateway({
    upstreams: [
      ...['second', 'third'].map((name) => upstream(name, 'openai', gate.sandbox.origin, 0)),
      upstream('fourth', 'openai', spare.origin, 0),
    ],
    limits: { requestsPerMinute: null },
  })
  pair = await testGateway({
    openai: first.origin,
    anthropic: first.origin,
    models: meteredModels(),
    upstreams: [
      upstream('behind', 'openai', spare.origin, 0),
      upstream('beside', 'anthropic', spare.origin, 1),
    ],
    limits: { requestsPerMinute: null, retriesMin: 100, cooldownMsMax: 0, failuresBeforeEjection: 1_000 },
  })
})
after(async () => {
  await crowd.end()
  await gate.end()
  await pair.close()
  await first.close()
  await spare.close()
})

interface Ask {
  readonly behaviour: string
  readonly settings?: string
  readonly streamed: boolean
}

function sent(to: MeteredGateway, account: TestAccount, format: Format, asked: Ask): Sent {
  const { behaviour, settings = 'hello', streamed: stream } = asked
  const messages = [{ role: 'user', content: settings }]
  return to.ask(account, { model: `${format}-${behaviour}`, max_tokens: 300, stream, messages })
}

function story({ attempts }: Pick<ReceiptRow, 'attempts'>): readonly (readonly [string, string | null])[] {
  return attempts.map(({ upstream, failure }) => [upstream, failure])
}

interface Failing extends Ask {
  readonly failure: string | Readonly<Record<Format, string>>
  /** The operator has to intervene. */
  readonly operator?: boolean
}

function both(behaviour: string, failure: string, more: Partial<Failing> = {}): readonly Failing[] {
  return [true, false].map((streamed) => ({ behaviour, failure, streamed, ...more }))
}

const passedOn: readonly Failing[] = [
  ...both('500', 'upstream_error'),
  ...both('529', 'upstream_overloaded'),
  ...both('429', 'upstream_rate_limited', { settings: 'retry=30' }),
  ...both('401', 'upstream_unavailable', { operator: true }),
  ...both('402-quota', 'upstream_unavailable', { operator: true }),
  ...both('redirect', 'upstream_invalid', { operator: true }),
  ...both('html', 'upstream_invalid'),
  ...both('empty', 'upstream_error'),
  ...both('error-json', 'upstream_error'),
  ...both('error-after', 'upstream_error', { settings: 'events=0' }),
  // Chat has no error code for an overloaded upstream.
  {
    behaviour: 'error-first',
    streamed: true,
    failure: { chat: 'upstream_error', messages: 'upstream_overloaded' },
  },
  { behaviour: 'cut-after', settings: 'events=0 how=clean', streamed: true, failure: 'upstream_truncated' },
]

for (const format of formats) {
  for (const row of passedOn) {
    const { behaviour, streamed, operator = false } = row
    const failure = typeof row.failure === 'string' ? row.failure : row.failure[format]
    test(`${format}: ${behaviour}, ${streamed ? 'streamed' : 'whole'}: the spare serves, and is the only one that is paid`, async () => {
      spareDoes = standsIn('stood in')
      const account = await gate.account('1')
      const reached = [gate.sandbox.requests(), spare.requests.length]
      logged.length = 0
      const { status, text, headers } = await sent(gate, account, format, row).whole()
      assert.equal(status, 200, text)
      assert.match(text, /"stood in"/)
      assert.match(text, success)
      assert.doesNotMatch(text, /error/)

      const [main, behind] = [provider[format], `spare-${format}`]
      const receipt = await gate.receiptOf(account)
      assert.deepEqual(story(receipt), [
        [main, failure],
        [behind, null],
      ])
      assert.deepEqual([receipt.endReason, receipt.upstream], ['complete', behind])
      assert.deepEqual([receipt.inputUncached, receipt.output], [standInUsage.input, standInUsage.output])
      assert.equal(receipt.charged, spareCost)
      if (!streamed) assert.equal(headers['x-tollgate-cost'], '0.000066')
      const balance = await gate.balance(account.id)
      assert.deepEqual(balance, { posted: rich - spareCost, held: 0n, openHolds: 0 })
      assert.deepEqual(
        [gate.sandbox.requests(), spare.requests.length],
        reached.map((count) => count + 1),
      )

      const { head, body } = spare.requests.at(-1)!
      assert.ok(head.includes(`${behind}-credential`), 'its own credential')
      assert.doesNotMatch(head, /upstream-credential/)
      assert.deepEqual(body, gate.sandbox.requestLog().at(-1)?.body, 'the same bytes')
      const errors = logged.filter(({ level }) => level === 'error')
      assert.deepEqual(
        errors.map(({ upstream: name, code }) => [name, code]),
        operator ? [[main, failure]] : [],
      )
    })
  }
}

interface Ending extends Ask {
  readonly failure: string | null
  readonly status: number
  readonly delivered?: number
}

/** What the caller must receive, what may have been done, and what was begun. */
const notPassedOn: readonly Ending[] = [
  ...[true, false].flatMap((streamed): Ending[] => [
    { behaviour: '400-context', streamed, failure: 'context_too_long', status: 400 },
    { behaviour: 'hang', streamed, failure: 'upstream_timeout', status: 504 },
  ]),
  {
    behaviour: 'cut-after',
    settings: 'events=0 how=rst',
    streamed: true,
    failure: 'upstream_truncated',
    status: 502,
  },
  {
    behaviour: 'error-after',
    settings: 'events=3',
    streamed: true,
    failure: null,
    status: 200,
    delivered: 3,
  },
  {
    behaviour: 'cut-after',
    settings: 'events=3 how=fin',
    streamed: true,
    failure: null,
    status: 200,
    delivered: 3,
  },
  {
    behaviour: 'hang-stream',
    settings: 'events=3',
    streamed: true,
    failure: null,
    status: 200,
    delivered: 3,
  },
]

for (const format of formats) {
  for (const row of notPassedOn) {
    const { behaviour, streamed, settings = '', failure, delivered = 0 } = row
    test(`${format}: ${behaviour} ${settings}, ${streamed ? 'streamed' : 'whole'}: one attempt and no other`, async () => {
      const account = await gate.account('1')
      const reached = spare.requests.length
      const { status, text } = await sent(gate, account, format, row).whole()
      assert.equal(status, row.status, text)
      assert.match(text, /"error":\{/)
      assert.doesNotMatch(text, success)
      const receipt = await gate.receiptOf(account)
      assert.deepEqual(story(receipt), [[provider[format], failure]])
      assert.equal(receipt.output, delivered)
      assert.equal(receipt.charged === 0n, delivered === 0)
      const { posted, held } = await gate.balance(account.id)
      assert.deepEqual([posted, held], [rich - receipt.charged, 0n])
      assert.equal(spare.requests.length, reached)
    })
  }
}

test('where all hosts fail retries have a budget: when it is used up a failure is reported immediately', async () => {
  const limited = wholeAnswer(429, '{"error":{"message":"Too many."}}', [
    'content-type: application/json',
    'retry-after: 60',
  ])
  // Each request fails at the host that it reaches first, and waits at the other one.
  const seen = new Set<string>()
  const either: Behaviour = {
    answer(reply) {
      const text = reply.request.body.toString('latin1')
      if (!text.includes('waits') || !seen.has(text)) limited.answer(reply)
      seen.add(text)
    },
  }
  firstDoes = either
  spareDoes = either
  const failing = await testGateway({
    openai: first.origin,
    models: meteredModels(),
    upstreams: [upstream('behind', 'openai', spare.origin, 0)],
    limits: { retriesMin: 1 },
  })
  const account = await failing.account('1')
  const asked = () => first.requests.length + spare.requests.length
  const send = (content: string) => {
    const body = { model: 'chat-echo', max_tokens: 300, stream: true, messages: [{ role: 'user', content }] }
    return new Sent(failing.origin, { key: account.key, format: 'chat', body })
  }
  const from = asked()
  assert.equal((await send('both fail').whole()).status, 429)
  const waiting = send('waits 1')
  await eventually('it is sent a second time', asked, (count) => count === from + 4)
  const { openHolds } = await failing.balance(account.id)
  assert.equal(openHolds, 1, 'both attempts stand on one hold')
  assert.equal((await send('waits 2').whole()).status, 429)
  assert.equal(asked(), from + 5, 'it was sent once')
  waiting.leave()
  await eventually(
    'the first one has ended',
    () => failing.balance(account.id),
    ({ openHolds: open }) => open === 0,
  )
  const next = send('waits 3')
  await eventually('the budget is given back', asked, (count) => count === from + 7)
  next.leave()
  await failing.close()
})

test('a request has a limited number of attempts, and upstreams that failed are called after the others', async () => {
  spareDoes = standsIn('stood in')
  const account = await crowd.account('1')
  const limited: Ask = { behaviour: '429', settings: 'retry=30', streamed: false }
  const answer = await sent(crowd, account, 'chat', limited).whole()
  assert.equal(answer.status, 429, answer.text)
  assert.equal(rejectionIn(answer.text).code, 'upstream_rate_limited')
  assert.match(answer.text, /"source":"upstream"/)
  assert.equal(answer.headers['retry-after'], '30')
  assert.deepEqual(
    story(await crowd.receiptOf(account)),
    ['openai', 'second', 'third'].map((name) => [name, 'upstream_rate_limited']),
  )
  assert.equal((await crowd.balance(account.id)).posted, rich)

  const next = await sent(crowd, account, 'chat', limited).whole()
  assert.equal(next.status, 200, next.text)
  assert.deepEqual(story(await crowd.receiptOf(account, 2)), [['fourth', null]])
})

test('the only upstream is called however often it failed, and its rejection of us never looks like the caller’s', async () => {
  const account = await crowd.account('1')
  for (const behaviour of ['401', '402-quota', '500', '529', '401', '402-quota', '500', '529']) {
    for (const streamed of [true, false]) {
      const { status, text } = await sent(crowd, account, 'messages', { behaviour, streamed }).whole()
      assert.ok(status >= 500 && status <= 529, `${behaviour}: ${status}`)
      assert.doesNotMatch(text, /credit balance|authentication|billing|quota|credential/i)
    }
  }
  const answer = await sent(crowd, account, 'messages', { behaviour: 'echo', streamed: true }).whole()
  assert.equal(answer.status, 200, answer.text)
})

// Kept-alive connections that died while idle.

function asks(account: TestAccount, format: Format, content: string, turns: readonly object[] = []): Sent {
  const messages = [{ role: 'user', content }, ...turns]
  const body = { model: `${format}-echo`, max_tokens: 300, messages }
  return new Sent(pair.origin, { key: account.key, format, body })
}

async function toldBy(account: TestAccount, whole: Whole): Promise<ReceiptRow> {
  const { ledger } = pair.gateway.services
  const receipts = await eventually(
    'the receipt is there',
    () => ledger.receipts(account.id, 1, null),
    ([receipt]) => receipt !== undefined && whole.headers['x-request-id'] !== undefined,
  )
  return receipts[0]!
}

/** Answers the first request of each connection, and breaks it at the next one. */
function diesAfterFirst(upstream: () => FaultUpstream, text: string): Behaviour {
  return {
    answer(reply) {
      const { connection } = reply.request
      const before = upstream().requests.filter((request) => request.connection === connection)
      if (before.length > 1) reply.rst()
      else standsIn(text).answer(reply)
    },
  }
}

test('a request on a dead kept-alive connection goes to the same upstream again, once', async () => {
  const account = await pair.account('1')
  spareDoes = standsIn('spare')
  firstDoes = diesAfterFirst(() => first, 'first')
  await asks(account, 'chat', 'warm').whole()
  const reached = [first.requests.length, spare.requests.length]
  const again = await asks(account, 'chat', 'again').whole()
  assert.match(again.text, /"first"/)
  const receipt = await toldBy(account, again)
  assert.deepEqual(story(receipt), [
    ['openai', 'upstream_error'],
    ['openai', null],
  ])
  assert.equal(receipt.charged, spareCost)
  assert.deepEqual([first.requests.length, spare.requests.length], [reached[0]! + 2, reached[1]!])
  assert.deepEqual(await pair.balance(account.id), { posted: rich - 2n * spareCost, held: 0n, openHolds: 0 })

  firstDoes = { answer: (reply) => reply.rst() }
  const lost = await asks(account, 'chat', 'lost').whole()
  assert.equal(lost.status, 502)
  assert.deepEqual(story(await toldBy(account, lost)), [
    ['openai', 'upstream_error'],
    ['openai', 'upstream_error'],
  ])
  assert.equal(spare.requests.length, reached[1], 'on a fresh connection it may have been read')
})

test('the connection of the replacement may be dead as well', async () => {
  const account = await pair.account('1')
  firstDoes = rejects(500)
  spareDoes = diesAfterFirst(() => spare, 'spare')
  // By this rule, connections that earlier cases left are dead, until one serves its first request.
  const warm = await asks(account, 'chat', 'warm').whole()
  assert.match(warm.text, /"spare"/)
  const again = await asks(account, 'chat', 'again').whole()
  assert.match(again.text, /"spare"/)
  assert.deepEqual(story(await toldBy(account, again)), [
    ['openai', 'upstream_error'],
    ['behind', 'upstream_error'],
    ['behind', null],
  ])
  assert.deepEqual(await pair.balance(account.id), { posted: rich - 2n * spareCost, held: 0n, openHolds: 0 })
})

/** What the two upstreams say, and whether a library may repeat the request. */
const ends: readonly (readonly [first: number, behind: number, mayRepeat: boolean])[] = [
  [401, 401, false],
  [404, 403, false],
  [401, 302, false],
  [503, 401, true],
  [401, 503, true],
]
for (const [one, other, mayRepeat] of ends) {
  test(`${one} and ${other}: ${mayRepeat ? 'may be repeated' : 'final, since only an administrator can mend it'}`, async () => {
    // An upstream's own wait is of no use where its key is rejected.
    firstDoes = wholeAnswer(one, '{"error":{"message":"No."}}', ['retry-after: 7'])
    spareDoes = wholeAnswer(other, '{"error":{"message":"No."}}', ['retry-after: 7'])
    const { status, headers, text } = await asks(await pair.account('1'), 'chat', 'hi').whole()
    assert.ok(status >= 500, text)
    assert.equal(headers['x-should-retry'], mayRepeat ? undefined : 'false')
    assert.equal(headers['retry-after'] !== undefined, mayRepeat)
  })
}

const jsonType = ['content-type: application/json']
/** Rejects reasoning that was encrypted for another account, as OpenAI does. */
const readsNoReasoning: Behaviour = {
  answer(reply) {
    const error = {
      message: 'The encrypted content could not be verified.',
      code: 'invalid_encrypted_content',
    }
    const ok = {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'm',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'plum' }] }],
      usage: { input_tokens: 9, output_tokens: 1, total_tokens: 10 },
    }
    const isUnread = reply.request.body.includes('gAAAfirst')
    wholeAnswer(isUnread ? 400 : 200, JSON.stringify(isUnread ? { error } : ok), jsonType).answer(reply)
  },
}

test('an upstream that cannot read encrypted reasoning is asked once more without it, and the caller hears of it', async (context) => {
  const two = await testGateway({
    models: [
      {
        ...{ id: 'gpt-thinks', provider: 'openai', formats: ['openai-responses'] },
        ...{ context: 9_000, maxOutput: 900, prices: [{ input: '1', output: '2' }] },
      },
    ],
    upstreams: [upstream('one', 'openai', first.origin, 1), upstream('two', 'openai', spare.origin, 0)],
  })
  context.after(() => two.close())
  const account = await two.account('1')
  const before = spare.requests.length
  firstDoes = rejects(500)
  spareDoes = readsNoReasoning
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] }
  const input = [
    { role: 'user', content: 'hi' },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAfirst' },
    said,
    { role: 'user', content: 'and?' },
  ]
  const ask = (body: object) =>
    new Sent(two.origin, {
      key: account.key,
      format: '/v1/responses',
      body: { model: 'gpt-thinks', ...body },
    }).whole()
  const { status, text, headers } = await ask({ input })
  assert.equal(status, 200, text)
  assert.match(text, /plum/)
  assert.equal(headers['x-tollgate-adjusted'], 'dropped=input[1]')
  const [withIt, without] = spare.requests.slice(before).map(({ body }) => JSON.parse(String(body)).input)
  assert.deepEqual(withIt, input)
  assert.deepEqual(without, [input[0], said, input[3]])
  assert.equal(spare.requests.length - before, 2)
  const [receipt] = await two.gateway.services.ledger.receipts(account.id, 1, null)
  assert.deepEqual(story(receipt!), [
    ['one', 'upstream_error'],
    ['two', 'upstream_rejected'],
    ['two', null],
  ])
  // Asked once more at most.
  spareDoes = wholeAnswer(400, '{"error":{"message":"No.","code":"invalid_encrypted_content"}}', jsonType)
  const rejected = await ask({ input: 'hi' })
  assert.equal(rejected.status, 400)
  assert.equal(spare.requests.length - before, 4)
})

test('a conversation stays with its upstream, and conversations spread over all', async () => {
  firstDoes = standsIn('first')
  spareDoes = standsIn('spare')
  const accounts = [await pair.account('1'), await pair.account('1')]
  const maps: string[] = []
  for (const account of accounts) {
    const served: string[] = []
    for (let conversation = 0; conversation < 16; conversation += 1) {
      const turns: object[] = []
      const by = new Set<string>()
      for (let turn = 0; turn < 3; turn += 1) {
        const whole = await asks(account, 'messages', `conversation ${conversation}`, turns).whole()
        by.add(/"first"|"spare"/.exec(whole.text)?.[0] ?? whole.text)
        turns.push({ role: 'assistant', content: 'x' }, { role: 'user', content: `turn ${turn}` })
      }
      assert.equal(by.size, 1, 'one upstream for all turns')
      served.push(...by)
    }
    assert.deepEqual(new Set(served), new Set(['"first"', '"spare"']))
    maps.push(served.join())
  }
  assert.notEqual(maps[0], maps[1], 'another account has its own order')
})

interface Agent {
  readonly path: Path
  /** What it sends in the first turn of a conversation, which the user began with `text`; later turns follow. */
  opening(text: string): readonly object[]
  readonly list: 'messages' | 'input' | 'contents'
  readonly more?: (conversation: number) => {
    readonly body?: object
    readonly headers?: Readonly<Record<string, string>>
  }
}

const aside = `<system-reminder>${'The same in all conversations. '.repeat(60)}</system-reminder>`
const user = (content: unknown) => ({ role: 'user', content })
const block = (text: string, type = 'text') => ({ type, text })
const [chatPath, messagesPath, responsesPath] = [
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/responses',
] as const
const geminiPath = '/v1beta/models/messages-echo:generateContent'

const agents: Readonly<Record<string, Agent>> = {
  'reminders in blocks of their own': {
    ...{ path: messagesPath, list: 'messages' },
    opening: (text) => [user([block(aside), block(`${aside}\n`), block(text)])],
  },
  'a reminder in front of the text': {
    ...{ path: chatPath, list: 'messages' },
    opening: (text) => [{ role: 'system', content: 'Be brief.' }, user(`\n${aside}\n\n${text}`)],
  },
  'a message with the environment alone': {
    ...{ path: responsesPath, list: 'input' },
    opening: (text) => [
      user([block(`<environment_context>\n  <cwd>/home</cwd>\n</environment_context>`, 'input_text')]),
      user([block(text, 'input_text')]),
    ],
  },
  'parts of Gemini': {
    ...{ path: geminiPath, list: 'contents' },
    opening: (text) => [{ role: 'user', parts: [{ text: aside }, { text }] }],
  },
  'a request that is in an element itself': {
    ...{ path: chatPath, list: 'messages' },
    opening: (text) => [user(`${aside}<task>${text}</task>`)],
  },
  'texts that begin alike': {
    ...{ path: chatPath, list: 'messages' },
    opening: (text) => [user(`${'x'.repeat(1_100)}${text}`)],
  },
  'a cache key': {
    ...{ path: responsesPath, list: 'input' },
    opening: () => [user('hello')],
    more: (conversation) => ({ body: { prompt_cache_key: `key-${conversation}` } }),
  },
  'the header of a session': {
    ...{ path: messagesPath, list: 'messages' },
    opening: () => [user('hello')],
    more: (conversation) => ({ headers: { 'x-claude-code-session-id': `session-${conversation}` } }),
  },
}

const answerTurns: Readonly<Record<Agent['list'], readonly object[]>> = {
  messages: [{ role: 'assistant', content: 'x' }, user('go on')],
  input: [{ role: 'assistant', content: 'x' }, user('go on')],
  contents: [
    { role: 'model', parts: [{ text: 'x' }] },
    { role: 'user', parts: [{ text: 'go on' }] },
  ],
}

async function serverOf(
  account: TestAccount,
  agent: Agent,
  turn: { conversation: number; list: readonly object[] },
) {
  const { body, headers = {} } = agent.more?.(turn.conversation) ?? {}
  const limit = { messages: { max_tokens: 100 }, input: { max_output_tokens: 100 }, contents: {} }[agent.list]
  const named = agent.list === 'contents' ? {} : { model: 'messages-echo' }
  const sentBody = { ...named, ...limit, [agent.list]: turn.list, ...body }
  const sent = new Sent(pair.origin, { key: account.key, format: agent.path, body: sentBody, headers })
  const { text } = await sent.whole()
  return /first|spare/.exec(text)?.[0] ?? text
}

for (const [name, agent] of Object.entries(agents)) {
  test(`conversations of an agent spread over equal offers, and each stays: ${name}`, async () => {
    firstDoes = standsIn('first')
    spareDoes = standsIn('spare')
    const account = await pair.account('1')
    const servers = new Set<string>()
    for (let conversation = 0; conversation < 24; conversation += 1) {
      const list = agent.opening(`talk ${conversation}`)
      const server = await serverOf(account, agent, { conversation, list })
      const later = [...list, ...answerTurns[agent.list]]
      assert.equal(await serverOf(account, agent, { conversation, list: later }), server)
      servers.add(server)
    }
    assert.deepEqual([...servers].sort(), ['first', 'spare'])
  })
}

test('one cache key, and one session, stay at one offer whatever the texts', async () => {
  firstDoes = standsIn('first')
  spareDoes = standsIn('spare')
  const account = await pair.account('1')
  for (const name of ['a cache key', 'the header of a session'] as const) {
    const servers = new Set<string>()
    for (let turn = 0; turn < 12; turn += 1)
      servers.add(await serverOf(account, agents[name]!, { conversation: 1, list: [user(`text ${turn}`)] }))
    assert.equal(servers.size, 1, name)
  }
})

test('an unreachable upstream costs nothing and is skipped', async () => {
  spareDoes = standsIn('stood in')
  const alone = await testGateway({
    openai: unreachableOrigin,
    models: meteredModels(),
    upstreams: [upstream('behind', 'openai', spare.origin, 0)],
  })
  const account = await alone.account('1')
  const body = { model: 'chat-echo', max_tokens: 300, messages: [{ role: 'user', content: 'hello' }] }
  const { status, text } = await new Sent(alone.origin, { key: account.key, format: 'chat', body }).whole()
  assert.equal(status, 200, text)
  const [receipt] = await alone.gateway.services.ledger.receipts(account.id, 1, null)
  assert.deepEqual(story(receipt!), [
    ['openai', 'upstream_error'],
    ['behind', null],
  ])
  assert.equal(receipt!.charged, spareCost)
  await alone.close()
})
