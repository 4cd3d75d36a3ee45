/**
 * The work on the body of a request that takes time in its length: reading facts, translating, collecting what is
 * counted. Plain values in and out, so that it can run in any thread. It must not retain the bytes.
 */
import { isUtf8 } from 'node:buffer'
import { type EstimateTarget, type InputLoad, inputLoad } from '../tokens/estimate.ts'
import type { UrlFields } from '../wire/client-routes.ts'
import {
  type ClientCountingFormat,
  type CountingShape,
  type CountRequest,
  countBody,
  countRequest,
  type UpstreamCountingFormat,
} from '../wire/counting.ts'
import { type ExtractedFields, type ReadLimits, WireError } from '../wire/format.ts'
import type {
  ClientFormatName,
  SourceFormat,
  TargetFormat,
  UpstreamFormatName,
} from '../wire/format-names.ts'
import { clientCodecs, clientFormats, upstreamCodecs, upstreamFormats } from '../wire/formats.ts'
import type { AdaptedRequest, RequestDifferences } from '../wire/host-differences.ts'
import type { BytePatch } from '../wire/json/byte-patch.ts'
import { applyEdits } from '../wire/json/json.ts'
import { type JsonOut, jsonText, RawJson } from '../wire/json/text.ts'
import type {
  Adjustment,
  ResponseOptions,
  ToolNames,
  TranslationTarget,
} from '../wire/translation/neutral.ts'
import { base64TagPrefix, carrierDigit, mayEndCarrierStart } from '../wire/translation/reasoning-carriers.ts'
import { type TranslatedRequest, translateRequest } from '../wire/translation/translate.ts'

interface ReadInput<Format extends ClientFormatName | UpstreamFormatName = ClientFormatName> {
  readonly format: Format
  readonly limits: ReadLimits
  readonly address: UrlFields
}

interface AdaptInput extends Pick<ReadInput<TargetFormat>, 'format' | 'limits'> {
  readonly differences: RequestDifferences
}

interface TranslateInput extends ReadInput<SourceFormat> {
  readonly to: TargetFormat
  readonly target: TranslationTarget
}

/** A request in another format. */
interface TranslatedBody extends Pick<TranslatedRequest, 'emulation'> {
  readonly bytes: Uint8Array
  readonly names: ToolNames
  readonly headers: Readonly<Record<string, string>>
  readonly adjusted: readonly Adjustment[]
  readonly responseOptions: Omit<ResponseOptions, 'echo'>
  /** Echoed values as JSON text. */
  readonly echo: readonly (readonly [name: string, text: string])[]
}

const encoder = new TextEncoder()
const copiedCharactersMax = 16 * 1024

/** Each throws WireError for what the format's own reader rejects. */
export const bodyWork = {
  facts(body: Uint8Array, { format, limits, address }: ReadInput): ExtractedFields {
    if (!isUtf8(body)) throw new WireError('invalid_json', 'The body is not valid UTF-8.')
    return clientFormats[format].extractRequest(body, limits, address)
  },

  /** The patches that strip reasoning carriers from a body that passes through. */
  stripCarriers(
    body: Uint8Array,
    { format, limits }: Pick<ReadInput<TargetFormat>, 'format' | 'limits'>,
  ): readonly BytePatch[] {
    return hasNoCarrier(body) ? [] : upstreamCodecs[format].stripCarriers(body, limits)
  },

  /** The patches that remove encrypted reasoning; none where the format has no such rule. */
  dropReasoning(
    body: Uint8Array,
    { format, limits }: Pick<ReadInput<TargetFormat>, 'format' | 'limits'>,
  ): AdaptedRequest {
    return upstreamCodecs[format].dropReasoning?.(body, limits) ?? { patches: [], adjusted: [] }
  },

  /** The patches that adapt a body to its host and strip reasoning carriers. */
  adapt(body: Uint8Array, { format, limits, differences }: AdaptInput): AdaptedRequest {
    const adapted = upstreamCodecs[format].adaptRequest?.(body, limits, differences)
    return adapted ?? { patches: bodyWork.stripCarriers(body, { format, limits }), adjusted: [] }
  },

  /** The body for another format, and its facts as that format's reader finds them there. */
  translate(
    body: Uint8Array,
    { readAt, ...input }: TranslateInput & { readonly readAt: UrlFields },
  ): TranslatedBody & { readonly facts: ExtractedFields } {
    const request = translatedBody(body, input)
    return {
      ...request,
      facts: upstreamFormats[input.to].extractRequest(request.bytes, input.limits, readAt),
    }
  },

  /** The body of a token-count request, and the extracted fields of the request in it. */
  countRequest(
    body: Uint8Array,
    reading: ReadInput<ClientCountingFormat>,
  ): CountRequest & { readonly facts: ExtractedFields } {
    const request = countRequest(reading.format, body, reading.limits)
    return { ...request, facts: bodyWork.facts(request.body, reading) }
  },

  /** Translates a request for a counting endpoint of another format. */
  countTranslated(
    body: Uint8Array,
    input: TranslateInput & { readonly to: UpstreamCountingFormat; readonly shape: CountingShape },
  ): { readonly bytes: Uint8Array; readonly headers: Readonly<Record<string, string>> } {
    const { bytes, headers } = translatedBody(body, input)
    const text = countBody(input.shape, bytes, { model: input.target.model, limits: input.limits })
    return { bytes: encoder.encode(text), headers }
  },

  /** The same of a body with edits, in its own format or in another one. */
  countEdited(
    body: Uint8Array,
    {
      edits,
      ...input
    }: TranslateInput & {
      readonly to: UpstreamCountingFormat
      readonly shape: CountingShape
      readonly edits: readonly BytePatch[]
    },
  ): { readonly bytes: Uint8Array; readonly headers: Readonly<Record<string, string>> } {
    const request = joined(applyEdits(body, edits))
    if (input.to !== input.format) return bodyWork.countTranslated(request, input)
    const text = countBody(input.shape, request, { model: input.target.model, limits: input.limits })
    return { bytes: encoder.encode(text), headers: {} }
  },

  /** The local count, where no upstream can count. */
  load(
    body: Uint8Array,
    { format, limits, address, to }: ReadInput<SourceFormat> & { readonly to: EstimateTarget },
  ): InputLoad {
    const load = inputLoad(clientCodecs[format].decodeRequest(body, limits, address), to)
    return { ...load, texts: load.texts.map((one) => ({ ...one, text: packed(one.text) })) }
  },
} as const

