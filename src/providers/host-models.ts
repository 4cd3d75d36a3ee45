/**
 * Lists the models of a host, for operators that choose from them and to test a credential. Bounded in bytes and time,
 * follows no redirect, and logs nothing of the host's response.
 */
import type { Clock } from '../base/clock.ts'
import { withoutSecrets } from '../base/redact-secrets.ts'
import { readProblem } from '../wire/upstream-problem.ts'
import { isCallersFault } from './classify.ts'
import type { Connector, UpstreamFailure } from './connector.ts'
import { modelListPath, modelsPathOf, withoutBody } from './outgoing-request.ts'
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

const noList = 'The provider has no model list. Enter the model names.'
const untested = { credential: 'untested', hostMessage: null } as const

/** Never throws for what the host does. */
export async function listHostModels(
  asking: ListModelsDeps,
  connector: Connector,
  host: ModelHost,
): Promise<HostModels> {
  const [format] = connector.formats
  const path = listPathOf(connector, host.basePath)
  if (path === null) return { names: [], problem: noList, ...untested }
  const { headers, authorizer } = connector.prepare({
    ...host,
    format,
    operation: 'generate',
    model: '',
    streamed: false,
    query: '',
    headers: {},
    hops: null,
  })
  const answer = await received(asking, {
    origin: host.origin,
    method: 'GET',
    path,
    headers: withoutBody(headers),
    body: [],
    authorizer,
  })
  switch (answer.kind) {
    case 'failed':
      return { ...untested, names: [], problem: answer.problem, credential: 'unreachable' }
    case 'too_long':
      return {
        ...untested,
        names: [],
        problem: "The provider's model list is too long to show. Enter the model names.",
      }
    case 'rejected':
      return {
        names: [],
        problem: rejectedWords(answer.status),
        credential: rejectsCredential(answer.status) ? 'rejected' : 'untested',
        hostMessage: messageIn(answer.bytes, host.credential),
      }
    case 'list': {
      const names = namesIn(answer.bytes, asking.limits.hostModelsMax)
      return names.length === 0
        ? { ...untested, names, problem: "The provider's response is not a model list." }
        : { ...untested, names, problem: null, credential: 'accepted' }
    }
  }
}

/** Accepted by no provider; some have public lists of models, so a list alone proves nothing. */
const wrongCredential = 'not-a-credential'

/**
 * Tests a credential by listing the models with it, and where that works, without it. A host without a list is sent an empty
 * request, which costs nothing: a valid credential is what makes its error one about the request.
 */
export async function testCredential(
  asking: ListModelsDeps,
  connector: Connector,
  host: ModelHost,
): Promise<HostModels> {
  const ask = connector.modelListPath === null ? sendEmptyRequest : listHostModels
  const answered = await ask(asking, connector, host)
  if (answered.credential !== 'accepted') return answered
  const control = await ask(asking, connector, { ...host, credential: wrongCredential })
  return control.credential === 'accepted' ? { ...answered, credential: 'untested' } : answered
}

/** A model name that no host has; Google's URLs need one in the path. */
const noModel = 'credential-test'

async function sendEmptyRequest(
  asking: ListModelsDeps,
  connector: Connector,
  host: ModelHost,
): Promise<HostModels> {
  const [format] = connector.formats
  const { path, headers, authorizer } = connector.prepare({
    ...host,
    format,
    operation: 'generate',
    model: noModel,
    streamed: false,
    query: '',
    headers: {},
    hops: null,
  })
  const body = [new TextEncoder().encode('{}')]
  const request = { origin: host.origin, method: 'POST', path, headers, body, authorizer } as const
  const answer = await received(asking, request)
  if (answer.kind === 'failed')
    return { ...untested, names: [], problem: answer.problem, credential: 'unreachable' }
  if (answer.kind !== 'rejected') return { ...untested, names: [], problem: noList }
  const { status, headers: answered, bytes } = answer
  const credential = judged(connector.classify(status, answered, readProblem(bytes)), status)
  const problem = {
    accepted: noList,
    rejected: `The provider rejected the API key (HTTP ${status}).`,
    untested: `The provider's response to a test request does not show whether it accepts the API key (HTTP ${status}).`,
  }[credential]
  const hostMessage = credential === 'accepted' ? null : messageIn(bytes, host.credential)
  return { names: [], problem, credential, hostMessage }
}

