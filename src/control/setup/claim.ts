/**
 * `setup.claim`: the holder of the setup link becomes an administrator; the first one takes over the local account. One
 * link makes one administrator, also when two people use it concurrently.
 */
import { TollgateError } from '../../base/errors.ts'
import { parseId } from '../../base/ids.ts'
import { createMutex } from '../../base/mutex.ts'
import type { Person } from '../../identity/types.ts'
import type { ControlDeps } from '../control-deps.ts'
import { localAccountSetting } from '../find-account.ts'
import { operationHandler } from '../handle-operation.ts'
import { provisionAccount, takeOverAccount } from '../people/open-accounts.ts'
import { clearSetupToken, isValidSetupToken } from './token.ts'

/** Claims take turns: the second of two finds the token used. */
const serialize = createMutex()

export const claimSetup = operationHandler('setup.claim', (deps, asked) =>
  serialize(async () => {
    if (!(await isValidSetupToken(deps.settings, asked.token))) {
      throw new TollgateError('setup_link_not_valid', {
        message: 'This setup link was already used or has been replaced.',
        param: 'token',
      })
    }
    const person = await createOperator(deps, asked)
    await takeOverLocalAccount(deps, person)
    await provisionAccount(deps, person)
    await clearSetupToken(deps.settings)
    return { email: person.email }
  }),
)

async function createOperator(
  { identity }: ControlDeps,
  asked: { readonly name: string; readonly email: string; readonly password: string },
): Promise<Person> {
  const made = await identity.createOperator(asked)
  if (made !== 'exists') return made
  // A claim that was cut off after this step is taken up where it ended.
  const person = await identity.findPersonByEmail(asked.email)
  if (person?.operator === true) return person
  throw new TollgateError('conflict', {
    message: `${asked.email} already has an account, and a setup link creates a new one. Use another address, then make this user an administrator on the People page.`,
    param: 'email',
  })
}

/** Taken over once; later administrators get separate accounts. */
async function takeOverLocalAccount(deps: ControlDeps, person: Person): Promise<void> {
  const { ledger, settings } = deps
  const local = await settings.get(localAccountSetting)
  const id = local === undefined ? undefined : parseId('acct', local)
  const account = id === undefined ? undefined : await ledger.account(id)
  if (account === undefined || account.owner !== null) return
  await takeOverAccount(deps, person, { reserved: account, own: undefined })
}
