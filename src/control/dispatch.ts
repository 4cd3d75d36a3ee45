/**
 * Name and unvalidated input → authorize → parse → run, with its audit entry → a response. The one place where an error of
 * the control plane becomes a response; nothing here knows a particular operation.
 */
import type { z } from 'zod'
import type { Policy } from '../../contract/operation.ts'
import {
  type ControlErrorBody,
  isOperationName,
  type OperationInput,
  type OperationName,
  operations,
} from '../../contract/operations.ts'
import { assert } from '../base/assert.ts'
import { asTollgateError, TollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import { accountHandlers } from './accounts.ts'
import { type Actor, type Callers, nameForAudit } from './actor.ts'
import { auditHandlers, recordChange } from './audit.ts'
import { authorizeAccount, authorizeActor, lookUpAccount, type ResourceRef } from './authorize.ts'
import { billingHandlers } from './billing.ts'
import { catalogHandlers } from './catalog.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { entryHandlers } from './entries.ts'
import { installationHandlers } from './installation.ts'
import { invoiceHandlers } from './invoices.ts'
import { keyHandlers } from './keys.ts'
import { ledgerHandlers } from './ledger.ts'
import { managementKeyHandlers } from './management-keys.ts'
import { meHandlers } from './me.ts'
import { modelHandlers } from './models.ts'
import { offerHandlers } from './offers.ts'
import { peopleHandlers } from './people.ts'
import { providerKeyHandlers } from './provider-keys.ts'
import { rejectionHandlers } from './rejections.ts'
import { requestHandlers } from './requests.ts'
import { setupHandlers } from './setup.ts'
import { upstreamHostHandlers } from './upstream-hosts.ts'
import { upstreamStatusHandlers } from './upstream-status.ts'
import { upstreamHandlers } from './upstreams.ts'
import { usageHandlers } from './usage.ts'
import { invalidValue } from './values.ts'

const handlers: OperationHandlers = {
  ...accountHandlers,
  ...auditHandlers,
  ...billingHandlers,
  ...catalogHandlers,
  ...entryHandlers,
  ...installationHandlers,
  ...invoiceHandlers,
  ...keyHandlers,
  ...ledgerHandlers,
  ...managementKeyHandlers,
  ...meHandlers,
  ...modelHandlers,
  ...offerHandlers,
  ...peopleHandlers,
  ...providerKeyHandlers,
  ...rejectionHandlers,
  ...requestHandlers,
  ...setupHandlers,
  ...upstreamHostHandlers,
  ...upstreamStatusHandlers,
  ...upstreamHandlers,
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
    return { status: 200, body: await runOperation(deps, actor, name, input) }
  } catch (thrown) {
    return toErrorReply(deps, name, asTollgateError(thrown))
  }
}

/** A change writes an audit entry, under the account that it concerns. */
async function runOperation(
  deps: ControlDeps,
  actor: Actor,
  name: OperationName,
  given: unknown,
): Promise<unknown> {
  const { policy, effect } = operations[name]
  authorizeActor(deps, policy, actor)
  const input = parseInput(name, given)
  const caller = await findCaller(deps, policy, actor, input as ResourceRef)
  const run = (): Promise<unknown> => handlers[name](deps, input as never, caller as never)
  if (effect === 'reads') return run()
  const account = 'account' in caller ? caller.account.id : await findNamedAccount(deps, input as ResourceRef)
  const address = actor.kind === 'local' ? null : actor.address
  return recordChange(deps, { actor: nameForAudit(actor), operation: name, account, input, address }, run)
}

/** The caller as handlers of this policy receive it. Throws where the account is not the actor's. */
async function findCaller(
  deps: ControlDeps,
  policy: Policy,
  actor: Actor,
  input: ResourceRef,
): Promise<Callers[Policy['kind']]> {
  if (policy.kind === 'account') return authorizeAccount(deps, policy, actor, input)
  assert(policy.kind !== 'person' || actor.kind === 'person', 'the actor is signed in')
  return { actor }
}

/** The account that an operator's change names, under which its audit entry is found. */
async function findNamedAccount(deps: ControlDeps, { account }: ResourceRef): Promise<bigint | null> {
  return typeof account === 'string' ? ((await lookUpAccount(deps, account))?.id ?? null) : null
}

function parseInput<Name extends OperationName>(name: Name, given: unknown): OperationInput<Name> {
  const parsed = operations[name].input.safeParse(given)
  if (!parsed.success) throw inputError(given, parsed.error)
  // Databases end a text there, or reject it: a search for nothing else would find everything.
  if (containsNul(parsed.data)) {
    throw new TollgateError('invalid_value', { message: 'Text must not contain the character U+0000.' })
  }
  return parsed.data as OperationInput<Name>
}

/** At any depth of what a schema has let through. */
function containsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  return typeof value === 'object' && value !== null && Object.values(value).some(containsNul)
}

/** The first mistake in an input, as a row of the error table. */
export function inputError(given: unknown, error: z.ZodError): TollgateError {
  const issue = error.issues[0]
  if (issue === undefined) return new TollgateError('invalid_value', { message: 'Invalid input.' })
  if (issue.code === 'unrecognized_keys') {
    const param = [...issue.path, issue.keys[0] ?? ''].join('.')
    return new TollgateError('invalid_value', {
      message: `${param} is not a field of this operation.`,
      param,
    })
  }
  const param = issue.path.join('.')
  if (param === '') return new TollgateError('invalid_value', { message: `The input ${issue.message}.` })
  return valueAt(given, issue.path) === undefined
    ? new TollgateError('missing_field', { message: `${param} is missing.`, param })
    : invalidValue(param, issue.message)
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  let value = given
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<PropertyKey, unknown>)[step]
  }
  return value
}

function toErrorReply(deps: ControlDeps, operation: string, error: TollgateError): ControlReply {
  const { message, param, facts, detail, retryAfterMs } = error.details
  const requestId = detail === undefined ? undefined : formatId('req', deps.nextId())
  // Details that the caller may not see are found by the ID that the caller gets.
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
