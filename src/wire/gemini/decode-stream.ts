/**
 * A Gemini stream → neutral events. Texts of adjacent events are one part; a call comes whole; the finish
 * is emitted when the stream has ended. Must not throw, nor buffer the stream.
 */

import { EventDecoder } from '../stream/event-decoder.ts'
import { SseParser } from '../stream/sse.ts'
import type { StreamDecoder } from '../translation/codec.ts'
import { textHash } from '../translation/hash.ts'
import type { Citation, EncryptedReasoning, Finish } from '../translation/neutral.ts'
import { type GeminiPiece, readChunk, withCalls } from './decode-response.ts'

/** Sources of one answer that are remembered, so that each is emitted once. */
const citationsMax = 256

type OpenKind = 'text' | 'thinking'

export function decodeStream(eventBytesMax: number): StreamDecoder {
  return new GeminiDecoder(new SseParser(eventBytesMax))
}

class GeminiDecoder extends EventDecoder<SseParser> {
  private hasStarted = false
  private open: OpenKind | null = null
  private hasCalls = false
  private hasText = false
  private finish: Finish | null = null
  /** Sources that were emitted; grounding is repeated while it grows. */
  private readonly cited = new Set<string>()

  protected override endStream(): void {
    this.close(null)
    if (this.finish !== null) {
      this.events.push({ kind: 'finish', finish: withCalls(this.finish, this.hasCalls) })
    }
  }

  protected override readEvent({ bytes, dataStart, dataEnd }: SseParser): void {
    const chunk = readChunk(bytes.subarray(dataStart, dataEnd))
    if (chunk === null) return
    if (!this.hasStarted) this.events.push({ kind: 'start' })
    this.hasStarted = true
    // Sources often come last, in an event that says no more and ends the text.
    const endsText = chunk.pieces[0]?.kind !== 'text'
    if (endsText && this.open === 'text') this.cite(chunk.citations)
    for (const piece of chunk.pieces) this.readPiece(piece)
    if (this.hasText) this.cite(chunk.citations)
    if (chunk.logprobs !== null) this.events.push({ kind: 'logprobs', content: chunk.logprobs })
    this.finish = chunk.finish ?? this.finish
  }

  private cite(citations: readonly Citation[]): void {
    for (const citation of citations) {
      const key = textHash(JSON.stringify([citation.url, citation.title]))
      if (this.cited.size === citationsMax || this.cited.has(key)) continue
      this.cited.add(key)
      this.events.push({ kind: 'citation', citation })
    }
  }

  private readPiece(piece: GeminiPiece): void {
    switch (piece.kind) {
      case 'text':
        this.hasText = true
        this.begin('text')
        this.events.push({ kind: 'delta', text: piece.text })
        return
      case 'thought':
        this.begin('thinking')
        if (piece.text !== '') this.events.push({ kind: 'delta', text: piece.text })
        if (piece.encrypted !== null) this.close(piece.encrypted)
        return
      case 'call': {
        this.close(null)
        const { kind, id, name, namespace, form, encrypted, input } = piece.call
        this.hasCalls = true
        this.events.push(
          { kind: 'open', part: { kind, id, name, namespace, form, encrypted } },
          { kind: 'delta', text: input },
          { kind: 'close', encrypted: null },
        )
        return
      }
      case 'media':
        this.close(null)
        this.events.push({ kind: 'whole', part: piece.media })
        return
    }
  }

  private begin(kind: OpenKind): void {
    if (this.open === kind) return
    this.close(null)
    this.open = kind
    this.events.push({ kind: 'open', part: { kind } })
  }

  private close(encrypted: EncryptedReasoning | null): void {
    if (this.open === null) return
    this.open = null
    this.events.push({ kind: 'close', encrypted })
  }
}
