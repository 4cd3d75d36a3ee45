/** Where a server listens: at the chosen port, or at the port that an earlier start found free. */
import { createServer } from 'node:net'
import type { Config } from '../config/config.ts'
import type { HttpServer } from './server.ts'
import { shownHost } from './shown-host.ts'

interface PortMemory {
  get(name: string): Promise<string | undefined>
  put(name: string, value: string): Promise<void>
}

/**
 * The first start may take the next free port instead of one that is taken; a later one must be where it was. With several
 * threads, others can listen there afterwards.
 */
export async function listen(
  server: HttpServer,
  { host, port, threads }: Pick<Config, 'host' | 'port' | 'threads'>,
  { settings, isFirstStart }: { readonly settings: PortMemory; readonly isFirstStart: boolean },
): Promise<{ readonly origin: string; readonly port: number }> {
  const shared = threads > 1
  const earlier = port.chosen ? undefined : await settings.get(portSetting)
  const first = earlier === undefined ? port.number : Number(earlier)
  const tries = !port.chosen && isFirstStart ? portsTriedMax : 1
  for (let number = first; ; number += 1) {
    try {
      // The kernel lets any program of the same user share a port of which listeners are shared.
      if (shared) await assertFree(host, number)
      const listening = await server.listen(host, number, { shared })
      if (!port.chosen && number !== port.number) await settings.put(portSetting, String(number))
      return { origin: `http://${shownHost(host)}:${listening}`, port: listening }
    } catch (error) {
      if (!isAddressTaken(error) || number - first + 1 >= tries) throw error
    }
  }
}

/** Rejects with `EADDRINUSE` where anything listens, also where it shares its port. */
function assertFree(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen({ host, port }, () => probe.close(() => resolve()))
  })
}

const portSetting = 'port'
const portsTriedMax = 20

interface AddressTaken extends NodeJS.ErrnoException {
  readonly address?: string
  readonly port?: number
}

export function isAddressTaken(error: unknown): error is AddressTaken {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}
