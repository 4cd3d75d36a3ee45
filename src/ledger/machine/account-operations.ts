/**
 * Operations on an account without a request: its creation, credits and debits, suspension, and the end of a restriction.
 * A credit happens once for its source and reference.
 */
import { assert } from '../../base/assert.ts'
import { formatId } from '../../base/ids.ts'
import { emptyWindow } from '../../limits/window.ts'
import { assertAmount, most, nanoMax } from '../rules/money.ts'
import type { CreditInput, CreditResult, CreditSource, NewAccount } from '../types.ts'
import { knownAccount, saveAccount } from './key-usage.ts'
import { type LedgerOperation, unchanged } from './operation.ts'
import {
  type AccountProfile,
  type AccountState,
  byEmail,
  byOwner,
  byReference,
  type EntryState,
  insert,
  type RowChange,
  type RowKey,
} from './rows.ts'

/** Which platform account a credit comes from. */
const counters: Readonly<Record<CreditSource, 'promo' | 'clearing'>> = {
  signup: 'promo',
  code: 'promo',
  manual: 'promo',
  payment: 'clearing',
  refund: 'clearing',
  dispute: 'clearing',
}

export const credit: LedgerOperation<CreditInput, CreditResult> = {
  durable: true,
  rows: ({ account, source, reference }) => [
    { table: 'account', id: account },
    { table: 'creditReference', id: byReference(source, reference) },
  ],
  apply(rows, input) {
    assertAmount(input.amount, 'a credit')
    assert(input.amount > 0n, 'a credit is more than nothing')
    const account = rows.account.get(input.account)
    if (account === undefined) return unchanged({ kind: 'no_account' })
    const { posted, held } = account
    const earlier = rows.creditReference.get(byReference(input.source, input.reference))
    if (earlier !== undefined) {
      const isSame = earlier.account === input.account && earlier.amount === input.amount
      if (!isSame) return unchanged({ kind: 'conflict' })
      return unchanged({ kind: 'credited', entryId: earlier.entry, created: false, posted, held })
    }
    const credited = credits(account, input)
    return {
      answer: {
        kind: 'credited',
        entryId: input.entryId,
        created: true,
        posted: credited.account.posted,
        held,
      },
      changes: [...credited.changes, saveAccount(credited.account)],
    }
  },
}

/** The account after a credit, and the rows that prove it. */
function credits(
  account: AccountState,
  input: CreditInput,
): { readonly account: AccountState; readonly changes: readonly RowChange[] } {
  const { entryId, amount, source, reference } = input
  const posted = account.posted + amount
  assert(posted <= nanoMax, 'a balance fits its column')
  const entry = entryOf(account, input, { counter: counters[source], kind: 'credit', amount })
  const given = { entry: entryId, account: account.id, amount }
  return {
    account: { ...account, posted, entries: entry.position },
    changes: [
      insert('entry', entryId, entry),
      insert('creditReference', byReference(source, reference), given),
    ],
  }
}

/** The account's next entry, which changes its balance by `amount`. */
function entryOf(
  { id, posted, entries }: AccountState,
  { entryId, source, reference, nowMs, note }: CreditInput | DebitInput,
  booked: Pick<EntryState, 'counter' | 'kind' | 'amount'>,
): EntryState {
  return {
    id: entryId,
    account: id,
    position: entries + 1,
    ...booked,
    balanceAfter: posted + booked.amount,
    source,
    reference,
    request: null,
    note,
    createdMs: nowMs,
  }
}

export interface DebitInput {
  readonly entryId: bigint
  readonly account: bigint
  readonly amount: bigint
  readonly source: 'refund' | 'dispute'
  readonly reference: string
  readonly nowMs: number
  readonly note: string | null
  /** Suspends the account in the same step, unless it is suspended already. */
  readonly suspends: boolean
}

