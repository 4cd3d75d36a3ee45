/**
 * The value of every setting of the table: from the environment, else from the file, else its default; and where it came
 * from. A mistake says which variable, and what is expected; it never repeats what was read, which may be a secret.
 */
import type { z } from 'zod'
import { didYouMean, type FileTree, valueAt } from './file.ts'
import { type Setting, type SettingName, settingsTable, variableNames } from './settings-table.ts'

type Table = typeof settingsTable

export type SettingValues = {
  readonly [Name in SettingName]: z.output<Table[Name]['schema']> | Table[Name]['default']
}

export type Environment = Readonly<Record<string, string | undefined>>

/** A library below reads such variables by itself, and would believe what no setting of ours says. */
const foreignPrefix = 'BETTER_AUTH_'

/** Where people keep a key of ours for their clients: in the same shell, and not read here. */
export const clientNames = ['TOLLGATE_KEY', 'TOLLGATE_API_KEY', 'TOLLGATE_MANAGEMENT_KEY'] as const

/** The clients', and those that the launcher and the test runner set for their own ends. */
const otherNames: readonly string[] = [...clientNames, 'TOLLGATE_TETHERED', 'TOLLGATE_SKIPPED_CASES_FILE']

/** The text of a variable; an empty one counts as not set. */
export function variableText(environment: Environment, variable: string): string | undefined {
  return environment[variable] === '' ? undefined : environment[variable]
}

/** Variables that would be ignored, or read by something else. */
export function unknownVariables(environment: Environment): readonly string[] {
  return Object.keys(environment).flatMap((variable) => {
    if (variable.startsWith(foreignPrefix)) return [`${variable}: would change who is trusted; unset it`]
    if (!variable.startsWith('TOLLGATE_') || otherNames.includes(variable)) return []
    if (variableNames.includes(variable)) return []
    return [`${variable}: there is no such variable${didYouMean(variable, variableNames)}`]
  })
}

export interface ReadSettings {
  readonly values: SettingValues
  /** What was set, as it is called where it was set: `TOLLGATE_PORT`, `server.port`. */
  readonly set: readonly string[]
  readonly mistakes: readonly string[]
}

/** Reads every row of the table. */
export function readSettings(environment: Environment, tree: FileTree): ReadSettings {
  const values: Record<string, unknown> = {}
  const set: string[] = []
  const mistakes: string[] = []
  for (const [name, row] of Object.entries<Setting>(settingsTable)) {
    const read = readSetting(row, environment, tree)
    values[name] = read.value ?? row.default
    if (read.from !== undefined) set.push(read.from)
    mistakes.push(...read.mistakes)
  }
  return { values: values as SettingValues, set, mistakes }
}

interface ReadSetting {
  readonly value: unknown
  readonly from: string | undefined
  readonly mistakes: readonly string[]
}

function readSetting(row: Setting, environment: Environment, tree: FileTree): ReadSetting {
  const { variable, path } = row
  const text = variable === undefined ? undefined : variableText(environment, variable)
  if (variable === undefined || text === undefined) {
    const value = path === undefined ? undefined : valueAt(tree, path.split('.'))
    return { value, from: value === undefined ? undefined : path, mistakes: [] }
  }
  const result = (row.variableSchema ?? row.schema).safeParse(text)
  const mistakes = result.success ? [] : result.error.issues.map(({ message }) => `${variable}: ${message}`)
  return { value: result.data, from: variable, mistakes: [...mistakes, ...missing(row, environment)] }
}

/** What a variable that is set needs beside it and lacks. */
function missing({ variable, needs, onlyWith }: Setting, environment: Environment): readonly string[] {
  const lacks = (other: string) => variableText(environment, other) === undefined
  if (needs !== undefined && lacks(needs.variable))
    return [`${needs.variable}: is not set, but ${variable} is; ${needs.why}`]
  if (onlyWith !== undefined && lacks(onlyWith)) return [`${variable}: is set, but ${onlyWith} is not`]
  return []
}
