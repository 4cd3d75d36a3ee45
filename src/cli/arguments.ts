/**
 * Parses command-line arguments into a command and its input. Pure. Every mistake becomes one line.
 */
import { parseArgs } from 'node:util'
import { operations } from '../../contract/operations.ts'
import type { Command, OptionRow, Positional } from './command.ts'
import { commands } from './commands-table.ts'
import type { HelpTopic } from './help-text.ts'
import type { OptionType } from './option-texts-table.ts'
import { readSchedule } from './price-schedule.ts'

export type ParsedArguments =
  | {
      readonly kind: 'run'
      readonly command: Command
      readonly input: Readonly<Record<string, unknown>>
      readonly json: boolean
      /** The variable that has the credential; null: stdin has it. */
      readonly credentialVariable: string | null
    }
  | { readonly kind: 'help'; readonly topic: HelpTopic }
  | { readonly kind: 'version' }
  | { readonly kind: 'mistake'; readonly message: string }

const globalOptions = ['json', 'help', 'version'] as const
const shortNames: Readonly<Record<string, (typeof globalOptions)[number]>> = { '-h': 'help', '-v': 'version' }

/** `words`: the arguments after the program's name. */
export function parseArguments(words: readonly string[]): ParsedArguments {
  const before = leadingGlobals(words)
  const rest = words.slice(before.length)
  if (before.includes('version')) return { kind: 'version' }
  const command = findCommand(rest)
  if (command === undefined) {
    const topic = topicOf(rest, before)
    return topic === undefined ? { kind: 'mistake', message: unknownCommand(rest) } : { kind: 'help', topic }
  }
  const given = readWords(command, rest.slice(command.words.split(' ').length))
  if (given.kind === 'mistake') return given
  if (before.includes('help') || given.globals.has('help'))
    return { kind: 'help', topic: { kind: 'command', command } }
  if (given.globals.has('version')) return { kind: 'version' }
  const input = buildInput(command, given)
  if (input.kind === 'mistake') return input
  const json = before.includes('json') || given.globals.has('json')
  const credentialVariable = given.values.get('credential-env')?.[0] ?? null
  return { kind: 'run', command, input: input.value, json, credentialVariable }
}

/** Global options may also precede the command. */
function leadingGlobals(words: readonly string[]): string[] {
  const found: string[] = []
  for (const word of words) {
    const name = globalName(word)
    if (name === undefined) break
    found.push(name)
  }
  return found
}

function globalName(word: string): string | undefined {
  return shortNames[word] ?? globalOptions.find((name) => word === `--${name}`)
}

/** The longest command that the arguments begin with. */
function findCommand(words: readonly string[]): Command | undefined {
  return commands
    .filter((command) => command.words.split(' ').every((word, place) => words[place] === word))
    .sort((one, other) => other.words.length - one.words.length)[0]
}

/** The help topic of arguments without a command: everything, or a group of commands. */
function topicOf(words: readonly string[], before: readonly string[]): HelpTopic | undefined {
  const [first, second = ''] = words
  if (first === undefined) return before.includes('json') ? undefined : { kind: 'overview' }
  const isHelp = before.includes('help') || globalName(second) === 'help'
  return isHelp && verbsOf(first).length > 0 ? { kind: 'group', group: first } : undefined
}

function verbsOf(first: string): string[] {
  return commands.flatMap(({ words }) => (words.startsWith(`${first} `) ? words.split(' ').slice(1) : []))
}

function unknownCommand(words: readonly string[]): string {
  const [first = ''] = words
  const verbs = verbsOf(first)
  if (verbs.length > 0) return `${first} requires a subcommand: ${verbs.join(', ')}`
  return first === '' ? 'missing command' : `unknown command ${JSON.stringify(first)}`
}

interface CommandWords {
  readonly kind: 'given'
  readonly positionals: readonly string[]
  readonly values: ReadonlyMap<string, readonly string[]>
  readonly globals: ReadonlySet<string>
}

interface ArgumentError {
  readonly kind: 'mistake'
  readonly message: string
}

function argumentError(message: string): ArgumentError {
  return { kind: 'mistake', message }
}

function readWords(command: Command, words: readonly string[]): CommandWords | ArgumentError {
  const long = words.map((word) => (shortNames[word] === undefined ? word : `--${shortNames[word]}`))
  const known = Object.fromEntries([
    ...globalOptions.map((name) => [name, { type: 'boolean' }] as const),
    ...command.options.map(
      ({ name, type }) => [name, { type: type === 'flag' ? 'boolean' : 'string' }] as const,
    ),
  ])
  const { tokens } = parseArgs({ args: long, options: known, strict: false, tokens: true })
  const positionals: string[] = []
  const values = new Map<string, string[]>()
  const globals = new Set<string>()
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    if ((globalOptions as readonly string[]).includes(token.name)) globals.add(token.name)
    else {
      const wrong = optionMistake(command, token, values)
      if (wrong !== undefined) return argumentError(wrong)
      values.set(token.name, [...(values.get(token.name) ?? []), token.value ?? ''])
    }
  }
  return { kind: 'given', positionals, values, globals }
}

function optionMistake(
  command: Command,
  token: { readonly name: string; readonly rawName: string; readonly value?: string | undefined },
  before: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const row = command.options.find(({ name }) => name === token.name)
  if (row === undefined) return `unknown option ${token.rawName} for ${command.words}`
  if (row.type === 'flag') {
    return token.value === undefined ? undefined : `--${row.name} has no value`
  }
  if (token.value === undefined || token.value === '' || token.value.startsWith('--')) {
    return `--${row.name} requires a value: --${row.name} ${row.value}`
  }
  return before.has(row.name) && !['pairs', 'schedules', 'offer groups'].includes(row.type)
    ? `--${row.name} may be used only once`
    : undefined
}