/** The state of the credential, judged by the error for an empty request. */
function judged(failure: UpstreamFailure, status: number): Exclude<CredentialState, 'unreachable'> {
  if (failure.operator && failure.concerns === 'credential') return status === 402 ? 'untested' : 'rejected'
  const isOfRequest = isCallersFault(failure) || (failure.operator && failure.concerns === 'model')
  return isOfRequest ? 'accepted' : 'untested'
}

/** null: the host has none. */
function listPathOf(connector: Connector, basePath: string): string | null {
  const { modelListPath: own, pathPrefix } = connector
  const [format] = connector.formats
  if (own === null) return null
  // At a URL with a path, the list is where the first format is.
  if (own !== undefined && basePath === '') return own
  return pathPrefix === undefined
    ? modelListPath(format, basePath)
    : `${pathPrefix(format, basePath)}${modelsPathOf(format)}`
}

type Received =
  | { readonly kind: 'list'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'rejected'
      readonly status: number
      readonly headers: ReadonlyMap<string, string>
      readonly bytes: Uint8Array
    }
  | { readonly kind: 'too_long' }
  | { readonly kind: 'failed'; readonly problem: string }

/** A host's response, bounded in bytes and time; `rejected` if the first status is not 200. */
export function received(
  { sender, clock, limits }: ListModelsDeps,
  request: UpstreamRequest,
): Promise<Received> {
  return new Promise((resolve) => {
    const exchange = sender.send(request)
    const chunks: Uint8Array[] = []
    let [length, status] = [0, 0]
    let headers: ReadonlyMap<string, string> = new Map()
    const whole = (): Received =>
      status === 200
        ? { kind: 'list', bytes: Buffer.concat(chunks) }
        : { kind: 'rejected', status, headers, bytes: Buffer.concat(chunks) }
    const isRejected = (): boolean => status !== 0 && status !== 200
    const timer = clock.after(limits.hostModelsMs, () =>
      stop(isRejected() ? whole() : { kind: 'failed', problem: 'The provider did not respond in time.' }),
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
      head(headStatus, headHeaders) {
        status = headStatus
        headers = headHeaders
      },
      chunk(bytes) {
        length += bytes.length
        if (length <= (isRejected() ? limits.hostErrorBytesMax : limits.hostModelsBytesMax))
          chunks.push(bytes)
        else stop(isRejected() ? whole() : { kind: 'too_long' })
      },
      end: () => finish(whole()),
      failed: (failure) => finish(isRejected() ? whole() : { kind: 'failed', problem: failedWords(failure) }),
    })
  })
}

/** A list without parameters leaves 400 to mean the key, as Google does: ai.google.dev/gemini-api/docs/troubleshooting. */
function rejectsCredential(status: number): boolean {
  return status === 400 || status === 401 || status === 403
}

const messageCharactersMax = 300

/** Some providers repeat the key in their message, which operators see and may copy elsewhere. */
function messageIn(bytes: Uint8Array, credential: string): string | null {
  const { message } = readProblem(bytes)
  const text = withoutSecrets(message, credential).replace(/\s+/g, ' ').trim().slice(0, messageCharactersMax)
  return text === '' ? null : text
}

function rejectedWords(status: number): string {
  if (rejectsCredential(status)) return `The provider rejected the API key (HTTP ${status}).`
  if (status === 404)
    return 'The provider has no model list at this URL (HTTP 404). Check the path or enter the model names.'
  if (status >= 300 && status < 400)
    return `The provider returned a redirect (HTTP ${status}), which is not followed. Enter the final URL.`
  return `The provider did not return its model list (HTTP ${status}). Enter the model names.`
}

const troubles: Readonly<Record<SendFailure['kind'], string>> = {
  refused: 'Could not connect to this URL.',
  connect_timeout: 'Could not connect to this URL.',
  dns: 'Host name not found.',
  tls: "The server's certificate is not valid.",
  reset: 'The server closed the connection.',
  aborted: 'The server is shutting down.',
  protocol: 'The server at this URL does not speak HTTP.',
  credential: 'No token could be obtained with this API key',
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
