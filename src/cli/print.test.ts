/** Outputs as users read them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as print from './print.ts'
import { columns, labeled } from './table-text.ts'

const account = {
  account: 'acct_0000000000001',
  email: 'ada@example.org',
  name: 'ada@example.org',
  kind: 'personal',
  posted: '5.00',
  held: '0.25',
  available: '4.75',
  openHolds: 1,
  created: '2026-01-01T00:00:00.000Z',
  suspended: null,
  restricted: null,
} as const

test('columns are as wide as their widest cell, numbers to the right, nothing at line ends', () => {
  const text = columns(
    ['a', 'number', 'c'],
    [
      ['long cell', '1', ''],
      ['x', '10', 'y'],
    ],
    ['number'],
  )
  assert.equal(text, 'a          number  c\nlong cell       1\nx              10  y\n')
})

test('labels are aligned', () => {
  assert.equal(
    labeled([
      ['a', '1'],
      ['long', '2'],
    ]),
    'a     1\nlong  2\n',
  )
})

test('an account shows the reserved amount and the running requests', () => {
  assert.match(print.account(account), /^Reserved {3}0\.25 USD by 1 running request$/m)
  assert.match(print.account({ ...account, openHolds: 2 }), /by 2 running requests$/m)
})

for (const [state, fields] of [
  ['active', {}],
  ['restricted since 2026-01-02T00:00:00.000Z', { restricted: '2026-01-02T00:00:00.000Z' }],
  [
    'suspended since 2026-01-03T00:00:00.000Z',
    { restricted: '2026-01-02T00:00:00.000Z', suspended: '2026-01-03T00:00:00.000Z' },
  ],
] as const) {
  test(`an account is ${state}`, () => {
    assert.ok(print.account({ ...account, ...fields }).endsWith(`Status     ${state}\n`))
    assert.ok(print.accounts([{ ...account, ...fields }]).endsWith(`  ${state.split(' ')[0]}\n`))
  })
}

for (const [what, text] of [
  ['accounts', print.accounts([])],
  ['keys', print.keys([])],
  ['models', print.models([])],
  ['requests', print.receipts([])],
] as const) {
  test(`an empty list of ${what}`, () => assert.equal(text, `No ${what}.\n`))
}

test('a new key is printed with the warning that it is shown once', () => {
  const text = print.keyCreated({ id: 'key_0000000000001', key: 'the-key' })
  assert.match(text, /^Key {2}the-key$/m)
  assert.match(text, /shown only once/)
})

test('a repeated credit says so', () => {
  const credit = { entry: 'ent_0000000000001', balance: '5.00' }
  assert.match(print.credited({ ...credit, created: true }), /^Created {2}yes$/m)
  assert.match(print.credited({ ...credit, created: false }), /already credited/)
})

test('a ledger with drift names each contradiction', () => {
  const seen = { accounts: 1, entries: 1, openHolds: 0, receiptsFrom: null }
  assert.equal(
    print.verified({ ok: true, ...seen, drift: [] }),
    'ok: 1 account, 1 entry, 0 open reservations\n',
  )
  assert.equal(
    print.verified({ ok: false, ...seen, drift: ['x'] }),
    'x\nnot ok: 1 account, 1 entry, 0 open reservations, 1 contradiction\n',
  )
  const from = '2026-02-01T00:00:00.000Z'
  assert.match(
    print.verified({ ok: true, ...seen, drift: [], receiptsFrom: from }),
    /^ok: .*\nReceipts before 2026-02-01T00:00:00\.000Z were removed: /,
  )
})
