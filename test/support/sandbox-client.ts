/**
 * A plain HTTP client for tests of the sandbox: sends one request on a new connection and returns
 * everything that it received, also when the connection broke. It knows only the paths of the formats.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'

export interface Reply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** The error code with which the connection broke before the response was complete, else null. */
  readonly broken: string | null
}

export type FormatPath = '/v1/chat/completions' | '/v1/messages'

export interface Sent {
  readonly path: string
  readonly body: unknown
  /** Added to (or, with '', removed from) the headers that both formats accept. */
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

const usualHeaders = {
  'content-type': 'application/json',
  authorization: 'Bearer any',
  'anthropic-version': '2023-06-01',
}

/** Sends a request and resolves with the response as soon as its headers arrive. */
export function openExchange(origin: string, sent: Sent): Promise<IncomingMessage> {
  const given = Object.entries({ ...usualHeaders, ...sent.headers }).filter(([, value]) => value !== '')
  const body = typeof sent.body === 'string' ? sent.body : JSON.stringify(sent.body)
  return new Promise((resolve, reject) => {
    httpRequest(`${origin}${sent.path}`, {
      method: sent.method ?? 'POST',
      agent: false,
      headers: Object.fromEntries(given),
    })
      .on('response', resolve)
      .on('error', reject)
      .end(body)
  })
}

/** Sends a request and reads its response to the end, however it ends. */
export async function exchange(origin: string, sent: Sent): Promise<Reply> {
  try {
    return await readAll(await openExchange(origin, sent))
  } catch (error) {
    return { status: 0, headers: {}, body: '', broken: codeOf(error) }
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}

async function readAll(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = []
  let broken: string | null = null
  try {
    for await (const chunk of response) chunks.push(chunk)
  } catch (error) {
    broken = codeOf(error)
  }
  const body = Buffer.concat(chunks).toString('utf8')
  return { status: response.statusCode ?? 0, headers: response.headers, body, broken }
}

/** A request with one user message that both formats accept. */
export function plainBody(model: string, content: string, more: object = {}): object {
  return { model, max_tokens: 1_000, stream: true, messages: [{ role: 'user', content }], ...more }
}

/** The values of the data lines of an event stream; data that is not JSON remains text. */
export function eventsIn(stream: string): readonly unknown[] {
  const lines = stream.split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => {
    try {
      return JSON.parse(line.slice('data: '.length))
    } catch {
      return line.slice('data: '.length)
    }
  })
}
