/** A JSON Schema as text for readers, its fields as rows, and a valid example. Pure. */
import { type JsonSchema, schemaPlace } from './operation-schemas.ts'

export interface FieldRow {
  /** `budget.amount`, `attempts[].upstream`. */
  readonly path: string
  readonly schema: JsonSchema
  readonly required: boolean
}

/** Every field at every depth, without following references. */
export function fieldRows(schema: JsonSchema, path = ''): readonly FieldRow[] {
  const { of, isArray } = inside(schema)
  const { properties = {}, required = [] } = of
  const start = `${path}${isArray ? '[]' : ''}`
  return Object.entries(properties).flatMap(([name, field]) => {
    const at = start === '' ? name : `${start}.${name}`
    return [{ path: at, schema: field, required: required.includes(name) }, ...fieldRows(field, at)]
  })
}

/** The object in a list, or in what may also be null. */
function inside(schema: JsonSchema): { readonly of: JsonSchema; readonly isArray: boolean } {
  const { of } = withoutNull(schema)
  return of.items === undefined ? { of, isArray: false } : { of: withoutNull(of.items).of, isArray: true }
}

interface OrNull {
  readonly of: JsonSchema
  readonly isNullable: boolean
}

function withoutNull(schema: JsonSchema): OrNull {
  if (Array.isArray(schema.type)) {
    const [type = 'null', ...more] = schema.type.filter((name) => name !== 'null')
    return { of: { ...schema, type: more.length === 0 ? type : schema.type }, isNullable: true }
  }
  const parts = (schema.anyOf ?? []).filter(({ type }) => type !== 'null')
  const [only] = parts
  if (parts.length !== 1 || only === undefined) return { of: schema, isNullable: false }
  return { of: only, isNullable: schema.anyOf?.length === 2 }
}

/** `integer, 1 to 1000`, `one of day, week, month`, `array of string`. */
export function typeText(schema: JsonSchema): string {
  const { of, isNullable } = withoutNull(schema)
  return isNullable ? `${plainText(of)}, or null` : plainText(of)
}

function plainText(schema: JsonSchema): string {
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeText))].join(', or ')
  if (schema.$ref !== undefined) return schema.$ref.slice(schemaPlace.length)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  if (schema.items !== undefined)
    return `array of ${typeText(schema.items)}${bounds(schema.minItems, schema.maxItems)}`
  switch (schema.type) {
    case 'string':
      return stringText(schema)
    case 'integer':
    case 'number':
      return `${schema.type}${bounds(schema.minimum, schema.maximum)}`
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? `map of ${typeText(schema.additionalProperties)}`
        : 'object'
    default:
      return schema.type === undefined ? 'any value' : String(schema.type)
  }
}

function stringText({ format, pattern, minLength, maxLength }: JsonSchema): string {
  const prefix = idPrefix(pattern)
  if (prefix !== undefined) return `ID ${prefix}_…`
  if (pattern !== undefined && isAmount(pattern)) return 'USD'
  const words = format === undefined ? 'string' : (formatWords[format] ?? format)
  return `${words}${bounds(minLength, maxLength)}`
}

const formatWords: Readonly<Record<string, string>> = {
  'date-time': 'timestamp',
  email: 'email address',
  uri: 'URL',
}

const idPrefix = (pattern: string | undefined) => /^\^([a-z]+)_\[/.exec(pattern ?? '')?.[1]
const isAmount = (pattern: string) => /^\^(?:-\?)?\\d(?:\+|\{1,7\})(?:\\\.|\(\?:\\\.)/.test(pattern)

function bounds(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}`
  if (most !== undefined) return `, at most ${most}`
  return least === undefined ? '' : `, at least ${least}`
}

/** A valid value: required fields only, and the first of alternatives. */
export function exampleOf(schema: JsonSchema): unknown {
  const { of } = withoutNull(schema)
  const [first] = of.anyOf ?? of.oneOf ?? []
  if (first !== undefined) return exampleOf(first)
  if (of.default !== undefined) return of.default
  if (of.const !== undefined) return of.const
  if (of.enum !== undefined) return of.enum[0]
  if (of.items !== undefined) return [exampleOf(of.items)]
  switch (of.type) {
    case 'string':
      return exampleText(of)
    case 'integer':
    case 'number':
      return of.minimum ?? 1
    case 'boolean':
      return true
    default:
      return exampleObject(of)
  }
}

function exampleObject({ properties = {}, required = [] }: JsonSchema): object {
  const needed = Object.entries(properties).filter(([name]) => required.includes(name))
  return Object.fromEntries(needed.map(([name, field]) => [name, exampleOf(field)]))
}

/** Examples for strings with a pattern: an amount, a month, a percentage. */
const formed = ['example', '20.00', '2030-01', '5%'] as const

function exampleText({ format, pattern, minLength = 0 }: JsonSchema): string {
  const prefix = idPrefix(pattern)
  if (prefix !== undefined) return `${prefix}_0000000000001`
  const byFormat = exampleByFormat[format ?? '']
  if (byFormat !== undefined) return byFormat
  const form = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  return (formed.find((text) => form?.test(text) !== false) ?? formed[0]).padEnd(minLength, '-')
}

const exampleByFormat: Readonly<Record<string, string>> = {
  'date-time': '2030-01-01T00:00:00Z',
  email: 'you@example.org',
  uri: 'https://gateway.example',
}
