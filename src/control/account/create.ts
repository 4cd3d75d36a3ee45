/** `account.create`: a personal account, its starting credit, and a first key. */
import { formatUsd } from '../../../contract/usd.ts'
import { TollgateError } from '../../base/errors.ts'
import { formatId } from '../../base/ids.ts'
import { nanoOf } from '../amount.ts'
import { operationHandler } from '../handle-operation.ts'
import { openPolicy } from '../key/policy.ts'

export const createAccount = operationHandler('account.create', async (parts, { email, credit }) => {
  const id = parts.nextId()
  const amount = credit === undefined ? parts.signupNano : nanoOf(credit)
  const made = await parts.ledger.createAccount({
    id,
    kind: 'personal',
    email,
    name: email,
    nowMs: parts.clock.wallMs(),
    startingCredit: { entryId: parts.nextId(), amount },
  })
  if (made.kind === 'exists') {
    throw new TollgateError('conflict', {
      message: `${email} already has the account ${formatId('acct', made.id)}.`,
      param: 'email',
    })
  }
  const key = await parts.access.create({
    account: id,
    name: 'first key',
    expiresMs: null,
    policy: openPolicy('personal'),
  })
  return { account: formatId('acct', id), balance: formatUsd(amount), key: key.secret }
})
