/**
 * Generates a small value that fits a JSON Schema: required properties only, the first of all alternatives.
 * Pure; a schema that is too large or too deep becomes null from there on.
 */
import { isObject, type JsonObject, textIn } from '../request/normalized-request.ts'

const depthMax = 16
const valuesMax = 1_000
const sampleText = 'sample'

function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const path = textIn(schema.$ref)
  if (!path.startsWith('#')) return schema
  let target: unknown = root
  for (const name of path.split('/').slice(1)) target = isObject(target) ? target[name] : undefined
  return isObject(target) ? target : {}
}

function typeOf(schema: JsonObject): string {
  const [first] = Array.isArray(schema.type) ? schema.type : [schema.type]
  if (typeof first === 'string') return first
  return isObject(schema.properties) ? 'object' : 'string'
}

function firstChoice(schema: JsonObject): unknown {
  return [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (Array.isArray(list) ? list : []))[0]
}

function sampleNumber({ minimum, maximum }: JsonObject): number {
  if (typeof minimum === 'number' && minimum > 1) return minimum
  return typeof maximum === 'number' && maximum < 1 ? maximum : 1
}

function sampleOf(root: JsonObject): unknown {
  let valuesLeft = valuesMax

  function sampleObject(schema: JsonObject, depth: number): JsonObject {
    const properties = isObject(schema.properties) ? schema.properties : {}
    const required = Array.isArray(schema.required) ? schema.required.map(String) : []
    const entries = required.map((name) => {
      const property = properties[name]
      return [name, isObject(property) ? sampleAt(property, depth + 1) : sampleText] as const
    })
    return Object.fromEntries(entries)
  }

  const byType: Readonly<Record<string, (schema: JsonObject, depth: number) => unknown>> = {
    string: () => sampleText,
    number: sampleNumber,
    integer: sampleNumber,
    boolean: () => true,
    array: ({ items }, depth) => (isObject(items) ? [sampleAt(items, depth + 1)] : []),
    object: sampleObject,
  }

  function sampleAt(subschema: JsonObject, depth: number): unknown {
    valuesLeft -= 1
    if (depth > depthMax || valuesLeft < 0) return null
    const schema = resolved(subschema, root)
    if ('const' in schema) return schema.const
    if (Array.isArray(schema.enum)) return schema.enum[0]
    const choice = firstChoice(schema)
    if (isObject(choice)) return sampleAt(choice, depth + 1)
    return byType[typeOf(schema)]?.(schema, depth) ?? null
  }

  return sampleAt(root, 0)
}

/** The arguments for a tool with this schema: always an object. */
export function sampleArguments(schema: JsonObject): JsonObject {
  const value = sampleOf(schema)
  return isObject(value) ? value : {}
}
