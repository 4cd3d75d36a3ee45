/**
 * Bodies of requests to the control plane: bounded in bytes, in time, in depth and, while they are on their way, all of
 * them together in memory. Parsers for Fastify in the place of its own; what they say is judged elsewhere.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ByteBudget } from '../base/byte-budget.ts'
import type { Clock } from '../base/clock.ts'
import { type ErrorCode, TollgateError } from '../base/errors.ts'
import type { Limits } from '../config.ts'
import { type BodyFailure, readBody } from '../http/body.ts'

export interface BodiesParts {
  readonly clock: Clock
  readonly limits: Pick<
    Limits,
    'controlBodyBudgetBytes' | 'controlBodyMs' | 'authBodyBytesMax' | 'jsonDepthMax'
  >
}

/** Both throw rows of the error table. */
export interface Bodies {
  /** The whole body, as it came. */
  bytes(request: FastifyRequest, bytesMax: number): Promise<Buffer>
  /** The same where it is JSON that is nested no deeper than anybody needs; other types pass as they are. */
  shallow(request: FastifyRequest, bytesMax: number): Promise<Buffer>
}

const failures: Readonly<Record<BodyFailure['kind'], readonly [code: ErrorCode, message: string]>> = {
  too_large: ['body_too_large', 'The request body is larger than this address takes.'],
  gone: ['request_timeout', 'The client left before its request was complete.'],
  timeout: ['request_timeout', 'The request body did not arrive in time.'],
  no_room: ['overloaded', 'This server holds as many request bodies as it can; try again.'],
  unsupported_encoding: ['unsupported_media_type', 'Send the body without content-encoding.'],
}

const retryAfterMs = 1_000

export function openBodies({ clock, limits }: BodiesParts): Bodies {
  const budget = new ByteBudget(limits.controlBodyBudgetBytes)
  const { controlBodyMs: requestTimeoutMs, jsonDepthMax } = limits
  const bytes: Bodies['bytes'] = async ({ raw }, bodyBytesMax) => {
    // Whoever waited with the body was told to send it before this server's pages were asked.
    const client = { gone: raw.destroyed, sendContinue: () => {} }
    const read = await readBody({ budget, clock, limits: { bodyBytesMax, requestTimeoutMs } }, raw, client)
    if (read.kind !== 'body') {
      const [code, message] = failures[read.kind]
      throw new TollgateError(code, code === 'overloaded' ? { message, retryAfterMs } : { message })
    }
    const whole = Buffer.from(read.bytes.buffer, read.bytes.byteOffset, read.bytes.byteLength)
    // What has arrived is in the hands of whoever answers, and they are bounded.
    read.drop()
    return whole
  }
  return {
    bytes,
    async shallow(request, bytesMax) {
      const whole = await bytes(request, bytesMax)
      const isJson = jsonType.test(request.headers['content-type'] ?? '')
      if (isJson && isDeeperThan(whole, jsonDepthMax)) {
        throw new TollgateError('invalid_json', {
          message: `The body is nested deeper than ${jsonDepthMax} levels.`,
        })
      }
      return whole
    },
  }
}

const jsonType = /^application\/json\b/i

/** JSON is read as Fastify reads it, and nothing else is; an address that is not there takes what nobody has to send. */
export function addBodies(
  app: FastifyInstance,
  bodies: Bodies,
  { limits }: Pick<BodiesParts, 'limits'>,
): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, _payload, done) => {
    const bytesMax = request.is404 ? limits.authBodyBytesMax : request.routeOptions.bodyLimit
    bodies.shallow(request, bytesMax ?? limits.authBodyBytesMax).then(
      (body) => parse(request, body.toString('utf8'), done),
      (error: Error) => done(error),
    )
  })
}

const byteOf = (character: string) => character.charCodeAt(0)
const [quote, backslash] = [byteOf('"'), byteOf('\\')]
const openings: readonly number[] = ['[', '{'].map(byteOf)
const closings: readonly number[] = [']', '}'].map(byteOf)

/** Whether brackets outside of texts are open more than `depthMax` at once; says nothing of whether it is JSON. */
function isDeeperThan(bytes: Uint8Array, depthMax: number): boolean {
  let depth = 0
  let isInText = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (isInText && byte === backslash) at += 1
    else if (byte === quote) isInText = !isInText
    else if (isInText) continue
    else if (openings.includes(byte)) depth += 1
    else if (closings.includes(byte)) depth -= 1
    if (depth > depthMax) return true
  }
  return false
}