type BuiltInput =
  | { readonly kind: 'built'; readonly value: Readonly<Record<string, unknown>> }
  | ArgumentError

function buildInput(command: Command, given: CommandWords): BuiltInput {
  const count = given.positionals.length
  const absent = command.positionals[count]
  if (absent !== undefined) return argumentError(`${command.words} requires ${absent.value}: ${absent.help}`)
  if (count > command.positionals.length) {
    const surplus = given.positionals[command.positionals.length] ?? ''
    return argumentError(`unexpected argument ${JSON.stringify(surplus)} for ${command.words}`)
  }
  const input: Record<string, unknown> = {}
  for (const [place, row] of command.positionals.entries()) {
    setField(input, row.field, given.positionals[place])
  }
  for (const row of command.options) {
    const texts = given.values.get(row.name)
    if (texts === undefined || row.type === 'credential') continue
    if (texts.length === 1 && texts[0] === row.none?.word) setField(input, row.none?.field ?? row.field, null)
    else {
      const read = readers[row.type](texts, row)
      if (read === undefined)
        return argumentError(`--${row.name}: ${expectation(row)}, not ${JSON.stringify(texts[0])}`)
      setField(input, row.field, read)
    }
  }
  return validate(command, input)
}

type ValueReader = (texts: readonly string[], row: OptionRow) => unknown

const splitAtCommas = (text: string) => text.split(',').map((part) => part.trim())

/** `gpt-4.1=my-deployment`: a model, and the upstream's name for it. */
function readModel(text: string): Readonly<Record<string, unknown>> {
  const [model = '', upstreamModel] = text.split('=')
  return upstreamModel === undefined ? { model } : { model, upstreamModel }
}

/** `openai=gpt-4.1*3`: an upstream, the name there, a weight. */
function readOffer(text: string, priority: number): Readonly<Record<string, unknown>> {
  const [, named = '', weight] = /^(.*?)(?:\*(\d{1,4}))?$/s.exec(text) ?? []
  const [upstream = '', ...name] = named.split('=')
  return {
    ...{ upstream, priority },
    ...(name.length === 0 ? {} : { upstreamModel: name.join('=') }),
    ...(weight === undefined ? {} : { weight: Number(weight) }),
  }
}

/** undefined: the text is invalid. */
const readers: Readonly<Record<OptionType, ValueReader>> = {
  text: ([text]) => text,
  credential: ([text]) => text,
  flag: () => true,
  number: ([text = '']) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  // Where null is written otherwise, none is the empty list.
  list: ([text = ''], { none }) => (text === 'none' && none?.word === 'file' ? [] : splitAtCommas(text)),
  models: ([text = '']) => (text === 'all' ? text : splitAtCommas(text).map(readModel)),
  'offer groups': (texts) =>
    texts.flatMap((text, place) => splitAtCommas(text).map((offer) => readOffer(offer, place + 1))),
  'yes or no': ([text]) => (text === 'yes' ? true : text === 'no' ? false : undefined),
  pairs(texts) {
    const pairs = texts.flatMap((text) => text.split(',')).map((text) => text.split('='))
    return pairs.every((pair) => pair.length === 2) ? Object.fromEntries(pairs) : undefined
  },
  schedules(texts) {
    const read = texts.map(readSchedule)
    return read.includes(undefined) ? undefined : read
  },
}

/** Error messages for option types that reject some values. */
const expectations: Readonly<Partial<Record<OptionType, string>>> = {
  number: 'must be a whole number',
  'yes or no': 'must be yes or no',
  pairs: 'must be NAME=VALUE',
  schedules: 'must be times and rates, such as "Mon-Fri 01:00-04:00 input=0.30 output=1.20"',
}

const expectation = ({ type, none }: OptionRow) =>
  `${expectations[type] ?? 'is not valid'}${none === undefined ? '' : ` or ${none.word}`}`

/** `limits.concurrent` → `{ limits: { concurrent: … } }`. */
function setField(input: Record<string, unknown>, field: string, value: unknown): void {
  const [first = '', second] = field.split('.')
  if (second === undefined) input[first] = value
  else input[first] = { ...(input[first] as Record<string, unknown> | undefined), [second]: value }
}

/** Validates against the contract before the command runs. */
function validate(command: Command, input: Record<string, unknown>): BuiltInput {
  if (command.kind === 'local') {
    const absent = command.options.find(({ name }) => name === command.requires)
    return absent === undefined || isGiven(input, absent)
      ? { kind: 'built', value: input }
      : argumentError(requiredOption(command, absent))
  }
  const parsed = operations[command.operation].input.safeParse(input)
  if (parsed.success) return { kind: 'built', value: input }
  const issue = parsed.error.issues[0]
  const path = issue?.path.join('.') ?? ''
  const option = command.options.find(({ field }) => isWithin(path, field) || isWithin(field, path))
  const positional = command.positionals.find(({ field }) => field === path)
  if (option !== undefined && !isGiven(input, option)) {
    return argumentError(requiredOption(command, option))
  }
  const label = option === undefined ? (positional?.value ?? path) : `--${option.name}`
  return argumentError(`${label}: ${issue?.message ?? 'is not valid'}`)
}

const requiredOption = ({ words }: Command, { name, value, help }: OptionRow): string =>
  `${words} requires --${name} ${value}: ${help}`

const isWithin = (path: string, outer: string) => path === outer || path.startsWith(`${outer}.`)

function isGiven(input: Record<string, unknown>, { field }: OptionRow | Positional): boolean {
  const [first = '', second] = field.split('.')
  const value = input[first]
  return second === undefined
    ? value !== undefined
    : (value as Record<string, unknown> | undefined)?.[second] !== undefined
}
