/**
 * What every control-plane operation has around it: authorize → parse → carry out → audit. A verb's
 * own file holds only what it does; nothing here knows a particular operation.
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
import { type AccountScope, type Actor, actorText, type Principal } from './actor.ts'
import { authorizeAccount, authorizeActor, type ResourceRef } from './authorize.ts'
import { lookForAccount } from './find-account.ts'
import type { ControlParts } from './parts.ts'
import { withoutSecrets } from './without-secrets.ts'

export type OperationHandler<Name extends OperationName> = (
  parts: ControlParts,
  actor: Actor,
  input: unknown,
) => Promise<OperationOutput<Name>>

type Run<Name extends OperationName, Caller extends Principal> = (
  parts: ControlParts,
  input: OperationInput<Name>,
  who: Caller,
) => Promise<OperationOutput<Name>>

/** Makes a verb of what the operation does with things of no one account. It throws TollgateError for every refusal. */
export function operationHandler<Name extends OperationName>(
  name: Name,
  run: Run<Name, Principal>,
): OperationHandler<Name> {
  const { policy } = operations[name]
  assert(policy.of !== 'account', `${name} is no operation on an account`)
  return async (parts, actor, given) => {
    authorizeActor(parts, policy, actor)
    const input = parseInput(name, given)
    const account = await accountNamed(parts, name, input as ResourceRef)
    return recorded(parts, { name, actor, input, account }, () => run(parts, input, { actor }))
  }
}

/** What a change by an operator concerns, so that it is found among what happened to that account. */
async function accountNamed(
  parts: ControlParts,
  name: OperationName,
  input: ResourceRef,
): Promise<bigint | null> {
  if (operations[name].effect === 'reads' || typeof input.account !== 'string') return null
  return (await lookForAccount(parts, input.account))?.id ?? null
}

/** The same for what belongs to one account: it is found, and the actor is one who may. */
export function accountOperationHandler<Name extends OperationName>(
  name: Name,
  run: Run<Name, AccountScope>,
): OperationHandler<Name> {
  const { policy } = operations[name]
  assert(policy.of === 'account', `${name} is an operation on an account`)
  return async (parts, actor, given) => {
    authorizeActor(parts, policy, actor)
    const input = parseInput(name, given)
    const who = await authorizeAccount(parts, policy, actor, input as ResourceRef)
    return recorded(parts, { name, actor, input, account: who.account.id }, () => run(parts, input, who))
  }
}

interface AuditedOperation {
  readonly name: OperationName
  readonly actor: Actor
  readonly input: unknown
  readonly account: bigint | null
}

/** A change is written down before it begins: one that got halfway is seen. */
async function recorded<Output>(
  parts: ControlParts,
  { name, actor, input, account }: AuditedOperation,
  run: () => Promise<Output>,
): Promise<Output> {
  if (operations[name].effect === 'reads') return run()
  const id = parts.nextId()
  await parts.audit.begin({
    id,
    atMs: parts.clock.wallMs(),
    actor: actorText(actor),
    operation: name,
    account,
    input: withoutSecrets(input),
    address: actor.kind === 'local' ? null : actor.address,
  })
  try {
    const output = await run()
    await parts.audit.end(id, 'done', null)
    return output
  } catch (thrown) {
    await parts.audit.end(id, asTollgateError(thrown).code, null)
    throw thrown
  }
}

function parseInput<Name extends OperationName>(name: Name, given: unknown): OperationInput<Name> {
  const parsed = operations[name].input.safeParse(given)
  if (!parsed.success) throw inputMistake(given, parsed.error)
  // Databases end a text there, or refuse it: a search for nothing else would find everything.
  if (holdsNul(parsed.data)) {
    throw new TollgateError('invalid_value', { message: 'A text holds the character U+0000.' })
  }
  return parsed.data as OperationInput<Name>
}

/** At any depth of what a schema has let through. */
function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsNul)
}

/** The first mistake in an input, as a row of the error table. */
export function inputMistake(given: unknown, error: z.ZodError): TollgateError {
  const issue = error.issues[0]
  if (issue === undefined) return new TollgateError('invalid_value', { message: 'The input is not valid.' })
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
