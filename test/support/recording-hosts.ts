/**
 * Hosts of models on loopback that record the requests that reach them: credential, path and body. They
 * answer in every format, or fail on demand. They know nothing of the gateway.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface Arrival {
  readonly method: string
  readonly path: string
  readonly credential: string
  readonly body: string
}

export interface RecordingHost {
  readonly origin: string
  readonly arrivals: Arrival[]
  /** The status of the next responses; a promise is awaited. */
  answers: (arrival: Arrival) => number | Promise<number>
  close(): Promise<void>
}

export async function recordingHost(): Promise<RecordingHost> {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => void answered(request, response))
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host: RecordingHost = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals: [],
    answers: () => 200,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }

  async function answered(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { method = '', url = '', headers } = request
    const bearer = headers.authorization?.replace(/^Bearer /, '')
    const credential = String(bearer ?? headers['x-api-key'] ?? headers['x-goog-api-key'])
    const arrival = { method, path: url, credential, body: Buffer.concat(parts).toString() }
    host.arrivals.push(arrival)
    const status = await host.answers(arrival)
    response.on('error', () => response.destroy())
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(status === 200 ? answerTo(url) : { error: { message: 'it failed' } }))
  }
  return host
}

let answers = 0

/** By the end of the path, whatever the prefix. */
function answerTo(url: string): object {
  answers += 1
  const row = answersByPath.find(([ending]) => ending.test(url))
  return row === undefined ? { error: { message: 'no such path' } } : row[1](`resp_${answers}`)
}

const tokens = { input_tokens: 3, output_tokens: 2, total_tokens: 5 }
const answersByPath: readonly (readonly [ending: RegExp, answer: (id: string) => object])[] = [
  [
    /\/chat\/completions$/,
    (id) => ({
      ...{ id, object: 'chat.completion', created: 1, model: 'm' },
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hello' } }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    }),
  ],
  [/\/responses\/input_tokens$/, () => ({ object: 'response.input_tokens', input_tokens: 3 })],
  [
    /\/responses\/compact$/,
    (id) => ({
      ...{ id, object: 'response.compaction', created_at: 1, usage: tokens },
      output: [{ id: `cmp_${id}`, type: 'compaction', encrypted_content: 'c2VhbGVk' }],
    }),
  ],
  [
    /\/responses$/,
    (id) => ({
      ...{ id, object: 'response', created_at: 1, status: 'completed', model: 'm', usage: tokens },
      output: [
        {
          ...{ id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: 'hello', annotations: [] }],
        },
      ],
    }),
  ],
  [/\/messages\/count_tokens$/, () => ({ input_tokens: 3 })],
  [
    /\/messages$/,
    (id) => ({
      ...{ id, type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null },
      ...{ content: [{ type: 'text', text: 'hello' }], usage: { input_tokens: 3, output_tokens: 2 } },
    }),
  ],
  [/:countTokens$/, () => ({ totalTokens: 3 })],
  [
    /:generateContent$/,
    (id) => ({
      candidates: [
        { index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'hello' }] } },
      ],
      ...{
        responseId: id,
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
      },
    }),
  ],
  [
    /\/embeddings$/,
    () => ({
      ...{ object: 'list', model: 'm', usage: { prompt_tokens: 3, total_tokens: 3 } },
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
    }),
  ],
  [
    /\/models(\?|$)/,
    () => ({ object: 'list', data: [{ id: 'host-a' }, { id: 'host-b' }, { id: 'host-a' }] }),
  ],
]
