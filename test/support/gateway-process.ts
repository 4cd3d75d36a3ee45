/**
 * The real program as child processes on one data folder: the server, which tests kill and restart, and its command
 * line. Knows how a process starts and ends, and nothing of what it serves.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type OperationInput,
  type OperationName,
  type OperationOutput,
  operations,
} from '../../contract/operations.ts'
import { bundledMain } from '../../scripts/server-bundle.js'
import { limitDefaults } from '../../src/config/config.ts'
import type { fixedLimits } from '../../src/config/fixed-limits.ts'
import { callServer, findServer } from '../../src/server/admin-socket.ts'
import type { CommandResult } from './command-line.ts'
import { databaseVariables, endLeases } from './test-database.ts'

/** The program as a checkout runs it: a bundle of the current sources, if there is one. */
export const program = bundledMain() ?? fileURLToPath(new URL('../../src/main.ts', import.meta.url))
/** The program with fixed limits that a test chooses. */
const fixedLimitsMain = fileURLToPath(new URL('fixed-limits-main.ts', import.meta.url))
/** Compiling the program takes longer than most tests, and a killed process stores nothing: all share one cache. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/tollgate', import.meta.url))

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface StartOptions {
  readonly failpoint?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Processes of all installations, killed at exit: the server of a hanging test would outlive this process. */
const started = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of started) child.kill('SIGKILL')
})

/** A server that may not listen yet. */
interface LaunchedProcess {
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves when the process has ended and all of its output was read. */
  readonly ended: Promise<Ended>
  signal(name: NodeJS.Signals): void
  /** Resolves once its stderr, which also receives the log, contains `text`. */
  written(text: string): Promise<void>
}

export interface GatewayProcess extends LaunchedProcess {
  readonly origin: string
}

export interface Installation {
  /** Working directory of all processes; it contains `tollgate.yaml`. */
  readonly folder: string
  readonly dataFolder: string
  /** Rewrites `tollgate.yaml`; the next process reads it. */
  configure(yaml: string): void
  /** Starts a server and resolves when it listens; rejects with its output when it exits before. */
  start(options?: StartOptions): Promise<GatewayProcess>
  /** Starts a server that does not get ready by itself. */
  launch(options?: StartOptions): Promise<LaunchedProcess>
  /** Starts a server that is expected to exit. */
  attempt(options?: StartOptions): Promise<CommandResult>
  /** Runs one command of the command line to its end, as a process. */
  command(...words: readonly string[]): Promise<CommandResult>
  /** The same within this process, where what the command does is of interest and not that it is a process. */
  call(...words: readonly string[]): Promise<CommandResult>
  /** The same operation through the admin socket of a running server, without the cost of a process. */
  ask<Name extends OperationName>(
    operation: Name,
    input: Partial<OperationInput<Name>>,
  ): Promise<OperationOutput<Name>>
  /** Kills running processes and removes the folder. */
  remove(): Promise<void>
}

export interface InstallationOptions {
  /** The file that Node runs. */
  readonly main?: string
  /** Other values of limits that `tollgate.yaml` cannot set. */
  readonly fixed?: Partial<Record<keyof typeof fixedLimits, number>>
}

