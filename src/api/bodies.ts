/**
 * Bodies of requests to the control plane: bounded in bytes, in time, in depth and, while they arrive, in their total
 * memory. Replaces Fastify's parsers; the content is validated elsewhere.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import { networkScopes } from '../base/network.ts'
import { type Allowance, SharedBudget } from '../base/shared-budget.ts'
import type { Limits } from '../config/config.ts'
import { bodyError, readBody } from '../http/body.ts'
import type { ApiDeps } from './api-deps.ts'

export interface BodiesDeps {
  readonly clock: Clock
  readonly limits: Pick<
    Limits,
    | 'controlBodyBudgetBytes'
    | 'anonymousBodyBudgetBytes'
    | 'webhookBodyBudgetBytes'
    | 'shareOfKeyMax'
    | 'shareOfNetworkMax'
    | 'anonymousShareOfNetworkMax'
    | 'anonymousShareOfSiteMax'
    | 'unmeteredBytes'
    | 'uploadBytesPerSecondMin'
    | 'uploadGraceMs'
    | 'controlBodyMs'
    | 'authBodyBytesMax'
    | 'jsonDepthMax'
  >
  readonly clientAddress: ApiDeps['clientAddress']
}

/** All but `knownAs` throw rows of the error table. */
export interface Bodies {
  /** Counts the body of this request against this person or key; without it, against anonymous callers. */
  attributeTo(request: FastifyRequest, name: string): void
  /** The whole body, as it came. */
  read(request: FastifyRequest, bytesMax: number): Promise<Buffer>
  /** The same, and JSON nested deeper than `jsonDepthMax` is rejected; other types pass as they are. */
  readShallow(request: FastifyRequest, bytesMax: number): Promise<Buffer>
  /** The whole body of a message of the payment provider. */
  readWebhook(request: FastifyRequest, bytesMax: number): Promise<Buffer>
}

export function openBodies({ clock, limits, clientAddress }: BodiesDeps): Bodies {
  const { jsonDepthMax } = limits
  const budgets = openBudgets(limits)
  const names = new WeakMap<FastifyRequest, string>()

  async function read(request: FastifyRequest, bodyBytesMax: number, allowance: Allowance): Promise<Buffer> {
    const { raw } = request
    // A client that waited for 100 Continue got it before the request reached these pages.
    const client = { gone: raw.destroyed, sendContinue: () => {} }
    const used = { ...limits, bodyBytesMax, requestTimeoutMs: limits.controlBodyMs }
    const body = await readBody({ allowance, clock, limits: used }, raw, client)
    if (body.kind !== 'body') throw bodyError(body)
    const whole = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.byteLength)
    // A handler owns the body now, and the number of handlers is bounded.
    body.drop()
    return whole
  }

  const scopesOf = ({ raw }: FastifyRequest) => networkScopes(clientAddress(raw))

  function allowanceOf(request: FastifyRequest): Allowance {
    const name = names.get(request)
    if (name === undefined) return budgets.anonymous.allowance(scopesOf(request))
    return budgets.known.allowance({ caller: name, network: scopesOf(request).network })
  }

  const readBytes: Bodies['read'] = (request, bytesMax) => read(request, bytesMax, allowanceOf(request))
  return {
    attributeTo: (request, name) => void names.set(request, name),
    read: readBytes,
    readWebhook: (request, bytesMax) => read(request, bytesMax, budgets.webhook.allowance(scopesOf(request))),
    async readShallow(request, bytesMax) {
      const whole = await readBytes(request, bytesMax)
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

/** Separate budgets, so that known callers and payments do not wait behind unknown ones. */
function openBudgets(limits: BodiesDeps['limits']) {
  const anonymous = { network: limits.anonymousShareOfNetworkMax, site: limits.anonymousShareOfSiteMax }
  const known = { caller: limits.shareOfKeyMax, network: limits.shareOfNetworkMax }
  return {
    known: new SharedBudget(limits.controlBodyBudgetBytes, known),
    anonymous: new SharedBudget(limits.anonymousBodyBudgetBytes, anonymous),
    webhook: new SharedBudget(limits.webhookBodyBudgetBytes, anonymous),
  }
}

const jsonType = /^application\/json\b/i

/** JSON is read as Fastify reads it, and nothing else is; an unknown path accepts any body. */
export function addBodies(
  app: FastifyInstance,
  bodies: Bodies,
  { limits }: { readonly limits: Pick<Limits, 'authBodyBytesMax'> },
): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, _payload, done) => {
    const bytesMax = request.is404 ? limits.authBodyBytesMax : request.routeOptions.bodyLimit
    bodies.readShallow(request, bytesMax ?? limits.authBodyBytesMax).then(
      (body) => parse(request, body.toString('utf8'), done),
      (error: Error) => done(error),
    )
  })
}

const byteOf = (character: string) => character.charCodeAt(0)
const [quote, backslash] = [byteOf('"'), byteOf('\\')]
const openings: readonly number[] = ['[', '{'].map(byteOf)
const closings: readonly number[] = [']', '}'].map(byteOf)

/** Whether brackets outside of strings are nested deeper than `depthMax`; does not validate the JSON. */
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
