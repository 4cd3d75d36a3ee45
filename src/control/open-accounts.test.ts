/** Which account a person gets: a new one, or one that waits for a verified address; and what must not be abandoned. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PaymentScene, paymentScene } from '../../test/support/open-payments.ts'
import { openAccess } from '../access/access.ts'
import { openAudit } from '../audit/audit.ts'
import { systemRandom } from '../base/ids.ts'
import { limitDefaults } from '../config/config.ts'
import type { Person } from '../identity/types.ts'
import { foldAddress, openOrganizationAccount, openPersonalAccount } from './open-accounts.ts'

const ada: Person = {
  id: 'ada',
  name: 'Ada',
  email: 'ada@example.org',
  verified: false,
  confirmed: false,
  operator: false,
  twoFactor: false,
  createdMs: 1,
  lastSeenMs: null,
}
const proven = { ...ada, verified: true, confirmed: true }

async function scene(context: Parameters<typeof paymentScene>[0]) {
  const payments = await paymentScene(context)
  const { on, clock, open } = payments
  const { store, nextId, ledger } = on
  const access = openAccess({
    ...{ store, clock, nextId, random: systemRandom, limits: limitDefaults },
    hashKey: systemRandom(32),
    accountRates: () => limitDefaults,
  })
  const audit = openAudit(store)
  const deps = { access, audit, clock, ledger, nextId, payments: open.payments }
  return {
    ...payments,
    audit,
    own: (person: Person) => openPersonalAccount(deps, person),
    shared: (name: string) => openOrganizationAccount(deps, ada, { organization: 'org', name }),
  }
}

/** An account that the command line made for an address. */
async function reserved({ on }: PaymentScene, email: string): Promise<bigint> {
  const id = on.nextId()
  await on.ledger.createAccount({ id, kind: 'personal', email, name: email, nowMs: 1 })
  return id
}

test('an account that waits for an address is taken over once the address is proven', async (context) => {
  const on = await scene(context)
  const waiting = await reserved(on, ada.email)
  const before = await on.own(ada)
  assert.notEqual(before.id, waiting)
  assert.equal(before.email, null)
  assert.equal((await on.own(proven)).id, waiting)
  assert.equal((await on.own(proven)).id, waiting)
})

test('an account is called like whose it is, also after they are called otherwise', async (context) => {
  const on = await scene(context)
  const { id, name } = await on.own(ada)
  assert.equal(name, 'Ada')
  assert.equal((await on.own({ ...ada, name: 'Augusta' })).name, 'Augusta')
  assert.equal((await on.on.ledger.account(id))?.name, 'Augusta')
  const shared = await on.shared('Before')
  assert.equal((await on.shared('After')).name, 'After')
  const [found] = await on.on.ledger.accounts(10, 0n, 'After')
  assert.equal(found?.id, shared.id)
  assert.equal(found?.owner, 'organization:org')
})

test('of two people who claim one account concurrently one gets it, and the other a separate account', async (context) => {
  const on = await scene(context)
  const waiting = await reserved(on, ada.email)
  const other = { ...proven, id: 'other' }
  const found = await Promise.all([on.own(proven), on.own(other), on.own(proven), on.own(other)])
  const after = await Promise.all([on.own(proven), on.own(other)])
  assert.equal(after.filter(({ id }) => id === waiting).length, 1)
  assert.notEqual(after[0].id, after[1].id)
  assert.deepEqual(
    found.map(({ id }) => id),
    [after[0].id, after[1].id, after[0].id, after[1].id],
  )
})

test('an account that was used in the meantime is not abandoned', async (context) => {
  const on = await scene(context)
  const waiting = await reserved(on, ada.email)
  const { id } = await on.own(ada)
  const { ledger, nextId } = on.on
  const credit = { entryId: nextId(), account: id, amount: 5n, source: 'manual', reference: 'r' } as const
  const [after] = await Promise.all([on.own(proven), ledger.credit({ ...credit, nowMs: 1, note: null })])
  const owned = await ledger.accountByOwner('person:ada')
  assert.equal(after.id, owned?.id)
  const [left, remaining] = [await ledger.account(id), await ledger.account(waiting)]
  assert.equal([left, remaining].filter((account) => account?.owner === 'person:ada').length, 1)
  assert.ok(left?.owner === 'person:ada' || left?.posted === 0n)
})

test('opening and taking over an account is in the audit, once', async (context) => {
  const on = await scene(context)
  const filter = { limit: 10, before: null, account: null, operation: null, actor: null }
  const audited = async () =>
    (await on.audit.list(filter)).map(({ actor, operation, account, outcome }) => ({
      actor,
      operation,
      account,
      outcome,
    }))
  const waiting = await reserved(on, ada.email)
  const { id } = await on.own(ada)
  await on.own(ada)
  const opened = { actor: ada.email, operation: 'account.open', account: id, outcome: 'done' }
  assert.deepEqual(await audited(), [opened])
  await on.own(proven)
  await on.own(proven)
  const taken = { actor: ada.email, operation: 'account.take-over', account: waiting, outcome: 'done' }
  assert.deepEqual(await audited(), [taken, opened])
})

test('an account whose payment is under way is not left for one that waits', async (context) => {
  const on = await scene(context)
  const waiting = await reserved(on, ada.email)
  const { id } = await on.own(ada)
  const topUp = await on.begin(id, 1_000)
  assert.equal((await on.own(proven)).id, id)
  on.stripe.books.pay(await on.session(topUp.id), 'card')
  await on.stripe.settled()
  const after = await on.own(proven)
  assert.deepEqual([after.id, after.posted], [id, 10_000_000_000n])
  assert.equal((await on.on.ledger.account(waiting))?.owner, null)
})

test('an account is found by the address that its owner has now, and by no earlier one', async (context) => {
  const on = await scene(context)
  const { id } = await on.own(proven)
  assert.equal((await on.on.ledger.accountByEmail(ada.email))?.id, id)
  const moved = { ...proven, email: 'lovelace@example.org' }
  assert.equal((await on.own(moved)).email, moved.email)
  assert.equal(await on.on.ledger.accountByEmail(ada.email), undefined)
  assert.equal((await on.on.ledger.accountByEmail(moved.email))?.id, id)
  const newcomer = await on.own({ ...proven, id: 'other' })
  assert.notEqual(newcomer.id, id)
  assert.equal((await on.on.ledger.accountByEmail(ada.email))?.id, newcomer.id)
})

test('an account in use whose owner moves to an address that another account waits for keeps no address', async (context) => {
  const on = await scene(context)
  const { id } = await on.own(proven)
  await on.begin(id, 1_000)
  const waiting = await reserved(on, 'lovelace@example.org')
  const after = await on.own({ ...proven, email: 'lovelace@example.org' })
  assert.deepEqual([after.id, after.email], [id, null])
  assert.equal(await on.on.ledger.accountByEmail(ada.email), undefined)
  assert.equal((await on.on.ledger.accountByEmail('lovelace@example.org'))?.id, waiting)
})

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
