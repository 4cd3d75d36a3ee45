/**
 * A running HTTP edge with a fake data plane: it checks the head and a key, reads the body and
 * answers with its length. For tests of the edge alone; knows nothing of models.
 */
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from '../../contract/errors.ts'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { SharedBudget } from '../../src/base/shared-budget.ts'
import { readBody } from '../../src/http/body.ts'
import type { Serve } from '../../src/http/connection.ts'
import { Downstream } from '../../src/http/downstream.ts'
import { answerEarly } from '../../src/http/early-response.ts'
import { createHttpServer, type HttpServer, malformation } from '../../src/http/server.ts'

export const edgeLimits = {
  headerBytesMax: 16 * 1024,
  headersMax: 100,
  urlBytesMax: 8 * 1024,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 300_000,
  unmeteredBytes: 0,
  uploadBytesPerSecondMin: 4_096,
  uploadGraceMs: 20_000,
  keepAliveTimeoutMs: 75_000,
  connectionsMax: 1_000,
  anonymousShareOfNetworkMax: 0.25,
  anonymousShareOfSiteMax: 0.5,
  pipelinedMax: 4,
  slowReaderMs: 60_000,
  restBytesMax: 64 * 1024,
  lingerBytesMax: 4 * 1024 * 1024,
  lingerMs: 3_000,
  bodyBytesMax: 1024 * 1024,
}

export interface Edge {
  readonly server: HttpServer
  readonly port: number
  /** `METHOD target body` of all requests that the data plane served. */
  readonly served: string[]
  readonly budget: SharedBudget<never>
}

export interface Setting {
  readonly clock?: Clock
  readonly limits?: Partial<typeof edgeLimits>
  readonly controlPlane?: Serve
  readonly onAcceptError?: (error: Error) => void
  /** Default: `127.0.0.1`. */
  readonly host?: string
  /** Default: every client is a trusted proxy. */
  readonly isProxy?: (address: string) => boolean
  readonly more?: (request: IncomingMessage, client: Downstream) => void
}

/** A server whose data plane checks a key, reads the body and answers with what it got. */
export async function withEdge(setting: Setting, run: (edge: Edge) => Promise<void>): Promise<void> {
  const clock = setting.clock ?? systemClock
  const used = { ...edgeLimits, ...setting.limits }
  const budget = new SharedBudget<never>(4 * 1024 * 1024, {})
  const served: string[] = []
  const lingering = { limits: used, clock }
  const reader = { allowance: budget.allowance({}), limits: used, clock }

  async function serve(request: IncomingMessage, client: Downstream): Promise<void> {
    const reject = (status: number, body: string): void =>
      answerEarly(lingering, request, client, { status, headers: ['content-type', 'text/plain'], body })
    const malformed = malformation(request, used)
    if (malformed !== undefined) return reject(errors[malformed.code].status, malformed.message)
    if (request.headers.authorization === 'wrong') return reject(401, 'who are you?')
    if (setting.more !== undefined && request.url?.startsWith('/v1/more'))
      return setting.more(request, client)
    const body = await readBody(reader, request, client)
    if (body.kind !== 'body') return reject(body.kind === 'too_large' ? 413 : 503, body.kind)
    const text = Buffer.from(body.bytes).toString()
    body.drop()
    served.push(`${request.method} ${request.url} ${text.length > 100 ? text.length : text}`)
    client.answer(200, ['content-type', 'text/plain'], `got ${text.length}`)
  }

  const server = createHttpServer({
    dataPlane(request: IncomingMessage, response: ServerResponse) {
      serve(request, new Downstream(response, clock)).catch((error: unknown) => assert.fail(String(error)))
    },
    controlPlane: setting.controlPlane ?? ((_request, response) => response.end('control')),
    isDataPlane: (request) => request.url?.startsWith('/v1') === true,
    isProxy: setting.isProxy ?? (() => true),
    limits: used,
    clock,
    nextRequestId: () => 'req_0000000000001',
    ...(setting.onAcceptError === undefined ? {} : { onAcceptError: setting.onAcceptError }),
  })
  const port = await server.listen(setting.host ?? '127.0.0.1', 0)
  try {
    await run({ server, port, served, budget })
  } finally {
    await server.drain(0)
  }
  assert.equal(budget.used, 0, 'who takes gives back')
}
