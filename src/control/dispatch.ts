/**
 * Name and unvalidated input → the handler → a response. The one place where an error of the control plane
 * becomes a response.
 */
import { type ControlErrorBody, isOperationName, type OperationName } from '../../contract/operations.ts'
import { asTollgateError, TollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import { accountHandlers } from './account/handlers.ts'
import type { Actor } from './actor.ts'
import { billingHandlers } from './billing/handlers.ts'
import { catalogHandlers } from './catalog/handlers.ts'
import type { ControlDeps } from './control-deps.ts'
import type { OperationHandler } from './handle-operation.ts'
import { installationHandlers } from './installation/handlers.ts'
import { keyHandlers } from './key/handlers.ts'
import { modelHandlers } from './models/handlers.ts'
import { peopleHandlers } from './people/handlers.ts'
import { providerKeyHandlers } from './provider-keys/handlers.ts'
import { requestHandlers } from './requests/handlers.ts'
import { usageHandlers } from './usage/handlers.ts'

const operationHandlers: { readonly [Name in OperationName]: OperationHandler<Name> } = {
  ...accountHandlers,
  ...billingHandlers,
  ...catalogHandlers,
  ...installationHandlers,
  ...keyHandlers,
  ...modelHandlers,
  ...peopleHandlers,
  ...providerKeyHandlers,
  ...requestHandlers,
  ...usageHandlers,
}

/** `body` is the operation's output when `status` is 200, else a ControlErrorBody. */
export interface ControlReply {
  readonly status: number
  readonly body: unknown
  /** How long the rejected caller should wait. */
  readonly retryAfterMs?: number
}

/** Never rejects. */
export async function dispatch(
  deps: ControlDeps,
  actor: Actor,
  name: string,
  input: unknown,
): Promise<ControlReply> {
  try {
    if (!isOperationName(name)) {
      throw new TollgateError('unknown_path', { message: `Unknown operation ${JSON.stringify(name)}.` })
    }
    return { status: 200, body: await operationHandlers[name](deps, actor, input) }
  } catch (thrown) {
    return toErrorReply(deps, name, asTollgateError(thrown))
  }
}

function toErrorReply(deps: ControlDeps, operation: string, error: TollgateError): ControlReply {
  const { message, param, facts, detail, retryAfterMs } = error.details
  const requestId = detail === undefined ? undefined : formatId('req', deps.nextId())
  // What the caller may not see stays findable by the id that the caller gets.
  if (requestId !== undefined)
    deps.log.error({ requestId, operation, code: error.code, detail }, 'operation failed')
  const body: ControlErrorBody = {
    error: {
      code: error.code,
      message,
      ...(param === undefined ? {} : { param }),
      ...(facts === undefined ? {} : { facts }),
      ...(requestId === undefined ? {} : { requestId }),
    },
  }
  return retryAfterMs === undefined
    ? { status: error.status, body }
    : { status: error.status, body, retryAfterMs }
}
