/**
 * A canned upstream for measuring: answers every POST with bytes prepared in advance, on bare sockets,
 * so that it costs next to nothing. The path selects the format of the response, chat, Responses or
 * Messages; the model's name is ignored. Supports just enough HTTP for the programs under test.
 */
import { createServer, type Socket } from 'node:net'

const usage = { prompt_tokens: 200, completion_tokens: 64, total_tokens: 264 }

const chatAnswer = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-bench',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'word '.repeat(64), rejection: null },
      finish_reason: 'stop',
      logprobs: null,
    },
  ],
  usage,
})

const message = {
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model: 'claude-bench',
  stop_sequence: null,
}
const messageAnswer = JSON.stringify({
  ...message,
  content: [{ type: 'text', text: 'word '.repeat(64) }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 200, output_tokens: 64 },
})

function head(type: string, more: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${more}\r\n\r\n`
}

function whole(text: string): Buffer {
  return Buffer.from(head('application/json', `content-length: ${Buffer.byteLength(text)}`) + text)
}

/** Encodes an event as one HTTP chunk. */
function chunk(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
}

function chatEvent(fields: object): Buffer {
  const common = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'gpt-bench' }
  return chunk(`data: ${JSON.stringify({ ...common, service_tier: 'default', ...fields })}\n\n`)
}

function messageEvent(type: string, fields: object): Buffer {
  return chunk(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
}

const lastChunk = Buffer.from('0\r\n\r\n')

/** Answers in one format: whole, and the three parts of a stream. */
interface Answers {
  readonly json: Buffer
  readonly opening: Buffer
  readonly content: Buffer
  readonly tail: Buffer
}

const streamHead = Buffer.from(head('text/event-stream; charset=utf-8', 'transfer-encoding: chunked'))

const chat: Answers = {
  json: whole(chatAnswer),
  opening: streamHead,
  content: chatEvent({
    choices: [{ index: 0, delta: { content: ' word' }, logprobs: null, finish_reason: null }],
    usage: null,
  }),
  tail: Buffer.concat([
    chatEvent({ choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }], usage: null }),
    chatEvent({ choices: [], usage }),
    chunk('data: [DONE]\n\n'),
    lastChunk,
  ]),
}

const messages: Answers = {
  json: whole(messageAnswer),
  opening: Buffer.concat([
    streamHead,
    messageEvent('message_start', {
      message: {
        ...message,
        content: [],
        stop_reason: null,
        usage: { input_tokens: 200, output_tokens: 1 },
      },
    }),
    messageEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ]),
  content: messageEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ' word' } }),
  tail: Buffer.concat([
    messageEvent('content_block_stop', { index: 0 }),
    messageEvent('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 64 },
    }),
    messageEvent('message_stop', {}),
    lastChunk,
  ]),
}

const item = { id: 'msg_bench', type: 'message', role: 'assistant' }
const said = { type: 'output_text', text: 'word '.repeat(64), annotations: [], logprobs: [] }
const response = {
  id: 'resp_bench',
  object: 'response',
  created_at: 1,
  model: 'responses-bench',
  error: null,
}
const doneResponse = {
  ...response,
  status: 'completed',
  incomplete_details: null,
  output: [{ ...item, status: 'completed', content: [said] }],
  usage: { input_tokens: 200, output_tokens: 64, total_tokens: 264 },
}
const spot = { item_id: 'msg_bench', output_index: 0, content_index: 0 }

const responses: Answers = {
  json: whole(JSON.stringify(doneResponse)),
  opening: Buffer.concat([
    streamHead,
    messageEvent('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
    messageEvent('response.output_item.added', { output_index: 0, item: { ...item, content: [] } }),
    messageEvent('response.content_part.added', { ...spot, part: { ...said, text: '' } }),
  ]),
  content: messageEvent('response.output_text.delta', {
    sequence_number: 4,
    ...spot,
    delta: ' word',
    logprobs: [],
  }),
  tail: Buffer.concat([
    messageEvent('response.output_text.done', { ...spot, text: ' word' }),
    messageEvent('response.content_part.done', { ...spot, part: { ...said, text: ' word' } }),
    messageEvent('response.output_item.done', {
      output_index: 0,
      item: { ...item, status: 'completed', content: [{ ...said, text: ' word' }] },
    }),
    messageEvent('response.completed', { response: doneResponse }),
    lastChunk,
  ]),
}

/** By the beginning of the request; chat where none fits. */
const answersTo = [
  ['POST /v1/messages', messages],
  ['POST /v1/responses', responses],
] as const

/** Reads the settings in a prompt: `events=N pause=MS`; `idle=1` streams one event and stays open. */
function wishOf(body: Buffer): { readonly events: number; readonly pauseMs: number } {
  // The prompt is near the beginning; a large body is not searched to its end.
  const text = body.toString('latin1', 0, 400)
  const found = /events=(\d+) pause=(\d+)/.exec(text)
  return { events: Number(found?.[1] ?? 0), pauseMs: Number(found?.[2] ?? 0) }
}

function stream(socket: Socket, { opening, content, tail }: Answers, body: Buffer): void {
  const { events, pauseMs } = wishOf(body)
  socket.write(opening)
  let left = events
  const next = (): void => {
    if (socket.destroyed) return
    if (left === 0) {
      socket.write(tail)
      return
    }
    left -= 1
    socket.write(content)
    // Even without a pause each event is written separately, as a model's are.
    if (pauseMs === 0) setImmediate(next)
    else setTimeout(next, pauseMs)
  }
  next()
}

function answer(socket: Socket, answers: Answers, body: Buffer): void {
  const beginning = body.toString('latin1', 0, 400)
  if (beginning.includes('idle=1')) {
    socket.write(answers.opening)
    socket.write(answers.content)
  } else if (beginning.includes('"stream":true')) stream(socket, answers, body)
  else socket.write(answers.json)
}

interface Pending {
  readonly answers: Answers
  readonly bodyBytes: number
  /** Where the body begins. */
  readonly bodyAt: number
}

function readHead(received: Buffer): Pending | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = received.toString('latin1', 0, headEnd)
  const [, answers] = answersTo.find(([beginning]) => head.startsWith(beginning)) ?? ['', chat]
  return {
    answers,
    bodyBytes: Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0),
    bodyAt: headEnd + 4,
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  let chunks: Buffer[] = []
  let bytes = 0
  let pending: Pending | undefined
  socket.on('error', () => socket.destroy())
  socket.on('data', (received) => {
    chunks.push(received as Buffer)
    bytes += received.length
    for (;;) {
      if (pending !== undefined && bytes < pending.bodyAt + pending.bodyBytes) return
      if (bytes === 0) return
      const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      chunks = [all]
      pending ??= readHead(all)
      if (pending === undefined) return
      const { answers, bodyAt, bodyBytes } = pending
      if (bytes < bodyAt + bodyBytes) continue
      answer(socket, answers, all.subarray(bodyAt, bodyAt + bodyBytes))
      pending = undefined
      chunks = [all.subarray(bodyAt + bodyBytes)]
      bytes = chunks[0]?.length ?? 0
    }
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`)
})
