/** `setup.link`: a new setup link; earlier ones stop working. */
import { verb } from '../verb.ts'
import { makeSetupToken, setupLinkOf } from './token.ts'

export const makeSetupLink = verb('setup.link', async (parts) => ({
  link: setupLinkOf(parts.address, await makeSetupToken(parts)),
}))
