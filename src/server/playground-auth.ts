/**
 * The playground's access to the data plane: a signed-in user is served through the same phases as every caller, under
 * the built-in key of the account that they chose. It decides who the caller is and nothing else of a request.
 */
import type { IncomingMessage } from 'node:http'
import { builders, forAccount } from '../../contract/operation.ts'
import { accountReference } from '../../contract/values.ts'
import type { Caller } from '../access/types.ts'
import { assertSameSite } from '../api/same-site.ts'
import { TollgateError } from '../base/errors.ts'
import type { Actor } from '../control/actor.ts'
import { authorizeAccount, authorizeActor } from '../control/authorize.ts'
import type { ControlDeps } from '../control/control-deps.ts'
import { defaultPolicy } from '../control/key-policy.ts'
import type { CallerOf } from '../gateway/phases/authenticate.ts'
import { isPlaygroundPath, pathOf, playgroundPaths } from './control-plane-paths.ts'

/** Operators who are no members of an account do not spend its money. */
const policy = forAccount({ roles: builders })

/** Where requests to the data plane come in: with a key, or from the playground once there is a control plane. */
export interface AuthSelector {
  callerOf(request: IncomingMessage): CallerOf
  enablePlayground(control: ControlDeps): void
}

export function createAuthSelector(keyed: CallerOf): AuthSelector {
  let control: ControlDeps | null = null
  return {
    callerOf: (request) =>
      control !== null && isPlaygroundPath(request.url ?? '') ? toDataPlane(control, request) : keyed,
    enablePlayground(deps) {
      control = deps
    },
  }
}

/**
 * Turns a request to the playground into one of the data plane, and returns how its caller is identified. `?account=` selects
 * the account, by default the person's own; nothing else of the query is passed on, because it may reach an upstream.
 */
function toDataPlane(control: ControlDeps, request: IncomingMessage): CallerOf {
  const url = request.url ?? ''
  const account = new URLSearchParams(url.slice(pathOf(url).length)).get('account')
  request.url = playgroundPaths.get(pathOf(url)) ?? url
  return () => callerOf(control, request, account)
}

/** Throws 401 without a session, 403 from another site's page or in another role, 404 for another's account. */
async function callerOf(
  control: ControlDeps,
  request: IncomingMessage,
  account: string | null,
): Promise<Caller> {
  const actor = await actorOf(control, request)
  assertSameSite({ method: request.method ?? '', headers: request.headers }, actor.kind, control.address)
  authorizeActor(control, policy, actor)
  const named = account === null ? {} : { account: referenceOf(account) }
  const of = await authorizeAccount(control, policy, actor, named)
  const { id, kind } = of.account
  const identified = await control.builtInKeys.identify(id, defaultPolicy(kind))
  switch (identified.kind) {
    case 'caller':
      return { ...identified.caller, person: actor.kind === 'person' ? actor.person.id : null }
    case 'disabled':
      throw new TollgateError('key_disabled', {
        message: "The playground's key is disabled for this account. Enable it on the API keys page.",
      })
    default:
      throw new TollgateError('revoked_api_key', {
        message:
          "The playground's key has expired for this account. Change its expiration on the API keys page.",
      })
  }
}

async function actorOf({ identity }: ControlDeps, request: IncomingMessage): Promise<Actor> {
  const session = await identity.authenticate(request.headers)
  if (session === null) return { kind: 'anyone', address: null }
  return { kind: 'person', person: session.person, loginMs: session.loginMs, address: null }
}

function referenceOf(account: string): string {
  const parsed = accountReference.safeParse(account)
  if (parsed.success) return parsed.data
  throw new TollgateError('invalid_value', {
    message: 'account: must be an account ID (acct_…).',
    param: 'account',
  })
}
