/** `account.create`: a personal account, its starting credit, and a first key. */
import { formatUsd } from '../../../contract/usd.ts'
import { assert } from '../../base/assert.ts'
import { TollgateError } from '../../base/errors.ts'
import { formatId } from '../../base/ids.ts'
import { nanoOf } from '../amount.ts'
import { openPolicy } from '../key/policy.ts'
import type { ControlParts } from '../parts.ts'
import { verb } from '../verb.ts'

export const createAccount = verb('account.create', async (parts, { email, credit }) => {
  const id = parts.nextId()
  const nowMs = parts.clock.wallMs()
  const made = await parts.ledger.createAccount({ id, kind: 'personal', email, name: email, nowMs })
  if (made.kind === 'exists') {
    throw new TollgateError('conflict', {
      message: `${email} already has the account ${formatId('acct', made.id)}.`,
      param: 'email',
    })
  }
  const balance = await startingCredit(parts, id, credit === undefined ? parts.signupNano : nanoOf(credit))
  const key = await parts.access.create({
    account: id,
    name: 'first key',
    expiresMs: null,
    policy: openPolicy('personal'),
  })
  return { account: formatId('acct', id), balance: formatUsd(balance), key: key.secret }
})

/** Promotional money, once per account: the reference is the account itself. Returns the balance. */
export async function startingCredit(
  parts: Pick<ControlParts, 'ledger' | 'nextId' | 'clock'>,
  account: bigint,
  amount: bigint,
): Promise<bigint> {
  if (amount === 0n) return 0n
  const credited = await parts.ledger.credit({
    entryId: parts.nextId(),
    account,
    amount,
    source: 'signup',
    reference: formatId('acct', account),
    nowMs: parts.clock.wallMs(),
    note: null,
  })
  assert(credited.kind === 'credited', `a new account takes its starting credit, not ${credited.kind}`)
  return credited.posted
}
