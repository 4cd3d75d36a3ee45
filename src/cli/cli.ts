/**
 * The command line: arguments in, one result out. Exit code 0: success; 1: rejected or failed, with a one-line message;
 * 2: invalid arguments. With `--json` only JSON goes to stdout.
 */

import { type ControlErrorBody, operations } from '../../contract/operations.ts'
import { withoutHiddenCharacters } from '../../contract/visible-text.ts'
import type { Config, ConfigResult, Environment } from '../config/config.ts'
import type { CommandServices } from '../control/control-deps.ts'
import { findServer } from '../server/admin-socket.ts'
import { type ParsedArguments, parseArguments } from './arguments.ts'
import { type CatalogUpdateInput, updateCatalog } from './catalog-update.ts'
import type { OperationCommand, OptionRow } from './command.ts'
import { type CheckedCredential, diagnose } from './doctor.ts'
import { helpText } from './help-text.ts'
import * as print from './print.ts'
import {
  type BackupCommandResult,
  type CancelResult,
  type MoveCommandResult,
  type MoveProgress,
  type OperationTarget,
  runOperation,
  type VerifiedFolder,
} from './run-operation.ts'

/** Functions of the process that the command line uses. */
export interface CommandLineHost {
  /** To stdout. */
  readonly print: (text: string) => void
  /** To stderr. */
  readonly printError: (text: string) => void
  /** `nodeRange` as in package.json: `>=24.15`. */
  readonly program: { readonly version: string; readonly nodeRange: string }
  /** `variables`: in place of those of the environment. */
  readonly readConfig: (variables: Environment) => Promise<ConfigResult>
  /** Every environment variable that the configuration reads. */
  readonly variableNames: () => Promise<readonly string[]>
  /** The names of all environment variables that are set. */
  readonly setVariables: () => Promise<readonly string[]>
  /** The value of an environment variable that the user named. */
  readonly variable: (name: string) => Promise<string | undefined>
  /** A credential from stdin; '': none. */
  readonly readCredential: () => Promise<string>
  /** Tests the credentials of configured upstreams at their providers. */
  readonly testCredentials: (config: Config) => Promise<readonly CheckedCredential[]>
  readonly nowMs: () => number
  /** Opens the database for this command; used only when no server is running. */
  readonly openServices: (config: Config) => Promise<CommandServices>
  /** Verifies the ledger without writing; used only when no server is running. */
  readonly verifyFolder: (config: Config) => Promise<VerifiedFolder>
  /** Copies the data folder into `folder`, and verifies the copy. */
  readonly backUp: (config: Config, folder: string) => Promise<BackupCommandResult>
  /** Copies the data folder into the PostgreSQL database at `to`. */
  readonly move: (config: Config, to: string, progress: MoveProgress) => Promise<MoveCommandResult>
  /** Lets a data folder that was moved be served again. */
  readonly cancelMove: (config: Config) => Promise<CancelResult>
  /** The text of a file that has at most `bytesMax` bytes. */
  readonly readFile: (path: string, bytesMax: number) => Promise<string | 'too_large' | 'unreadable'>
  /** Runs the server until it exits; resolves with the exit code. `readAgain`: for a reload. */
  readonly serve: (config: Config, readAgain: () => Promise<ConfigResult>) => Promise<number>
}

/** Runs one command; `words`: the arguments after the program's name. Resolves with the exit code. */
export async function runCli(words: readonly string[], host: CommandLineHost): Promise<number> {
  const parsed = parseArguments(words)
  switch (parsed.kind) {
    case 'help':
      host.print(helpText(parsed.topic))
      return 0
    case 'version':
      host.print(`${host.program.version}\n`)
      return 0
    case 'mistake':
      host.printError(`tollgate: ${parsed.message} (see tollgate --help)\n`)
      return 2
    case 'run':
      return await run(parsed, { host, json: parsed.json }).catch((thrown: unknown) =>
        printFailure(host, thrown instanceof Error ? thrown.message : String(thrown)),
      )
  }
}

