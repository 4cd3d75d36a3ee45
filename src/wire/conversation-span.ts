/**
 * What tells one conversation from another, for routing: the first text of the user behind what agents put in front of it, such as
 * `<system-reminder>…</system-reminder>`, which is the same in all of their conversations.
 */
import type { Span } from './json/byte-patch.ts'
import { absent, FieldReader } from './json/fields.ts'
import type { Json } from './json/json.ts'

const messageFields = new FieldReader('role', 'content', 'parts')
const partFields = new FieldReader('text')

/** Messages and parts that are looked at: what agents put in front is a few. */
const looksMax = 100

/** `opening`: the first message of the user in `list`, or a text that is all there is. */
export function conversationSpan(json: Json, opening: number, list: number): Span {
  if (json.isString(opening)) return behindContext(json, opening) ?? json.span(opening)
  let last: Span | undefined
  let looks = looksMax
  // Later turns do not change what is in front of the first answer.
  for (let message = opening; message < json.next(list) && looks > 0; message = json.next(message)) {
    looks -= 1
    const { role, content, parts } = messageFields.read(json, message)
    if (role !== absent && !json.is(role, 'user')) break
    for (const part of partsIn(json, content === absent ? parts : content)) {
      if (looks <= 0) break
      looks -= 1
      const text = json.isString(part) ? part : partFields.read(json, part).text
      if (!json.isString(text)) continue
      const found = behindContext(json, text)
      if (found !== undefined) return found
      last = json.span(text)
    }
  }
  return last ?? json.span(opening)
}

/** `prompt_cache_key` of OpenAI's formats; another spelling of it is no error, as for members that decide something. */
export function cacheKeySpan(json: Json): Span | undefined {
  const key = json.find(['prompt_cache_key'])
  return json.isString(key) ? json.span(key) : undefined
}

/** A content is one text or has parts. */
function partsIn(json: Json, content: number): readonly number[] {
  if (content === absent) return []
  return json.kind(content) === 'array' ? json.children(content) : [content]
}

/** An element and the space around it, as it is in JSON, where `<` may be written as an escape. */
const contextBlock =
  /(?:\s|\\[nrt])*(?:<|\\u003c)([a-z][\w-]{0,63})(?![\w-])[\s\S]*?(?:<|\\u003c)\/\1(?:>|\\u003e)(?:\s|\\[nrt])*/iy
const contextBytesMax = 256 * 1_024
const encoder = new TextEncoder()

/** The part of a text behind such elements; undefined: there is none. */
function behindContext(json: Json, text: number): Span | undefined {
  const [start, end] = [json.start(text) + 1, json.end(text) - 1]
  if (start === end) return undefined
  if (!startsBlock.includes(json.byte(start))) return { start, end }
  const written = json.written({ start, end: Math.min(end, start + contextBytesMax) })
  let behind = 0
  for (contextBlock.lastIndex = 0; contextBlock.test(written); ) behind = contextBlock.lastIndex
  const at = start + encoder.encode(written.slice(0, behind)).length
  return at === end ? undefined : { start: at, end }
}

/** `<`, a backslash, a space. */
const startsBlock: readonly number[] = [0x3c, 0x5c, 0x20]
