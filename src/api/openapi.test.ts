/** The OpenAPI description is consistent: checked independently of the code that makes it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../contract/operations.ts'
import { openApi } from './openapi.ts'
import { sections } from './sections-table.ts'

const described = JSON.parse(
  JSON.stringify(openApi({ address: 'https://gateway.example', version: '1.2.3' })),
) as Json
type Json = { readonly [field: string]: Json } & { readonly length?: number }

interface Found {
  readonly path: string
  readonly method: string
  readonly operation: Json
}

const found: readonly Found[] = Object.entries(described.paths ?? {}).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

/** Every object at every depth. */
function* objectsOf(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Readonly<Record<string, unknown>>
  for (const inner of Object.values(value)) yield* objectsOf(inner)
}

function pointedAt(pointer: string): unknown {
  assert.ok(pointer.startsWith('#/'), pointer)
  return pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], described)
}

test('every operation that is on HTTP is described once, with its own id', () => {
  const expected = Object.values(operations).flatMap(({ http }) => (http === null ? [] : [http.join(' ')]))
  const listed = found.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  for (const one of expected) assert.ok(listed.includes(one), one)
  assert.equal(listed.length, expected.length + 2, 'beside the contract: events and prices')
  const ids = found.map(({ operation }) => String(operation.operationId))
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[a-z_]+$/)
})

test('every operation is in a section', () => {
  assert.deepEqual(
    sections.flatMap((section) => section.operations).toSorted(),
    Object.keys(operations).toSorted(),
  )
})

test('every reference leads to a schema, and every schema is used', () => {
  const references = new Set<string>()
  for (const { $ref } of objectsOf(described)) {
    if ($ref === undefined) continue
    assert.equal(typeof pointedAt(String($ref)), 'object', String($ref))
    references.add(String($ref))
  }
  const schemas = Object.keys((described.components as Json).schemas ?? {})
  assert.deepEqual(
    schemas.filter((name) => !references.has(`#/components/schemas/${name}`)),
    [],
  )
})

test('every parameter of a path is declared, and no other', () => {
  for (const { path, operation } of found) {
    const parameters = (operation.parameters ?? []) as unknown as {
      name: string
      in: string
      required: boolean
    }[]
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    assert.deepEqual(
      parameters
        .filter((one) => one.in === 'path')
        .map(({ name }) => name)
        .toSorted(),
      named.toSorted(),
    )
    for (const one of parameters) assert.ok(one.in === 'query' || one.required, `${path} ${one.name}`)
    assert.equal(new Set(parameters.map(({ name }) => name)).size, parameters.length)
  }
})

test('every schema uses what JSON Schema 2020-12 has', () => {
  const known = new Set(
    `$ref type format pattern const enum default minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength
    minItems maxItems items anyOf oneOf allOf properties required additionalProperties propertyNames description`.split(
      /\s+/,
    ),
  )
  const types = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null']
  for (const schema of schemasOf(described)) {
    for (const field of Object.keys(schema))
      assert.ok(known.has(field), `${field} in ${JSON.stringify(schema)}`)
    for (const type of [schema.type ?? []].flat())
      assert.ok(types.includes(String(type)), JSON.stringify(schema))
    if (typeof schema.pattern === 'string') new RegExp(schema.pattern, 'u')
    for (const name of (schema.required ?? []) as string[]) {
      assert.ok(
        Object.hasOwn((schema.properties ?? {}) as object, name),
        `${name} is required and not described`,
      )
    }
  }
})

/** Every schema of the document, with its parts. */
function* schemasOf(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  for (const object of objectsOf(value)) {
    if (typeof object.schema === 'object') yield* schemaAndParts(object.schema)
  }
  for (const schema of Object.values((described.components as Json).schemas ?? {}))
    yield* schemaAndParts(schema)
}

function* schemaAndParts(schema: unknown): Generator<Readonly<Record<string, unknown>>> {
  const parts = schema as Readonly<Record<string, unknown>>
  yield parts
  const inner = [
    ...Object.values((parts.properties ?? {}) as object),
    ...((parts.anyOf ?? parts.oneOf ?? []) as unknown[]),
    ...[parts.items, parts.additionalProperties, parts.propertyNames].filter(
      (part) => typeof part === 'object',
    ),
  ]
  for (const part of inner) yield* schemaAndParts(part)
}

test('every operation tells who may use it, by which credential, and how it refuses', () => {
  const schemes = Object.keys((described.components as Json).securitySchemes ?? {})
  for (const { path, operation } of found) {
    const security = operation.security as unknown as readonly Readonly<Record<string, readonly string[]>>[]
    for (const one of security.flatMap(Object.keys)) assert.ok(schemes.includes(one))
    assert.ok(Object.keys(operation.responses ?? {}).includes('200'), path)
    if (security.length > 0) assert.ok(Object.keys(operation.responses ?? {}).includes('401'), path)
  }
  for (const [name, { policy, http }] of Object.entries(operations)) {
    if (http === null) continue
    const [method, path] = http
    const { operation } =
      found.find((one) => one.path === path && one.method === method.toLowerCase()) ?? assert.fail(name)
    const scope = policy.kind === 'account' ? policy.scope : null
    assert.deepEqual(
      operation.security,
      policy.kind === 'public'
        ? []
        : [{ session: [] }, ...(scope === null ? [] : [{ managementKey: [scope] }])],
      name,
    )
  }
})

test('GET has no body, and what changes something is no GET', () => {
  for (const { method, operation } of found) {
    if (method === 'get') assert.equal(operation.requestBody, undefined)
    if (String(operation['x-effect']) === 'changes') assert.notEqual(method, 'get')
  }
})
