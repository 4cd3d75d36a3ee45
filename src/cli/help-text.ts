/** What `--help` prints: all commands, or one with its words and options. Pure, from the table. */
import type { Command } from './commands-table.ts'
import { commands } from './commands-table.ts'
import { labeled } from './table-text.ts'

const globals = [
  ['--json', 'print the result as JSON and nothing else'],
  ['--help, -h', 'explain the command'],
  ['--version, -v', 'print the version'],
] as const

const indented = (text: string) => text.replace(/^(?=.)/gm, '  ')

export function helpText(command: Command | undefined): string {
  return command === undefined ? overview() : explanation(command)
}

function overview(): string {
  return `tollgate: a model gateway with a meter

Commands:
${indented(labeled(commands.map((command) => [usage(command), command.summary])))}
With every command:
${indented(labeled(globals))}
Accounts are named by id, by e-mail address, or as local: the account that the first start made.
Amounts are decimal USD, such as 12.50.
`
}

function explanation(command: Command): string {
  const words = [
    ...command.positionals.map(({ value, help }) => [value, help] as const),
    ...command.options.map(({ name, value, help }) => [`--${name} ${value}`, help] as const),
    ...globals,
  ]
  return `tollgate ${usage(command)}\n\n${command.summary}.\n\n${indented(labeled(words))}${longer(command)}`
}

/** The commands that begin with the words of this one. */
function longer({ words }: Command): string {
  const found = commands.filter((command) => command.words.startsWith(`${words} `))
  if (found.length === 0) return ''
  return `\nSee also:\n${indented(labeled(found.map((command) => [usage(command), command.summary])))}`
}

function usage({ words, positionals, options }: Command): string {
  const rest = options.length > 0 ? ['[options]'] : []
  return [words, ...positionals.map(({ value }) => value), ...rest].join(' ')
}
