/** Which memory is transferred between threads with a body. */

/** The memory of all bytes in a message, each once; nested as deep as the work on bodies nests them. */
export function buffersIn(value: unknown, depth = 5): readonly ArrayBuffer[] {
  if (value instanceof Uint8Array) return value.length === 0 ? [] : [value.buffer as ArrayBuffer]
  if (depth === 0 || typeof value !== 'object' || value === null) return []
  const found = new Set<ArrayBuffer>()
  const inner = Array.isArray(value) ? value.slice(0, innerMax) : Object.values(value)
  for (const one of inner) for (const buffer of buffersIn(one, depth - 1)) found.add(buffer)
  return [...found]
}

/** Lists in results may be long, and none of them holds bytes. */
const innerMax = 8
