/** Only for programming errors: a broken invariant ends the request that met it, never the process. */

export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant'
}

/** Throws when `condition` is false; `message` states the invariant. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new BrokenInvariant(message)
}

/** For the branch that the types say cannot be reached. */
export function unreachable(value: never): never {
  throw new BrokenInvariant(`unexpected value: ${String(value)}`)
}
