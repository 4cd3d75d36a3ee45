/** The memory of byte arrays: whether they have it alone, and how it is freed before the garbage collector runs. */

/** Whether these bytes are all of their memory, so that it can be handed over without taking anything else along. */
export function isWhole(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.length
}

/**
 * Frees the memory of bytes that nothing else reads. Large arrays that are left to the garbage collector make it collect
 * the whole heap of the process, on this thread and on the threads that help it.
 */
export function free(bytes: Uint8Array): void {
  if (bytes.length > 0 && isWhole(bytes)) bytes.buffer.transfer(0)
}
