/**
 * Clients cannot grow the process: large concurrent bodies are admitted up to their budget and the others
 * rejected with Retry-After, readers that never read are paused and then dropped, and a request that has
 * ended leaves nothing behind.
 */
import assert from 'node:assert/strict'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { type Clock, systemClock, type Timer } from '../../src/base/clock.ts'
import { type GatewayProcess, type Installation, makeInstallation } from '../support/gateway-process.ts'
import { eventually, meteredGateway } from '../support/metered-gateway.ts'
import { type MemoryProbe, memoryProbe } from '../support/retained-memory.ts'

const mebibyte = 1024 * 1024

/** A client at the TCP level, so that a body uses no memory of its own and nothing is read implicitly. */
function post(server: GatewayProcess, key: string, body: Buffer): Socket {
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1')
  socket.on('error', () => socket.destroy())
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
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

suite('bodies', { concurrency: 1 }, () => {
  const bodyBytes = 2 * mebibyte
  const budgetBytes = 32 * mebibyte
  const clients = 60
  /** The maximum memory of the bodies, and of everything else in the requests. */
  const growthBytesMax = budgetBytes + 48 * mebibyte
  let sandbox: Sandbox
  let installation: Installation
  let server: GatewayProcess
  let memory: MemoryProbe
  let key: string

  before(async () => {
    sandbox = await startSandbox({ clock: systemClock })
    installation = makeInstallation(`
sandbox: off
upstreams:
  - { name: trial, provider: sandbox, url: '${sandbox.origin}', credential: any, models: all }
models:
  - { id: sandbox-slow, provider: sandbox, context: 1000000, maxOutput: 10000, inputs: [text, image], prices: [{ input: 3, output: 15 }] }
  - { id: sandbox-hang-stream, provider: sandbox, context: 1000000, maxOutput: 10000, inputs: [text, image], prices: [{ input: 3, output: 15 }] }
limits: { requestsPerMinute: none, tokensPerMinute: none, concurrent: none, bodyBudgetBytes: ${budgetBytes}, shareOfKeyMax: 1, shareOfAccountMax: 1, shareOfNetworkMax: 1 }
`)
    memory = memoryProbe(installation.folder)
    server = await installation.start({ environment: memory.environment })
    key = (await installation.ask('account.create', { email: 'ada@example.org', credit: '100' })).key
  })
  after(async () => {
    await installation.remove()
    await sandbox.close()
  })

  function bodyOf(model: string, text: string): Buffer {
    const url = `data:image/png;base64,${'A'.repeat(bodyBytes - 1024)}`
    const content = [
      { type: 'text', text },
      { type: 'image_url', image_url: { url } },
    ]
    const messages = [{ role: 'user', content }]
    return Buffer.from(JSON.stringify({ model, stream: true, max_tokens: 5_000, messages }))
  }

  test('are released once their responses begin, however long those take', async () => {
    const beforeBytes = await memory.retainedBytes()
    const body = bodyOf('sandbox-hang-stream', 'events=1')
    const sockets: Socket[] = []
    for (let streams = 0; streams < 30; streams += 1) {
      const socket = post(server, key, body)
      sockets.push(socket)
      await new Promise((resolve) => socket.once('data', resolve))
    }
    const grownBytes = (await memory.retainedBytes()) - beforeBytes
    assert(grownBytes <= 4 * bodyBytes, `grew by ${Math.round(grownBytes / mebibyte)} MiB`)
    for (const socket of sockets) socket.destroy()
  })

  test('more concurrent ones than the budget: some are served, the others may retry', async () => {
    const beforeBytes = await memory.retainedBytes()
    const body = bodyOf('sandbox-slow', 'delay=500')
    const heldBytes: number[] = []
    let answered = 0
    const answers = await Promise.all(
      Array.from({ length: clients }, async () => {
        const answer = await answerOf(post(server, key, body))
        answered += 1
        if (answered % 10 === 1) heldBytes.push(await memory.retainedBytes())
        return answer
      }),
    )
    const served = answers.filter((answer) => answer.startsWith('HTTP/1.1 200 '))
    const refused = answers.filter((answer) => answer.startsWith('HTTP/1.1 503 '))
    assert.equal(served.length + refused.length, clients)
    assert(served.length >= 8 && refused.length > 0, `${served.length} served, ${refused.length} refused`)
    for (const answer of served) assert.match(answer, /\[DONE\]/)
    for (const answer of refused) assert.match(answer, /\r\nretry-after: \d+\r\n.*"overloaded"/is)
    const grownBytes = Math.max(...heldBytes) - beforeBytes
    assert(grownBytes <= growthBytesMax, `grew by ${Math.round(grownBytes / mebibyte)} MiB`)
  })

  test('afterwards the whole budget is free again', async () => {
    const body = bodyOf('sandbox-slow', 'delay=0')
    // Each uses a little more than its body while it grows.
    const atOnce = Math.floor(budgetBytes / bodyBytes) - 1
    const answers = await Promise.all(Array.from({ length: atOnce }, () => answerOf(post(server, key, body))))
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 200 .*\[DONE\]/s)
    assert.equal(server.stderr(), '')
  })
})

