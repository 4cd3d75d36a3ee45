/** `setup.*`: who holds the setup link becomes an administrator; the first one takes over the local account. */

import { createHash, timingSafeEqual } from 'node:crypto'
import { TollgateError } from '../base/errors.ts'
import { parseId } from '../base/ids.ts'
import { createMutex } from '../base/mutex.ts'
import type { Person } from '../identity/types.ts'
import type { Settings } from '../store/settings.ts'
import { localAccountSetting } from './authorize.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { provisionAccount, takeOverAccount } from './open-accounts.ts'

export const setupHandlers = {
  'setup.link': async (deps) => ({
    link: formatSetupLink(deps.address, await makeSetupToken(deps)),
  }),

  'setup.claim': (deps, asked) =>
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
} satisfies Partial<OperationHandlers>

/** Claims take turns, so that one link makes one administrator: the second of two finds the token used. */
const serialize = createMutex()

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

const settingName = 'setup_token_sha256'
const tokenBytes = 24

/**
 * Makes a token and forgets the one before; the return value is its only copy. Only its hash is stored, so a copy of the
 * database reveals no token.
 */
export async function makeSetupToken(deps: Pick<ControlDeps, 'settings' | 'random'>): Promise<string> {
  const token = Buffer.from(deps.random(tokenBytes)).toString('base64url')
  await deps.settings.put(settingName, hashToken(token).toString('hex'))
  return token
}

export async function isValidSetupToken(settings: Pick<Settings, 'get'>, token: string): Promise<boolean> {
  const stored = await settings.get(settingName)
  return (
    stored !== undefined && stored !== '' && timingSafeEqual(hashToken(token), Buffer.from(stored, 'hex'))
  )
}

/** A used token opens nothing any more. */
async function clearSetupToken(settings: Pick<Settings, 'put'>): Promise<void> {
  await settings.put(settingName, '')
}

/** The token is 192 random bits: a fast hash is enough. */
function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

export function formatSetupLink(address: string, token: string): string {
  return `${address}/console/setup?token=${token}`
}
