/** The text of `--help`: for all commands, a group of them, or one. Made from the table of commands. Pure. */
import type { Command } from './command.ts'
import { commands } from './commands-table.ts'
import { labeled } from './table-text.ts'

/** The topic of `--help`; `group`: the first word of several commands, such as `key`. */
export type HelpTopic =
  | { readonly kind: 'overview' }
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'command'; readonly command: Command }

const globalOptions = [
  ['--json', 'Print the result as JSON'],
  ['-h, --help', 'Show help for a command'],
  ['-v, --version', 'Print the version'],
] as const

/** The sections of the overview, with the first words of their commands. */
const sections: readonly (readonly [title: string, firstWords: readonly string[]])[] = [
  ['Server', ['serve', 'reload', 'setup-link', 'doctor', 'migrate', 'backup', 'move', 'system']],
  ['Accounts and keys', ['account', 'key', 'credit', 'code', 'requests']],
  ['Models and upstreams', ['models', 'catalog', 'markup', 'upstreams', 'provider-keys']],
  ['Users', ['people']],
  ['Auditing', ['audit', 'ledger', 'losses', 'members']],
]

const firstWordOf = ({ words }: Command) => words.split(' ', 1)[0] ?? ''
const indented = (text: string) => text.replace(/^(?=.)/gm, '  ')
const section = (title: string, rows: readonly (readonly [label: string, text: string])[]) =>
  rows.length === 0 ? '' : `\n${title}:\n${indented(labeled(rows))}`
const summaries = (listed: readonly Command[]) =>
  listed.map((command) => [nameWithArguments(command), firstSentence(command.summary)] as const)

export function helpText(topic: HelpTopic): string {
  switch (topic.kind) {
    case 'overview':
      return overview()
    case 'group':
      return groupHelp(topic.group)
    case 'command':
      return commandHelp(topic.command)
  }
}

function overview(): string {
  const listed = sections.map(([title, firstWords]) =>
    section(title, summaries(commands.filter((command) => firstWords.includes(firstWordOf(command))))),
  )
  return `One API key for every model, with exact prepaid billing.

Usage:
  tollgate <command> [arguments] [options]
${listed.join('')}${section('Global options', globalOptions)}
ACCOUNT is an account ID, an email address, or "local" (the account created by the first start).
Amounts are in USD, such as 12.50.

Run "tollgate <command> --help" for details about a command.
`
}

function groupHelp(group: string): string {
  const listed = commands.filter((command) => firstWordOf(command) === group)
  return `Usage:
  tollgate ${group} <command> [arguments] [options]
${section('Commands', summaries(listed))}${section('Global options', globalOptions)}
Run "tollgate ${group} <command> --help" for details about a command.
`
}

function commandHelp(command: Command): string {
  const { positionals, options, words } = command
  const related = commands.filter((other) => other.words.startsWith(`${words} `))
  const usage = `tollgate ${nameWithArguments(command)}${options.length > 0 ? ' [options]' : ''}`
  return `${command.summary}.

Usage:
  ${usage}
${section(
  'Arguments',
  positionals.map(({ value, help }) => [value, sentence(help)] as const),
)}${section(
  'Options',
  options.map(({ name, value, help }) => [`--${name} ${value}`.trimEnd(), sentence(help)] as const),
)}${section('Global options', globalOptions)}${section('Related commands', summaries(related))}`
}

function nameWithArguments({ words, positionals }: Command): string {
  return [words, ...positionals.map(({ value }) => value)].join(' ')
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
const firstSentence = (text: string) => text.split('; ', 1)[0] ?? text
