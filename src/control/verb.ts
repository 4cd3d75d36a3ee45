/**
 * What every control-plane operation has around it: authorize → parse → carry out → audit. A verb's
 * own file holds only what it does; nothing here knows a particular operation.
 */
import type { z } from 'zod'
import {
  type ActorKind,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  operations,
} from '../../contract/operations.ts'
import { assert } from '../base/assert.ts'
import { asTollgateError, TollgateError } from '../base/errors.ts'
import type { ControlParts } from './parts.ts'

/** Who is acting. */
export interface Actor {
  readonly kind: ActorKind
}

export type Verb<Name extends OperationName> = (
  parts: ControlParts,
  actor: Actor,
  input: unknown,
) => Promise<OperationOutput<Name>>

type Run<Name extends OperationName> = (
  parts: ControlParts,
  input: OperationInput<Name>,
) => Promise<OperationOutput<Name>>

/** Makes a verb of what the operation does. The verb throws TollgateError for every refusal. */
export function verb<Name extends OperationName>(name: Name, run: Run<Name>): Verb<Name> {
  return async (parts, actor, given) => {
    authorize(name, actor)
    const input = parseInput(name, given)
    return operations[name].effect === 'changes'
      ? await audited(parts, { operation: name, actor: actor.kind, input }, () => run(parts, input))
      : await run(parts, input)
  }
}

/** Every actor there is so far may use every operation; one that may not must never get here. */
function authorize(name: OperationName, actor: Actor): void {
  assert(operations[name].may.includes(actor.kind), `${actor.kind} may use ${name}`)
}

/** A change that failed is recorded too: it may have got halfway. */
async function audited<Output>(
  parts: ControlParts,
  what: { readonly operation: OperationName; readonly actor: ActorKind; readonly input: unknown },
  run: () => Promise<Output>,
): Promise<Output> {
  try {
    const output = await run()
    parts.audit({ ...what, outcome: 'done', atMs: parts.clock.wallMs() })
    return output
  } catch (thrown) {
    parts.audit({ ...what, outcome: asTollgateError(thrown).code, atMs: parts.clock.wallMs() })
    throw thrown
  }
}

function parseInput<Name extends OperationName>(name: Name, given: unknown): OperationInput<Name> {
  const parsed = operations[name].input.safeParse(given)
  if (!parsed.success) throw inputMistake(given, parsed.error)
  return parsed.data as OperationInput<Name>
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
