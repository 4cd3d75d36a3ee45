/**
 * Parts of a conversation as Messages blocks. Input of calls is inserted as the text that a model wrote, if
 * it is an object. Throws WireError naming a part that the model does not accept.
 */

import { readJson } from '../json/json.ts'
import { type JsonOut, RawJson } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type { CallPart, MediaPart, ThinkingPart } from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import type { CacheControl } from './encode-request-cache.ts'
import { ownVendor } from './encrypted-reasoning.ts'

export type Block = Readonly<Record<string, JsonOut | undefined>>

export function isBlank(text: string): boolean {
  return text.trim() === ''
}

export function textBlock(text: string, mark?: CacheControl): Block {
  return { type: 'text', text, cache_control: mark }
}

const pictureTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']
const otherNames: Readonly<Record<string, string>> = { 'image/jpg': 'image/jpeg' }
const pdf = 'application/pdf'
const textTypes = /^text\/|^application\/(?:json|xml|javascript|x-yaml|yaml|csv)$|\+(?:json|xml)$/

/** Throws WireError where the model takes no such media. */
export function mediaBlock(part: MediaPart, { inputs }: Capabilities, mark?: CacheControl): Block {
  const { medium, source, pointer } = part
  const title = part.title === null || isBlank(part.title) ? undefined : part.title
  if (medium === 'audio') throw untranslatable(pointer, 'the model does not support audio')
  const shown = medium === 'image' ? imageSource(part) : documentSource(part)
  const needed = source.kind === 'text' || shown.type === 'text' ? 'text' : medium
  if (!inputs.includes(needed)) throw untranslatable(pointer, `the model does not support ${needed}`)
  return {
    type: medium,
    source: shown,
    title: medium === 'document' ? title : undefined,
    cache_control: mark,
  }
}

function imageSource({ source, pointer }: MediaPart): Block {
  if (source.kind === 'url') return urlSource(source.url, pointer)
  if (source.kind === 'text') throw untranslatable(pointer, 'text is not an image')
  const mediaType = otherNames[source.mediaType] ?? source.mediaType
  if (!pictureTypes.includes(mediaType)) {
    throw untranslatable(pointer, `images must be JPEG, PNG, GIF or WebP, not ${mediaType}`)
  }
  return { type: 'base64', media_type: mediaType, data: source.data }
}

function documentSource({ source, pointer }: MediaPart): Block {
  if (source.kind === 'url') return urlSource(source.url, pointer)
  if (source.kind === 'text') return plainText(source.text, pointer)
  const { mediaType, data } = source
  if (mediaType === pdf) return { type: 'base64', media_type: pdf, data }
  if (textTypes.test(mediaType)) return plainText(textIn(data, pointer), pointer)
  throw untranslatable(pointer, `documents must be PDF or text, not ${mediaType}`)
}

function plainText(text: string, pointer: string): Block {
  if (isBlank(text)) throw untranslatable(pointer, 'an empty document')
  return { type: 'text', media_type: 'text/plain', data: text }
}

function urlSource(url: string, pointer: string): Block {
  if (!/^https?:\/\//i.test(url)) throw untranslatable(pointer, 'only http and https URLs are fetched')
  return { type: 'url', url }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function textIn(base64: string, pointer: string): string {
  try {
    const binary = atob(base64)
    const bytes = new Uint8Array(binary.length)
    for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at)
    return decoder.decode(bytes)
  } catch {
    throw untranslatable(pointer, 'the document is not valid UTF-8 text')
  }
}

/** null for thoughts that another vendor encrypted and for unencrypted ones: Claude takes only its own. */
export function thinkingBlock({ text, redacted, encrypted }: ThinkingPart): Block | null {
  if (encrypted?.vendor !== ownVendor) return null
  return redacted
    ? { type: 'redacted_thinking', data: encrypted.data }
    : { type: 'thinking', thinking: text, signature: encrypted.data }
}

/** `name` and `id` as the API gets them. */
export function callBlock(call: CallPart, name: string, id: string): Block {
  const input = call.form === 'text' ? { input: call.input } : new RawJson(objectText(call.input))
  return { type: 'tool_use', id, name, input }
}

/** Nothing, or the empty list that some languages write for an empty object. */
function isNoInput(input: string): boolean {
  return /^\s*(\[\s*\])?\s*$/.test(input.slice(0, 64)) && input.length <= 64
}

/** Deeper JSON than a body may have is no input of a call. */
const inputDepthMax = 48
const valuesMax = 2 ** 25
const encoder = new TextEncoder()

/** The JSON text of an object as it is; `{}` for no input, and anything else (input that a limit cut) in `_raw`. */
export function objectText(input: string): string {
  if (isNoInput(input)) return '{}'
  return isObjectText(input) ? input : JSON.stringify({ _raw: input })
}

export function isObjectText(text: string): boolean {
  const bytes = encoder.encode(text)
  try {
    const limits = { depthMax: inputDepthMax, valuesMax: Math.min(bytes.length + 1, valuesMax) }
    return readJson(bytes, limits, (json) => json.kind(json.root) === 'object')
  } catch {
    return false
  }
}
