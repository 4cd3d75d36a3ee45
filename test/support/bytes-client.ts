/**
 * A plain HTTP client that alters nothing: sends bytes unchanged and returns status, headers and the bytes of the
 * response, also of a truncated one. Knows the path of receipts and no format.
 */
import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'

export interface Sent {
  /** Default: GET without a body, else POST. */
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Anything other than bytes and text is serialized as JSON. */
  readonly body?: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  /** The connection broke before the response was complete. */
  readonly isCut: boolean
}

export function send(origin: string, sent: Sent): Promise<Answer> {
  const body = bodyOf(sent.body)
  return new Promise((resolve, reject) => {
    const outgoing = request(`${origin}${sent.path}`, {
      method: sent.method ?? (body === undefined ? 'GET' : 'POST'),
      agent: false,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...sent.headers,
      },
    })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      read(response).then(resolve, reject)
    })
    outgoing.end(body)
  })
}

function bodyOf(body: unknown): Uint8Array | string | undefined {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return body
  return JSON.stringify(body)
}

async function read(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let isCut = false
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer)
  } catch {
    isCut = true
  }
  const bytes = Buffer.concat(chunks)
  const { statusCode: status = 0, headers } = response
  return { status, headers, bytes, text: bytes.toString('utf8'), isCut }
}

export function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` }
}

/** The receipt as returned to a key of the same account. */
export interface Receipt {
  readonly status: string
  readonly http_status: number
  readonly error: string | null
  readonly usage: {
    readonly source: string
    readonly input_uncached: number
    readonly cache_read: number
    readonly cache_write_5m: number
    readonly cache_write_1h: number
    readonly input_audio: number
    readonly output: number
    readonly output_audio: number
    readonly reasoning: number
    readonly fees: Readonly<Record<string, number>>
    readonly ran_at: readonly string[]
    readonly unpriced: boolean
  }
  readonly cost: string
  readonly hold: string
  readonly input_bound: string | null
  readonly background: boolean
  readonly max_output: number
  readonly max_output_lowered: boolean
  readonly upstream_id: string | null
  readonly attempts: readonly {
    readonly upstream: string
    readonly status: number | null
    readonly failure: string | null
  }[]
}

/** The receipt of the request that `answer` answers; available once the terminal event was sent. */
export function receiptOf(origin: string, key: string, answer: Answer): Promise<Receipt> {
  const id = answer.headers['x-request-id']
  assert.ok(typeof id === 'string', 'every answer names its request')
  return receiptAt(origin, key, id)
}

async function receiptAt(origin: string, key: string, requestId: string): Promise<Receipt> {
  const found = await send(origin, { path: `/v1/generations/${requestId}`, headers: bearer(key) })
  assert.equal(found.status, 200, found.text)
  return (JSON.parse(found.text) as { data: Receipt }).data
}
