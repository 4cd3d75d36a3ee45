/**
 * Hosts and clouds in front of the sandbox, strict about their addresses, keys and bodies: what they accept is answered by the
 * sandbox in the format of the address. Clients reach them through a gateway, by names such as `bedrock/…`.
 */
import http, { type IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../../src/config/config.ts'

type Upstream = Config['upstreams'][number]
type Model = Config['models'][number]

export interface HostFront {
  readonly upstreams: readonly Upstream[]
  readonly models: readonly Model[]
  close(): Promise<void>
}

/** The model of the sandbox that reasons and follows a prompt. */
const played = 'sandbox-thinking-tools'
const project = '/v1/projects/p-1/locations/global'
const keyOf = (provider: string) => `key-of-${provider}`

type Body = Record<string, unknown>

interface HostFacts {
  /** The header of the key, with what it must say. */
  readonly key: readonly [header: string, value: string]
  /** Models by their names at the host. */
  readonly models: readonly string[]
  /** The path of the sandbox for a path of the host, and the body as the sandbox takes it; undefined: nothing is there. */
  route(url: string, body: Body): { readonly path: string; readonly body: Body } | undefined
  /** What follows the origin in the upstream's URL. */
  readonly basePath?: string
}

const bearer = (provider: string) => ['authorization', `Bearer ${keyOf(provider)}`] as const

/** A route that names the model in the body. */
function inBody(paths: Readonly<Record<string, string>>): HostFacts['route'] {
  return (url, body) => {
    const path = paths[url]
    return path === undefined ? undefined : { path, body: { ...body, model: played } }
  }
}

const facts: Readonly<Record<string, HostFacts>> = {
  azure: {
    key: ['api-key', keyOf('azure')],
    models: ['gpt-conformance'],
    route: inBody({
      '/openai/v1/chat/completions': '/v1/chat/completions',
      '/openai/v1/responses': '/v1/responses',
    }),
  },
  bedrock: {
    key: bearer('bedrock'),
    models: ['anthropic.claude-conformance'],
    route: inBody({ '/anthropic/v1/messages': '/v1/messages' }),
  },
  vertex: {
    key: ['x-goog-api-key', keyOf('vertex')],
    models: ['claude-conformance', 'gemini-conformance'],
    basePath: project,
    route: vertexRoute,
  },
  openrouter: {
    key: bearer('openrouter'),
    models: ['openai/gpt-conformance'],
    route: inBody({
      '/api/v1/responses': '/v1/responses',
      '/api/v1/chat/completions': '/v1/chat/completions',
      '/api/v1/messages': '/v1/messages',
    }),
  },
  groq: {
    key: bearer('groq'),
    models: ['llama-conformance'],
    route: inBody({ '/openai/v1/chat/completions': '/v1/chat/completions' }),
  },
}

/** Claude without a model in the body, and with the version there; Gemini as at Google. */
function vertexRoute(url: string, body: Body): ReturnType<HostFacts['route']> {
  const claude = `${project}/publishers/anthropic/models/claude-conformance:`
  const gemini = `${project}/publishers/google/models/gemini-conformance:`
  if (url.startsWith(gemini)) {
    return { path: `/v1beta/models/${played}:${url.slice(gemini.length)}`, body }
  }
  const isStream = url === `${claude}streamRawPredict`
  if (!isStream && url !== `${claude}rawPredict`) return undefined
  const { anthropic_version: version, ...others } = body
  if (version !== 'vertex-2023-10-16' || 'model' in body || (body.stream === true) !== isStream)
    return undefined
  return { path: '/v1/messages', body: { ...others, model: played } }
}

export async function hostFront(sandbox: string): Promise<HostFront> {
  const servers = new Map<string, http.Server>()
  for (const [provider, host] of Object.entries(facts)) servers.set(provider, await serverOf(host, sandbox))
  const originOf = (provider: string) => {
    const address = servers.get(provider)?.address()
    if (address === null || address === undefined || typeof address === 'string')
      throw new Error(`${provider} has no port`)
    return `http://127.0.0.1:${address.port}`
  }
  return {
    upstreams: Object.entries(facts).map(([provider, { models, basePath = '' }]) => ({
      name: provider,
      provider,
      url: originOf(provider) + basePath,
      credential: keyOf(provider),
      weight: 1,
      models: models.map((model) => ({ id: `${provider}/${model}` })),
    })),
    models: Object.entries(facts).flatMap(([provider, { models }]) =>
      models.map((model) => ({
        id: `${provider}/${model}`,
        ...{ context: 1_000_000, maxOutput: 128_000, tools: true },
        // Codex offers a search with every request.
        prices: [{ input: '0.1', output: '0.4', fees: { web_search: '0.01' } }],
      })),
    ),
    async close() {
      for (const server of servers.values()) {
        server.closeAllConnections()
        await new Promise<void>((resolve) => server.close(() => resolve()))
      }
    },
  }
}

async function serverOf({ key: [header, value], route }: HostFacts, sandbox: string): Promise<http.Server> {
  const { hostname, port } = new URL(sandbox)
  const server = http.createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { method, url = '', headers } = request
      const found = route(url, JSON.parse(Buffer.concat(pieces).toString() || '{}') as Body)
      const rejected = headers[header] !== value ? 401 : found === undefined ? 404 : null
      if (rejected !== null || found === undefined) {
        response.writeHead(rejected ?? 404, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ error: { message: `${method} ${url} is not served here` } }))
        return
      }
      const text = JSON.stringify(found.body)
      const options = { hostname, port, method, path: found.path, headers: playedHeaders(headers, text) }
      const onward = http.request(options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      response.on('close', () => onward.destroy())
      onward.end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** With a key in every place where a format of the sandbox looks for it. */
function playedHeaders(headers: IncomingHttpHeaders, text: string): http.OutgoingHttpHeaders {
  const key = 'key-of-the-sandbox'
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    accept: headers.accept ?? '*/*',
    'anthropic-version': '2023-06-01',
    authorization: `Bearer ${key}`,
    'x-api-key': key,
    'x-goog-api-key': key,
  }
}
