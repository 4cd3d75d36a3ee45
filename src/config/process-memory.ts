/** How much memory this process may use. */
import { totalmem } from 'node:os'

/** The limit of its container, where there is one, else all of the machine's. Node reports 0 or 2^64 for no limit. */
export function processMemoryBytes(limit = process.constrainedMemory(), machine = totalmem()): number {
  return limit > 0 ? Math.min(limit, machine) : machine
}
