/**
 * The addresses that upstreams are asked at, by format and by what is asked for: one table, which also says
 * what can be asked for at all. Pure.
 */
import { assert } from '../base/assert.ts'
import type { DialectName } from '../wire/codec.ts'
import type { Outgoing, UpstreamOperation } from './connector.ts'

type Addresses = Readonly<Partial<Record<UpstreamOperation, string>>>

/** In Google's format the operation is a method of the model; it stands behind the model's name. */
const addresses: Readonly<Record<DialectName, Addresses>> = {
  'openai-chat': { generate: '/v1/chat/completions' },
  'openai-responses': {
    generate: '/v1/responses',
    compact: '/v1/responses/compact',
    count_tokens: '/v1/responses/input_tokens',
  },
  'openai-embeddings': { embed: '/v1/embeddings' },
  anthropic: { generate: '/v1/messages', count_tokens: '/v1/messages/count_tokens' },
  gemini: { generate: 'generateContent', count_tokens: 'countTokens' },
}

/** Whether a format has an address for it. */
export function hasAddress(operation: UpstreamOperation, dialect: DialectName): boolean {
  return addresses[dialect][operation] !== undefined
}

/** Path and query; throws for what the format has no address for. */
export function pathOf(outgoing: Outgoing): string {
  const address = addresses[outgoing.dialect][outgoing.operation]
  assert(address !== undefined, `${outgoing.dialect} has no address for ${outgoing.operation}`)
  return outgoing.dialect === 'gemini' ? geminiPath(outgoing, address) : `${address}${outgoing.query}`
}

/**
 * Nothing of the caller's query travels: `alt` is ours, and `fields` or `callback` would change what an answer
 * looks like, its usage included.
 */
function geminiPath({ model, streamed }: Outgoing, method: string): string {
  const path = `/v1beta/models/${encodeURIComponent(model)}:`
  return streamed && method === 'generateContent'
    ? `${path}streamGenerateContent?alt=sse`
    : `${path}${method}`
}
