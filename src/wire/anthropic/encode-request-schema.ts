/**
 * JSON schemas as Claude accepts them: the input of a tool is one object, and an enforced output schema
 * supports fewer keywords than JSON Schema; the others are written into the description. Pure functions over
 * JSON text; every value that need not change is copied byte for byte.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs (limitations)
 */
import { readJson } from '../json/json.ts'
import { type JsonOut, jsonText, RawJson } from '../json/text.ts'
import { View } from '../json/view.ts'

/** A body's depth is bounded before; a schema is a part of one. */
const depthMax = 512
const valuesMax = 2 ** 25
const encoder = new TextEncoder()

export interface WrittenSchema {
  readonly schema: RawJson
  /** The schema says something else than the caller's. */
  readonly isChanged: boolean
}

type SchemaMembers = Map<string, JsonOut>

const noInput = new RawJson('{"type":"object","properties":{}}')

/** The input schema of a tool that takes free text. */
export const freeTextSchema = new RawJson(
  '{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}',
)

/**
 * The schema of a tool's input: an object, without alternatives at its top. Those become one object that has
 * the properties of all, of which only what every alternative demands is required.
 */
export function inputSchema(schema: RawJson | null): WrittenSchema {
  if (schema === null) return { schema: noInput, isChanged: false }
  return withView(schema, (view) => {
    if (view.kind !== 'object') return { schema: noInput, isChanged: true }
    const members = membersOf(view)
    const alternatives = ['anyOf', 'oneOf', 'allOf'].filter((name) => members.has(name))
    const isObject = jsonText(members.get('type') ?? null) === '"object"'
    if (alternatives.length === 0 && isObject) return { schema, isChanged: false }
    // Without a type the schema means the same; with another one, or alternatives, it does not.
    const isChanged = alternatives.length > 0 || members.has('type')
    members.delete('type')
    if (alternatives.length > 0) mergeAlternatives(view, alternatives, members)
    if (!members.has('properties')) members.set('properties', {})
    return { schema: textOf(new Map([['type', 'object'], ...members])), isChanged }
  })
}

function mergeAlternatives(view: View, names: readonly string[], members: SchemaMembers): void {
  const properties = membersOf(view.get('properties'))
  let required = stringsOf(view.get('required'))
  for (const name of names) {
    members.delete(name)
    const list = view.get(name)
    const branches = list?.isList === true ? list.items() : []
    for (const branch of branches) {
      for (const [key, value] of membersOf(branch.get('properties'))) {
        if (!properties.has(key)) properties.set(key, value)
      }
    }
    const demanded = branches.map((branch) => stringsOf(branch.get('required')))
    required = required.concat(name === 'allOf' ? demanded.flat() : inAll(demanded))
  }
  members.set('properties', objectOf(properties))
  if (required.length > 0) members.set('required', [...new Set(required)])
}

/** Intersection of the lists, in the order of the first. Sets, since the caller may send lists of any length. */
function inAll([first = [], ...others]: readonly (readonly string[])[]): readonly string[] {
  const sets = others.map((list) => new Set(list))
  return first.filter((key) => sets.every((set) => set.has(key)))
}

/** Words of JSON Schema that bind the output as they are. */
const plainWords = ['type', 'enum', 'const', 'description', 'title', 'default', '$ref', 'required']
const schemaMaps = ['properties', '$defs', 'definitions']
const schemaLists: Readonly<Record<string, string>> = { anyOf: 'anyOf', oneOf: 'anyOf', allOf: 'allOf' }
/** Words that bind nothing. */
const silentWords = ['$schema', '$id', '$comment', 'examples']
const formats = 'date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' ')

export function outputSchema(schema: RawJson): WrittenSchema {
  return withView(schema, (view) => {
    const writer = new SchemaWriter()
    const text = new RawJson(jsonText(writer.write(view)))
    return writer.isChanged ? { schema: text, isChanged: true } : { schema, isChanged: false }
  })
}

/** Whether a tool's schema can bind its input as it is. */
export function isStrictSchema(schema: RawJson): boolean {
  return !outputSchema(schema).isChanged && !inputSchema(schema).isChanged && !isRecursive(schema)
}

const rootName = '#'
const definitionNames = ['$defs', 'definitions']

/** Whether the schema refers to itself, which nothing that is bound by it may. */
export function isRecursive(schema: RawJson): boolean {
  return withView(schema, (view) => {
    const references = new Map<string, Set<string>>([[rootName, new Set()]])
    for (const name of definitionNames) {
      const definitions = view.get(name)
      if (definitions?.kind !== 'object') continue
      for (const [key, definition] of definitions.members()) {
        gatherReferences(definition, setOf(references, `#/${name}/${key}`))
      }
    }
    gatherReferences(view, setOf(references, rootName))
    return hasCycle(references)
  })
}

function setOf(references: Map<string, Set<string>>, name: string): Set<string> {
  const found = references.get(name) ?? new Set()
  references.set(name, found)
  return found
}

function gatherReferences(value: View, into: Set<string>): void {
  if (value.isList) for (const item of value.items()) gatherReferences(item, into)
  if (value.kind !== 'object') return
  for (const [name, member] of value.members()) {
    if (name === '$ref' && member.isText) into.add(member.text())
    else if (!definitionNames.includes(name)) gatherReferences(member, into)
  }
}

