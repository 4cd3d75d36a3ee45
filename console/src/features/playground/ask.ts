/** Sends one playground request and reports its progress. Knows nothing of React. */
import { EventLines, failureOf, hear, parsed } from './chunks.ts'
import { type Failure, type Json, nothingSaid, type Said } from './conversation.ts'

export interface Asked {
  readonly account: string
  readonly body: { readonly [name: string]: Json }
  readonly signal: AbortSignal
  /** The request's id, as soon as the server sends it. */
  readonly onRequest: (id: string) => void
  readonly onSaid: (said: Said) => void
}

export type Outcome =
  | { readonly kind: 'complete' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly problem: Failure }

const unreachable: Failure = {
  status: 0,
  code: 'unreachable',
  message: "The server can't be reached. Check that it's running, then try again.",
}
const cut: Failure = {
  status: 0,
  code: 'cut',
  message: 'The response ended early. What was delivered was charged.',
}

/** Never rejects. */
export async function ask(asked: Asked): Promise<Outcome> {
  try {
    const response = await send(asked)
    asked.onRequest(response.headers.get('x-request-id') ?? '')
    if (response.ok && response.body !== null) return await read(response.body, asked)
    const body = parsed(await response.text())
    const problem = failureOf(body, response.status) ?? { ...unreachable, status: response.status }
    return { kind: 'failed', problem }
  } catch {
    return asked.signal.aborted ? { kind: 'stopped' } : { kind: 'failed', problem: unreachable }
  }
}

function send({ account, body, signal }: Asked): Promise<Response> {
  return fetch(`/api/play/v1/chat/completions?account=${encodeURIComponent(account)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
    credentials: 'same-origin',
    redirect: 'error',
    signal,
  })
}

async function read(stream: ReadableStream<Uint8Array>, { signal, onSaid }: Asked): Promise<Outcome> {
  const lines = new EventLines()
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let said = nothingSaid
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { kind: 'failed', problem: cut }
      for (const payload of lines.push(decoder.decode(value, { stream: true }))) {
        const heard = hear(said, payload)
        if (heard.kind === 'failed') return heard
        if (heard.kind === 'end') return { kind: 'complete' }
        said = heard.said
        onSaid(said)
      }
    }
  } catch {
    return signal.aborted ? { kind: 'stopped' } : { kind: 'failed', problem: cut }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