/** A new folder for one installation, which listens on a free port. */
export function makeInstallation(
  yaml = '',
  { fixed, main = fixed === undefined ? program : fixedLimitsMain }: InstallationOptions = {},
): Installation {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-process-'))
  const dataFolder = join(folder, 'data')
  const running = new Set<ChildProcess>()
  mkdirSync(compileCache, { recursive: true })

  async function databaseOf({ environment }: StartOptions): Promise<Readonly<Record<string, string>>> {
    if (environment?.DATABASE_URL !== undefined) return {}
    const variables = await databaseVariables(dataFolder)
    // Their leases would end later.
    if (running.size === 0) await endLeases(variables)
    return variables
  }

  async function launch(words: readonly string[], options: StartOptions): Promise<ChildProcess> {
    const { failpoint, environment } = options
    const variables = await databaseOf(options)
    const child = spawn(process.execPath, [main, ...words], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        TMPDIR: tmpdir(),
        NODE_COMPILE_CACHE: compileCache,
        TOLLGATE_DATA: dataFolder,
        TOLLGATE_PORT: '0',
        TOLLGATE_DRAIN_NOTICE_MS: '0',
        ...(fixed === undefined ? {} : { TEST_FIXED_LIMITS: JSON.stringify(fixed) }),
        ...(failpoint === undefined ? {} : { TOLLGATE_FAILPOINT: failpoint }),
        ...variables,
        ...environment,
      },
    })
    for (const children of [running, started]) {
      children.add(child)
      child.once('exit', () => children.delete(child))
    }
    return child
  }

  async function toEnd(launching: Promise<ChildProcess>): Promise<CommandResult> {
    const child = await launching
    const output = collect(child)
    const { code } = await endOf(child)
    return { code, stdout: output.stdout(), stderr: output.stderr() }
  }

  const installation: Installation = {
    folder,
    dataFolder,
    configure: (text) => writeFileSync(join(folder, 'tollgate.yaml'), text),
    start: async (options = {}) => listening(await launch(['serve'], options)),
    launch: async (options = {}) => launched(await launch(['serve'], options)),
    attempt: (options = {}) => toEnd(launch(['serve'], options)),
    command: (...words) => toEnd(launch(words, {})),
    async call(...words) {
      // Loaded here: most tests with processes need none of the modules that it does.
      const { callCommand } = await import('./command-line.ts')
      const variables = await databaseOf({})
      const environment = { TOLLGATE_DATA: dataFolder, TOLLGATE_PORT: '0', ...variables }
      return callCommand(environment, folder, words)
    },
    async ask(operation, input) {
      const found = findServer(dataFolder)
      if (found.kind !== 'named') throw new Error(`no server is named in ${dataFolder}`)
      const call = await callServer(found.server, operation, input, limitDefaults)
      if (call.kind !== 'answered') throw new Error(`the server of ${dataFolder} is gone`)
      if (call.reply.status !== 200) throw new Error(`${operation}: ${JSON.stringify(call.reply.body)}`)
      return operations[operation].output.parse(call.reply.body) as never
    },
    async remove() {
      await Promise.all(
        [...running].map(async (child) => {
          const ended = once(child, 'exit')
          child.kill('SIGKILL')
          await ended
        }),
      )
      rmSync(folder, { recursive: true, force: true })
    },
  }
  installation.configure(yaml)
  return installation
}

interface Output {
  readonly stdout: () => string
  readonly stderr: () => string
  onMore(listener: () => void): void
}

function collect(child: ChildProcess): Output {
  const texts = { stdout: '', stderr: '' }
  const listeners: (() => void)[] = []
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
      for (const listener of listeners) listener()
    })
  }
  return {
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    onMore: (listener) => listeners.push(listener),
  }
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { code, signal }
}

async function listening(child: ChildProcess): Promise<GatewayProcess> {
  const process = launched(child)
  const origin = await new Promise<string>((resolve, reject) => {
    process.onMore(() => {
      const found = /ready at (http:\S+)\n/.exec(process.stdout())
      if (found?.[1] !== undefined) resolve(found[1])
    })
    process.ended.then(
      ({ code, signal }) =>
        reject(new Error(`the server ended (${code ?? signal}): ${process.stdout()}${process.stderr()}`)),
      reject,
    )
  })
  return { ...process, origin }
}

function launched(child: ChildProcess): LaunchedProcess & Pick<Output, 'onMore'> {
  const output = collect(child)
  const ended = endOf(child)
  return {
    ...output,
    pid: child.pid ?? 0,
    ended,
    signal: (name) => child.kill(name),
    written: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (output.stdout().includes(text) || output.stderr().includes(text)) resolve()
        }
        output.onMore(look)
        look()
        ended.then(() => reject(new Error(`the server ended without «${text}»`)), reject)
      }),
  }
}