/** Takes money back that was paid: the only operation that may take a balance below what is held, and below zero. */
export const debit: LedgerOperation<DebitInput, null> = {
  durable: true,
  rows: ({ account }) => [{ table: 'account', id: account }],
  apply(rows, input) {
    const { entryId, amount, nowMs, suspends } = input
    const account = knownAccount(rows, input.account)
    const posted = account.posted - amount
    assert(amount > 0n && posted >= -nanoMax, 'a balance fits its column')
    const entry = entryOf(account, input, { counter: 'clearing', kind: 'refund', amount: -amount })
    const debited: AccountState = {
      ...account,
      posted,
      entries: entry.position,
      overdrawn: most(account.overdrawn, account.held - posted),
      suspendedMs: suspends ? (account.suspendedMs ?? nowMs) : account.suspendedMs,
    }
    return { answer: null, changes: [insert('entry', entryId, entry), saveAccount(debited)] }
  },
}

export type Created = { readonly kind: 'created' } | { readonly kind: 'exists'; readonly id: bigint }

/** Creates an account with its starting credit, unless its ID, its email or its owner has one. */
export const createAccount: LedgerOperation<NewAccount, Created> = {
  durable: true,
  rows(account) {
    const { startingCredit } = account
    const names = namesOf(account).map((id) => ({ table: 'accountName' as const, id }))
    const itself = { table: 'account' as const, id: account.id }
    if (startingCredit === undefined) return [itself, ...names]
    const { source, reference } = startingCreditOf(account, startingCredit)
    return [itself, ...names, { table: 'creditReference', id: byReference(source, reference) }]
  },
  apply(rows, input) {
    const { id, kind, name, nowMs, startingCredit } = input
    if (rows.account.get(id) !== undefined) return unchanged({ kind: 'exists', id })
    const names = namesOf(input)
    const [other] = names.flatMap((each) => rows.accountName.get(each) ?? [])
    if (other !== undefined) return unchanged({ kind: 'exists', id: other.account })
    const profile: AccountProfile = {
      id,
      kind,
      email: foldedEmail(input),
      name,
      createdMs: nowMs,
      owner: input.owner ?? null,
      isCreditDecided: startingCredit !== undefined,
    }
    const given =
      startingCredit === undefined || startingCredit.amount === 0n
        ? { account: newAccount(id), changes: [] }
        : credits(newAccount(id), startingCreditOf(input, startingCredit))
    return {
      answer: { kind: 'created' },
      changes: [
        insert('accountProfile', id, profile),
        ...names.map((each) => insert('accountName', each, { account: id })),
        insert('account', id, given.account),
        ...given.changes,
      ],
    }
  },
}

const foldedEmail = ({ email }: NewAccount): string | null => (email === null ? null : email.toLowerCase())

function namesOf(account: NewAccount): readonly RowKey[] {
  const [email, owner] = [foldedEmail(account), account.owner ?? null]
  return [...(email === null ? [] : [byEmail(email)]), ...(owner === null ? [] : [byOwner(owner)])]
}

const startingCreditOf = (
  { id, nowMs }: NewAccount,
  { entryId, amount }: NonNullable<NewAccount['startingCredit']>,
): CreditInput => {
  assertAmount(amount, 'a credit')
  const reference = formatId('acct', id)
  return { entryId, account: id, amount, source: 'signup', reference, nowMs, note: null }
}

const newAccount = (id: bigint): AccountState => ({
  id,
  posted: 0n,
  held: 0n,
  overdrawn: 0n,
  openHolds: 0,
  running: 0,
  entries: 0,
  window: emptyWindow,
  losses: { day: 0, amount: 0n },
  suspendedMs: null,
  restrictedMs: null,
})

/** Changes an account if there is one; answers whether there is. */
function onAccount<Input extends { readonly account: bigint }>(
  changed: (account: AccountState, input: Input) => AccountState,
): LedgerOperation<Input, boolean> {
  return {
    durable: true,
    rows: ({ account }) => [{ table: 'account', id: account }],
    apply(rows, input) {
      const account = rows.account.get(input.account)
      if (account === undefined) return unchanged(false)
      return { answer: true, changes: [saveAccount(changed(account, input))] }
    },
  }
}

/** Suspends an account at an instant; null: ends its suspension. */
export const suspend = onAccount<{ readonly account: bigint; readonly atMs: number | null }>(
  (account, { atMs }) => ({ ...account, suspendedMs: atMs }),
)

/** Lifts the restriction. The day's losses are forgiven with it: the operator has looked at them. */
export const unrestrict = onAccount<{ readonly account: bigint }>((account) => ({
  ...account,
  restrictedMs: null,
  losses: { ...account.losses, amount: 0n },
}))
