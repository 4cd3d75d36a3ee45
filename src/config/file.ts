/**
 * Parses and validates the text of `tollgate.yaml` with a schema made from the tables; reports mistakes by path. Scalars are
 * read as text, so that `0.10` stays exact. Reads neither files nor the environment itself.
 */
import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import { z } from 'zod'
import { nearest } from '../base/nearest.ts'
import { type Limit, limitsTable } from './limits-table.ts'
import { limitSchema } from './schemas.ts'
import { type ReadText, secretFileIn } from './secret-files.ts'
import { type Setting, settingsTable } from './settings-table.ts'

/** Loaded on demand: without a file, servers and commands start without the parser. */
const loadYaml = (): typeof Yaml => createRequire(import.meta.url)('yaml') as typeof Yaml

/** The whole file. */
export function fileSchema(): z.ZodObject {
  const shape: Record<string, z.ZodType> = {}
  const mappings: Record<string, Record<string, z.ZodType>> = {}
  for (const { path, schema } of Object.values<Setting>(settingsTable)) {
    if (path === undefined) continue
    const [section = '', name] = path.split('.')
    if (name === undefined) shape[section] = schema.optional()
    else mappings[section] = { ...mappings[section], [name]: schema.optional() }
  }
  mappings['limits'] = Object.fromEntries(
    Object.entries<Limit>(limitsTable).map(([name, row]) => [name, limitSchema(name, row).optional()]),
  )
  for (const [section, names] of Object.entries(mappings)) shape[section] = z.strictObject(names).optional()
  return z.strictObject(shape)
}

/** Checked values by section and name. */
export type FileTree = Readonly<Record<string, unknown>>

export type FileResult =
  | { readonly kind: 'tree'; readonly tree: FileTree }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly string[] }

export interface FileSource {
  readonly text: string
  /** For error messages. */
  readonly fileName: string
  /** For `${NAME}`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** For `{ file: path }`. */
  readonly readSecret: ReadText
}

/** Parses, substitutes `${NAME}` and `{ file: path }`, and validates; reports all mistakes together. */
export function readFileText(source: FileSource): FileResult {
  const parsed = parseText(source)
  if (parsed.kind === 'mistakes') return parsed
  const mistakes: string[] = []
  const tree = filled(parsed.tree, '', { source, mistakes })
  if (mistakes.length > 0) return { kind: 'mistakes', mistakes }
  const schema = fileSchema()
  const result = schema.safeParse(withoutEmpty(tree))
  if (result.success) return { kind: 'tree', tree: result.data }
  const known = knownNames(schema)
  return {
    kind: 'mistakes',
    mistakes: result.error.issues
      .flatMap((issue) => sentences(issue, tree, known))
      .map((mistake) => `${source.fileName}: ${mistake}`),
  }
}

function parseText(
  source: FileSource,
):
  | { readonly kind: 'tree'; readonly tree: unknown }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly string[] } {
  try {
    const document = loadYaml().parseDocument(source.text, { schema: 'failsafe', uniqueKeys: true })
    const problems = [...document.errors, ...document.warnings]
    // Only the first line: the rest quotes the file, which may contain credentials.
    const mistakes = problems.map(
      ({ message }) => `${source.fileName}: ${message.split('\n')[0]?.replace(/:$/, '')}`,
    )
    if (mistakes.length > 0) return { kind: 'mistakes', mistakes }
    return { kind: 'tree', tree: document.toJS({ maxAliasCount: 100 }) ?? '' }
  } catch {
    return {
      kind: 'mistakes',
      mistakes: [`${source.fileName}: is nested too deeply or has too many aliases`],
    }
  }
}

interface Filling {
  readonly source: FileSource
  readonly mistakes: string[]
}

/** A copy with every `${NAME}` and every `{ file: path }` of a secret replaced; `$${` is a literal `${`. */
function filled(value: unknown, path: string, filling: Filling, parent?: object): unknown {
  if (typeof value === 'string') return withVariables(value, path, filling)
  if (Array.isArray(value)) return value.map((item, index) => filled(item, `${path}[${index}]`, filling))
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, filled(item, joined(path, key), filling, value)]),
  )
  const file = secretFileIn(copy, path, parent)
  return file === undefined ? copy : secretText(file, path, filling)
}

function withVariables(value: string, path: string, { source, mistakes }: Filling): string {
  return value.replace(/\$(\$\{|\{([^}]*)\})/g, (whole, _rest, variable: string | undefined) => {
    if (variable === undefined) return '${'
    const found = source.environment[variable]
    if (found === undefined || found === '') {
      mistakes.push(`${source.fileName}: ${path}: the environment variable ${variable} is not set`)
      return whole
    }
    return found
  })
}

function secretText(file: string, path: string, { source, mistakes }: Filling): string {
  const found = source.readSecret(file)
  if (found.kind === 'text') return found.text
  mistakes.push(`${source.fileName}: ${path}: ${found.reason}`)
  return ''
}

/** A section with only comments is an empty string in YAML and counts as absent. */
function withoutEmpty(tree: unknown): unknown {
  if (tree === '') return {}
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) return tree
  return Object.fromEntries(Object.entries(tree).filter(([, value]) => value !== ''))
}

/** The message for a schema issue. */
function sentences(issue: z.core.$ZodIssue, tree: unknown, known: readonly string[]): readonly string[] {
  const path = issue.path.reduce<string>((text, part) => joined(text, part), '')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const renamed =
        issue.path[0] === 'models' ? { upstreams: 'offers', dialects: 'formats' }[key] : undefined
      const names = renamed !== undefined && valueAt(tree, [...issue.path, key])
      const hint = Array.isArray(names) ? `; write ${renamed}: [${names.join(', ')}]` : didYouMean(key, known)
      return `${joined(path, key)}: unknown name${hint}`
    })
  }
  const prefix = path === '' ? '' : `${path}: `
  if (issue.code === 'invalid_key') return [`${prefix}${issue.issues[0]?.message ?? issue.message}`]
  if (issue.code !== 'invalid_type') return [`${prefix}${issue.message}`]
  if (valueAt(tree, issue.path) === undefined) return [`${prefix}is missing`]
  return [
    `${prefix}must be ${issue.expected === 'string' ? 'a single value' : issue.expected === 'array' ? 'a list' : 'a mapping'}`,
  ]
}

/** A suggestion for a misspelled name. */
export function didYouMean(wanted: string, known: readonly string[]): string {
  if (known.includes(wanted)) return ' here'
  const [name] = nearest(wanted, known, 1)
  return name === undefined ? '' : `; did you mean ${name}?`
}

export function valueAt(tree: unknown, path: readonly PropertyKey[]): unknown {
  let value = tree
  for (const part of path) value = (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[part]
  return value
}

function joined(path: string, part: PropertyKey): string {
  if (typeof part === 'number') return `${path}[${part}]`
  const key = String(part)
  const plain = /^[A-Za-z0-9_-]+$/.test(key)
  if (!plain) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

/** Every field name of the file, at any depth. */
export function knownNames(schema: z.ZodType): readonly string[] {
  if (schema instanceof z.ZodOptional) return knownNames(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodPipe) return knownNames(schema.out as z.ZodType)
  if (schema instanceof z.ZodArray) return knownNames(schema.element as z.ZodType)
  if (!(schema instanceof z.ZodObject)) return []
  const entries = Object.entries(schema.shape as Record<string, z.ZodType>)
  return [...new Set(entries.flatMap(([key, value]) => [key, ...knownNames(value)]))]
}
