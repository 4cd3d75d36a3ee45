/** Servers as processes on one database, each behind a proxy of its own to it, that are killed and started again. */
import { systemClock } from '../../src/base/clock.ts'
import { freePort } from '../support/free-port.ts'
import { type GatewayProcess, type Installation, makeInstallation } from '../support/gateway-process.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

export interface ChaosServer {
  readonly installation: Installation
  readonly proxy: TcpProxy
  readonly origin: string
  isUp(): boolean
  start(): Promise<void>
  /** Ends it without a chance to do anything. */
  kill(): Promise<void>
  /** Ends it as an operator does; resolves with the exit code. */
  stop(): Promise<number | null>
  close(): Promise<void>
}

const secret = 'root secret of servers that are killed'
const startAttempts = 30
const pauseMs = 1_000

export async function chaosServer(settings: string, url: string): Promise<ChaosServer> {
  const installation = makeInstallation(settings)
  const proxy = await openTcpProxy(url)
  const port = await freePort()
  let running: GatewayProcess | undefined
  return {
    installation,
    proxy,
    origin: `http://127.0.0.1:${port}`,
    isUp: () => running !== undefined,
    async start() {
      const environment = { DATABASE_URL: proxy.url, TOLLGATE_SECRET: secret, TOLLGATE_PORT: String(port) }
      for (let attempt = 1; ; attempt += 1) {
        try {
          running = await installation.start({ environment })
          return
        } catch (error) {
          // The server exits if its database is away; a supervisor starts it again.
          if (attempt >= startAttempts) throw error
          await wait(pauseMs)
        }
      }
    },
    async kill() {
      const killed = running
      running = undefined
      killed?.signal('SIGKILL')
      await killed?.ended
    },
    async stop() {
      const stopped = running
      running = undefined
      stopped?.signal('SIGTERM')
      return (await stopped?.ended)?.code ?? null
    },
    async close() {
      await installation.remove()
      await proxy.close()
    },
  }
}

export const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => systemClock.after(Math.max(0, ms), resolve))
