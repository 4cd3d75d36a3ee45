/** Where this process listens for others of the same user: a unix socket in the data folder, or a named pipe. Listens on nothing. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Longer paths do not fit into a socket address on every system. */
const socketPathBytesMax = 100
export const isWindows = process.platform === 'win32'

export interface SocketLocation {
  /** Made for the socket alone; null where sockets are no files. */
  readonly folder: string | null
  readonly socketPath: string
}

/** A folder of our own, closed to others before the socket exists, so that there is no moment in which they can connect. */
export function prepareSocketLocation(dataFolder: string, name: string): SocketLocation {
  // Named pipes are outside of the file system, and others than their maker cannot write to them.
  if (isWindows) return { folder: null, socketPath: `\\\\.\\pipe\\tollgate-${name}-${process.pid}` }
  const ownFolder = join(dataFolder, name)
  // A server that was taken over removes its own socket and no other.
  const socketPath = join(ownFolder, `socket-${process.pid}`)
  if (Buffer.byteLength(socketPath) > socketPathBytesMax) {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-'))
    return { folder, socketPath: join(folder, 'socket') }
  }
  rmSync(ownFolder, { recursive: true, force: true })
  mkdirSync(ownFolder, { recursive: true, mode: 0o700 })
  chmodSync(ownFolder, 0o700)
  return { folder: ownFolder, socketPath }
}
