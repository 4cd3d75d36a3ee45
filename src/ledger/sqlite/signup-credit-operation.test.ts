/** The starting credit: once per person and folded address, and never more per day than the installation grants. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestLedger } from '../../../test/support/open-ledger.ts'
import type { SignupInput } from '../types.ts'

const dollar = 1_000_000_000n
const day = 86_400_000

async function open(context: Parameters<typeof openTestLedger>[0]) {
  const on = await openTestLedger(context)
  const newAccount = async () => {
    const id = on.nextId()
    await on.ledger.createAccount({ id, kind: 'personal', email: null, name: 'n', nowMs: 1 })
    return id
  }
  const ask = (account: bigint, address: string, change: Partial<SignupInput> = {}): SignupInput => ({
    entryId: on.nextId(),
    account,
    person: `p-${address}`,
    addressHash: Buffer.from(address),
    amount: 5n * dollar,
    perDayMax: 50n * dollar,
    nowMs: 100 * day,
    ...change,
  })
  return { ...on, newAccount, ask }
}

test('two hundred concurrent requests for one address give one credit', async (context) => {
  const on = await open(context)
  const accounts = await Promise.all(Array.from({ length: 20 }, on.newAccount))
  const results = await Promise.all(
    accounts.flatMap((account) =>
      Array.from({ length: 10 }, () => on.ledger.signupCredit(on.ask(account, 'ada'))),
    ),
  )
  assert.equal(results.filter(({ kind }) => kind === 'credited').length, 1)
  assert.equal((await on.ledger.platformBalances()).promo, -5n * dollar)
  assert.deepEqual((await on.ledger.verify()).drift, [])
})

test('a day gives so much and no more, and the next day gives again', async (context) => {
  const on = await open(context)
  const kinds: string[] = []
  for (let person = 0; person < 12; person += 1) {
    const account = await on.newAccount()
    kinds.push((await on.ledger.signupCredit(on.ask(account, `p${person}`))).kind)
  }
  assert.deepEqual(kinds, [...Array(10).fill('credited'), 'day_is_full', 'day_is_full'])
  const account = await on.newAccount()
  assert.equal((await on.ledger.signupCredit(on.ask(account, 'p11', { nowMs: 101 * day }))).kind, 'credited')
})

for (const amount of [0n, 3n * dollar]) {
  test(`an account that was created with ${amount} gets no other starting credit, whichever owner it gets`, async (context) => {
    const on = await open(context)
    const id = on.nextId()
    const account = { id, kind: 'personal', email: null, name: 'n', nowMs: 1 } as const
    const startingCredit = { entryId: on.nextId(), amount }
    const made = await on.ledger.createAccount({ ...account, startingCredit })
    assert.deepEqual(made, { kind: 'created' })
    assert.equal((await on.ledger.account(id))?.posted, amount)
    await on.ledger.assign(id, { owner: 'person:ada', email: null, name: 'Ada' })
    assert.deepEqual(await on.ledger.signupCredit(on.ask(id, 'ada')), { kind: 'had_it' })
    assert.equal((await on.ledger.account(id))?.posted, amount)
    assert.deepEqual((await on.ledger.verify()).drift, [])
  })
}

for (const [text, change] of [
  ['another address', {}],
  ['another address, when more is given than before', { amount: 7n * dollar }],
] as const) {
  test(`a person who had it and has ${text} gets no second one, and takes nothing from the day`, async (context) => {
    const on = await open(context)
    const account = await on.newAccount()
    await on.ledger.signupCredit(on.ask(account, 'ada', { person: 'ada' }))
    for (let changes = 0; changes < 9; changes += 1) {
      const ask = on.ask(account, `ada ${changes}`, { person: 'ada', ...change })
      assert.deepEqual(await on.ledger.signupCredit(ask), { kind: 'had_it' })
    }
    assert.deepEqual(await on.ledger.signupCredit(on.ask(await on.newAccount(), 'ada', { person: 'ada' })), {
      kind: 'had_it',
    })
    assert.equal((await on.ledger.signupCredit(on.ask(await on.newAccount(), 'bob'))).kind, 'credited')
    assert.equal((await on.ledger.platformBalances()).promo, -10n * dollar)
    assert.deepEqual((await on.ledger.verify()).drift, [])
  })
}