interface CommandRun {
  readonly host: CommandLineHost
  readonly json: boolean
}

type ParsedRun = Extract<ParsedArguments, { kind: 'run' }>

async function run(parsed: ParsedRun, { host, json }: CommandRun): Promise<number> {
  const { command } = parsed
  const config = await host.readConfig(variablesOf(parsed))
  if (command.kind === 'local' && command.name === 'doctor') {
    return await doctor({ host, json }, config, parsed.input.verbose === true)
  }
  if (config.kind === 'mistakes') {
    if (command.words === 'reload' && findServer(config.dataFolder).kind === 'named')
      return await runOperationCommand(
        command as OperationCommand,
        {},
        { host, json, target: serverOf(config) },
      )
    for (const mistake of config.mistakes) printFailure(host, mistake)
    return 1
  }
  const configured = { host, json, config: config.config }
  if (command.kind === 'operation') {
    const mayCreate = operations[command.operation].effect !== 'reads'
    const target = targetOf(host, config.config, mayCreate)
    return await runOperationCommand(command, await withCredential(command, parsed, host), {
      host,
      json,
      target,
    })
  }
  switch (command.name) {
    case 'serve':
      return await host.serve(config.config, () => host.readConfig(variablesOf(parsed)))
    case 'backup':
      return await backUp(String(parsed.input.folder), configured)
    case 'move':
      return await move(String(parsed.input.to), configured)
    case 'move cancel':
      return await cancelMove(configured)
    case 'catalog update':
      return await runCatalogUpdate(parsed.input as unknown as CatalogUpdateInput, configured)
    default:
      return await migrate(configured)
  }
}

/** Environment variables that a command's options override. */
function variablesOf({ command, input }: ParsedRun): Environment {
  const isThreadsSet = command.kind === 'local' && command.name === 'serve' && input.threads !== undefined
  return isThreadsSet ? { TOLLGATE_THREADS: String(input.threads) } : {}
}

async function runCatalogUpdate(input: CatalogUpdateInput, run: ConfiguredRun): Promise<number> {
  const { host, config } = run
  const result = await updateCatalog(input, {
    readFile: (path) => host.readFile(path, config.limits.priceListBytesMax),
    run: (operation, given) => runOperation(targetOf(host, config), operation, given),
  })
  switch (result.kind) {
    case 'failed':
      return printFailure(host, result.message)
    case 'replied':
      return printFailure(host, errorLine(result.body))
    case 'done':
      printResult(run, result.output, () => result.text)
      return 0
  }
}

/** The input with a credential from the environment or stdin. */
async function withCredential(
  { options }: OperationCommand,
  { input, credentialVariable }: ParsedRun,
  host: CommandLineHost,
): Promise<Readonly<Record<string, unknown>>> {
  const field = options.find(({ type }) => type === 'credential')?.field
  if (field === undefined) return input
  if (credentialVariable === null) {
    const credential = await host.readCredential()
    return credential === '' ? input : { ...input, [field]: credential }
  }
  const credential = await host.variable(credentialVariable)
  if (credential === undefined) throw new Error(`the environment variable ${credentialVariable} is not set`)
  return { ...input, [field]: credential }
}

interface ConfiguredRun extends CommandRun {
  readonly config: Config
}

async function runOperationCommand(
  command: OperationCommand,
  input: unknown,
  run: CommandRun & { readonly target: OperationTarget },
): Promise<number> {
  const outcome = await runOperation(run.target, command.operation, input)
  if (outcome.kind !== 'replied') return printFailure(run.host, outcome.message)
  if (outcome.reply.status !== 200)
    return printFailure(run.host, errorLine(outcome.reply.body, command.options))
  const output = operations[command.operation].output.safeParse(outcome.reply.body)
  if (!output.success) {
    return printFailure(run.host, 'the running server is a different version; restart it or use its CLI')
  }
  printResult(run, output.data, command.print)
  return command.exitCode(output.data)
}

