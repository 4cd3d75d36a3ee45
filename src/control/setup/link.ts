/** `setup.link`: a new setup link; earlier ones stop working. */
import { operationHandler } from '../handle-operation.ts'
import { makeSetupToken, setupLinkOf } from './token.ts'

export const makeSetupLink = operationHandler('setup.link', async (deps) => ({
  link: setupLinkOf(deps.address, await makeSetupToken(deps)),
}))
