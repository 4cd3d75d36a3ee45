/**
 * An upstream that begins to respond before it has read the request gets the rest of it unchanged, while other
 * requests use memory that was freed.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { chunkedHead, httpChunk } from '../support/fault-upstream.ts'
import { testGateway } from '../support/gateway.ts'
import { meteredModels } from '../support/metered-gateway.ts'

/** More than the sockets' buffers hold. */
const largeBytes = 16_000_000
const smallBytes = 300_000

const event = (fields: object): string =>
  httpChunk(
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })}\n\n`,
  )
const content = event({ choices: [{ index: 0, delta: { content: 'Hello.' }, finish_reason: null }] })
const rest = [
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  event({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 2, total_tokens: 102 } }),
  httpChunk('data: [DONE]\n\n'),
  httpChunk(),
].join('')

/** The bodies that the upstream read, by connection in order of their ends. */
const bodies: Buffer[] = []
let readOn: (() => void) | undefined

/** Begins to respond after the head, and reads a large body only once it may. */
function respondEarly(socket: Socket): void {
  let received: Buffer[] = []
  let bytesLeft = Number.NaN
  const finish = (): void => {
    bodies.push(Buffer.concat(received))
    received = []
    bytesLeft = Number.NaN
    socket.write(rest)
  }
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    let piece = chunk
    if (Number.isNaN(bytesLeft)) {
      const all = Buffer.concat([...received, chunk])
      const headEnd = all.indexOf('\r\n\r\n')
      received = headEnd < 0 ? [all] : []
      if (headEnd < 0) return
      bytesLeft = Number(/content-length: (\d+)/.exec(all.toString('latin1', 0, headEnd))?.[1])
      piece = all.subarray(headEnd + 4)
      socket.write(chunkedHead + content)
      if (bytesLeft > largeBytes) {
        socket.pause()
        readOn = () => socket.resume()
      }
    }
    received.push(piece)
    bytesLeft -= piece.length
    if (bytesLeft === 0) finish()
  })
}

const upstream = createServer(respondEarly)
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
const gate = await testGateway({
  openai: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
  models: meteredModels(),
})
const { key } = await gate.account('1000')
after(async () => {
  await gate.close()
  upstream.close()
})

function bodyOf(bytes: number): string {
  const text = randomBytes(bytes / 2).toString('hex')
  return JSON.stringify({
    model: 'chat-echo',
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 5,
    messages: [{ role: 'user', content: text }],
  })
}

async function begin(body: string) {
  const response = await fetch(`${gate.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  })
  assert.equal(response.status, 200, response.status === 200 ? '' : await response.text())
  assert.ok(response.body !== null)
  const reader = response.body.getReader()
  const first = Buffer.from((await reader.read()).value ?? []).toString()
  assert.match(first, /Hello/)
  return async () => {
    let text = first
    for (let part = await reader.read(); !part.done; part = await reader.read())
      text += Buffer.from(part.value)
    return text
  }
}

test('a request body is sent unchanged although its response has begun', async () => {
  const large = bodyOf(largeBytes)
  const finishLarge = await begin(large)
  const others = Array.from({ length: 8 }, () => bodyOf(smallBytes))
  for (const other of others) assert.match(await (await begin(other))(), /\[DONE\]/)
  assert.equal(bodies.length, others.length, 'the large body is not read yet')
  readOn?.()
  assert.match(await finishLarge(), /\[DONE\]/)
  // Only the name of the model is replaced.
  const sent = [...others, large].map((body) => Buffer.from(body.replace('chat-echo', 'sandbox-echo')))
  for (const [index, body] of bodies.entries()) assert.ok(sent[index]?.equals(body), `body ${index}`)
  assert.equal(gate.gateway.deps.bodies.used, 0)
})