/** Takes away, again and again, what refers to nothing that is left; what stays refers to itself. */
function hasCycle(references: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const left = new Map<string, number>()
  const referrers = new Map<string, string[]>()
  for (const [name, targets] of references) {
    const known = [...targets].filter((target) => references.has(target))
    left.set(name, known.length)
    for (const target of known) {
      const before = referrers.get(target)
      if (before === undefined) referrers.set(target, [name])
      else before.push(name)
    }
  }
  const free = [...left].filter(([, count]) => count === 0).map(([name]) => name)
  for (const name of free) {
    left.delete(name)
    for (const referrer of referrers.get(name) ?? []) {
      const count = (left.get(referrer) ?? 0) - 1
      left.set(referrer, count)
      if (count === 0) free.push(referrer)
    }
  }
  return left.size > 0
}

class SchemaWriter {
  isChanged = false

  write(schema: View): JsonOut {
    if (schema.kind !== 'object') return this.change(schema.raw)
    const members = schema.members()
    const written: SchemaMembers = new Map()
    const constraints: string[] = []
    const reference = soleReference(schema)
    for (const [name, value] of members) {
      if (name !== 'allOf' || reference === null) this.writeMember(name, value, { written, constraints })
      else written.set('$ref', this.change(reference.raw))
    }
    if (isOfObjects(schema)) this.close(schema, written, constraints)
    if (constraints.length > 0) this.describe(constraints, written)
    return objectOf(written)
  }

  private writeMember(
    name: string,
    value: View,
    { written, constraints }: { readonly written: SchemaMembers; readonly constraints: string[] },
  ): void {
    const list = Object.hasOwn(schemaLists, name) ? schemaLists[name] : undefined
    if (plainWords.includes(name)) written.set(name, value.raw)
    else if (schemaMaps.includes(name) && value.kind === 'object') written.set(name, this.map(value))
    else if (list !== undefined && value.isList) this.alternatives(written, list, { name, value })
    else if (name === 'items' && value.kind === 'object') written.set(name, this.write(value))
    else if (name === 'minItems' && ['0', '1'].includes(value.written)) written.set(name, value.raw)
    else if (name === 'format' && value.isText && formats.includes(value.text())) written.set(name, value.raw)
    else if (silentWords.includes(name)) this.isChanged = true
    else if (name !== 'additionalProperties' || value.kind !== 'false')
      constraints.push(`${name}: ${value.written}`)
    else written.set(name, false)
  }

  private map(value: View): JsonOut {
    return objectOf(new Map(value.members().map(([name, schema]) => [name, this.write(schema)])))
  }

  private alternatives(
    written: SchemaMembers,
    to: string,
    { name, value }: { name: string; value: View },
  ): void {
    if (to !== name) this.isChanged = true
    const schemas = value.items().map((schema) => this.write(schema))
    const before = written.get(to)
    written.set(to, Array.isArray(before) ? [...before, ...schemas] : schemas)
  }

  /** Objects have the listed properties and no other. */
  private close(schema: View, written: SchemaMembers, constraints: readonly string[]): void {
    if (schema.get('additionalProperties')?.kind !== 'false') this.isChanged = true
    written.set('additionalProperties', false)
    if (constraints.length === 0 && !written.has('properties')) written.set('properties', {})
  }

  private describe(constraints: readonly string[], written: SchemaMembers): void {
    this.isChanged = true
    const described = written.get('description')
    const before = described instanceof RawJson ? `${JSON.parse(described.text) as string}\n\n` : ''
    written.set('description', `${before}{${constraints.join(', ')}}`)
  }

  private change(value: JsonOut): JsonOut {
    this.isChanged = true
    return value
  }
}

/** Finds the reference in an `allOf` with a single one, which some libraries write for a property; the API takes no `allOf`. */
function soleReference(schema: View): View | null {
  const list = schema.get('allOf')
  if (list?.isList !== true || schema.get('$ref') !== undefined) return null
  const [only, ...others] = list.items()
  if (only?.kind !== 'object' || others.length > 0 || only.members().length > 1) return null
  return only.get('$ref') ?? null
}

function isOfObjects(schema: View): boolean {
  const type = schema.get('type')
  if (type === undefined) return schema.get('properties') !== undefined
  const types = type.isList ? type.items() : [type]
  return types.some((one) => one.isText && one.text() === 'object')
}

function withView<Result>({ text }: RawJson, read: (view: View) => Result): Result {
  const bytes = encoder.encode(text)
  const limits = { depthMax, valuesMax: Math.min(bytes.length, valuesMax) }
  return readJson(bytes, limits, (json) => read(new View(json, json.root)))
}

/** Members as they are written; of two with one name the last counts. */
function membersOf(view: View | undefined): SchemaMembers {
  const members: SchemaMembers = new Map()
  if (view?.kind !== 'object') return members
  for (const [name, value] of view.members()) members.set(name, value.raw)
  return members
}

function stringsOf(view: View | undefined): readonly string[] {
  if (view?.isList !== true) return []
  return view.items().flatMap((item) => (item.isText ? [item.text()] : []))
}

function textOf(members: SchemaMembers): RawJson {
  return new RawJson(jsonText(objectOf(members)))
}

/** Names may be `__proto__` or numbers: an object would not keep them, or not in their order. */
function objectOf(members: SchemaMembers): RawJson {
  const texts = [...members].map(([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`)
  return new RawJson(`{${texts.join(',')}}`)
}
