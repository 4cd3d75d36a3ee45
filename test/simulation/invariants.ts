/** Invariants of the memory engine's rows, checked after every step; throws where one is violated. */
import assert from 'node:assert/strict'
import type { EntryState, HoldState } from '../../src/ledger/machine/rows.ts'
import type { MemoryDatabase } from './memory-database.ts'
import type { Model } from './model.ts'

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)

/** By the rows alone. */
export function checkRows({ tables }: MemoryDatabase): void {
  const entries = [...tables.entry.values()]
  const holds = [...tables.hold.values()]
  const receipts = [...tables.receipt.values()]
  const rootOf = (key: bigint): bigint => tables.keyUsage.get(key)?.shared ?? key

  for (const account of tables.account.values()) {
    const { id, posted, held, overdrawn } = account
    const open = holds.filter((hold) => hold.account === id)
    checkChain(
      id,
      posted,
      entries.filter((entry) => entry.account === id),
    )
    assert.equal(held, sum(open.map(({ amount }) => amount)), `holds of ${id}`)
    assert.equal(account.openHolds, open.length, `open holds of ${id}`)
    assert.equal(account.running, runningOf(open), `running of ${id}`)
    assert.ok(overdrawn >= 0n && held <= posted + overdrawn, `${id} holds ${held} of ${posted}`)
  }

  for (const { key, shared, held, openHolds, running, spend, spentMax } of tables.keyUsage.values()) {
    if (shared !== null) continue
    const open = holds.filter((hold) => rootOf(hold.key) === key)
    const charged = receipts
      .filter((receipt) => rootOf(receipt.key) === key)
      .map((receipt) => receipt.charged)
    assert.equal(held, sum(open.map(({ amount }) => amount)), `held of key ${key}`)
    assert.equal(openHolds, open.length, `open holds of key ${key}`)
    assert.equal(running, runningOf(open), `running of key ${key}`)
    assert.equal(spend.spent, sum(charged), `spent of key ${key}`)
    assert.ok(spentMax === null || spend.spent + held <= spentMax, `key ${key} is within ${spentMax}`)
  }

  for (const { id, charged, writtenOff, hold, account } of receipts) {
    assert.ok(charged <= hold, `request ${id} is charged ${charged} with a hold of ${hold}`)
    assert.ok(!tables.hold.has(id), `request ${id} has a receipt and no hold`)
    const usage = tables.entry.get(id)
    assert.equal(-(usage?.amount ?? 0n), charged + writtenOff, `the entry of request ${id}`)
    assert.ok(usage === undefined || usage.account === account, `the account of request ${id}`)
  }
}

/** By the rows, and by what the model has seen. */
export function checkInvariants(database: MemoryDatabase, model: Model): void {
  checkRows(database)
  const { tables } = database
  assert.equal(tables.account.size, model.accounts.size, 'each account exists once')
  for (const { id, posted, held, overdrawn } of tables.account.values()) {
    assert.equal(posted, model.posted(id), `posted of ${id}`)
    assert.equal(held, model.held({ account: id }), `held of ${id}`)
    const { debited } = model.account(id)
    assert.ok(posted >= -debited, `use never takes ${id} below zero: ${posted} after refunds of ${debited}`)
    assert.ok(overdrawn <= debited, `only refunds overdraw ${id}`)
  }
  for (const { key, shared, spend } of tables.keyUsage.values())
    if (shared === null) assert.equal(spend.spent, model.spent.get(key) ?? 0n, `spent of key ${key}`)
  assert.equal(tables.hold.size, model.holds.size, 'each admitted request has a hold until it is closed')
  assert.equal(tables.receipt.size, model.settled.size, 'each settled request has a receipt')
}

const runningOf = (open: readonly HoldState[]): number =>
  open.filter(({ isConcurrencyReleased }) => !isConcurrencyReleased).length

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
