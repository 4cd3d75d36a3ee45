/** The OpenAPI description has what people look for; test/e2e/openapi-documents.test.ts validates it. */
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

test('every operation is in a section', () => {
  assert.deepEqual(
    sections.flatMap((section) => section.operations).toSorted(),
    Object.keys(operations).toSorted(),
  )
})

test('every operation tells who may use it, by which credential, and how it rejects', () => {
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