async function migrate(run: ConfiguredRun): Promise<number> {
  // Opening the database migrates it, so any successful operation proves that it is up to date.
  const outcome = await runOperation(targetOf(run.host, run.config), 'account.list', { limit: 1 })
  if (outcome.kind !== 'replied') return printFailure(run.host, outcome.message)
  if (outcome.reply.status !== 200) return printFailure(run.host, errorLine(outcome.reply.body))
  printResult(run, { migrated: true, by: outcome.by }, print.migrated)
  return 0
}

async function backUp(folder: string, run: ConfiguredRun): Promise<number> {
  const result = await run.host.backUp(run.config, folder)
  if (result.kind === 'rejected') return printFailure(run.host, result.message)
  printResult(run, result.backup, print.backedUp)
  return result.backup.report.ok ? 0 : 1
}

async function move(to: string, run: ConfiguredRun): Promise<number> {
  const result = await run.host.move(run.config, to, {
    onTable: (table, rows) => run.host.printError(print.copied(table, rows)),
  })
  if (result.kind === 'rejected') return printFailure(run.host, result.message)
  printResult(run, result.move, print.moved)
  return 0
}

async function cancelMove(run: ConfiguredRun): Promise<number> {
  const result = await run.host.cancelMove(run.config)
  if (result.kind === 'rejected') return printFailure(run.host, result.message)
  printResult(run, { to: result.to }, print.moveCanceled)
  return 0
}

async function doctor(run: CommandRun, config: ConfigResult, namesAll: boolean): Promise<number> {
  const report = await diagnose({
    config,
    targetOf: (valid) => targetOf(run.host, valid),
    program: run.host.program,
    variableNames: await run.host.variableNames(),
    setVariables: await run.host.setVariables(),
    testCredentials: run.host.testCredentials,
    nowMs: run.host.nowMs(),
  })
  printResult(run, report, (output) => print.report(output, namesAll))
  return report.ok ? 0 : 1
}

function targetOf(host: CommandLineHost, config: Config, mayCreate = true): OperationTarget {
  return {
    dataFolder: config.dataFolder,
    mayCreate,
    limits: config.limits,
    open: () => host.openServices(config),
    verify: config.databaseUrl === null ? () => host.verifyFolder(config) : null,
  }
}

/** A server that runs with a file that has mistakes now; it reads the file in its own environment. */
function serverOf({ dataFolder, limits }: Pick<Config, 'dataFolder' | 'limits'>): OperationTarget {
  const noServer = { kind: 'rejected', message: 'No server is running.' } as const
  return { dataFolder, mayCreate: true, limits, open: async () => noServer, verify: null }
}

function printResult<Output>(
  { host, json }: CommandRun,
  output: Output,
  asText: (output: Output) => string,
): void {
  host.print(json ? `${JSON.stringify(output)}\n` : shownLines(asText(output)))
}

/** Without characters that control a terminal, since parts of the text are from other servers. */
function shownLines(text: string): string {
  return text.split('\n').map(withoutHiddenCharacters).join('\n')
}

/** Prints the message on one line. */
function printFailure(host: CommandLineHost, message: string): number {
  host.printError(`tollgate: ${withoutHiddenCharacters(message.replaceAll(/\s+/g, ' '))}\n`)
  return 1
}

/** With the option that confirms what was rejected. */
function errorLine(body: unknown, options: readonly OptionRow[] = []): string {
  const { error } = body as Partial<ControlErrorBody>
  if (error === undefined) return 'the running server is a different version; restart it or use its CLI'
  const id = error.requestId === undefined ? '' : ` (${error.requestId})`
  const confirmation = options.find(({ field, type }) => field === error.param && type === 'yes or no')
  const advice = confirmation === undefined ? '' : ` Use --${confirmation.name} yes to do it anyway.`
  return `${error.message}${error.code === 'conflict' ? advice : ''}${id} [${error.code}]`
}
