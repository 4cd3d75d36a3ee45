/** PgBouncer in front of a PostgreSQL server, from Debian's package: on loopback, in a temporary folder, until it is stopped. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { eventually } from '../support/metered-gateway.ts'

export type PoolMode = 'session' | 'transaction'

export interface PgBouncer {
  /** The address of the database through it. */
  readonly url: string
  kill(): Promise<void>
  /** Starts it again where it was killed. */
  start(): Promise<void>
  stop(): Promise<void>
}

const program = '/usr/sbin/pgbouncer'

export function pgBouncerIsMissing(): boolean {
  try {
    accessSync(program, constants.X_OK)
    return false
  } catch {
    return true
  }
}

/** PgBouncer refuses to run as root; every system has this user. */
const unprivileged = { uid: 65_534, gid: 65_534 }
const user: Partial<typeof unprivileged> = process.getuid?.() === 0 ? unprivileged : {}

export async function startPgBouncer(direct: string, mode: PoolMode): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-pgbouncer-'))
  const port = await freePort()
  const { hostname, port: serverPort, username } = new URL(direct)
  const users = join(folder, 'users')
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(users, `"${username}" ""\n`)
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 60
ignore_startup_parameters = options, statement_timeout, idle_in_transaction_session_timeout
`,
  )
  chmodSync(folder, 0o755)
  let running: ChildProcess | undefined
  const address = new URL(direct)
  address.port = String(port)
  const bouncer: PgBouncer = {
    url: address.href,
    async kill() {
      const killed = running
      running = undefined
      if (killed === undefined) return
      const ended = once(killed, 'exit')
      killed.kill('SIGKILL')
      await ended
    },
    async start() {
      running = spawn(program, ['-q', file], { ...user, stdio: 'ignore' })
      await eventually('PgBouncer listens', () => isListening(port), Boolean)
    },
    async stop() {
      await bouncer.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await bouncer.start()
  return bouncer
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
