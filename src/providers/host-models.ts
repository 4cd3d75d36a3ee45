/**
 * Asks a host for the names of its models, for operators that choose from them. One request, bounded in bytes and
 * time; what the host says is in no log and in no answer but the names.
 */
import type { Clock } from '../base/clock.ts'
import type { Connector } from './connector.ts'
import { modelListPath, modelsPathOf } from './paths.ts'
import type { Sender, SendFailure } from './send.ts'

export interface HostModels {
  /** In the host's order, without doubles. */
  readonly names: readonly string[]
  /** Why there is none; null: the host answered with a list. */
  readonly problem: string | null
}

export interface ListModelsDeps {
  readonly sender: Pick<Sender, 'send'>
  readonly clock: Clock
  readonly limits: {
    readonly hostModelsMs: number
    readonly hostModelsBytesMax: number
    readonly hostModelsMax: number
  }
}

export interface ModelHost {
  readonly origin: string
  readonly basePath: string
  readonly credential: string
  readonly requestId: string
}

/** Never throws for what the host does. */
export async function listHostModels(
  asking: ListModelsDeps,
  connector: Connector,
  host: ModelHost,
): Promise<HostModels> {
  const [dialect] = connector.dialects
  const path = listPathOf(connector, host.basePath)
  if (path === null) return { names: [], problem: 'The host has no list of models: type the names.' }
  const { headers } = connector.prepare({
    ...host,
    dialect,
    operation: 'generate',
    model: '',
    streamed: false,
    query: '',
    headers: {},
  })
  const answer = await received(asking, {
    origin: host.origin,
    path,
    headers: withoutBody(headers),
  })
  if (typeof answer === 'string') return { names: [], problem: answer }
  const names = namesIn(answer.bytes, asking.limits.hostModelsMax)
  return names.length === 0
    ? { names, problem: 'The host answered with no list of models.' }
    : { names, problem: null }
}

/** null: the host has none. */
function listPathOf(connector: Connector, basePath: string): string | null {
  const { modelListPath: own, pathPrefix } = connector
  const [dialect] = connector.dialects
  if (own === null) return null
  // At an address with a path of its own, the list stands where the first format does.
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

interface ModelListRequest {
  readonly origin: string
  readonly path: string
  readonly headers: readonly string[]
}

/** The whole answer, or a sentence that says why there is none. */
function received(
  { sender, clock, limits }: ListModelsDeps,
  { origin, path, headers }: ModelListRequest,
): Promise<{ readonly bytes: Uint8Array } | string> {
  return new Promise((resolve) => {
    const exchange = sender.send({ origin, method: 'GET', path, headers, body: [] })
    const chunks: Uint8Array[] = []
    let length = 0
    const timer = clock.after(limits.hostModelsMs, () => stop('The host did not answer in time.'))
    const finish = (answer: { readonly bytes: Uint8Array } | string): void => {
      timer.cancel()
      resolve(answer)
    }
    const stop = (problem: string): void => {
      exchange.abort()
      finish(problem)
    }
    exchange.listen({
      head(status) {
        if (status !== 200) stop(refusedWords(status))
      },
      chunk(bytes) {
        length += bytes.length
        if (length > limits.hostModelsBytesMax)
          stop('The list of the host is too long to be shown: type the names.')
        else chunks.push(bytes)
      },
      end: () => finish({ bytes: Buffer.concat(chunks) }),
      failed: (failure) => finish(failedWords(failure)),
    })
  })
}

function refusedWords(status: number): string {
  if (status === 401 || status === 403) return `The host refuses the credential (HTTP ${status}).`
  if (status === 404)
    return 'The host has no list of models at this address (HTTP 404): check the path, or type the names.'
  if (status >= 300 && status < 400)
    return `The host points elsewhere (HTTP ${status}), which is not followed: enter the address that it means.`
  return `The host did not give its list of models (HTTP ${status}): type the names.`
}

const troubles: Readonly<Record<SendFailure['kind'], string>> = {
  refused: 'Nothing answers at this address.',
  connect_timeout: 'Nothing answers at this address.',
  dns: 'There is no host of this name.',
  tls: 'The host has no valid certificate.',
  reset: 'The host closed the connection.',
  aborted: 'The server is shutting down.',
  protocol: 'What answers at this address does not speak HTTP.',
}

function failedWords({ kind }: SendFailure): string {
  return troubles[kind]
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
