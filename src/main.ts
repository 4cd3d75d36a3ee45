/**
 * The life of a process: arguments → command, or a server that listens until it is stopped. Reads
 * only what it passes to the parts. Imports the commands, the server and the database only where they are used: a
 * command that calls a running server needs neither, and most of the time it takes is loading modules.
 */
import { systemClock } from './base/clock.ts'
import { collectAfterStart } from './base/idle-memory.ts'
import { systemRandom } from './base/ids.ts'
import { program } from './base/program.ts'
import type { Config, ConfigResult } from './config/config.ts'
import type { Gateway } from './server/server.ts'

const repeatedWithinMs = 1_000
const endSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM']

process.exitCode = await runWords(process.argv.slice(2))

/** Resolves with the exit code. */
async function runWords(words: readonly string[]): Promise<number> {
  const [first = ''] = words
  // Scripts ask for the version before everything else: it needs no table of commands.
  if (words.length === 1 && ['--version', '-v'].includes(first)) {
    process.stdout.write(`${program.version}\n`)
    return 0
  }
  const { runCli } = await import('./cli/cli.ts')
  return await runCli(words, {
    print: (text) => process.stdout.write(text),
    printError: (text) => process.stderr.write(text),
    program,
    readConfig: async (variables) => (await import('./config/config.ts')).readConfigWith(variables),
    variableNames: async () => (await import('./config/settings-table.ts')).variableNames,
    setVariables: async () => (await import('./config/config.ts')).setVariables(),
    variable: async (name) => (await import('./config/config.ts')).variableNamed(name),
    async readCredential() {
      const { readCredential } = await import('./cli/read-credential.ts')
      return readCredential({ input: process.stdin, prompt: (text) => process.stderr.write(text) })
    },
    async testCredentials(config) {
      const { testCredentials } = await import('./server/test-credentials.ts')
      return testCredentials(config, systemClock)
    },
    nowMs: () => systemClock.wallMs(),
    async openServices(config) {
      const { openCommandServices } = await import('./server/services.ts')
      return openCommandServices(config, { clock: systemClock, random: systemRandom })
    },
    async verifyFolder({ dataFolder, limits }) {
      const { verifyFolder } = await import('./ledger/verify/verify-folder.ts')
      return verifyFolder(dataFolder, limits.driftLinesMax)
    },
    async backUp({ dataFolder, databaseUrl, limits }, folder) {
      if (databaseUrl !== null) return { kind: 'rejected', message: backUpPostgres }
      const { backUp } = await import('./server/back-up.ts')
      return backUp(dataFolder, folder, limits.driftLinesMax)
    },
    async move(config, to, progress) {
      const { move } = await import('./server/move.ts')
      return move(config, {
        ...{ to, nowMs: systemClock.wallMs(), random: systemRandom },
        ...progress,
      })
    },
    async cancelMove(config) {
      const { cancelMove } = await import('./server/move.ts')
      return cancelMove(config, systemClock.wallMs())
    },
    readFile: async (path, bytesMax) =>
      (await import('./server/read-text-file.ts')).readTextFile(path, bytesMax),
    serve,
  })
}

const backUpPostgres =
  'This installation is on PostgreSQL (DATABASE_URL). Back up the database with pg_dump or a physical backup, and the root secret with it.'

/** Runs until a signal stops it; returns 0 on a clean shutdown. */
async function serve(config: Config, readConfig: () => Promise<ConfigResult>): Promise<number> {
  const { hangUpMeaning, hasTerminal } = await import('./server/hang-up.ts')
  const { variableNamed } = await import('./config/config.ts')
  const hangUp = hangUpMeaning(variableNamed('_'))
  // In a terminal the operator waits for it, and no balancer asks.
  const isForBalancer = !hasTerminal()
  // Watched from the beginning, so that a signal during startup is not lost.
  const nextSignal = watchSignals(hangUp === 'drain' ? [...endSignals, 'SIGHUP'] : endSignals)
  const onHangUp = watchHangUps()
  const { createLog, throwUnlessClosedTerminal } = await import('./base/log.ts')
  process.stdout.on('error', throwUnlessClosedTerminal)
  const log = createLog({ level: config.logLevel })
  const { startGateway } = await import('./server/server.ts')
  const stopping = new AbortController()
  const firstSignal = nextSignal().then((signal) => {
    stopping.abort()
    return signal
  })
  const { signal: stop } = stopping
  const started = await startGateway({
    ...{ config, clock: systemClock, random: systemRandom, log, stop, readConfig },
  })
  if (started.kind === 'stopped') return 0
  if (started.kind === 'rejected') {
    process.stderr.write(`tollgate: ${started.message}\n`)
    return 1
  }
  const { gateway } = started
  await announce(gateway, config)
  collectAfterStart(systemClock)
  // A reload that fails is in the log.
  if (hangUp === 'reload') onHangUp(() => void gateway.reload().catch(() => {}))
  const ended = await Promise.race([firstSignal, gateway.lost.then(() => 'lost' as const)])
  if (ended === 'lost') {
    log.fatal('a part of the server is lost; exiting')
    gateway.stopRequests()
  } else {
    log.info({ signal: ended }, 'shutting down: waiting for running requests')
    const how = isForBalancer ? { noticeMs: config.drainNoticeMs, idleMs: config.limits.closeMs } : undefined
    const outcome = await Promise.race([gateway.drain(how).then(() => 'drained' as const), nextSignal()])
    if (outcome !== 'drained') gateway.stopRequests()
  }
  await gateway.close()
  return ended === 'lost' ? 1 : 0
}

/** Prints the URL and the location of the first key, then finishes the start. */
async function announce(gateway: Gateway, { dataFolder }: Config): Promise<void> {
  const { start, endpoints } = gateway
  const isTerminal = process.stdout.isTTY === true
  const { startAnnouncement } = await import('./server/first-run.ts')
  let text: string
  try {
    text = startAnnouncement(start, endpoints, { isTerminal, dataFolder })
  } catch (error) {
    await gateway.close()
    throw error
  }
  const print = (): void => void process.stdout.write(text)
  if (start.kind === 'first' && isTerminal) {
    // A key that is shown only here is on the screen before it counts as shown.
    print()
    gateway.finishStart(() => {})
  } else gateway.finishStart(print)
}

/**
 * Tells of the signals that ask the process to end, one at a time, also of one that came before anybody
 * waited. One Ctrl-C can arrive several times within a moment: terminal, npm and launcher all pass it on.
 */
function watchSignals(names: readonly NodeJS.Signals[]): () => Promise<NodeJS.Signals> {
  let lastMs = Number.NEGATIVE_INFINITY
  let next = Promise.withResolvers<NodeJS.Signals>()
  const take = (signal: NodeJS.Signals): void => {
    const nowMs = systemClock.monoMs()
    if (nowMs - lastMs < repeatedWithinMs) return
    lastMs = nowMs
    next.resolve(signal)
  }
  for (const name of names) process.on(name, take)
  return async () => {
    const signal = await next.promise
    next = Promise.withResolvers()
    return signal
  }
}

/** Takes SIGHUP, which ends a process that does not, and tells of it from the call on, also of one that came before. */
function watchHangUps(): (tell: () => void) => void {
  let hasCome = false
  let tell = (): void => {
    hasCome = true
  }
  process.on('SIGHUP', () => tell())
  return (given) => {
    tell = given
    if (hasCome) tell()
  }
}
