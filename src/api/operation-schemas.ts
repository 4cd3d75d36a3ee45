/** The contract's zod schemas as JSON Schema (2020-12, the dialect of OpenAPI 3.1): inputs and outputs of operations. Pure. */
import { z } from 'zod'
import { managementKey } from '../../contract/operations/accounts.ts'
import { billing } from '../../contract/operations/billing.ts'
import { installation, person } from '../../contract/operations/people.ts'
import { upstream } from '../../contract/operations/upstreams.ts'
import { type OperationName, operations } from '../../contract/operations.ts'
import { account, email, key, model, receipt } from '../../contract/values.ts'
import { entry, invoice, redeemCode, topUp } from '../../contract/values-billing.ts'
import { rejection, rejectionCount, runningRequest, tokens, usageRow } from '../../contract/values-usage.ts'

/** The parts of a JSON schema that this program reads. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
}

/** Values that several operations give, by the names that they have in the description. */
const sharedValues: Readonly<Record<string, z.ZodType>> = {
  Account: account,
  Billing: billing,
  Code: redeemCode,
  Entry: entry,
  Installation: installation,
  Invoice: invoice,
  Key: key,
  ManagementKey: managementKey,
  Model: model,
  Person: person,
  Receipt: receipt,
  Rejection: rejection,
  RejectionCount: rejectionCount,
  RunningRequest: runningRequest,
  Tokens: tokens,
  TopUp: topUp,
  Upstream: upstream,
  UsageRow: usageRow,
}

export const schemaPlace = '#/components/schemas/'

/** `key.create` → `key_create`, `management-key.list` → `management_key_list`. */
export const operationId = (name: string) => name.replaceAll(/[.-]/g, '_')
const answerName = (name: string) => `${operationId(name)}_answer`

const registry = z.registry<{ id: string }>()
for (const [id, schema] of Object.entries(sharedValues)) registry.add(schema, { id })
for (const [name, { http, produces, output }] of Object.entries(operations)) {
  if (http !== null && produces === 'json' && !registry.has(output))
    registry.add(output, { id: answerName(name) })
}

/** Every value that an operation gives on HTTP, by name; they refer to each other. */
export const answerSchemas: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(
    z.toJSONSchema(registry, { uri: (id) => `${schemaPlace}${id}`, io: 'output', override: plainer }).schemas,
  ).map(([name, schema]) => [name, withoutNames(schema)]),
)

/** A reference to what an operation gives. */
export function answerOf(name: OperationName): JsonSchema {
  return { $ref: `${schemaPlace}${registry.get(operations[name].output)?.id ?? answerName(name)}` }
}

/** Input schema of an operation, as the caller writes it: an object. */
export function inputOf(name: OperationName): JsonSchema {
  return withoutNames(z.toJSONSchema(operations[name].input, { io: 'input', override: plainer }))
}

function withoutNames({ $schema: _schema, $id: _id, ...schema }: z.core.JSONSchema.BaseSchema): JsonSchema {
  return schema as JsonSchema
}

/** An e-mail address is cleaned before it is checked, which hides its form; the bounds of every integer say nothing. */
function plainer({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType
  jsonSchema: z.core.JSONSchema.BaseSchema
}) {
  if (zodSchema === email) Object.assign(jsonSchema, { format: 'email', maxLength: 254 })
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}
