/**
 * Gemini's own schemas (a part of OpenAPI 3.0) → JSON Schema, by small edits of their text: names of types
 * in lower case, `nullable` as a type, counts as numbers, names in their usual spelling. Must not change
 * what the caller named.
 */
import type { BytePatch } from '../json/byte-patch.ts'
import { applyEdits, type Json, type JsonLimits, readJson } from '../json/json.ts'
import { RawJson } from '../json/text.ts'
import { camelCase } from './extract-request-fields.ts'

/** Members that are schemas, lists of schemas, or schemas by names of the caller's. */
const schemaMembers = new Set(['items', 'additionalProperties', 'not'])
const schemaLists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const schemaMaps = new Set(['properties', '$defs', 'defs', 'definitions'])
/** 64-bit numbers, which the format writes as strings. */
const counts = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'])
const knownNames = new Set([...schemaMembers, ...schemaLists, ...counts, 'propertyOrdering'])

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The same schema as JSON Schema; byte for byte the same where it is one already. */
export function jsonSchemaOf(schema: RawJson): RawJson {
  const bytes = encoder.encode(schema.text)
  // The body was scanned within its limits before.
  const limits: JsonLimits = { depthMax: bytes.length, valuesMax: bytes.length }
  return readJson(bytes, limits, (json) => {
    const edits: BytePatch[] = []
    editSchema(json, json.root, edits)
    if (edits.length === 0) return schema
    edits.sort((a, b) => a.start - b.start)
    return new RawJson(
      applyEdits(bytes, edits)
        .map((piece) => decoder.decode(piece))
        .join(''),
    )
  })
}

function editSchema(json: Json, schema: number, edits: BytePatch[]): void {
  if (json.kind(schema) !== 'object') return
  const members = json.children(schema)
  const nullable = members.find((_, at) => at % 2 === 0 && json.is(members[at]!, 'nullable'))
  const isNullable = nullable !== undefined && json.kind(nullable + 1) === 'true'
  for (let at = 0; at < members.length; at += 2) {
    const name = members[at]!
    const value = name + 1
    const written = json.text(name)
    const known = camelCase(written)
    if (known !== written && knownNames.has(known)) replace(json, name, known, edits)
    editMember(json, { name: known, value, isNullable }, edits)
  }
}

function editMember(
  json: Json,
  { name, value, isNullable }: { name: string; value: number; isNullable: boolean },
  edits: BytePatch[],
): void {
  if (name === 'type') editType(json, value, isNullable, edits)
  else if (schemaMembers.has(name)) editSchema(json, value, edits)
  else if (counts.has(name) && json.isString(value) && /^\d+$/.test(json.text(value))) {
    edits.push({ ...json.span(value), text: json.text(value) })
  } else if (schemaLists.has(name) && json.kind(value) === 'array') {
    for (const element of json.children(value)) editSchema(json, element, edits)
  } else if (schemaMaps.has(name) && json.kind(value) === 'object') {
    const members = json.children(value)
    for (let at = 1; at < members.length; at += 2) editSchema(json, members[at]!, edits)
  }
}

/** The types by their numbers, as some libraries of Google's write them. */
const typeNumbers: Readonly<Record<string, string>> = {
  1: 'string',
  2: 'number',
  3: 'integer',
  4: 'boolean',
  5: 'array',
  6: 'object',
  7: 'null',
}

function typeOf(json: Json, value: number): string | undefined {
  if (json.isString(value)) return json.text(value).toLowerCase()
  return json.kind(value) === 'number' ? typeNumbers[json.written(json.span(value))] : undefined
}

function editType(json: Json, value: number, isNullable: boolean, edits: BytePatch[]): void {
  const type = typeOf(json, value)
  if (type === undefined) return
  const written = json.isString(value) ? json.text(value) : null
  if (isNullable) edits.push({ ...json.span(value), text: JSON.stringify([type, 'null']) })
  else if (type !== written) replace(json, value, type, edits)
}

function replace(json: Json, string: number, text: string, edits: BytePatch[]): void {
  edits.push({ ...json.span(string), text: JSON.stringify(text) })
}
