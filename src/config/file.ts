/**
 * The schema of `tollgate.yaml`, made from the tables, and how its text becomes a tree of checked values or a list of
 * mistakes, each named by its path. Every scalar is read as text, so that `0.10` stays exactly that. Reads no file and no environment.
 */
import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import { z } from 'zod'
import { nearest } from '../base/nearest.ts'
import { type Limit, limitsTable } from './limits-table.ts'
import { limitSchema } from './schemas.ts'
import { type Setting, settingsTable } from './settings-table.ts'

/** Only where there is a file: without one, a server and every command start without the parser. */
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
  /** As mistakes name it. */
  readonly fileName: string
  /** For `${NAME}`. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Parses, fills in `${NAME}`, and checks; all mistakes at once. */
export function readFileText(source: FileSource): FileResult {
  const parsed = parseText(source)
  if (parsed.kind === 'mistakes') return parsed
  const mistakes: string[] = []
  const tree = filled(parsed.tree, '', source, mistakes)
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
    // Only the first line: the rest quotes the file, which may hold credentials.
    const mistakes = problems.map(
      ({ message }) => `${source.fileName}: ${message.split('\n')[0]?.replace(/:$/, '')}`,
    )
    if (mistakes.length > 0) return { kind: 'mistakes', mistakes }
    return { kind: 'tree', tree: document.toJS({ maxAliasCount: 100 }) ?? '' }
  } catch {
    return {
      kind: 'mistakes',
      mistakes: [`${source.fileName}: is nested too deeply or repeats itself too often`],
    }
  }
}

/** A copy with every `${NAME}` replaced; `$${` is a literal `${`. */
function filled(value: unknown, path: string, source: FileSource, mistakes: string[]): unknown {
  if (typeof value === 'string') {
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
  if (Array.isArray(value))
    return value.map((item, index) => filled(item, `${path}[${index}]`, source, mistakes))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, filled(item, joined(path, key), source, mistakes)]),
  )
}

/** A section whose lines are all commented out is the empty text in YAML, and means absent. */
function withoutEmpty(tree: unknown): unknown {
  if (tree === '') return {}
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) return tree
  return Object.fromEntries(Object.entries(tree).filter(([, value]) => value !== ''))
}

/** What an issue of the schema is in words. */
function sentences(issue: z.core.$ZodIssue, tree: unknown, known: readonly string[]): readonly string[] {
  const path = issue.path.reduce<string>((text, part) => joined(text, part), '')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${joined(path, key)}: there is no such name${didYouMean(key, known)}`)
  }
  const prefix = path === '' ? '' : `${path}: `
  if (issue.code === 'invalid_key') return [`${prefix}${issue.issues[0]?.message ?? issue.message}`]
  if (issue.code !== 'invalid_type') return [`${prefix}${issue.message}`]
  if (valueAt(tree, issue.path) === undefined) return [`${prefix}is missing`]
  return [
    `${prefix}must be ${issue.expected === 'string' ? 'one value' : issue.expected === 'array' ? 'a list' : 'a mapping'}`,
  ]
}

/** The end of a mistake about a name that does not exist. */
export function didYouMean(wanted: string, known: readonly string[]): string {
  const [name] = nearest(wanted, known, 1)
  return name === undefined ? '' : `; did you mean ${name}?`
}

/** What a tree has at a path; undefined: nothing. */
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

/** Every name that the file may hold, at whatever depth. */
export function knownNames(schema: z.ZodType): readonly string[] {
  if (schema instanceof z.ZodOptional) return knownNames(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodArray) return knownNames(schema.element as z.ZodType)
  if (!(schema instanceof z.ZodObject)) return []
  const entries = Object.entries(schema.shape as Record<string, z.ZodType>)
  return [...new Set(entries.flatMap(([key, value]) => [key, ...knownNames(value)]))]
}
