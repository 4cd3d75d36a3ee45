/**
 * Servers of a process: the main thread's, and with several threads the others on the same port and the
 * socket at which they reach the main thread. Decides nothing about requests.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { listen } from '../http/listen.ts'
import type { HttpServer } from '../http/server.ts'
import { passedMore, takePeersFromThreads } from './pass-to-main.ts'
import type { Services } from './services.ts'
import { createServer, type DataPlaneOptions, type ServerParts } from './serving.ts'
import { type DataPlaneThreads, noThreads, startDataPlaneThreads } from './serving-threads.ts'

export interface Listeners {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly origin: string
  /** The public URL. */
  readonly address: string
  /** Servers of this thread, the public one first. */
  readonly servers: readonly [HttpServer, ...HttpServer[]]
  readonly threads: DataPlaneThreads
  /** Removes remaining files from the data folder, once all servers have ended. */
  removeSocket(): void
}

export interface OpenListenersOptions {
  readonly services: Services
  readonly isFirst: boolean
  readonly sandboxOrigin: string | null
  /** A thread ended: the process must end. */
  readonly onLost: (error: Error) => void
  /** Called with how to close what listens. */
  readonly opened: (close: () => Promise<unknown>) => void
}

/** Resolves when all threads listen. Rejects with `EADDRINUSE` where the port is taken. */
export async function openListeners(
  options: DataPlaneOptions,
  parts: ServerParts,
  { services, isFirst, sandboxOrigin, onLost, opened }: OpenListenersOptions,
): Promise<Listeners> {
  const { config, log } = options
  const server = createServer(options, parts)
  opened(() => server.drain(0))
  const { origin, port } = await listen(server, config, {
    settings: services.settings,
    isFirstStart: isFirst,
  })
  const address = config.publicUrl ?? origin
  if (config.threads === 1)
    return { origin, address, servers: [server], threads: noThreads, removeSocket() {} }
  const { socketPath, folder } = prepareSocketLocation(config.dataFolder, 'threads')
  const socket = createServer(
    { ...options, config: forPassedRequests(config) },
    {
      ...parts,
      // Connections were counted where they came in.
      isProxy: () => true,
    },
  )
  takePeersFromThreads(socket)
  const removeSocket = (): void => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
  opened(() => socket.drain(0).finally(removeSocket))
  await socket.listenAt(socketPath)
  const threads = await startDataPlaneThreads({
    ...{ config, log, services, sandboxOrigin, onLost, address, port },
    mainSocket: socketPath,
  })
  opened(threads.close)
  return { origin, address, servers: [server, socket], threads, removeSocket }
}

/** The limits hold where a request comes in; here it is a little larger. */
function forPassedRequests(config: Config): Config {
  const { limits } = config
  const headersMax = limits.headersMax + passedMore.headers
  const headerBytesMax = limits.headerBytesMax + passedMore.headerBytes
  return { ...config, limits: { ...limits, headersMax, headerBytesMax } }
}

/** Longer paths do not fit into a socket address on every system. */
const socketPathBytesMax = 100
export const isWindows = process.platform === 'win32'

interface SocketLocation {
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
