/**
 * The parts that a format provides for translation: its requests, responses and streams to the neutral form and from it.
 * Interfaces only.
 */

import type { UrlFields } from '../client-routes.ts'
import type { ReadLimits } from '../format.ts'
import type { AdaptedRequest, RequestDifferences } from '../host-differences.ts'
import type { BytePatch } from '../json/byte-patch.ts'
import type { Usage } from '../usage.ts'
import type {
  Conversation,
  EncodedRequest,
  Frame,
  NeutralResponse,
  ResponseCost,
  ResponseEvent,
  TranslationTarget,
} from './neutral.ts'
import type { PolicyTable } from './policy.ts'

/** Reads one upstream stream into events; fed with chunks cut anywhere; never throws (the usage tap detects errors). */
export interface StreamDecoder {
  push(chunk: Uint8Array): readonly ResponseEvent[]
  /** The upstream sent its last byte; returns the events that were held back. */
  end(): readonly ResponseEvent[]
  /** Memory of an event that is not whole yet, and of parts that wait for their turn. */
  readonly waitingBytes: number
}

/** Writes one stream for the caller. `finish` events are held back: `close` writes the terminal event after settlement. */
export interface StreamEncoder {
  /** Bytes for the caller now; '' when the event says nothing in this format. */
  write(event: ResponseEvent): string
  /** Everything from the finish on, up to and with the protocol's own end. */
  close(tally: ResponseCost): string
  /** Text that was sent and is held to be repeated when a part ends or in the terminal event. */
  readonly bufferedCharacters: number
}

/** The translation side of a client format. Pure and deterministic: same values in, same bytes out. */
export interface ClientCodec {
  /** The outcome of each request field in every other format. */
  readonly policy: PolicyTable
  /** Throws WireError as `extractRequest` does; the body has passed `extractRequest` already. */
  decodeRequest(body: Uint8Array, limits: ReadLimits, address: UrlFields): Conversation
  /** The JSON body, with `usage.cost`. */
  encodeResponse(answer: NeutralResponse, frame: Frame, tally: ResponseCost): string
  encodeStream(frame: Frame): StreamEncoder
}

/** The translation side of an upstream format; also pure and deterministic. */
export interface UpstreamCodec {
  /** Among formats that a model takes: the lowest is asked first, by whether the model reasons. */
  readonly rank: { readonly reasoning: number; readonly others: number }
  /** Throws WireError `untranslatable` naming the caller's field where something can neither be carried nor be left out. */
  encodeRequest(conversation: Conversation, target: TranslationTarget): EncodedRequest
  /** Throws WireError `invalid_value` for what is not a response of this format. */
  decodeResponse(body: Uint8Array, usage: Usage): NeutralResponse
  decodeStream(eventBytesMax: number): StreamDecoder
  /**
   * The byte patches that remove our reasoning carriers from a body on its way to its own vendor: tagged
   * ids to their short form, reasoning of other vendors removed, this vendor's own signatures restored. Empty when
   * there are none; the body is then only searched for a carrier.
   */
  stripCarriers(body: Uint8Array, limits: ReadLimits): readonly BytePatch[]
  /**
   * The patches that remove all encrypted reasoning, carriers included, for a credential that cannot read it, and what they
   * drop; absent: the vendor rejects none for being another's.
   */
  dropReasoning?(body: Uint8Array, limits: ReadLimits): AdaptedRequest
  /** The patches for a host that takes requests otherwise than the vendor, carriers included; absent: no host does. */
  adaptRequest?(body: Uint8Array, limits: ReadLimits, differences: RequestDifferences): AdaptedRequest
}
