/** The audit stores which object an input concerned, and no secrets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatId } from '../base/ids.ts'
import { withoutSecrets } from './audit.ts'

const hidden = '(not stored)'
const id = formatId('code', 77n)

const cases: readonly (readonly [text: string, given: unknown, kept: unknown])[] = [
  ['a code that gives credit', { code: 'ABCD-EFGH-0123-4567' }, { code: hidden }],
  ['the same, written like an id', { code: 'code_ABCD-EFGH' }, { code: hidden }],
  ['the id of a code', { code: id }, { code: id }],
  ['an id where a secret stands', { token: id, password: id }, { token: hidden, password: hidden }],
  [
    'a secret further in',
    { upstream: [{ credential: 'x', name: 'y' }] },
    { upstream: [{ credential: hidden, name: 'y' }] },
  ],
  ['a whole file', { text: 'x'.repeat(20_001), name: 'y' }, { text: '(20001 characters)', name: 'y' }],
  ['a secret that is not text', { code: { code: id } }, { code: hidden }],
]

for (const [text, given, stored] of cases) {
  test(text, () => assert.deepEqual(withoutSecrets(given), stored))
}
