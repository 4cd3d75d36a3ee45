/**
 * Reads a stream to its end as programs do: with the official library where there is one for Node, else by the
 * rule of the format's documentation. Rejects where the library does.
 */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { isLoose, type Loose, listed } from './answer-gist.ts'

/** The response, in its non-streamed form. */
type ReadStream = (sse: string) => Promise<unknown>

export const libraries: Readonly<Record<ConversationFormat, ReadStream>> = {
  'openai-chat': async (sse) => {
    const client = new OpenAI({ apiKey: 'any', maxRetries: 0, logLevel: 'off', fetch: answering(sse) })
    const params = { model: 'any', messages: [{ role: 'user' as const, content: 'any' }] }
    const answer = await client.chat.completions.stream(params).finalChatCompletion()
    const message = answer.choices[0]?.message
    // The library retains only the last piece of unknown fields.
    if (message !== undefined) Object.assign(message, { reasoning_content: reasoningIn(sse) })
    return answer
  },
  'openai-responses': (sse) =>
    new OpenAI({ apiKey: 'any', maxRetries: 0, logLevel: 'off', fetch: answering(sse) }).responses
      .stream({ model: 'any', input: 'any' })
      .finalResponse(),
  anthropic: (sse) =>
    new Anthropic({ apiKey: 'any', maxRetries: 0, logLevel: 'off', fetch: answering(sse) }).messages
      .stream({ model: 'any', max_tokens: 1, messages: [{ role: 'user', content: 'any' }] })
      .finalMessage(),
  gemini: async (sse) => gathered(sse),
}

function answering(sse: string): () => Promise<Response> {
  return () =>
    Promise.resolve(new Response(sse, { status: 200, headers: { 'content-type': 'text/event-stream' } }))
}

/** The data of each event. */
export function eventsIn(sse: string): readonly unknown[] {
  return sse
    .replace(/^\uFEFF/, '')
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((block) =>
      block
        .split(/\r\n|\n|\r/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trim())
        .join('\n'),
    )
    .filter((text) => text !== '' && text !== '[DONE]')
    .map((text) => JSON.parse(text) as unknown)
}

function reasoningIn(sse: string): string {
  return eventsIn(sse)
    .flatMap((chunk) => listed(chunk, 'choices'))
    .map(({ delta }) =>
      isLoose(delta) && typeof delta.reasoning_content === 'string' ? delta.reasoning_content : '',
    )
    .join('')
}

/** Parts are concatenated; everything else has the value of the last chunk; an end without a finish reason is an error. */
function gathered(sse: string): Loose {
  const chunks = eventsIn(sse).filter(isLoose)
  const failed = chunks.find(({ error }) => error !== undefined)
  if (failed !== undefined) throw new Error(JSON.stringify(failed.error))
  const parts = chunks
    .flatMap((chunk) => listed(chunk, 'candidates').slice(0, 1))
    .flatMap(({ content }) => listed(content, 'parts'))
  const last = chunks.at(-1)
  const candidates = chunks.flatMap((chunk) => listed(chunk, 'candidates'))
  const finish = candidates.findLast(({ finishReason }) => finishReason !== undefined)
  const isBlocked = chunks.some(({ promptFeedback }) => isLoose(promptFeedback))
  if (last === undefined || (finish === undefined && !isBlocked))
    throw new Error('the stream ended without a finish')
  return finish === undefined
    ? last
    : { ...last, candidates: [{ ...finish, content: { role: 'model', parts } }] }
}
