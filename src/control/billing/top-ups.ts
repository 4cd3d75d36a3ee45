/** `top-up.create`, `top-up.list`, `top-up.show` and, for operators, `payments.list`. */
import { assert } from '../../base/assert.ts'
import { TollgateError } from '../../base/errors.ts'
import { parseId } from '../../base/ids.ts'
import { nanoOf } from '../amount.ts'
import { accountOperationHandler, operationHandler } from '../handle-operation.ts'
import { topUpOutput } from './output.ts'

export const createTopUp = accountOperationHandler(
  'top-up.create',
  async (deps, input, { account, actor }) => {
    const email = account.email ?? (actor.kind === 'person' ? actor.person.email : null)
    const topUp = await deps.payments.beginTopUp({
      account: account.id,
      email,
      amount: nanoOf(input.amount),
      saveMethod: input.saveMethod,
      address: deps.address,
    })
    return topUpOutput(topUp)
  },
)

export const listTopUps = accountOperationHandler(
  'top-up.list',
  async (deps, { limit, before }, { account }) => {
    const topUps = await deps.payments.topUps({ account: account.id, limit, before: idOf(before) })
    return topUps.map(topUpOutput)
  },
)

export const showTopUp = accountOperationHandler('top-up.show', async (deps, input) => {
  const id = idOf(input.topUp)
  const topUp = id === null ? undefined : await deps.payments.freshTopUp(id)
  if (topUp !== undefined) return topUpOutput(topUp)
  throw new TollgateError('top_up_not_found', {
    message: `No top-up has the ID ${input.topUp}.`,
    param: 'topUp',
  })
})

export const listPayments = operationHandler('payments.list', async (deps, { limit, before }) => {
  const topUps = await deps.payments.topUps({ account: null, limit, before: idOf(before) })
  const accounts = [...new Set(topUps.map(({ account }) => account))]
  const emails = new Map(
    await Promise.all(
      accounts.map(async (id) => [id, (await deps.ledger.account(id))?.email ?? null] as const),
    ),
  )
  return topUps.map((topUp) => ({ ...topUpOutput(topUp), email: emails.get(topUp.account) ?? null }))
})

function idOf(text: string | undefined): bigint | null {
  if (text === undefined) return null
  const id = parseId('top', text)
  assert(id !== undefined, 'an id of parsed input is an id')
  return id
}
