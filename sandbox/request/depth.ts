/** How deep the JSON in a body nests, read from its bytes in one pass without parsing it. Pure. */

/** Depth change of a bracket outside a string; other bytes have none. */
const steps: Readonly<Record<number, 1 | -1>> = { 91: 1, 123: 1, 93: -1, 125: -1 }

const quote = 0x22
const backslash = 0x5c

/** The index behind the string that opens at `start`, or the end of the bytes. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let index = start + 1
  while (index < bytes.length && bytes[index] !== quote) index += bytes[index] === backslash ? 2 : 1
  return index + 1
}

/** Whether brackets outside strings nest deeper than `depthMax`. Meaningless for bytes that are not JSON. */
export function nestsDeeper(bytes: Uint8Array, depthMax: number): boolean {
  let depth = 0
  for (let index = 0; index < bytes.length && depth <= depthMax; ) {
    const byte = bytes[index]!
    depth += steps[byte] ?? 0
    index = byte === quote ? stringEnd(bytes, index) : index + 1
  }
  return depth > depthMax
}
