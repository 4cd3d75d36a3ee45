/**
 * A request, in either format, whose response a test can inspect while it arrives, and which can disconnect in the middle of it.
 * Does not retry and knows nothing of money.
 */
import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders } from 'node:http'

export const formats = ['chat', 'messages'] as const
export type Format = (typeof formats)[number]

const paths: Readonly<Record<Format, string>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/alt/v1/messages',
}

/** An absolute path. */
export type Path = `/${string}`

export interface SentRequest {
  readonly key: string
  /** The format whose path is requested, or another path. */
  readonly format: Format | Path
  /** Sent as JSON; text is sent unchanged. */
  readonly body: object | string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Head {
  readonly status: number
  readonly headers: IncomingHttpHeaders
}

export interface Whole extends Head {
  readonly text: string
  /** The error code with which the connection broke before the response was complete, else null. */
  readonly broken: string | null
}

/** The members of an error body that tests read, the same for all formats. */
export interface Rejection {
  readonly type: string
  readonly code: string
  readonly message: string
  readonly facts: Readonly<Record<string, unknown>>
}

export class Sent {
  /** Resolves with the response head; rejects when the connection ends before it. */
  readonly head: Promise<Head>
  readonly #request: ClientRequest
  readonly #done: Promise<Whole>
  #text = ''
  #over = false
  #wake: (() => void)[] = []

  constructor(origin: string, { key, format, body, headers }: SentRequest) {
    const head = Promise.withResolvers<Head>()
    const done = Promise.withResolvers<Whole>()
    // Both fail when the client disconnects; callers get the error, but need not await it.
    head.promise.catch(() => {})
    done.promise.catch(() => {})
    this.head = head.promise
    this.#done = done.promise
    const path = isPath(format) ? format : paths[format]
    this.#request = httpRequest(`${origin}${path}`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    })
    const lost = (error: Error): void => {
      this.#end()
      head.reject(error)
      done.reject(error)
    }
    this.#request.on('error', lost)
    this.#request.on('response', (response) => {
      const { statusCode = 0 } = response
      const received: Head = { status: statusCode, headers: response.headers }
      let broken: string | null = null
      head.resolve(received)
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        this.#text += chunk
        this.#stir()
      })
      response.on('error', (error: NodeJS.ErrnoException) => {
        broken = error.code ?? String(error)
      })
      response.on('close', () => {
        this.#end()
        done.resolve({ ...received, text: this.#text, broken })
      })
    })
    this.#request.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

  /** The text received so far. */
  get text(): string {
    return this.#text
  }

  /** The whole response, however it ended; rejects when there was none. */
  whole(): Promise<Whole> {
    return this.#done
  }

  /** Resolves with true when `holds` is true of what has arrived; false when the response ends before. */
  async until(holds: (text: string) => boolean): Promise<boolean> {
    while (!holds(this.#text)) {
      if (this.#over) return false
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    }
    return true
  }

  /** Resolves when this many events with content have arrived. */
  contents(count: number): Promise<boolean> {
    return this.until((text) => contentEvents(text) >= count)
  }

  /** Closes the connection immediately. */
  leave(): void {
    this.#request.destroy()
  }

  #stir(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }

  #end(): void {
    this.#over = true
    this.#stir()
  }
}

function isPath(format: Format | Path): format is Path {
  return format.startsWith('/')
}

/** Events that contain a token, in either format as the sandbox writes it. */
export function contentEvents(text: string): number {
  return text.split(/"delta":\{"content":"(?!")|"type":"(?:text|thinking)_delta"/).length - 1
}

/** The error in an error body of any format. */
export function rejectionIn(text: string): Rejection {
  const { error } = JSON.parse(text) as { error: Record<string, unknown> }
  const message = String(error.message)
  if (Array.isArray(error.details)) {
    const [info] = error.details as readonly { reason: string; metadata: Record<string, unknown> }[]
    const facts = info?.metadata ?? {}
    return { type: String(error.status), code: String(info?.reason).toLowerCase(), message, facts }
  }
  const facts = (error.details ?? {}) as Record<string, unknown>
  return { type: String(error.type), code: String(facts.code ?? error.code), message, facts }
}

/** The error in the error frame that a stream ends with, in any format. */
export function rejectionAtEnd(stream: string): Rejection {
  const frame = stream
    .split(/\r?\n/)
    .filter((line) => /^data: +\{/.test(line))
    .map((line) => line.slice('data: '.length))
    .findLast((line) => 'error' in (JSON.parse(line) as object))
  if (frame === undefined) throw new Error(`no error frame in ${stream}`)
  return rejectionIn(frame)
}
