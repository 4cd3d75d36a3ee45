/** A wrong method is distinguished from an unknown path. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PathTable } from './path-table.ts'

const table = new PathTable()
table.add('/api/keys', ['GET', 'HEAD'])
table.add('/api/keys', ['POST'])
table.add('/api/keys/:key', ['PATCH', 'DELETE'])
table.add('/api/entries.csv', ['GET'])
table.add('/api/auth/*', ['GET', 'POST'])

for (const [path, methods] of [
  ['/api/keys', ['GET', 'HEAD', 'POST']],
  ['/api/keys/', []],
  ['/api/keys/x', ['DELETE', 'PATCH']],
  ['/api/keys/x/y', []],
  ['/api/entries.csv', ['GET']],
  ['/api/entriesXcsv', []],
  ['/api/auth/sign-in/email', ['GET', 'POST']],
  ['/api/auth', []],
  ['/', []],
] as const) {
  test(`${path}: ${methods.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(table.methodsAt(path), methods)
  })
}
