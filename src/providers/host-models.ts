/**
 * Lists the models of a host, for operators that choose from them and to test a credential. Bounded in bytes and time,
 * follows no redirect, and logs nothing of the host's response.
 */
import type { Clock } from '../base/clock.ts'
import { secretParts } from '../base/secret-fields.ts'
import { readProblem } from '../wire/upstream-problem.ts'
import type { Connector } from './connector.ts'
import { modelListPath, modelsPathOf } from './paths.ts'
import type { Sender } from './send.ts'
import type { SendFailure, UpstreamRequest } from './send-types.ts'

export interface HostModels {
  /** In the host's order, without doubles. */
  readonly names: readonly string[]
  /** Why there is none; null: the host answered with a list. */
  readonly problem: string | null
  /** `untested`: the host answered, but neither accepted nor rejected the credential. */
  readonly credential: CredentialState
  /** The host's own error message, without the credential. */
  readonly hostMessage: string | null
}

export type CredentialState = 'accepted' | 'rejected' | 'untested' | 'unreachable'

export interface ListModelsDeps {
  readonly sender: Pick<Sender, 'send'>
  readonly clock: Clock
  readonly limits: {
    readonly hostModelsMs: number
    readonly hostModelsBytesMax: number
    readonly hostModelsMax: number
    readonly hostErrorBytesMax: number
  }
}

export interface ModelHost {
  readonly origin: string
  readonly basePath: string
  readonly credential: string
  readonly requestId: string
}

const untested = { credential: 'untested', hostMessage: null } as const

/** Never throws for what the host does. */
export async function listHostModels(
  asking: ListModelsDeps,
  connector: Connector,
  host: ModelHost,
): Promise<HostModels> {
  const [dialect] = connector.dialects
  const path = listPathOf(connector, host.basePath)
  if (path === null)
    return { names: [], problem: 'The host has no model list. Enter the model names.', ...untested }
  const { headers, authorizer } = connector.prepare({
    ...host,
    dialect,
    operation: 'generate',
    model: '',
    streamed: false,
    query: '',
    headers: {},
    hops: null,
  })
  const answer = await received(asking, {
    origin: host.origin,
    path,
    headers: withoutBody(headers),
    authorizer,
  })
  switch (answer.kind) {
    case 'failed':
      return { ...untested, names: [], problem: answer.problem, credential: 'unreachable' }
    case 'too_long':
      return {
        ...untested,
        names: [],
        problem: "The host's model list is too long to show. Enter the model names.",
      }
    case 'refused':
      return {
        names: [],
        problem: refusedWords(answer.status),
        credential: refusesCredential(answer.status) ? 'rejected' : 'untested',
        hostMessage: messageIn(answer.bytes, host.credential),
      }
    case 'list': {
      const names = namesIn(answer.bytes, asking.limits.hostModelsMax)
      return names.length === 0
        ? { ...untested, names, problem: "The host's response is not a model list." }
        : { ...untested, names, problem: null, credential: 'accepted' }
    }
  }
}

/** Accepted by no provider; some have public lists of models, so a list alone proves nothing. */
const wrongCredential = 'not-a-credential'

/** Tests a credential by listing the models with it, and where that works, without it. */
export async function testCredential(
  asking: ListModelsDeps,
  connector: Connector,
  host: ModelHost,
): Promise<HostModels> {
  const listed = await listHostModels(asking, connector, host)
  if (listed.credential !== 'accepted') return listed
  const control = await listHostModels(asking, connector, { ...host, credential: wrongCredential })
  return control.credential === 'accepted' ? { ...listed, credential: 'untested' } : listed
}

/** null: the host has none. */
function listPathOf(connector: Connector, basePath: string): string | null {
  const { modelListPath: own, pathPrefix } = connector
  const [dialect] = connector.dialects
  if (own === null) return null
  // At a URL with a path, the list is where the first format is.
  if (own !== undefined && basePath === '') return own
  return pathPrefix === undefined
    ? modelListPath(dialect, basePath)
    : `${pathPrefix(dialect, basePath)}${modelsPathOf(dialect)}`
}

function withoutBody(headers: readonly string[]): string[] {
  const copied: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (name !== 'content-type') copied.push(name, headers[at + 1] ?? '')
  }
  return copied
}

type ModelListRequest = Pick<UpstreamRequest, 'origin' | 'path' | 'headers' | 'authorizer'>

