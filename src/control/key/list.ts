/** `key.list`: an account's keys as its members may see them. */
import { accountOperationHandler } from '../handle-operation.ts'
import { keyOutputs } from './output.ts'

export const listKeys = accountOperationHandler('key.list', async (deps, _input, { account }) =>
  keyOutputs(deps, await deps.access.list(account.id)),
)
