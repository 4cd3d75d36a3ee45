/** `key.list`: an account's keys as its people may see them. */
import { accountOperationHandler } from '../handle-operation.ts'
import { keyOutputs } from './output.ts'

export const listKeys = accountOperationHandler('key.list', async (parts, _input, { account }) =>
  keyOutputs(parts, await parts.access.list(account.id)),
)
