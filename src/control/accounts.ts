/** `account.*`, `member.list` and `credit`: accounts as members and operators see them. */

import type { OperationOutput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId, parseId } from '../base/ids.ts'
import type { AccountRow } from '../ledger/types.ts'
import { findAccount } from './authorize.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { defaultPolicy } from './key-policy.ts'
import { isoTime, isoTimeOrNull, parseAmount } from './values.ts'

export const accountHandlers = {
  'account.create': async (deps, { email, credit }) => {
    const id = deps.nextId()
    const amount = credit === undefined ? deps.signupNano : parseAmount(credit)
    const made = await deps.ledger.createAccount({
      id,
      kind: 'personal',
      email,
      name: email,
      nowMs: deps.clock.wallMs(),
      startingCredit: { entryId: deps.nextId(), amount },
    })
    if (made.kind === 'exists') {
      throw new TollgateError('conflict', {
        message: `${email} already has the account ${formatId('acct', made.id)}.`,
        param: 'email',
      })
    }
    const key = await deps.access.create({
      account: id,
      name: 'First key',
      expiresMs: null,
      policy: defaultPolicy('personal'),
    })
    return { account: formatId('acct', id), balance: formatUsd(amount), key: key.secret }
  },

  'account.show': async (_deps, _input, { account }) => accountOutput(account),

  'member.list': async ({ identity }, _input, { account }) => {
    const [kind, id] = splitOwner(account.owner)
    if (kind === 'organization') {
      const members = await identity.listMembers(id)
      return members.map(({ person, role, sinceMs }) => ({
        person: person.id,
        name: person.name,
        email: person.email,
        role,
        since: isoTime(sinceMs),
      }))
    }
    const person = kind === 'person' ? await identity.findPerson(id) : undefined
    if (person === undefined) return []
    const { name, email, createdMs } = person
    return [{ person: person.id, name, email, role: 'owner' as const, since: isoTime(createdMs) }]
  },

  'account.list': async (deps, { limit, after, search }) => {
    const afterId = after === undefined ? 0n : (parseId('acct', after) ?? 0n)
    const rows = await deps.ledger.accounts(limit, afterId, search ?? null)
    return rows.map(accountOutput)
  },

  'account.suspend': (deps, { account }) => suspend(deps, account, deps.clock.wallMs()),

  'account.resume': (deps, { account }) => suspend(deps, account, null),

  /** The account regains the features that cannot be bounded in advance. */
  'account.unrestrict': async (deps, { account }) => {
    const row = await findAccount(deps, account)
    await deps.ledger.unrestrict(row.id)
    return accountOutput(await findAccount(deps, account))
  },

  credit: async (deps, { account, amount, reference, note }) => {
    const row = await findAccount(deps, account)
    const result = await deps.ledger.credit({
      entryId: deps.nextId(),
      account: row.id,
      amount: parseAmount(amount),
      source: 'manual',
      reference,
      nowMs: deps.clock.wallMs(),
      note: note ?? null,
    })
    switch (result.kind) {
      case 'credited':
        return {
          entry: formatId('ent', result.entryId),
          created: result.created,
          balance: formatUsd(result.posted),
        }
      case 'conflict':
        throw new TollgateError('conflict', {
          message: `The reference ${JSON.stringify(reference)} was used for another account or amount.`,
          param: 'reference',
        })
      case 'no_account':
        throw new TollgateError('account_not_found', {
          message: `The account ${formatId('acct', row.id)} no longer exists.`,
          param: 'account',
        })
    }
  },
} satisfies Partial<OperationHandlers>

type AccountOutput = OperationOutput<'account.show'>

/** null: the account is no longer suspended. */
async function suspend(deps: ControlDeps, account: string, atMs: number | null): Promise<AccountOutput> {
  const { id } = await findAccount(deps, account)
  await deps.ledger.suspend(id, atMs)
  deps.changes.publish(id, ['account', 'balance'])
  return accountOutput(await findAccount(deps, formatId('acct', id)))
}

function splitOwner(owner: string | null): readonly [kind: string, id: string] {
  const [kind = '', ...rest] = (owner ?? '').split(':')
  return [kind, rest.join(':')]
}

/** An account as the control plane shows it. */
export function accountOutput(row: AccountRow): AccountOutput {
  return {
    account: formatId('acct', row.id),
    email: row.email,
    name: row.name,
    kind: row.kind,
    ...balanceOutput(row),
    openHolds: row.openHolds,
    created: isoTime(row.createdMs),
    suspended: isoTimeOrNull(row.suspendedMs),
    restricted: isoTimeOrNull(row.restrictedMs),
  }
}

/** The balance of an account, and how much of it the next request can use. */
export function balanceOutput({ posted, held }: Pick<AccountRow, 'posted' | 'held'>) {
  return { posted: formatUsd(posted), held: formatUsd(held), available: formatUsd(posted - held) }
}
