/** Spellings of one mailbox fold into one, and those of two do not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldAddress } from './fold-address.ts'

const cases: readonly [address: string, folded: string][] = [
  ['Ada@Example.org', 'ada@example.org'],
  ['ada+news@example.org', 'ada@example.org'],
  ['a.d.a@example.org', 'a.d.a@example.org'],
  ['A.d.a+x@gmail.com', 'ada@gmail.com'],
  ['ada@googlemail.com', 'ada@gmail.com'],
  ['ａda@example.org', 'ada@example.org'],
  ['no address', 'no address'],
]

for (const [address, folded] of cases) {
  test(`${address} folds into ${folded}`, () => assert.equal(foldAddress(address), folded))
}
