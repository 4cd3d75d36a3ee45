/**
 * The steps around every control-plane operation: authorize → parse → run → audit. A handler's
 * file contains only its own work; nothing here knows a particular operation.
 */
import type { z } from 'zod'
import {
  type OperationInput,
  type OperationName,
  type OperationOutput,
  operations,
} from '../../contract/operations.ts'
import { assert } from '../base/assert.ts'
import { asTollgateError, TollgateError } from '../base/errors.ts'
import { type AccountScope, type Actor, auditNameOf, type Principal } from './actor.ts'
import { authorizeAccount, authorizeActor, type ResourceRef } from './authorize.ts'
import type { ControlDeps } from './control-deps.ts'
import { lookUpAccount } from './find-account.ts'
import { withoutSecrets } from './without-secrets.ts'

export type OperationHandler<Name extends OperationName> = (
  deps: ControlDeps,
  actor: Actor,
  input: unknown,
) => Promise<OperationOutput<Name>>

type OperationBody<Name extends OperationName, Caller extends Principal> = (
  deps: ControlDeps,
  input: OperationInput<Name>,
  who: Caller,
) => Promise<OperationOutput<Name>>

/** Makes a verb of what the operation does with things of no one account. It throws TollgateError for every refusal. */
export function operationHandler<Name extends OperationName>(
  name: Name,
  run: OperationBody<Name, Principal>,
): OperationHandler<Name> {
  const { policy } = operations[name]
  assert(policy.kind !== 'account', `${name} is not an operation on an account`)
  return async (deps, actor, given) => {
    authorizeActor(deps, policy, actor)
    const input = parseInput(name, given)
    const account = await findAuditedAccount(deps, name, input as ResourceRef)
    return runAudited(deps, { name, actor, input, account }, () => run(deps, input, { actor }))
  }
}

/** What a change by an operator concerns, so that it is found among what happened to that account. */
async function findAuditedAccount(
  deps: ControlDeps,
  name: OperationName,
  input: ResourceRef,
): Promise<bigint | null> {
  if (operations[name].effect === 'reads' || typeof input.account !== 'string') return null
  return (await lookUpAccount(deps, input.account))?.id ?? null
}

/** The same for what belongs to one account: it is found, and the actor is one who may. */
export function accountOperationHandler<Name extends OperationName>(
  name: Name,
  run: OperationBody<Name, AccountScope>,
): OperationHandler<Name> {
  const { policy } = operations[name]
  assert(policy.kind === 'account', `${name} is an operation on an account`)
  return async (deps, actor, given) => {
    authorizeActor(deps, policy, actor)
    const input = parseInput(name, given)
    const who = await authorizeAccount(deps, policy, actor, input as ResourceRef)
    return runAudited(deps, { name, actor, input, account: who.account.id }, () => run(deps, input, who))
  }
}

interface AuditedOperation {
  readonly name: OperationName
  readonly actor: Actor
  readonly input: unknown
  readonly account: bigint | null
}

/** A change is written down before it begins: one that got halfway is seen. */
async function runAudited<Output>(
  deps: ControlDeps,
  { name, actor, input, account }: AuditedOperation,
  run: () => Promise<Output>,
): Promise<Output> {
  if (operations[name].effect === 'reads') return run()
  const id = deps.nextId()
  await deps.audit.begin({
    id,
    atMs: deps.clock.wallMs(),
    actor: auditNameOf(actor),
    operation: name,
    account,
    input: withoutSecrets(input),
    address: actor.kind === 'local' ? null : actor.address,
  })
  try {
    const output = await run()
    await deps.audit.end(id, 'done', null)
    return output
  } catch (thrown) {
    await deps.audit.end(id, asTollgateError(thrown).code, null)
    throw thrown
  }
}

function parseInput<Name extends OperationName>(name: Name, given: unknown): OperationInput<Name> {
  const parsed = operations[name].input.safeParse(given)
  if (!parsed.success) throw inputError(given, parsed.error)
  // Databases end a text there, or refuse it: a search for nothing else would find everything.
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
    : new TollgateError('invalid_value', { message: `${param}: ${issue.message}.`, param })
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  let value = given
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<PropertyKey, unknown>)[step]
  }
  return value
}
