/** `installation.show`: public facts about an installation, before sign-in. */
import { formatUsd } from '../../../contract/usd.ts'
import type { ControlDeps } from '../control-deps.ts'
import { operationHandler } from '../handle-operation.ts'

export const showInstallation = operationHandler('installation.show', async (deps) => {
  const { signup, mail, signInWith, passkeysUnavailable: passkeysOff } = deps.identity.summary
  return {
    name: deps.operator.name,
    version: deps.server.version,
    address: deps.address,
    signup,
    needsSetup: await needsSetup(deps),
    mail,
    signInWith: [...signInWith],
    passkeysOff,
    sandbox: deps.hasSandbox,
    signupCredit: formatUsd(deps.signupNano),
  }
})

/** The installation has no administrator yet except through the CLI. */
async function needsSetup({ identity }: Pick<ControlDeps, 'identity'>): Promise<boolean> {
  const operators = await identity.listPeople({ state: 'operators', search: null, limit: 1 })
  return operators.length === 0
}
