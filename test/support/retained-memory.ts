/**
 * How much memory a server retains: measured in the server after a garbage collection, so that it
 * does not matter when collections happen to run.
 */
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const probe = new URL('./memory-probe.ts', import.meta.url)

export interface MemoryProbe {
  /** Environment of the server to measure. */
  readonly environment: Readonly<Record<string, string>>
  /** Bytes that the server's main thread holds now, buffers included. */
  retainedBytes(): Promise<number>
}

/** `folder`: where to create the socket. */
export function memoryProbe(folder: string): MemoryProbe {
  const path = join(folder, 'memory')
  const loaded = new URL(probe)
  loaded.searchParams.set('socket', path)
  return {
    environment: { NODE_OPTIONS: `--import=${loaded.href}` },
    retainedBytes: async () => Number(await text(connect(path))),
  }
}
