/**
 * What a command is: its words, its operation, how arguments become the operation's input, and how the output is printed; and
 * the arguments that several of them take. The commands are in `commands-table.ts` and what it imports.
 */
import { type OperationName, type OperationOutput, operations } from '../../contract/operations.ts'

/** A required argument; `field` is the input field it fills. */
export interface Positional {
  readonly field: string
  readonly value: string
  readonly help: string
}

export interface OptionRow {
  readonly name: string
  /** The input field it fills; `a.b` for a nested field. */
  readonly field: string
  /** `… or none`: the value none removes a limit; for `amount or none`, the whole parent field. */
  readonly kind:
    | 'text'
    | 'number'
    | 'list'
    | 'yes or no'
    /** Given or not, without a value. */
    | 'flag'
    | 'pairs'
    /** Prices at some times, repeatable. */
    | 'schedules'
    | 'models'
    | 'text or none'
    /** `file`: as the configuration says. */
    | 'text or file'
    | 'number or none'
    | 'list or none'
    /** `file`: as the configuration says. */
    | 'list, none or file'
    /** Offers, one group each time; `file`: as the configuration says. */
    | 'offer groups'
    | 'amount or none'
  readonly value: string
  readonly help: string
}

interface CommandShape {
  readonly words: string
  readonly summary: string
  readonly positionals: readonly Positional[]
  readonly options: readonly OptionRow[]
}

export interface OperationCommand extends CommandShape {
  readonly kind: 'operation'
  readonly operation: OperationName
  /** The input field of a credential, which is read from the environment or stdin. */
  readonly credential: string | null
  readonly print: (output: unknown) => string
  readonly exitCode: (output: unknown) => number
}

/** Runs in the command line itself, because it concerns the machine rather than the data. */
export interface LocalCommand extends CommandShape {
  readonly kind: 'local'
  readonly name: 'serve' | 'doctor' | 'migrate' | 'backup' | 'catalog update' | 'move' | 'move cancel'
  /** The option without which it does not run. */
  readonly requires?: string
}

export type Command = OperationCommand | LocalCommand

interface CommandRow<Name extends OperationName> {
  readonly words: string
  readonly positionals?: readonly Positional[]
  readonly options?: readonly OptionRow[]
  readonly credential?: string
  readonly print: (output: OperationOutput<Name>) => string
  readonly exitCode?: (output: OperationOutput<Name>) => number
}

/** Outputs have passed the operation's schema before they are printed. */
export function command<Name extends OperationName>(
  operation: Name,
  row: CommandRow<Name>,
): OperationCommand {
  return {
    kind: 'operation',
    operation,
    words: row.words,
    credential: row.credential ?? null,
    summary: operations[operation].summary,
    positionals: row.positionals ?? [],
    options: row.options ?? [],
    print: (output) => row.print(output as OperationOutput<Name>),
    exitCode: (output) => row.exitCode?.(output as OperationOutput<Name>) ?? 0,
  }
}

/** A command without an operation; its words are its name. */
export function local(
  name: LocalCommand['name'],
  summary: string,
  given: Partial<Pick<LocalCommand, 'positionals' | 'options' | 'requires'>> = {},
): LocalCommand {
  return { kind: 'local', name, words: name, summary, positionals: [], options: [], ...given }
}

export const account: Positional = {
  field: 'account',
  value: 'ACCOUNT',
  help: 'account ID, email address, or "local" (the account created by the first start)',
}
export const person: Positional = {
  field: 'person',
  value: 'USER',
  help: 'email address or user ID',
}
export const key: Positional = { field: 'key', value: 'KEY-ID', help: 'key ID (key_…)' }
export const upstream: Positional = { field: 'upstream', value: 'UPSTREAM', help: 'upstream name' }
export const provider: Positional = {
  field: 'provider',
  value: 'PROVIDER',
  help: 'provider name, such as openai',
}
export const model: Positional = { field: 'model', value: 'MODEL', help: 'model name' }

/** Names where a credential is, and is no field of the input. */
export const credentialOption = 'credential-env>'

/** `name` is that of the input field too, unless `option>field` names another. */
export function option(name: string, kind: OptionRow['kind'], value: string, help: string): OptionRow {
  const [field = ''] = name.split('>')
  return { name: field, field: name.slice(name.indexOf('>') + 1), kind, value, help }
}
