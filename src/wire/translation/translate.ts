/**
 * From one format to another: decode with one codec, encode with the other, with the policy between them
 * and the caller's names of tools restored in the response. Pure. Must not know any format.
 */

import type { UrlFields } from '../client-routes.ts'
import type { ReadLimits } from '../format.ts'
import type { TargetFormat } from '../format-names.ts'
import { isRecord, parsed } from '../json/parsed.ts'
import { GatheredText } from '../stream/gathered-text.ts'
import type { Usage } from '../usage.ts'
import type { ClientCodec, StreamDecoder, StreamEncoder, UpstreamCodec } from './codec.ts'
import { EmulatedStream, emulatedResponse } from './emulation.ts'
import type {
  Adjustment,
  CallerTool,
  CallPart,
  EncodedRequest,
  Frame,
  NeutralResponse,
  ResponseCost,
  ResponseEvent,
  ResponseOptions,
  ResponsePart,
  ToolNames,
  TranslationTarget,
} from './neutral.ts'
import { applyPolicy } from './policy.ts'
import { boundedReasoning } from './thinking-room.ts'

export interface RequestTranslation {
  readonly from: ClientCodec
  readonly to: UpstreamCodec
  readonly toName: TargetFormat
  readonly target: TranslationTarget
  readonly limits: ReadLimits
  readonly address: UrlFields
}

const bounded: Adjustment = {
  kind: 'adapted',
  field: 'reasoning',
  why: 'the output limit leaves little room for an answer',
}

/** More than the header can hold. */
const adjustmentsMax = 256

export interface TranslatedRequest extends EncodedRequest {
  readonly responseOptions: ResponseOptions
}

/** Throws WireError; see `ClientCodec`. */
export function translateRequest(body: Uint8Array, translation: RequestTranslation): TranslatedRequest {
  const conversation = translation.from.decodeRequest(body, translation.limits, translation.address)
  const treated = applyPolicy(translation.from.policy, conversation.fields, translation.toName)
  const reasoning = boundedReasoning(conversation, translation.target.capabilities)
  const isBounded = reasoning !== conversation.reasoning
  const encoded = translation.to.encodeRequest(
    isBounded ? { ...conversation, reasoning } : conversation,
    translation.target,
  )
  return {
    ...encoded,
    adjusted: distinct([...treated, ...(isBounded ? [bounded] : []), ...encoded.adjusted]),
    responseOptions: conversation.responseOptions,
  }
}

/** Without repetitions and bounded, since they are held as long as the request runs. */
function distinct(adjusted: readonly Adjustment[]): readonly Adjustment[] {
  const known = new Map<string, Adjustment>()
  for (const one of adjusted) {
    const key = `${one.kind}=${one.field}`
    if (!known.has(key)) known.set(key, one)
    if (known.size === adjustmentsMax) break
  }
  return [...known.values()]
}

/** The parts of an encoded request that are needed to read its answer. */
export type WrittenRequest = Pick<EncodedRequest, 'names' | 'emulation'>

/** Reads an upstream's whole answer, with the caller's names. Throws WireError for anything else. */
export function translateResponse(
  from: UpstreamCodec,
  body: Uint8Array,
  usage: Usage,
  names: ToolNames,
): NeutralResponse {
  return translateWrittenResponse(from, body, usage, { names })
}

/** The same, with what the upstream could not be asked for. */
export function translateWrittenResponse(
  from: UpstreamCodec,
  body: Uint8Array,
  usage: Usage,
  written: WrittenRequest,
): NeutralResponse {
  const { names, emulation } = written
  const response = from.decodeResponse(body, usage)
  const answer = emulation === undefined ? response : emulatedResponse(response, emulation)
  return { ...answer, parts: answer.parts.map((part) => restored(part, names)) }
}

function restored(part: ResponsePart, names: ToolNames): ResponsePart {
  if (part.kind !== 'call') return part
  const tool = names.get(part.name)
  if (tool === undefined) return part
  const named = { ...part, name: tool.name, namespace: tool.namespace }
  return tool.wrapped ? { ...named, form: 'text', input: unwrapped(part.input) } : named
}

/** The free text in `{"input": "…"}`; what a model wrote instead goes as it is. */
function unwrapped(input: string): string {
  const value = parsed(input)
  return isRecord(value) && typeof value.input === 'string' ? value.input : input
}

/** Translates a stream from the upstream's format to the caller's. */
export class StreamTranslator {
  private readonly decoder: StreamDecoder
  private readonly encoder: StreamEncoder
  private readonly names: ToolNames
  private readonly emulated: EmulatedStream | null
  /** The open call whose input must be unwrapped, and what has come of it. */
  private wrapped: GatheredText | null = null

  constructor(
    from: UpstreamCodec,
    to: ClientCodec,
    request: WrittenRequest & { frame: Frame; eventBytesMax: number },
  ) {
    this.decoder = from.decodeStream(request.eventBytesMax)
    this.encoder = to.encodeStream(request.frame)
    this.names = request.names
    this.emulated = request.emulation === undefined ? null : new EmulatedStream(request.emulation)
  }

  /** Translates a chunk, without the terminal event. */
  push(chunk: Uint8Array): string {
    return this.written(this.decoder.push(chunk))
  }

  end(): string {
    return this.written(this.decoder.end())
  }

  /** Memory held for incomplete events, for later parts, and for the terminal event. */
  get waitingBytes(): number {
    const buffered = (this.wrapped?.characters ?? 0) + (this.emulated?.keptCharacters ?? 0)
    return this.decoder.waitingBytes + buffered + this.encoder.bufferedCharacters
  }

  close(tally: ResponseCost): string {
    return this.encoder.close(tally)
  }

  private written(events: readonly ResponseEvent[]): string {
    let text = ''
    const { emulated } = this
    for (const event of events) {
      if (emulated === null) text += this.named(event)
      else for (const one of emulated.push(event)) text += this.named(one)
    }
    return text
  }

  private named(event: ResponseEvent): string {
    if (event.kind === 'open' && event.part.kind === 'call') {
      const tool = this.names.get(event.part.name)
      return this.encoder.write(tool === undefined ? event : this.opened(event.part, tool))
    }
    const { wrapped } = this
    if (wrapped !== null && event.kind === 'delta') {
      wrapped.add(event.text)
      return ''
    }
    if (wrapped === null || event.kind !== 'close') return this.encoder.write(event)
    this.wrapped = null
    return this.encoder.write({ kind: 'delta', text: unwrapped(wrapped.text) }) + this.encoder.write(event)
  }

  private opened(
    part: Pick<CallPart, 'kind' | 'id' | 'name' | 'namespace' | 'form' | 'encrypted'>,
    tool: CallerTool,
  ): ResponseEvent {
    const named = { ...part, name: tool.name, namespace: tool.namespace }
    if (!tool.wrapped) return { kind: 'open', part: named }
    this.wrapped = new GatheredText()
    return { kind: 'open', part: { ...named, form: 'text' } }
  }
}
