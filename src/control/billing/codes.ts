/** `code.redeem`, and for operators `code.create`, `code.list`, `code.revoke`. */
import { formatUsd } from '../../../contract/usd.ts'
import { TollgateError } from '../../base/errors.ts'
import { formatId, parseId } from '../../base/ids.ts'
import { networkOf } from '../../base/network.ts'
import { nanoOf } from '../amount.ts'
import { accountOperationHandler, operationHandler } from '../handle-operation.ts'
import { codeOutput } from './output.ts'

export const redeemCode = accountOperationHandler(
  'code.redeem',
  async (deps, { code }, { account, actor }) => {
    const from = actor.kind === 'local' ? null : actor.address
    const address = from === null ? null : networkOf(from)
    const { amount, posted } = await deps.payments.redeem({ account: account.id, code, address })
    return { amount: formatUsd(amount), balance: formatUsd(posted) }
  },
)

export const createCode = operationHandler(
  'code.create',
  async (deps, { amount, usesMax, expires, note }) => {
    const expiresMs = expires === undefined || expires === null ? null : Date.parse(expires)
    const made = await deps.payments.createCode({
      amount: nanoOf(amount),
      usesMax,
      expiresMs,
      note: note ?? null,
    })
    return { id: formatId('code', made.id), code: made.code }
  },
)

export const listCodes = operationHandler('code.list', async (deps) =>
  (await deps.payments.codes()).map(codeOutput),
)

export const revokeCode = operationHandler('code.revoke', async (deps, { code }) => {
  const id = parseId('code', code)
  const revoked = id === undefined ? undefined : await deps.payments.revokeCode(id)
  if (revoked !== undefined) return codeOutput(revoked)
  throw new TollgateError('code_not_valid', { message: `No code has the ID ${code}.`, param: 'code' })
})
