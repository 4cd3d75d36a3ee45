/**
 * Clients and upstreams cannot grow the process: large concurrent bodies are admitted up to their budget, a body and its copy in
 * another format are never both in memory, a slow reader slows the upstream down and is dropped, the buffered part of a stream
 * has the size of one event, and a request that has ended leaves nothing behind.
 */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { type Clock, systemClock, type Timer } from '../../src/base/clock.ts'
import {
  chunkedHead,
  type FaultUpstream,
  faultUpstream,
  httpChunk,
  type Reply,
} from '../support/fault-upstream.ts'
import { undividedBudgets } from '../support/gateway.ts'
import { type GatewayProcess, type Installation, makeInstallation } from '../support/gateway-process.ts'
import { eventually, type MeteredGateway, meteredGateway } from '../support/metered-gateway.ts'
import { type MemoryProbe, memoryProbe } from '../support/retained-memory.ts'
import { upstreamEvents } from '../support/upstream-events.ts'

const mebibyte = 1024 * 1024

interface Client {
  readonly path: string
  body(model: string, content: object): object
  readonly picture: (data: string) => object
}

const pictureUrl = (data: string): string => `data:image/png;base64,${data}`
const clients = {
  chat: {
    path: '/v1/chat/completions',
    body: (model, content) => ({
      model,
      stream: true,
      max_tokens: 5_000,
      messages: [{ role: 'user', content }],
    }),
    picture: (data) => ({ type: 'image_url', image_url: { url: pictureUrl(data) } }),
  },
  messages: {
    path: '/v1/alt/v1/messages',
    body: (model, content) => ({
      model,
      stream: true,
      max_tokens: 5_000,
      messages: [{ role: 'user', content }],
    }),
    picture: (data) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }),
  },
  responses: {
    path: '/v1/responses',
    body: (model, content) => ({ model, stream: true, input: [{ role: 'user', content }] }),
    picture: (data) => ({ type: 'input_image', image_url: pictureUrl(data) }),
  },
} as const satisfies Readonly<Record<string, Client>>

/** A client at the TCP level, so that a body uses no memory of its own and nothing is read implicitly. */
function post(
  { origin }: { readonly origin: string },
  asked: {
    readonly key: string
    readonly client: Client
    readonly body: Buffer
    readonly announcedBytes?: number
  },
): Socket {
  const { key, client, body, announcedBytes = body.length } = asked
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  socket.on('error', () => socket.destroy())
  socket.write(
    `POST ${client.path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${announcedBytes}\r\n\r\n`,
  )
  socket.write(body)
  return socket
}

function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text
    })
    socket.on('close', () => resolve(answer))
  })
}

const limitsOff =
  'requestsPerMinute: none, tokensPerMinute: none, concurrent: none, shareOfKeyMax: 1, shareOfAccountMax: 1, shareOfNetworkMax: 1'

suite('a copy replaces what it was made from', { concurrency: 1 }, () => {
  const bodyBytes = 256 * 1024
  const bodies = 16
  let gateway: MeteredGateway

  before(async () => {
    gateway = await meteredGateway({
      limits: {
        // And the first piece of the one that is copied into its whole buffer.
        bodyBudgetBytes: bodies * bodyBytes + 64 * 1024,
        requestsPerMinute: null,
        tokensPerMinute: null,
        ...undividedBudgets,
      },
    })
  })
  after(() => gateway.end())

  for (const [client, model] of [
    [clients.chat, 'messages-stream'],
    [clients.chat, 'responses-stream'],
    [clients.messages, 'chat-stream'],
    [clients.messages, 'gemini-stream'],
  ] as const) {
    test(`as many as the budget allows are all served: ${client.path} → ${model}`, async () => {
      const { key } = await gateway.account('10')
      const { bodies: budget } = gateway.gateway.deps
      const content = [{ type: 'text', text: `tokens=5 ${'x'.repeat(bodyBytes - 1_024)}` }]
      const body = Buffer.from(JSON.stringify(client.body(model, content)))
      const asked = { key, client, body: body.subarray(0, -1), announcedBytes: body.length }
      const sockets = Array.from({ length: bodies }, () => post(gateway, asked))
      await eventually(
        'all wait for their last byte',
        () => budget.used,
        (bytes) => bytes >= bodies * (body.length - 1),
      )
      const answers = sockets.map(answerOf)
      for (const socket of sockets) socket.write(body.subarray(-1))
      for (const answer of await Promise.all(answers))
        assert.match(answer, /^HTTP\/1\.1 200 .*(\[DONE\]|message_stop)/s)
      assert.equal(budget.used, 0)
    })
  }
})

