/** Stored provider messages contain nothing that the caller wrote. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutEcho, withoutOperator } from './upstream-error.ts'

const body = [
  new TextEncoder().encode('{"model":"gpt-5-mini","messages":[{"role":"user","content":"The patient takes '),
  new TextEncoder().encode('lisinopril-20mg daily, and is born in 1971; caf\\u00e9"}]}'),
]

test('words of the provider stay, words of the caller do not', () => {
  const rows = [
    ['Not Found', 'Not Found'],
    ['The model `gpt-5-mini` does not exist.', 'The model `gpt-5-mini` does not exist.'],
    ['Your  account is\nnot active', 'Your account is not active'],
    ['May not discuss lisinopril-20mg here', 'May not discuss … here'],
    ['You wrote: The patient takes lisinopril-20mg daily, and more', 'You wrote: … more'],
    ['Born in 1971', 'Born in …'],
    ['In the café', 'In the …'],
    ['', ''],
  ] as const
  for (const [said, kept] of rows) assert.equal(withoutEcho(said, body, 'gpt-5-mini'), kept, said)
})

test('nothing is stored of a message where the request is too large to compare', () => {
  assert.equal(withoutEcho('Not Found', [new Uint8Array(300_000)], 'gpt-5-mini'), '')
})

test('a key that has the form of an account in it is not shown', () => {
  for (const credential of [
    'sk-org-4wA9b7Qm2Zt8Ls1Xc5',
    'proj_4wA9b7Qm2Zt8Ls1Xc5',
    'AbC-org-4wA9b7Qm2Zt8Ls1Xc5',
  ]) {
    const upstream = { credential, custom: undefined }
    const shown = withoutOperator(`Incorrect key ${credential} of org-9xY8`, upstream)
    assert.equal(shown, 'Incorrect key … of org-…')
  }
})
