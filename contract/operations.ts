/**
 * The control-plane API as data: every operation's name, policy, route, input and output. Pure: read by server, command
 * line, console and documentation. Amounts are decimal USD strings, ids their text forms, times ISO 8601 in UTC.
 */
import type { z } from 'zod'
import { accountOperations } from './operations/accounts.ts'
import { billingOperations } from './operations/billing.ts'
import { catalogOperations } from './operations/catalog.ts'
import { installationOperations } from './operations/installation.ts'
import { offerOperations } from './operations/offers.ts'
import { peopleOperations } from './operations/people.ts'
import { providerKeyOperations } from './operations/provider-keys.ts'
import { upstreamStatusOperations } from './operations/upstream-status.ts'
import { upstreamOperations } from './operations/upstreams.ts'
import { usageOperations } from './operations/usage.ts'

export const operations = {
  ...accountOperations,
  ...usageOperations,
  ...billingOperations,
  ...peopleOperations,
  ...installationOperations,
  ...catalogOperations,
  ...upstreamOperations,
  ...upstreamStatusOperations,
  ...offerOperations,
  ...providerKeyOperations,
} as const

export type OperationName = keyof typeof operations
/** The parsed input, with defaults filled in. */
export type OperationInput<Name extends OperationName> = z.output<(typeof operations)[Name]['input']>
/** The input as a caller writes it. */
export type OperationRawInput<Name extends OperationName> = z.input<(typeof operations)[Name]['input']>
export type OperationOutput<Name extends OperationName> = z.input<(typeof operations)[Name]['output']>

/** Whether a string names an operation; inherited object properties do not. */
export function isOperationName(text: string): text is OperationName {
  return Object.hasOwn(operations, text)
}

/** The body of every error response of the control plane. */
export interface ControlErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly param?: string
    readonly facts?: Readonly<Record<string, string | number | boolean | readonly string[]>>
    /** Identifies the log line with details. */
    readonly requestId?: string
  }
}
