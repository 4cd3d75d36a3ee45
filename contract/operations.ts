/**
 * The control-plane API as data: every operation's name, who may call it, where it is, what it takes and what it
 * gives. Pure: server, command line, console and documentation read it. Amounts are decimal USD strings, ids their
 * text forms, times ISO 8601 in UTC.
 */
import type { z } from 'zod'
import { accountOperations } from './operations/accounts.ts'
import { billingOperations } from './operations/billing.ts'
import { installationOperations } from './operations/installation.ts'
import { peopleOperations } from './operations/people.ts'
import { usageOperations } from './operations/usage.ts'

export const operations = {
  ...accountOperations,
  ...usageOperations,
  ...billingOperations,
  ...peopleOperations,
  ...installationOperations,
} as const

export type OperationName = keyof typeof operations
/** What a caller may leave out has been filled in. */
export type OperationInput<Name extends OperationName> = z.output<(typeof operations)[Name]['input']>
/** What a caller writes. */
export type OperationRawInput<Name extends OperationName> = z.input<(typeof operations)[Name]['input']>
export type OperationOutput<Name extends OperationName> = z.input<(typeof operations)[Name]['output']>

/** Whether a text from outside names an operation; inherited names of objects do not. */
export function isOperationName(text: string): text is OperationName {
  return Object.hasOwn(operations, text)
}

/** The body of every control-plane answer that is not the output. */
export interface ControlErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly param?: string
    readonly facts?: Readonly<Record<string, string | number | boolean | readonly string[]>>
    /** Names the log line that tells more. */
    readonly requestId?: string
  }
}