type Received =
  | { readonly kind: 'list'; readonly bytes: Uint8Array }
  | { readonly kind: 'refused'; readonly status: number; readonly bytes: Uint8Array }
  | { readonly kind: 'too_long' }
  | { readonly kind: 'failed'; readonly problem: string }

function received({ sender, clock, limits }: ListModelsDeps, request: ModelListRequest): Promise<Received> {
  return new Promise((resolve) => {
    const exchange = sender.send({ ...request, method: 'GET', body: [] })
    const chunks: Uint8Array[] = []
    let [length, status] = [0, 0]
    const whole = (): Received =>
      status === 200
        ? { kind: 'list', bytes: Buffer.concat(chunks) }
        : { kind: 'refused', status, bytes: Buffer.concat(chunks) }
    const isRefused = (): boolean => status !== 0 && status !== 200
    const timer = clock.after(limits.hostModelsMs, () =>
      stop(isRefused() ? whole() : { kind: 'failed', problem: 'The host did not respond in time.' }),
    )
    const finish = (answer: Received): void => {
      timer.cancel()
      resolve(answer)
    }
    const stop = (answer: Received): void => {
      exchange.abort()
      finish(answer)
    }
    exchange.listen({
      head(headStatus) {
        status = headStatus
      },
      chunk(bytes) {
        length += bytes.length
        if (length <= (isRefused() ? limits.hostErrorBytesMax : limits.hostModelsBytesMax)) chunks.push(bytes)
        else stop(isRefused() ? whole() : { kind: 'too_long' })
      },
      end: () => finish(whole()),
      failed: (failure) => finish(isRefused() ? whole() : { kind: 'failed', problem: failedWords(failure) }),
    })
  })
}

/** A list without parameters leaves 400 to mean the key, as Google does: ai.google.dev/gemini-api/docs/troubleshooting. */
function refusesCredential(status: number): boolean {
  return status === 400 || status === 401 || status === 403
}

const messageCharactersMax = 300

/** Some providers repeat the key in their message, which operators see and may copy elsewhere. */
function messageIn(bytes: Uint8Array, credential: string): string | null {
  const { message } = readProblem(bytes)
  const redacted = secretParts(credential).reduce((shown, secret) => shown.replaceAll(secret, '…'), message)
  const text = redacted.replace(/\s+/g, ' ').trim().slice(0, messageCharactersMax)
  return text === '' ? null : text
}

function refusedWords(status: number): string {
  if (refusesCredential(status)) return `The host rejected the credential (HTTP ${status}).`
  if (status === 404)
    return 'The host has no model list at this URL (HTTP 404). Check the path or enter the model names.'
  if (status >= 300 && status < 400)
    return `The host returned a redirect (HTTP ${status}), which is not followed. Enter the final URL.`
  return `The host did not return its model list (HTTP ${status}). Enter the model names.`
}

const troubles: Readonly<Record<SendFailure['kind'], string>> = {
  refused: 'Could not connect to this URL.',
  connect_timeout: 'Could not connect to this URL.',
  dns: 'Host name not found.',
  tls: "The host's certificate is not valid.",
  reset: 'The host closed the connection.',
  aborted: 'The server is shutting down.',
  protocol: 'The server at this URL does not speak HTTP.',
  credential: 'No token could be obtained with this credential',
}

function failedWords({ kind, detail }: SendFailure): string {
  return kind === 'credential' ? `${troubles[kind]}: ${detail}.` : troubles[kind]
}

/** OpenAI and Anthropic say `data` and `id`, Google `models` and `name`, Together sends the bare list. */
function namesIn(bytes: Uint8Array, countMax: number): readonly string[] {
  const list = listIn(bytes)
  const names = new Set<string>()
  for (const item of list) {
    const { id, name } = (item ?? {}) as { readonly id?: unknown; readonly name?: unknown }
    const text = typeof id === 'string' ? id : typeof name === 'string' ? name.replace(/^models\//, '') : ''
    if (/^[\x21-\x7e]{1,200}$/.test(text)) names.add(text)
    if (names.size >= countMax) break
  }
  return [...names]
}

function listIn(bytes: Uint8Array): readonly unknown[] {
  try {
    const answer: unknown = JSON.parse(Buffer.from(bytes).toString())
    if (Array.isArray(answer)) return answer
    const { data, models } = (answer ?? {}) as { readonly data?: unknown; readonly models?: unknown }
    return [data, models].find(Array.isArray) ?? []
  } catch {
    return []
  }
}
