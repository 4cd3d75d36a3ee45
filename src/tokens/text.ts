/**
 * The text of a request body, for counting: all of it, or an evenly spread sample that is small
 * enough to retain while a stream runs. Media bytes are left out.
 */
import type { Media } from '../wire/format.ts'
import type { Span } from '../wire/json/byte-patch.ts'

/** A sample of the text to count later: `bytes` holds `share` of it. */
export interface InputSample {
  readonly bytes: Uint8Array
  /** Bytes of text in the whole body. */
  readonly textBytes: number
}

const slices = 16

/** Everything except media bytes, in body order: a copy that can be transferred to another thread. */
export function textOutside(body: Uint8Array, media: readonly Media[]): Uint8Array {
  const spans = textSpans(body.length, media)
  return gather(body, spans, lengthOf(spans))
}

/** The text itself where it has at most `bytesMax` bytes, else slices spread evenly over it. */
export function sampleInput(body: Uint8Array, media: readonly Media[], bytesMax: number): InputSample {
  const spans = textSpans(body.length, media)
  const textBytes = lengthOf(spans)
  if (textBytes === body.length && textBytes <= bytesMax) return { bytes: body, textBytes }
  const text =
    textBytes <= bytesMax ? gather(body, spans, textBytes) : spread(body, spans, { textBytes, bytesMax })
  return { bytes: text, textBytes }
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + span.end - span.start, 0)
}

function gather(body: Uint8Array, spans: readonly Span[], textBytes: number): Uint8Array {
  const text = new Uint8Array(textBytes)
  let at = 0
  for (const span of spans) {
    text.set(body.subarray(span.start, span.end), at)
    at += span.end - span.start
  }
  return text
}

function spread(
  body: Uint8Array,
  spans: readonly Span[],
  limits: { textBytes: number; bytesMax: number },
): Uint8Array {
  const sliceBytes = Math.floor(limits.bytesMax / slices)
  const strideBytes = Math.floor(limits.textBytes / slices)
  const text = new Uint8Array(sliceBytes * slices)
  let filled = 0
  let passed = 0
  for (const span of spans) {
    const length = span.end - span.start
    for (
      let slice = Math.ceil(passed / strideBytes);
      slice < slices && slice * strideBytes < passed + length;
      slice += 1
    ) {
      const start = span.start + slice * strideBytes - passed
      const piece = body.subarray(start, Math.min(span.end, start + sliceBytes))
      text.set(piece, filled)
      filled += piece.length
    }
    passed += length
  }
  return text.subarray(0, filled)
}

function textSpans(length: number, media: readonly Media[]): readonly Span[] {
  const spans: Span[] = []
  let at = 0
  for (const { span } of media) {
    if (span === null) continue
    if (span.start > at) spans.push({ start: at, end: span.start })
    at = Math.max(at, span.end)
  }
  if (at < length) spans.push({ start: at, end: length })
  return spans
}
