/**
 * Bytes of a streamed Chat Completions answer → the response so far. Pure; one reader per stream. The content of an
 * answer stays text.
 */
import type { Failure, Said, ToolCall } from './conversation.ts'

/** Takes a stream's text in any chunks and returns the payloads of complete events. */
export class EventLines {
  #rest = ''

  push(text: string): readonly string[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r/)
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
  }
}

export type Heard =
  | { readonly kind: 'said'; readonly said: Said }
  | { readonly kind: 'failed'; readonly problem: Failure }
  | { readonly kind: 'end' }

type Fields = Readonly<Record<string, unknown>>

/** Reads an event of a stream. */
export function hear(said: Said, payload: string): Heard {
  if (payload === '[DONE]') return { kind: 'end' }
  const event = parsed(payload)
  const problem = failureOf(event, 0)
  if (problem !== undefined) return { kind: 'failed', problem }
  const choice = listOf(event.choices)[0]
  if (choice === undefined) return { kind: 'said', said }
  const delta = fieldsOf(choice.delta)
  return {
    kind: 'said',
    said: {
      text: said.text + textOf(delta.content) + textOf(delta.refusal),
      thoughts: said.thoughts + (textOf(delta.reasoning_content) || textOf(delta.reasoning)),
      sealed: [...said.sealed, ...listOf(delta.reasoning_details)],
      calls: listOf(delta.tool_calls).reduce<readonly ToolCall[]>(withCall, said.calls),
      images: [...said.images, ...listOf(delta.images).flatMap(imageOf)],
      finish: textOf(choice.finish_reason) || said.finish,
    },
  }
}

/** An error in the server's format, in a whole answer or in place of an event; undefined: it is none. */
export function failureOf(body: Fields, status: number): Failure | undefined {
  if (body.error === undefined || body.error === null) return undefined
  const error = fieldsOf(body.error)
  return {
    status,
    // Where the format's clients know another code, our own is in a second field.
    code: textOf(fieldsOf(error.details).code) || textOf(error.code),
    message: textOf(error.message) || 'The server sent an invalid response.',
  }
}

export function parsed(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return {}
  }
}

function withCall(calls: readonly ToolCall[], part: Fields): readonly ToolCall[] {
  const { name, arguments: more } = fieldsOf(part.function)
  const index = typeof part.index === 'number' ? part.index : calls.length
  const before = calls[index] ?? { id: '', name: '', arguments: '' }
  const call = {
    id: textOf(part.id) || before.id,
    name: before.name + textOf(name),
    arguments: before.arguments + textOf(more),
  }
  return calls[index] === undefined ? [...calls, call] : calls.with(index, call)
}

/** Images arrive inside the answer; other addresses are not fetched. */
function imageOf(image: Fields): readonly string[] {
  const url = textOf(fieldsOf(image.image_url).url)
  return /^data:image\/(png|jpeg|webp|gif);base64,/.test(url) ? [url] : []
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
