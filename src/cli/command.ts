/**
 * Defines a command: its words, its operation, the options that fill the operation's input, and how the output is printed. The
 * commands are in `commands-table.ts`.
 */

import { type InputField, inputFields } from '../../contract/input-fields.ts'
import { type OperationName, type OperationOutput, operations } from '../../contract/operations.ts'
import {
  configuredFields,
  type OptionText,
  type OptionType,
  optionNames,
  optionTexts,
  optionTypes,
} from './option-texts-table.ts'

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
  readonly type: OptionType
  readonly value: string
  readonly help: string
  /** The word that means null, and the field that is then null. */
  readonly none?: { readonly word: 'none' | 'file'; readonly field: string }
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
  readonly print: (output: OperationOutput<Name>) => string
  readonly exitCode?: (output: OperationOutput<Name>) => number
  /** Where its help differs from that of the same field in other commands. */
  readonly texts?: Readonly<Record<string, OptionText>>
}

/** `usage`: words and required arguments, `key list ACCOUNT`. Outputs have passed the operation's schema before they are printed. */
export function command<Name extends OperationName>(
  usage: string,
  operation: Name,
  { print, exitCode, texts = {} }: CommandRow<Name>,
): OperationCommand {
  const { summary, input } = operations[operation]
  const { words, positionals } = argumentsOf(usage, texts)
  const options = inputFields(input)
    .filter(({ path }) => !positionals.some(({ field }) => field === path))
    .flatMap((field) => optionOf(operation, field, texts))
    // The credential is asked for last.
    .sort((one, other) => Number(one.type === 'credential') - Number(other.type === 'credential'))
  return {
    ...{ kind: 'operation', operation, words, summary, positionals, options },
    print: (output) => print(output as OperationOutput<Name>),
    exitCode: (output) => exitCode?.(output as OperationOutput<Name>) ?? 0,
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

/** An option of a command without an operation. */
export function option(name: string, type: OptionType, value: string, help: string): OptionRow {
  return { name, field: name, type, value, help }
}

/** By their placeholder. */
const positionalsTable: Readonly<Record<string, Omit<Positional, 'value'>>> = {
  ACCOUNT: {
    field: 'account',
    help: 'account ID, email address, or "local" (the account created by the first start)',
  },
  'CODE-ID': { field: 'code', help: 'code ID (code_…)' },
  EMAIL: { field: 'email', help: 'email address to invite' },
  FORMAT: { field: 'format', help: 'the format of the requests, such as openai-responses' },
  'KEY-ID': { field: 'key', help: 'key ID (key_…)' },
  MEMBER: { field: 'member', help: 'the field or beta, as `tollgate members` lists it' },
  MODEL: { field: 'model', help: 'model name' },
  PERCENT: { field: 'markup', help: 'markup on list prices, such as 5%; 0% for none' },
  PROVIDER: { field: 'provider', help: 'provider name, such as openai' },
  UPSTREAM: { field: 'upstream', help: 'upstream name' },
  USD: { field: 'amount', help: 'amount, such as 12.50' },
  USER: { field: 'person', help: 'email address or user ID' },
}

function argumentsOf(usage: string, texts: Readonly<Record<string, OptionText>>) {
  const all = usage.split(' ')
  const positionals = all.flatMap((value): Positional[] => {
    const row = positionalsTable[value]
    return row === undefined ? [] : [{ ...row, value, ...wordsOf(texts[row.field]) }]
  })
  return { words: all.slice(0, all.length - positionals.length).join(' '), positionals }
}

/** Empty where the field has no option. */
function optionOf(
  operation: OperationName,
  { path, type, value, nullPath, ...field }: InputField,
  texts: Readonly<Record<string, OptionText>>,
): OptionRow[] {
  const text = texts[path] === undefined ? optionTexts[path] : texts[path]
  if (text === undefined) throw new Error(`${operation}: ${path} needs a text in option-texts-table.ts`)
  if (text === null) return []
  const words = { value, ...wordsOf(optionTexts[path]), ...wordsOf(text) }
  const key = `${operation}:${path}`
  return [
    {
      ...words,
      name: optionNames[key] ?? optionNames[path] ?? kebab(path),
      field: path,
      type: optionTypes[path] ?? (type === 'objects' ? 'text' : type),
      help: `${words.help?.replace('(default)', `(default: ${String(field.preset)})`)}${field.isRequired ? ' (required)' : ''}`,
      // In what is created, a field without a value is left out.
      ...(nullPath === null || operation.endsWith('.create')
        ? {}
        : { none: { word: configuredFields.includes(key) ? 'file' : 'none', field: nullPath } }),
    },
  ]
}

function wordsOf(text: OptionText | undefined): { readonly value?: string; readonly help?: string } {
  if (text === undefined || text === null) return {}
  if (typeof text === 'string') return { help: text }
  const [value, help] = text
  return { value, help }
}

/** `price.cacheWrite5m` → `cache-write-5m`. */
const kebab = (path: string): string =>
  path.replace(/^.*\./, '').replaceAll(/[A-Z]|\d+/g, (part) => `-${part.toLowerCase()}`)
