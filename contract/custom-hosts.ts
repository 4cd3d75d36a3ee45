/**
 * Servers whose address, formats and headers only the operator knows, with defaults for well-known ones. An
 * upstream of one of these is a separate provider, named like the upstream: `my-vllm/llama-3.3-70b`.
 */
import type { FormatName } from './formats.ts'

interface CustomHostPreset {
  readonly displayName: string
  /** The default URL; null: there is none. */
  readonly url: string | null
  /** The formats that are used unless others are chosen; the first one lists the models. Empty: they must be chosen. */
  readonly formats: readonly FormatName[]
}

/** Formats that only newer versions have are not preset: github.com/vllm-project/vllm, ollama/ollama docs/api, 2026-08. */
export const customHosts = {
  custom: { displayName: 'Custom', url: null, formats: [] },
  'llama-cpp': {
    displayName: 'llama.cpp',
    url: 'http://127.0.0.1:8080',
    formats: ['openai-chat', 'openai-embeddings'],
  },
  litellm: {
    displayName: 'LiteLLM',
    url: 'http://127.0.0.1:4000',
    formats: ['openai-chat', 'openai-responses', 'anthropic', 'openai-embeddings'],
  },
  lmstudio: {
    displayName: 'LM Studio',
    url: 'http://127.0.0.1:1234',
    formats: ['openai-chat', 'openai-embeddings'],
  },
  ollama: {
    displayName: 'Ollama',
    url: 'http://127.0.0.1:11434',
    formats: ['openai-chat', 'openai-embeddings'],
  },
  tollgate: {
    displayName: 'Tollgate',
    url: null,
    formats: ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'openai-embeddings'],
  },
  vllm: {
    displayName: 'vLLM',
    url: 'http://127.0.0.1:8000',
    formats: ['openai-chat', 'openai-embeddings'],
  },
} as const satisfies Readonly<Record<string, CustomHostPreset>>

export type CustomHostKind = keyof typeof customHosts

/** Whether an upstream of this provider is a separate provider. */
export function isCustomHost(provider: string): provider is CustomHostKind {
  return Object.hasOwn(customHosts, provider)
}

export interface CustomHost {
  readonly kind: CustomHostKind
  readonly formats: readonly FormatName[]
  /** In lower case. `authorization` has the credential as a bearer token, any other header has it as it is. */
  readonly keyHeader: string
  /** Sent with each request, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** Settings that may be omitted. */
export interface CustomHostInput {
  readonly formats?: readonly FormatName[] | undefined
  readonly keyHeader?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Applies the defaults of the kind. */
export function customHostOf(kind: CustomHostKind, asked: CustomHostInput): CustomHost {
  const { formats = customHosts[kind].formats, keyHeader = 'authorization', headers = {} } = asked
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return {
    kind,
    formats: [...new Set(formats)],
    keyHeader: keyHeader.toLowerCase(),
    headers: Object.fromEntries(lowered) as Readonly<Record<string, string>>,
  }
}

const headersMax = 20
const headerValueCharactersMax = 4_096
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/

/** Headers that a request has already, or that say how it is transferred. */
const ownHeaders = [
  'accept',
  'accept-encoding',
  'anthropic-version',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-tollgate-hops',
]

/** The first invalid setting, as field and sentence; undefined: none. */
export function customHostMistake(
  host: CustomHost,
): { readonly field: 'formats' | 'auth' | 'headers'; readonly message: string } | undefined {
  if (host.formats.length === 0) return { field: 'formats', message: 'choose at least one API format' }
  const key = headerMistake(host.keyHeader)
  if (key !== undefined) return { field: 'auth', message: key }
  const headers = Object.entries(host.headers)
  if (headers.length > headersMax)
    return { field: 'headers', message: `must be at most ${headersMax} headers` }
  for (const [name, value] of headers) {
    const message =
      name === host.keyHeader
        ? `${name} has the API key already`
        : (headerMistake(name) ?? valueMistake(name, value))
    if (message !== undefined) return { field: 'headers', message }
  }
  return undefined
}

function headerMistake(name: string): string | undefined {
  if (!headerName.test(name)) return `${name} is not the name of a header`
  return ownHeaders.includes(name) ? `${name} cannot be set` : undefined
}

function valueMistake(name: string, value: string): string | undefined {
  const isFine =
    value.length <= headerValueCharactersMax && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
  return isFine ? undefined : `${name} must be at most ${headerValueCharactersMax} visible ASCII characters`
}
