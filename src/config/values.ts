/**
 * The value of every setting: from the environment, otherwise from the file, otherwise its default, and its origin. Error
 * messages name the variable and the expected value, never the actual value, which may be a secret.
 */
import type { z } from 'zod'
import { didYouMean, type FileTree, valueAt } from './file.ts'
import { secretFileOf } from './secret-files.ts'
import {
  type Setting,
  type SettingName,
  secretNames,
  settingsTable,
  variableNames,
} from './settings-table.ts'

type Table = typeof settingsTable

export type SettingValues = {
  readonly [Name in SettingName]:
    | z.output<Table[Name]['schema']>
    | (Table[Name] extends { readonly default: infer Default } ? Default : null)
}

export type Environment = Readonly<Record<string, string | undefined>>

/** A dependency reads these variables itself and would change which origins are trusted. */
const foreignPrefix = 'BETTER_AUTH_'

/** API keys of this product for clients, which may be set in the same shell. */
export const clientNames = ['TOLLGATE_KEY', 'TOLLGATE_API_KEY', 'TOLLGATE_MANAGEMENT_KEY'] as const

/** Variables of clients, the launcher and the test runner. */
const otherNames: readonly string[] = [...clientNames, 'TOLLGATE_TETHERED', 'TOLLGATE_SKIPPED_CASES_FILE']

/** The text of a variable; an empty one counts as not set. */
export function variableText(environment: Environment, variable: string): string | undefined {
  return environment[variable] === '' ? undefined : environment[variable]
}

const known: readonly string[] = [...variableNames, ...secretNames.map(secretFileOf)]

/** Mistakes for variables that would be ignored or misread. */
export function unknownVariables(environment: Environment): readonly string[] {
  return Object.keys(environment).flatMap((variable) => {
    if (variable.startsWith(foreignPrefix))
      return [`${variable}: would change which origins are trusted; unset it`]
    if (!variable.startsWith('TOLLGATE_') || otherNames.includes(variable)) return []
    if (known.includes(variable)) return []
    return [`${variable}: unknown variable${didYouMean(variable, known)}`]
  })
}

export interface ReadSettings {
  readonly values: SettingValues
  /** The settings that were set, by variable or path: `TOLLGATE_PORT`, `server.port`. */
  readonly set: readonly string[]
  readonly mistakes: readonly string[]
}

/** Reads every setting. `given`: the environment without the texts of secret files. */
export function readSettings(environment: Environment, tree: FileTree, given = environment): ReadSettings {
  const values: Record<string, unknown> = {}
  const set: string[] = []
  const mistakes: string[] = []
  const nameOf = (variable: string): string =>
    variableText(given, variable) === undefined ? secretFileOf(variable) : variable
  for (const [name, row] of Object.entries<Setting>(settingsTable)) {
    const read = readSetting(row, { environment, nameOf }, tree)
    values[name] = read.value ?? row.default ?? null
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

interface NamedEnvironment {
  readonly environment: Environment
  /** The variable that was set: this one, or the one with its file. */
  readonly nameOf: (variable: string) => string
}

function readSetting(row: Setting, { environment, nameOf }: NamedEnvironment, tree: FileTree): ReadSetting {
  const { variable, path } = row
  const text = variable === undefined ? undefined : variableText(environment, variable)
  if (variable === undefined || text === undefined) {
    const value = path === undefined ? undefined : valueAt(tree, path.split('.'))
    return { value, from: value === undefined ? undefined : path, mistakes: [] }
  }
  const from = nameOf(variable)
  const result = (row.variableSchema ?? row.schema).safeParse(text)
  const mistakes = result.success ? [] : result.error.issues.map(({ message }) => `${from}: ${message}`)
  return { value: result.data, from, mistakes: [...mistakes, ...missing(row, environment)] }
}

/** Mistakes for variables that require another variable. */
function missing({ variable, needs, onlyWith }: Setting, environment: Environment): readonly string[] {
  const lacks = (other: string) => variableText(environment, other) === undefined
  if (needs !== undefined && lacks(needs.variable))
    return [`${needs.variable}: is not set, but ${variable} is; ${needs.why}`]
  if (onlyWith !== undefined && lacks(onlyWith)) return [`${variable}: is set, but ${onlyWith} is not`]
  return []
}
