/**
 * The work on the body of a request that takes time with its length: reading facts, translating, gathering what is
 * counted. Plain values in and out, so that it can be done in any thread. It must not keep the bytes.
 */
import { isUtf8 } from 'node:buffer'
import {
  type Address,
  type ConversationFormat,
  type DialectName,
  type Edit,
  type ReadLimits,
  type RequestFacts,
  WireError,
} from '../wire/codec.ts'
import { type CountingFormat, type CountRequest, countBody, countRequest } from '../wire/counting.ts'
import { codecs, dialects } from '../wire/dialects.ts'
import { applyEdits } from '../wire/json.ts'
import { type JsonOut, jsonText, RawJson } from '../wire/json-text.ts'
import type { Adjustment, Asked, Target, ToolNames } from '../wire/neutral.ts'
import { type TranslatedRequest, translateRequest } from '../wire/translate.ts'
import { type EstimateTarget, type InputLoad, inputLoad } from './estimate.ts'

/** How a body is to be read. */
export interface Reading<Format extends DialectName = DialectName> {
  readonly format: Format
  readonly limits: ReadLimits
  readonly address: Address
}

export interface Translating extends Reading<ConversationFormat> {
  readonly to: ConversationFormat
  readonly target: Target
}

/** A request in another format. */
export interface TranslatedBody extends Pick<TranslatedRequest, 'emulation'> {
  readonly bytes: Uint8Array
  readonly names: ToolNames
  readonly headers: Readonly<Record<string, string>>
  readonly adjusted: readonly Adjustment[]
  readonly asked: Omit<Asked, 'echo'>
  /** As JSON text. */
  readonly echo: readonly (readonly [name: string, text: string])[]
}

const encoder = new TextEncoder()
const copiedCharactersMax = 16 * 1024

/** Each throws WireError for what the format's own reader refuses. */
export const bodyWork = {
  facts(body: Uint8Array, { format, limits, address }: Reading): RequestFacts {
    if (!isUtf8(body)) throw new WireError('invalid_json', 'The body is not valid UTF-8.')
    return dialects[format].readRequest(body, limits, address)
  },

  /** The edits that take our marks out of a body that goes as it is. */
  marks(body: Uint8Array, { format, limits }: Reading<ConversationFormat>): readonly Edit[] {
    return codecs[format].cutMarks(body, limits)
  },

  /** The body for another format, and its facts as that format's reader finds them there. */
  translate(
    body: Uint8Array,
    { readAt, ...asked }: Translating & { readonly readAt: Address },
  ): TranslatedBody & { readonly facts: RequestFacts } {
    const request = translatedBody(body, asked)
    return { ...request, facts: dialects[asked.to].readRequest(request.bytes, asked.limits, readAt) }
  },

  /** A body that asks for a number of tokens, and the facts of the request in it. */
  countRequest(
    body: Uint8Array,
    reading: Reading<CountingFormat>,
  ): CountRequest & { readonly facts: RequestFacts } {
    const request = countRequest(reading.format, body, reading.limits)
    return { ...request, facts: bodyWork.facts(request.body, reading) }
  },

  /** What an address that counts in another format is sent. */
  countTranslated(
    body: Uint8Array,
    asked: Translating & { readonly to: CountingFormat },
  ): { readonly bytes: Uint8Array; readonly headers: Readonly<Record<string, string>> } {
    const { bytes, headers } = translatedBody(body, asked)
    const text = countBody(asked.to, bytes, { model: asked.target.model, limits: asked.limits })
    return { bytes: encoder.encode(text), headers }
  },

  /** The same of a body with edits, in its own format or in another one. */
  countEdited(
    body: Uint8Array,
    { edits, ...asked }: Translating & { readonly to: CountingFormat; readonly edits: readonly Edit[] },
  ): { readonly bytes: Uint8Array; readonly headers: Readonly<Record<string, string>> } {
    const request = joined(applyEdits(body, edits))
    if (asked.to !== asked.format) return bodyWork.countTranslated(request, asked)
    const text = countBody(asked.to, request, { model: asked.target.model, limits: asked.limits })
    return { bytes: encoder.encode(text), headers: {} }
  },

  /** What is counted where nobody can be asked. */
  load(
    body: Uint8Array,
    { format, limits, address, to }: Reading<ConversationFormat> & { readonly to: EstimateTarget },
  ): InputLoad {
    const load = inputLoad(codecs[format].decodeRequest(body, limits, address), to)
    return { ...load, texts: load.texts.map((one) => ({ ...one, text: packed(one.text) })) }
  },
} as const

export type BodyWork = typeof bodyWork

/** Bytes are handed from thread to thread, where a text would be copied. */
function packed(text: string | Uint8Array): string | Uint8Array {
  return typeof text === 'string' && text.length > copiedCharactersMax ? encoder.encode(text) : text
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
}

function translatedBody(body: Uint8Array, asked: Translating): TranslatedBody {
  const { format, to, target, limits, address } = asked
  const request = translateRequest(body, {
    from: codecs[format],
    to: codecs[to],
    toName: to,
    target,
    limits,
    address,
  })
  const { echo, ...plain } = request.asked
  return {
    bytes: encoder.encode(request.text),
    names: request.names,
    headers: request.headers,
    adjusted: request.adjusted,
    emulation: request.emulation,
    asked: plain,
    echo: echo.map(([name, value]) => [name, jsonText(value)] as const),
  }
}

/** What the answer's encoder is told, from its plain form. */
export function askedOf({ asked, echo }: Pick<TranslatedBody, 'asked' | 'echo'>): Asked {
  const written = echo.map(([name, text]): readonly [string, JsonOut] => [name, new RawJson(text)])
  return { ...asked, echo: written }
}
