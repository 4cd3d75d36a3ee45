/** `account.create`: a personal account, its starting credit, and a first key. */
import { formatUsd } from '../../../contract/usd.ts'
import { TollgateError } from '../../base/errors.ts'
import { formatId } from '../../base/ids.ts'
import { nanoOf } from '../amount.ts'
import { operationHandler } from '../handle-operation.ts'
import { defaultPolicy } from '../key/policy.ts'

export const createAccount = operationHandler('account.create', async (deps, { email, credit }) => {
  const id = deps.nextId()
  const amount = credit === undefined ? deps.signupNano : nanoOf(credit)
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
})