suite('large bodies', { concurrency: 1 }, () => {
  const bodyBytes = 2 * mebibyte
  const budgetBytes = 32 * mebibyte
  const requests = 60
  /** The maximum memory of the bodies, and of everything else in the requests. */
  const growthBytesMax = budgetBytes + 48 * mebibyte
  const ways = [
    [clients.chat, 'chat-slow'],
    [clients.chat, 'messages-slow'],
    [clients.chat, 'gemini-slow'],
    [clients.messages, 'chat-slow'],
    [clients.messages, 'responses-slow'],
  ] as const
  let sandbox: Sandbox
  let installation: Installation
  let server: GatewayProcess
  let memory: MemoryProbe
  let key: string

  before(async () => {
    sandbox = await startSandbox({ clock: systemClock })
    const limits =
      'context: 1000000, maxOutput: 10000, inputs: [text, image], prices: [{ input: 3, output: 15 }]'
    installation = makeInstallation(
      `
sandbox: off
upstreams:
  - { name: a, provider: openai, url: '${sandbox.origin}', credential: any, models: [chat-slow, chat-hang, responses-slow] }
  - { name: b, provider: anthropic, url: '${sandbox.origin}', credential: any, models: [messages-slow] }
  - { name: c, provider: google, url: '${sandbox.origin}', credential: any, models: [gemini-slow] }
models:
  - { id: chat-slow, provider: openai, upstreamId: sandbox-slow, ${limits} }
  - { id: chat-hang, provider: openai, upstreamId: sandbox-hang-stream, ${limits} }
  - { id: responses-slow, provider: openai, formats: [openai-responses], upstreamId: sandbox-slow, ${limits} }
  - { id: messages-slow, provider: anthropic, upstreamId: sandbox-slow, ${limits} }
  - { id: gemini-slow, provider: google, upstreamId: sandbox-slow, ${limits} }
limits: { ${limitsOff}, bodyBudgetBytes: ${budgetBytes} }
`,
      // How late the database is depends on other programs on the machine.
      { fixed: { storeWaitMs: 60_000 } },
    )
    memory = memoryProbe(installation.folder)
    server = await installation.start({ environment: memory.environment })
    key = (await installation.ask('account.create', { email: 'ada@example.org', credit: '1000' })).key
  })
  after(async () => {
    await installation.remove()
    await sandbox.close()
  })

  function bodyOf(client: Client, model: string, text: string): Buffer {
    const content = [{ type: 'text', text }, client.picture('A'.repeat(bodyBytes - 1024))]
    return Buffer.from(JSON.stringify(client.body(model, content)))
  }

  test('are released once their responses begin, however long those take', async () => {
    const beforeBytes = await memory.retainedBytes()
    const body = bodyOf(clients.chat, 'chat-hang', 'events=1')
    const sockets: Socket[] = []
    for (let streams = 0; streams < 15; streams += 1) {
      const socket = post(server, { key, client: clients.chat, body })
      sockets.push(socket)
      await new Promise((resolve) => socket.once('data', resolve))
    }
    const grownBytes = (await memory.retainedBytes()) - beforeBytes
    assert(grownBytes <= 4 * bodyBytes, `grew by ${Math.round(grownBytes / mebibyte)} MiB`)
    for (const socket of sockets) socket.destroy()
  })

  test(`${requests} concurrently: some are served, the others may retry`, async () => {
    const beforeBytes = await memory.retainedBytes()
    const bodies = ways.map(([client, model]) => ({ client, body: bodyOf(client, model, 'delay=500') }))
    const heldBytes: number[] = []
    let answered = 0
    const answers = await Promise.all(
      Array.from({ length: requests }, async (_, at) => {
        const { client, body } = bodies[at % bodies.length]!
        const answer = await answerOf(post(server, { key, client, body }))
        answered += 1
        if (answered % 10 === 1) heldBytes.push(await memory.retainedBytes())
        return answer
      }),
    )
    const served = answers.filter((answer) => answer.startsWith('HTTP/1.1 200 '))
    const rejected = answers.filter((answer) => /^HTTP\/1\.1 5(03|29) /.test(answer))
    const others = answers.filter((answer) => !served.includes(answer) && !rejected.includes(answer))
    assert.deepEqual(
      others.map((answer) => answer.slice(0, 600)),
      [],
    )
    assert(served.length >= 8 && rejected.length > 0, `${served.length} served, ${rejected.length} rejected`)
    for (const answer of served) assert.match(answer, /\[DONE\]|message_stop/)
    for (const answer of rejected) assert.match(answer, /\r\nretry-after: \d+\r\n.*"overloaded/is)
    const grownBytes = Math.max(...heldBytes) - beforeBytes
    assert(grownBytes <= growthBytesMax, `grew by ${Math.round(grownBytes / mebibyte)} MiB`)
  })
})

suite('large streams', { concurrency: 1 }, () => {
  const readers = 5
  const eventBytesMax = 4 * mebibyte
  /** What is not sent, and the events that are translated. */
  const growthBytesMax = 2 * readers * mebibyte
  const events = upstreamEvents.anthropic
  const content = httpChunk(events.text(0, ' water'.repeat(10_000)))
  let upstream: FaultUpstream
  let installation: Installation
  let server: GatewayProcess
  let memory: MemoryProbe
  let account: string
  let key: string
  let sentBytes: number[] = []
  let says = content

  /** As much and as fast as it is read. */
  function flood(reply: Reply): void {
    const at = sentBytes.push(0) - 1
    let isOpen = true
    void reply.closed.then(() => {
      isOpen = false
    })
    const next = (): void => {
      if (!isOpen) return
      sentBytes[at]! += says.length
      reply.send(says)
      reply.whenSent(next)
    }
    reply.send(chunkedHead + httpChunk(events.start + events.openText(0)))
    next()
  }

  before(async () => {
    upstream = await faultUpstream(() => ({ answer: flood }))
    installation = makeInstallation(
      `
upstreams:
  - { name: flood, provider: anthropic, url: '${upstream.origin}', credential: any, models: [messages-flood] }
models:
  - { id: messages-flood, provider: anthropic, context: 1000000, maxOutput: 100000, prices: [{ input: 0.01, output: 0.01 }] }
limits: { ${limitsOff}, slowReaderMs: 3000 }
`,
      { fixed: { eventBytesMax } },
    )
    memory = memoryProbe(installation.folder)
    server = await installation.start({ environment: memory.environment })
    const made = await installation.ask('account.create', { email: 'bo@example.org', credit: '100' })
    account = made.account
    key = made.key
  })
  after(async () => {
    await installation.remove()
    await upstream.close()
  })

  async function endings(count: number): Promise<readonly (readonly [string | null, string | null])[]> {
    const rows = await eventually(
      `${count} are settled`,
      () => installation.ask('requests.list', { account, limit: 100 }),
      ({ length }) => length === count,
    )
    return rows.map(({ endReason, error }) => [endReason, error])
  }

  for (const [at, client] of [clients.chat, clients.messages].entries()) {
    test(`of clients that never read pause the upstream, are dropped, and are settled: ${client.path}`, async () => {
      const body = Buffer.from(JSON.stringify(client.body('messages-flood', [])).replace('[]', '"Hello"'))
      const beforeBytes = await memory.retainedBytes()
      const sockets = Array.from({ length: readers }, () => post(server, { key, client, body }).pause())
      await eventually(
        'all flow',
        () => sentBytes.filter((bytes) => bytes >= mebibyte).length,
        (flowing) => flowing === readers,
      )
      const heldBytes: number[] = []
      await eventually(
        'the first one is settled',
        async () => {
          heldBytes.push(await memory.retainedBytes())
          return installation.ask('requests.list', { account, limit: at * readers + 1 })
        },
        ({ length }) => length > at * readers,
      )
      for (const ending of await endings((at + 1) * readers))
        assert.deepEqual(ending, ['client_abort', 'slow_reader'])
      const grownBytes = Math.max(...heldBytes) - beforeBytes
      assert(grownBytes <= growthBytesMax, `grew by ${Math.round(grownBytes / mebibyte)} MiB`)
      // What the kernels on both sides of the gateway buffer is not ours.
      for (const bytes of sentBytes) assert(bytes < 24 * mebibyte, `${bytes} bytes were taken`)
      for (const socket of sockets) socket.destroy()
      sentBytes = []
    })
  }

  test('of clients that get everything repeated at the end are truncated where that would be too large', async () => {
    const body = Buffer.from(JSON.stringify({ model: 'messages-flood', stream: true, input: 'Hello' }))
    const answer = await answerOf(post(server, { key, client: clients.responses, body }))
    assert.match(answer, /event: error\n/)
    assert.ok(!answer.includes('response.completed'))
    const [ending] = await endings(2 * readers + 1)
    assert.deepEqual(ending, ['upstream_error', 'upstream_invalid'])
    assert.ok(sentBytes[0]! >= eventBytesMax && sentBytes[0]! < eventBytesMax + 24 * mebibyte, `${sentBytes}`)
    const { openHolds } = await installation.ask('account.show', { account })
    assert.equal(openHolds, 0)
  })

  test('that never produce content are canceled long before they use up the shared memory', async () => {
    says = httpChunk(events.ping.repeat(1_000))
    const body = Buffer.from(JSON.stringify(clients.chat.body('messages-flood', [])).replace('[]', '"Hello"'))
    const answer = await answerOf(post(server, { key, client: clients.chat, body }))
    assert.match(answer, /^HTTP\/1\.1 502 .*"upstream_invalid"/s)
    const [ending] = await endings(2 * readers + 2)
    assert.deepEqual(ending, ['upstream_error', 'upstream_invalid'])
    assert.ok(sentBytes.at(-1)! < eventBytesMax + 24 * mebibyte, `${sentBytes}`)
  })
})

test('a stream that has ended leaves no timer behind', async () => {
  const keepAliveMs = 987_654
  const counting = countTimers(keepAliveMs)
  const gateway = await meteredGateway({ clock: counting.clock, limits: { keepAliveMs } })
  const account = await gateway.account('1')
  for (const model of ['chat-stream', 'messages-stream']) {
    const messages = [{ role: 'user', content: 'tokens=20' }]
    const sent = gateway.ask(account, { model, max_tokens: 50, stream: true, messages })
    assert.equal((await sent.whole()).status, 200)
  }
  await eventually(
    'none runs',
    () => gateway.gateway.deps.inFlight.count,
    (count) => count === 0,
  )
  assert.equal(counting.left(), 0)
  await gateway.end()
})

/** The system clock, counting the timers of one duration that neither ran nor were canceled. */
function countTimers(countedMs: number): { clock: Clock; left: () => number } {
  const left = new Set<Timer>()
  const clock: Clock = {
    ...systemClock,
    after(delayMs, run) {
      const timer = systemClock.after(delayMs, () => {
        left.delete(counted)
        run()
      })
      const counted: Timer = {
        cancel() {
          left.delete(counted)
          timer.cancel()
        },
      }
      if (Math.abs(delayMs - countedMs) < 1_000) left.add(counted)
      return counted
    },
  }
  return { clock, left: () => left.size }
}
