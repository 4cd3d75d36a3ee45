/**
 * Everything needed to serve the recorded exchanges: a model for each name in them, priced with
 * every option and tool that they use, each under its own name, under an alias, and without those prices; and the
 * request for exchanges of which only the response was recorded.
 */
import assert from 'node:assert/strict'
import type { Config } from '../../src/config/config.ts'
import { type FixtureCase, fixtureCases } from './fixtures.ts'

export type RecordedFormat = 'openai-chat' | 'anthropic'

export const recordedFormats: readonly RecordedFormat[] = ['openai-chat', 'anthropic']

/** USD per million tokens, made up: every class has a distinct rate, so that none can be mistaken for another. */
export const rates = {
  input: '3.01',
  cacheRead: '0.307',
  cacheWrite5m: '3.79',
  cacheWrite1h: '6.11',
  output: '15.13',
  inputAudio: '40.3',
  outputAudio: '80.9',
} as const

/** USD per use. */
export const fees = {
  web_search: '0.0101',
  web_fetch: '0.0001',
  code_execution: '0.05',
} as const

/** Prefix of a name: the same model, whose name must be replaced on the way upstream. */
export const renamed = 'renamed-'
/** Prefix of a name: the same model, with a price for text tokens only. */
export const plain = 'plain-'

const providers = {
  'openai-chat': { provider: 'openai' },
  anthropic: { provider: 'anthropic' },
} as const
const unnamed = { 'openai-chat': 'gpt-unnamed', anthropic: 'claude-unnamed' } as const

/** The path for a client of the format. */
export const addresses: Readonly<Record<RecordedFormat, string>> = {
  'openai-chat': '/v1/chat/completions',
  anthropic: '/v1/alt/v1/messages',
}

/** The exchanges that the two paths above can serve; counting tokens has a separate path. */
export function servedCases(format: RecordedFormat): readonly FixtureCase[] {
  return fixtureCases(format).filter(({ url }) => !url.includes('count_tokens'))
}

export function recordedModels(): Config['models'] {
  return recordedFormats.flatMap((format) => {
    const names = new Set(servedCases(format).map((recorded) => modelOf(format, recorded)))
    return [...names].flatMap((name) => {
      const facts = {
        upstreamId: name,
        ...providers[format],
        context: 200_000,
        maxOutput: 32_000,
        reasoning: false,
      }
      return [
        { ...facts, id: name, prices: [allPriced] },
        { ...facts, id: renamed + name, prices: [allPriced] },
        { ...facts, id: plain + name, prices: [{ input: rates.input, output: rates.output }] },
      ]
    })
  })
}

const allPriced = { ...rates, options: { web_search_options: '1' }, fees }

/** The model name in the recorded request. */
export function modelOf(format: RecordedFormat, { request }: FixtureCase): string {
  if (request === undefined) return unnamed[format]
  const { model: asked } = JSON.parse(request.toString('utf8')) as { model?: unknown }
  assert.ok(typeof asked === 'string', 'a recorded request names its model')
  return asked
}

/** The recorded request's bytes, or a small request for the recorded response. */
export function requestOf(format: RecordedFormat, recorded: FixtureCase): Buffer {
  if (recorded.request !== undefined) return recorded.request
  const body = {
    model: modelOf(format, recorded),
    max_tokens: 1_000,
    stream: recorded.kind === 'stream',
    messages: [{ role: 'user', content: 'Was ist das?' }],
  }
  return Buffer.from(JSON.stringify(body, null, 1))
}

/** The upstream's response headers, as far as they were recorded. */
export function headersOf({ kind, headers }: FixtureCase): Readonly<Record<string, string>> {
  return {
    'content-type': kind === 'stream' ? 'text/event-stream; charset=utf-8' : 'application/json',
    ...headers,
  }
}

/** The query string of the recorded request. */
export function queryOf({ url }: FixtureCase): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}