suite('readers that never read', { concurrency: 1 }, () => {
  const streamBytes = 40 * mebibyte
  /** What an unread stream may transfer: the kernels on both sides of the gateway buffer it. */
  const takenBytesMax = 24 * mebibyte
  const readers = 12
  /** What is not sent, and the chunks that are relayed. */
  const growthBytesMax = 2 * readers * mebibyte
  const upstream = openFlood(streamBytes)
  let installation: Installation
  let server: GatewayProcess
  let memory: MemoryProbe
  let account: string
  let key: string

  before(async () => {
    installation = makeInstallation(`
upstreams:
  - { name: flood, provider: openai, url: '${await upstream.listen()}', credential: any, models: all }
models:
  - { id: gpt-flood, provider: openai, context: 1000000, maxOutput: 100000, prices: [{ input: 0.01, output: 0.01 }] }
limits: { requestsPerMinute: none, tokensPerMinute: none, concurrent: none, slowReaderMs: 3000 }
`)
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

  const body = Buffer.from(
    JSON.stringify({
      model: 'gpt-flood',
      stream: true,
      max_tokens: 50_000,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  )

  test('one that reads gets all of it', async () => {
    const socket = post(server, key, body)
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    await new Promise((resolve) => socket.once('close', resolve))
    assert(bytes > streamBytes)
  })

  test('pause the upstream, are dropped, and are settled', async () => {
    const beforeBytes = await memory.retainedBytes()
    upstream.forget()
    const sockets = Array.from({ length: readers }, () => post(server, key, body).pause())
    await eventually(
      'all flow',
      () => upstream.written().filter((bytes) => bytes >= mebibyte).length,
      (count) => count === readers,
    )
    const heldBytes: number[] = []
    await eventually(
      'the first one is settled',
      async () => {
        heldBytes.push(await memory.retainedBytes())
        return installation.ask('requests.list', { account, limit: 2 })
      },
      ({ length }) => length > 1,
    )
    const receipts = await eventually(
      'all are settled',
      () => installation.ask('requests.list', { account, limit: 100 }),
      (rows) => rows.length === readers + 1,
    )
    for (const { endReason, error } of receipts.slice(0, readers)) {
      assert.deepEqual([endReason, error], ['client_abort', 'slow_reader'])
    }
    await eventually(
      'no upstream goes on',
      () => upstream.open(),
      (count) => count === 0,
    )
    const grownBytes = Math.max(...heldBytes) - beforeBytes
    assert(grownBytes <= growthBytesMax, `grew by ${Math.round(grownBytes / mebibyte)} MiB`)
    for (const bytes of upstream.written()) assert(bytes < takenBytesMax, `${bytes} bytes were taken`)
    for (const socket of sockets) socket.destroy()
    const { openHolds } = await installation.ask('account.show', { account })
    assert.equal(openHolds, 0)
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

interface Flood {
  listen(): Promise<string>
  /** Bytes that each stream since `forget` could write. */
  written(): readonly number[]
  /** Streams whose connection is open. */
  open(): number
  forget(): void
  close(): Promise<void>
}

/** An upstream that answers everything with a stream of this many bytes, as fast as it is read. */
function openFlood(bytesMax: number): Flood {
  const delta = { content: ' water'.repeat(10_000) }
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-flood' }
  const event = (choice: object): string =>
    `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, ...choice }] })}\n\n`
  const content = event({ delta, finish_reason: null })
  const end = `${event({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`
  let streams: { bytes: number }[] = []
  let open = 0

  function flow(response: ServerResponse, stream: { bytes: number }): void {
    while (stream.bytes < bytesMax) {
      stream.bytes += content.length
      if (!response.write(content)) return void response.once('drain', () => flow(response, stream))
    }
    response.end(end)
  }

  const server: Server = createServer((request, response) => {
    request.resume().once('end', () => {
      const stream = { bytes: 0 }
      streams.push(stream)
      open += 1
      response.once('close', () => {
        open -= 1
      })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      flow(response, stream)
    })
  })
  return {
    listen: () =>
      new Promise((resolve) => {
        server.listen(0, '127.0.0.1', () =>
          resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
        )
      }),
    written: () => streams.map(({ bytes }) => bytes),
    open: () => open,
    forget() {
      streams = []
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
