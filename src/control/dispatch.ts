/**
 * Name and unknown input → the verb → an answer. The one place where an error of the control plane
 * becomes a response.
 */
import { type ControlErrorBody, isOperationName, type OperationName } from '../../contract/operations.ts'
import { asTollgateError, TollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import { createAccount } from './account/create.ts'
import { creditAccount } from './account/credit.ts'
import { listAccounts } from './account/list.ts'
import { resumeAccount } from './account/resume.ts'
import { showAccount } from './account/show.ts'
import { suspendAccount } from './account/suspend.ts'
import { unrestrictAccount } from './account/unrestrict.ts'
import { createKey } from './key/create.ts'
import { listKeys } from './key/list.ts'
import { revokeKey } from './key/revoke.ts'
import { verifyLedger } from './ledger/verify.ts'
import { addModel } from './models/add.ts'
import { disableModel } from './models/disable.ts'
import { enableModel } from './models/enable.ts'
import { listModels } from './models/list.ts'
import { priceModel } from './models/price.ts'
import type { ControlParts } from './parts.ts'
import { listRequests } from './requests/list.ts'
import { makeSetupLink } from './setup/link.ts'
import type { Actor, Verb } from './verb.ts'

export const verbs: { readonly [Name in OperationName]: Verb<Name> } = {
  'account.create': createAccount,
  'account.show': showAccount,
  'account.list': listAccounts,
  'account.suspend': suspendAccount,
  'account.resume': resumeAccount,
  'account.unrestrict': unrestrictAccount,
  'key.create': createKey,
  'key.list': listKeys,
  'key.revoke': revokeKey,
  credit: creditAccount,
  'models.list': listModels,
  'models.add': addModel,
  'models.price': priceModel,
  'models.disable': disableModel,
  'models.enable': enableModel,
  'requests.list': listRequests,
  'ledger.verify': verifyLedger,
  'setup.link': makeSetupLink,
}

/** `body` is the operation's output when `status` is 200, else a ControlErrorBody. */
export interface ControlReply {
  readonly status: number
  readonly body: unknown
}

/** Never rejects. */
export async function dispatch(
  parts: ControlParts,
  actor: Actor,
  name: string,
  input: unknown,
): Promise<ControlReply> {
  try {
    if (!isOperationName(name)) {
      throw new TollgateError('unknown_path', { message: `There is no operation ${JSON.stringify(name)}.` })
    }
    return { status: 200, body: await verbs[name](parts, actor, input) }
  } catch (thrown) {
    return errorReply(parts, name, asTollgateError(thrown))
  }
}

function errorReply(parts: ControlParts, operation: string, error: TollgateError): ControlReply {
  const { message, param, facts, detail } = error.details
  const requestId = detail === undefined ? undefined : formatId('req', parts.nextId())
  // What the caller may not see stays findable under the id that the caller is told.
  if (requestId !== undefined)
    parts.log.error({ requestId, operation, code: error.code, detail }, 'operation failed')
  const body: ControlErrorBody = {
    error: {
      code: error.code,
      message,
      ...(param === undefined ? {} : { param }),
      ...(facts === undefined ? {} : { facts }),
      ...(requestId === undefined ? {} : { requestId }),
    },
  }
  return { status: error.status, body }
}
