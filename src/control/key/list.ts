/** `key.list`: an account's keys as its people may see them. */
import { accountVerb } from '../verb.ts'
import { keyOutputs } from './output.ts'

export const listKeys = accountVerb('key.list', async (parts, _input, { account }) =>
  keyOutputs(parts, await parts.access.list(account.id)),
)
