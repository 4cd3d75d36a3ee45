/**
 * A client of the control plane over HTTP for tests: with any credential (a session, a management key, none), it calls
 * operations by name and returns the whole response. Handles cookies as a browser does; knows no operation.
 */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import type { OperationName, OperationOutput, OperationRawInput } from '../../contract/operations.ts'
import { operations } from '../../contract/operations.ts'

export interface ControlAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Every cookie that was set, verbatim. */
  readonly setCookies: readonly string[]
  readonly text: string
  /** The body parsed as JSON; undefined where it is not JSON. */
  readonly body: unknown
}

export interface Sending {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends a request with exactly these headers. */
export function sendTo(
  origin: string,
  { method, path, headers = {}, body }: Sending,
): Promise<ControlAnswer> {
  const { hostname, port } = new URL(origin)
  // Node sends the body of a DELETE without a content-length.
  const framing = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const sent = { ...headers, ...framing }
  return new Promise((resolve, reject) => {
    const asking = request({ hostname, port, path, method, headers: sent, agent: false }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(pieces).toString()
        resolve({
          status: answer.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
          ),
          setCookies: answer.headers['set-cookie'] ?? [],
          text,
          body: jsonOf(text),
        })
      })
    })
    asking.on('error', reject)
    asking.end(body)
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The HTTP path and method of an operation for this input. */
function sendingOf(name: OperationName, input: Readonly<Record<string, unknown>>): Sending {
  const { http } = operations[name]
  assert.ok(http !== null, `${name} is not on HTTP`)
  const [method, pattern] = http
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_whole, field: string) => {
    const value = rest.get(field)
    rest.delete(field)
    return encodeURIComponent(String(value))
  })
  if (method !== 'GET') {
    const headers = { 'content-type': 'application/json' }
    return { method, path, headers, body: JSON.stringify(Object.fromEntries(rest)) }
  }
  const query = new URLSearchParams()
  for (const [field, value] of rest) for (const one of [value].flat()) query.append(field, String(one))
  return { method, path: query.size === 0 ? path : `${path}?${query}` }
}

export class ControlClient {
  readonly origin: string
  readonly #cookies = new Map<string, string>()
  readonly #credential: string | null

  /** `managementKey` null: a browser, signed in or not. */
  constructor(origin: string, managementKey: string | null = null) {
    this.origin = origin
    this.#credential = managementKey
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Sends a request as the browser or program would. */
  async send(sending: Sending): Promise<ControlAnswer> {
    const own: Record<string, string> = {}
    if (this.#credential !== null) own.authorization = `Bearer ${this.#credential}`
    else if (sending.method !== 'GET') own.origin = this.origin
    if (this.#cookies.size > 0) own.cookie = this.cookie
    const answer = await sendTo(this.origin, { ...sending, headers: { ...own, ...sending.headers } })
    for (const cookie of answer.setCookies) this.#keep(cookie)
    return answer
  }

  post(path: string, body: unknown): Promise<ControlAnswer> {
    const headers = { 'content-type': 'application/json' }
    return this.send({ method: 'POST', path, headers, body: JSON.stringify(body) })
  }

  ask(name: OperationName, input: Readonly<Record<string, unknown>> = {}): Promise<ControlAnswer> {
    return this.send(sendingOf(name, input))
  }

  /** The output, validated against the contract. */
  async done<Name extends OperationName>(
    name: Name,
    input: OperationRawInput<Name>,
  ): Promise<OperationOutput<Name>> {
    const answer = await this.ask(name, input as Readonly<Record<string, unknown>>)
    assert.equal(answer.status, 200, `${name}: ${answer.text}`)
    return operations[name].output.parse(answer.body) as OperationOutput<Name>
  }

  #keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim())
    const at = pair.indexOf('=')
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
    const isOver = value === '' || attributes.some((attribute) => /^max-age=0$/i.test(attribute))
    if (isOver) this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }
}
