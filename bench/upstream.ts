/**
 * A canned upstream for measuring: answers every POST with bytes prepared in advance, on bare sockets,
 * so that it costs next to nothing. The path says which answer: the model's name stands in the body and
 * is not looked at. Speaks just enough HTTP for the programs under test.
 */
import { createServer, type Socket } from 'node:net'

const usage = { prompt_tokens: 200, completion_tokens: 64, total_tokens: 264 }

const answer = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-bench',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'word '.repeat(64), refusal: null },
      finish_reason: 'stop',
      logprobs: null,
    },
  ],
  usage,
})

const jsonAnswer = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`,
)

function event(fields: object): Buffer {
  const data = `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'gpt-bench', service_tier: 'default', ...fields })}\n\n`
  return Buffer.from(`${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n`)
}

const streamHead = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n',
)
const content = event({
  choices: [{ index: 0, delta: { content: ' word' }, logprobs: null, finish_reason: null }],
  usage: null,
})
const done = 'data: [DONE]\n\n'
const streamTail = Buffer.concat([
  event({ choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }], usage: null }),
  event({ choices: [], usage }),
  Buffer.from(`${Buffer.byteLength(done).toString(16)}\r\n${done}\r\n0\r\n\r\n`),
])

const pauseMs = 10

/** How many content events a stream has: the body says `"events":N`; 0 streams nothing and stays open. */
function eventsOf(body: string): number {
  return Number(/events=(\d+)/.exec(body)?.[1] ?? 0)
}

function stream(socket: Socket, events: number): void {
  socket.write(streamHead)
  let left = events
  const next = (): void => {
    if (socket.destroyed) return
    if (left === 0) {
      socket.write(streamTail)
      return
    }
    left -= 1
    socket.write(content)
    // A pause, so that each event arrives by itself, as a model's do.
    setTimeout(next, pauseMs)
  }
  next()
}

function idle(socket: Socket): void {
  socket.write(streamHead)
  socket.write(content)
}

const server = createServer({ noDelay: true }, (socket) => {
  let pending = ''
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1')
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = Number(/content-length: (\d+)/i.exec(pending)?.[1] ?? 0)
      if (pending.length < headEnd + 4 + length) return
      const body = pending.slice(headEnd + 4, headEnd + 4 + length)
      pending = pending.slice(headEnd + 4 + length)
      if (body.includes('idle=1')) idle(socket)
      else if (body.includes('"stream":true')) stream(socket, eventsOf(body))
      else socket.write(jsonAnswer)
    }
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`)
})
