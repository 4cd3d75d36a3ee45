/** Where a server listens: at the chosen port, or at the one that an earlier start found free. */
import type { Config } from '../config/config.ts'
import type { HttpServer } from './server.ts'
import { shownHost } from './shown-host.ts'

interface PortMemory {
  get(name: string): Promise<string | undefined>
  put(name: string, value: string): Promise<void>
}

/** The first start may take the next free port instead of one that is taken; a later one must be where it was. */
export async function listen(
  server: HttpServer,
  { host, port }: Pick<Config, 'host' | 'port'>,
  { settings, isFirstStart }: { readonly settings: PortMemory; readonly isFirstStart: boolean },
): Promise<string> {
  const earlier = port.chosen ? undefined : await settings.get(portSetting)
  const first = earlier === undefined ? port.number : Number(earlier)
  const tries = !port.chosen && isFirstStart ? portsTriedMax : 1
  for (let number = first; ; number += 1) {
    try {
      const listening = await server.listen(host, number)
      if (!port.chosen && number !== port.number) await settings.put(portSetting, String(number))
      return `http://${shownHost(host)}:${listening}`
    } catch (error) {
      if (!isAddressTaken(error) || number - first + 1 >= tries) throw error
    }
  }
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