export type BodyWork = typeof bodyWork

/** Bytes are handed from thread to thread, where a text would be copied. */
function packed(text: string | Uint8Array): string | Uint8Array {
  return typeof text === 'string' && text.length > copiedCharactersMax ? encoder.encode(text) : text
}

/** Beyond so many digits, decoding the body costs less than looking at each of them. */
const digitsLookedAtMax = 64
const base64Tag = Buffer.from(base64TagPrefix)

/** Searches without decoding, which is many times faster; false where that could not tell. */
function hasNoCarrier(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let at = bytes.indexOf(carrierDigit)
  for (let digits = 0; at !== -1; at = bytes.indexOf(carrierDigit, at + 1)) {
    digits += 1
    if (digits > digitsLookedAtMax || mayEndCarrierStart(bytes, at)) return false
  }
  return !bytes.includes(base64Tag)
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
}

function translatedBody(body: Uint8Array, input: TranslateInput): TranslatedBody {
  const { format, to, target, limits, address } = input
  const request = translateRequest(body, {
    from: clientCodecs[format],
    to: upstreamCodecs[to],
    toName: to,
    target,
    limits,
    address,
  })
  const { echo, ...plain } = request.responseOptions
  return {
    bytes: encoder.encode(request.text),
    names: request.names,
    headers: request.headers,
    adjusted: request.adjusted,
    emulation: request.emulation,
    responseOptions: plain,
    echo: echo.map(([name, value]) => [name, jsonText(value)] as const),
  }
}

/** The input of the response encoder, from its serialized form. */
export function responseOptionsOf({
  responseOptions,
  echo,
}: Pick<TranslatedBody, 'responseOptions' | 'echo'>): ResponseOptions {
  const written = echo.map(([name, text]): readonly [string, JsonOut] => [name, new RawJson(text)])
  return { ...responseOptions, echo: written }
}

/**
 * Bytes for each byte of text: a text outside Latin-1 has two bytes a character, and it is there once as it was read, once as
 * it is written, and once more while it is joined.
 */
const factors: Readonly<Record<keyof BodyWork, number>> = {
  facts: 0,
  stripCarriers: 0,
  dropReasoning: 0,
  adapt: 0,
  countRequest: 0,
  load: 4,
  translate: 8,
  countTranslated: 12,
  countEdited: 12,
}
/** Memory of the maximum number of values that a body may have, however short they are. */
const valuesBytes = 32 * 1024 * 1024
const bytesPerValueByte = 24

/** How much memory work on a body takes in addition to the body, from measurements with the worst bodies. */
export function memoryNeeded(name: keyof BodyWork, bodyBytes: number): number {
  return factors[name] * bodyBytes + Math.min(valuesBytes, bytesPerValueByte * bodyBytes)
}
