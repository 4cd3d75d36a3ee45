/**
 * Compressed request bodies. The decompressed size is bounded like that of any body, and by the compressed one, so that
 * a few bytes cannot demand the work of many.
 */
import type { IncomingMessage } from 'node:http'
import { findDecoder } from '../base/content-encoding.ts'
import { FairQueue } from '../base/fair-queue.ts'
import { type Body, type BodyFailure, type BodyReader, expansionMax, readBytes, readDecoded } from './body.ts'
import type { Downstream } from './downstream.ts'

/** Decoders have up to 16 MiB each, which no budget counts. */
const decodersMax = 2

/** A body may always have so many bytes, however few it was sent as. */
const expandedBytesMin = 1024 * 1024

/** Decompresses two bodies at a time; accounts that wait take turns. */
export class Decompressor {
  readonly #waiting = new FairQueue<() => void>()
  #running = 0

  /** Reads a compressed body as `readBody` reads others, and decompresses it; never rejects. */
  async read(
    account: bigint,
    reader: BodyReader,
    request: IncomingMessage,
    client: Pick<Downstream, 'gone' | 'sendContinue'>,
  ): Promise<Body | BodyFailure> {
    const makeDecoder = findDecoder(request.headers['content-encoding'] ?? '')
    if (makeDecoder === undefined) return { kind: 'unknown_encoding' }
    const compressed = await readBytes(reader, request, client)
    if (compressed.kind !== 'body') return compressed
    if (this.#running === decodersMax)
      await new Promise<void>((resolve) => this.#waiting.add(account, resolve))
    else this.#running += 1
    const { limits } = reader
    const expandedBytesMax = Math.max(expandedBytesMin, expansionMax * compressed.bytes.length)
    const bodyBytesMax = Math.min(limits.bodyBytesMax, expandedBytesMax)
    const decoder = makeDecoder()
    const decoding = readDecoded({ ...reader, limits: { ...limits, bodyBytesMax } }, decoder)
    decoder.end(compressed.bytes)
    const outcome = await decoding
    decoder.destroy()
    // A decoder that was stopped may still read its input, on another thread.
    if (outcome.kind === 'body') compressed.free()
    else compressed.drop()
    this.#next()
    const isBoundBySize = outcome.kind === 'too_large' && bodyBytesMax < limits.bodyBytesMax
    return isBoundBySize ? { kind: 'expands_too_much' } : outcome
  }

  #next(): void {
    const next = this.#waiting.take()
    if (next === undefined) this.#running -= 1
    else next()
  }
}
