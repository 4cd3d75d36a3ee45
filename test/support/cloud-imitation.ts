/**
 * A cloud on loopback, as strict as its pages say: it answers at its own paths alone, to its own credential alone, and plays
 * what the last message asks for. It issues tokens too, as an emulator of a cloud does. Its facts are written apart from the
 * rows that are tested against them.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CloudFormat,
  converseFailure,
  streamedAnswer,
  streamedBeginning,
  wholeAnswer,
} from './cloud-answers.ts'

export interface CloudRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export interface CloudRejection {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface CloudFacts {
  /** The format that is spoken at a path, and whether the path asks for a stream; null: nothing is there. */
  route(url: string): { readonly format: CloudFormat; readonly isStream?: boolean } | null
  /** Why the credential is rejected; '' where it is accepted. */
  mistake(request: CloudRequest): string
  /** Why the body is rejected; '' where it is accepted. */
  bodyMistake?(url: string, body: Readonly<Record<string, unknown>>): string
  readonly rejections: Readonly<Record<'credential' | 'rate' | 'overload' | 'missing', CloudRejection>> & {
    readonly balance?: CloudRejection
  }
  /** Answers requests to other addresses, such as token endpoints; null: not found. */
  issue?(request: CloudRequest): CloudRejection | Promise<CloudRejection> | null
}

interface ModelRequest extends CloudRequest {
  /** Why it was rejected; '' where it was not. */
  readonly rejected: string
  /** The client closed the connection before the end. */
  closed: boolean
}

export interface CloudImitation {
  readonly origin: string
  /** Requests to models, in order. */
  readonly requests: readonly ModelRequest[]
  /** Requests for tokens, in order. */
  readonly issued: readonly CloudRequest[]
  /** Ends the streams that were asked to hold. */
  finishHeld(): void
  close(): Promise<void>
}

export async function imitateCloud(facts: CloudFacts): Promise<CloudImitation> {
  const requests: ModelRequest[] = []
  const issued: CloudRequest[] = []
  const held: (() => void)[] = []
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming
      const request = { method, url, headers, text: Buffer.concat(pieces).toString() }
      const route = facts.route(url)
      const token = route === null ? (facts.issue?.(request) ?? null) : null
      if (token !== null) {
        issued.push(request)
        return void Promise.resolve(token).then((answer) => say(response, answer))
      }
      const rejected = route === null ? `path ${url}` : facts.mistake(request)
      const seen: ModelRequest = { ...request, rejected, closed: false }
      requests.push(seen)
      response.on('close', () => {
        seen.closed = !response.writableFinished
      })
      if (route === null) return say(response, facts.rejections.missing)
      if (rejected !== '') return say(response, facts.rejections.credential)
      play(facts, { request, route, response, held })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    issued,
    finishHeld: () => {
      for (const finish of held.splice(0)) finish()
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

interface Played {
  readonly request: CloudRequest
  readonly route: { readonly format: CloudFormat; readonly isStream?: boolean }
  readonly response: ServerResponse
  readonly held: (() => void)[]
}

function play(facts: CloudFacts, { request, route, response, held }: Played): void {
  const body = JSON.parse(request.text) as Record<string, unknown>
  const mistake = facts.bodyMistake?.(request.url, body) ?? ''
  if (mistake !== '')
    return say(response, {
      status: 400,
      body: { error: { type: 'invalid_request_error', message: mistake } },
    })
  const asked =
    /say (tool|rate|overload|credential|balance|hold|exception|break)/.exec(request.text)?.[1] ?? 'text'
  if (asked === 'rate' || asked === 'overload' || asked === 'credential')
    return say(response, facts.rejections[asked])
  if (asked === 'balance') return say(response, facts.rejections.balance ?? facts.rejections.credential)
  const isTool = asked === 'tool'
  if (!(route.isStream ?? body['stream'] === true))
    return say(response, { status: 200, body: wholeAnswer(route.format, isTool) })
  const isBinary = route.format === 'converse'
  const type = isBinary ? 'application/vnd.amazon.eventstream' : 'text/event-stream'
  response.writeHead(200, { 'content-type': type })
  if (asked === 'exception') return void response.end(converseFailure('throttlingException'))
  const whole = streamedAnswer(route.format, isTool)
  if (asked !== 'hold' && asked !== 'break') return void response.end(whole)
  const beginning = streamedBeginning(route.format)
  response.write(beginning)
  const rest =
    asked === 'hold' ? whole.subarray(beginning.length) : converseFailure('modelStreamErrorException')
  held.push(() => response.end(rest))
}

function say(response: ServerResponse, { status, body, headers = {} }: CloudRejection): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}
