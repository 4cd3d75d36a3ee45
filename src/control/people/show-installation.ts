/** `installation.show`: what an installation is, before anybody is signed in. */
import { formatUsd } from '../../../contract/usd.ts'
import { operationHandler } from '../handle-operation.ts'
import type { ControlParts } from '../parts.ts'

export const showInstallation = operationHandler('installation.show', async (parts) => {
  const { signup, mail, signInWith, passkeysUnavailable: passkeysOff } = parts.identity.summary
  return {
    name: parts.operator.name,
    version: parts.server.version,
    address: parts.address,
    signup,
    needsSetup: await needsSetup(parts),
    mail,
    signInWith: [...signInWith],
    passkeysOff,
    sandbox: parts.hasSandbox,
    signupCredit: formatUsd(parts.signupNano),
  }
})

/** Nobody runs the installation yet but who has the command line. */
async function needsSetup({ identity }: Pick<ControlParts, 'identity'>): Promise<boolean> {
  const operators = await identity.listPeople({ state: 'operators', search: null, limit: 1 })
  return operators.length === 0
}
