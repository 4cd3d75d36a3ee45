/** What holds in the rows of the memory engine after every step, by themselves and compared with the model. Throws. */
import assert from 'node:assert/strict'
import type { EntryState } from '../../src/ledger/machine/rows.ts'
import type { MemoryDatabase } from './memory-database.ts'
import type { Model } from './model.ts'

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)

export function checkInvariants({ tables }: MemoryDatabase, model: Model): void {
  const entries = [...tables.entry.values()]
  const holds = [...tables.hold.values()]
  const receipts = [...tables.receipt.values()]
  assert.equal(tables.account.size, model.accounts.size, 'each account exists once')

  for (const account of tables.account.values()) {
    const { id, posted, held, overdrawn } = account
    const open = holds.filter((hold) => hold.account === id)
    checkChain(
      id,
      posted,
      entries.filter((entry) => entry.account === id),
    )
    assert.equal(posted, model.posted(id), `posted of ${id}`)
    assert.equal(held, model.held({ account: id }), `held of ${id}`)
    assert.equal(held, sum(open.map(({ amount }) => amount)), `holds of ${id}`)
    assert.equal(account.openHolds, open.length, `open holds of ${id}`)
    assert.equal(
      account.running,
      open.filter((hold) => !hold.isConcurrencyReleased).length,
      `running of ${id}`,
    )
    const { debited } = model.account(id)
    assert.ok(posted >= -debited, `use never takes ${id} below zero: ${posted} after refunds of ${debited}`)
    assert.ok(overdrawn >= 0n && overdrawn <= debited, `only refunds overdraw ${id}`)
    assert.ok(held <= posted + overdrawn, `${id} holds ${held} of ${posted} and ${overdrawn}`)
  }

  for (const usage of tables.keyUsage.values()) {
    if (usage.shared !== null) continue
    const { key } = usage
    const open = holds.filter((hold) => model.root(hold.key) === key)
    assert.equal(usage.held, sum(open.map(({ amount }) => amount)), `held of key ${key}`)
    assert.equal(usage.openHolds, open.length, `open holds of key ${key}`)
    assert.equal(
      usage.running,
      open.filter((hold) => !hold.isConcurrencyReleased).length,
      `running of ${key}`,
    )
    assert.equal(usage.spend.spent, model.spent.get(key) ?? 0n, `spent of key ${key}`)
    assert.ok(
      usage.spentMax === null || usage.spend.spent + usage.held <= usage.spentMax,
      `key ${key} has spent ${usage.spend.spent} and holds ${usage.held} of ${usage.spentMax}`,
    )
  }

  assert.equal(holds.length, model.holds.size, 'each admitted request has a hold until it is closed')
  assert.equal(receipts.length, model.settled.size, 'each settled request has a receipt')
  for (const { id, charged, writtenOff, hold, account } of receipts) {
    assert.ok(charged <= hold, `request ${id} is charged ${charged} with a hold of ${hold}`)
    assert.ok(!tables.hold.has(id), `request ${id} has a receipt and no hold`)
    const usage = tables.entry.get(id)
    assert.equal(-(usage?.amount ?? 0n), charged + writtenOff, `the entry of request ${id}`)
    assert.ok(usage === undefined || usage.account === account, `the account of request ${id}`)
  }
}

/** Entries are numbered without gaps, and each balance is the one before it and its amount. */
function checkChain(account: bigint, posted: bigint, entries: readonly EntryState[]): void {
  const chain = entries.toSorted((a, b) => a.position - b.position)
  let balance = 0n
  for (const [index, { id, position, amount, balanceAfter, kind, reference }] of chain.entries()) {
    balance += amount
    assert.equal(position, index + 1, `the position of entry ${id}`)
    assert.equal(balanceAfter, balance, `the balance after entry ${id}`)
    if (kind === 'usage') assert.ok(balance >= 0n || reference !== null, `usage ${id} leaves ${balance}`)
  }
  assert.equal(posted, balance, `the entries of ${account}`)
}
