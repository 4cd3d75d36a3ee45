/** The control plane in OpenAPI 3.1, generated only from the contract. Pure. */
import { type ErrorCode, errors } from '../../contract/errors.ts'
import type { Policy } from '../../contract/operation.ts'
import { type OperationName, operations } from '../../contract/operations.ts'
import { sessionCookie } from '../identity/public-address.ts'
import { policyText, usualErrors } from './operation-policy-text.ts'
import {
  answerOf,
  answerSchemas,
  inputOf,
  type JsonSchema,
  operationId,
  schemaPlace,
} from './operation-schemas.ts'
import { otherRoutes } from './other-routes-table.ts'
import { sections } from './sections-table.ts'

export interface OpenApi {
  readonly openapi: '3.1.1'
  readonly info: object
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly securitySchemes: object
  }
  readonly [field: string]: unknown
}

export interface OpenApiOperation {
  readonly operationId: string
  readonly parameters?: readonly OpenApiParameter[]
  readonly [field: string]: unknown
}

export interface OpenApiParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: JsonSchema
}

/** `address`: where people reach the server. */
export function openApi({
  address,
  version,
}: {
  readonly address: string
  readonly version: string
}): OpenApi {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tollgate Management API',
      version,
      description:
        'Accounts, keys, usage, billing and the installation. Amounts are decimal USD strings, times ISO 8601 in UTC. Objects of other accounts return the same 404 as objects that don’t exist.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: address }],
    externalDocs: { url: `${address}/docs` },
    tags: sections.map(({ name, text }) => ({ name, description: text })),
    paths: pathsOf(),
    components: {
      schemas: { ...answerSchemas, Error: errorSchema },
      securitySchemes: securitySchemes(sessionCookie(address)),
    },
  }
}

const securitySchemes = (cookie: string) => ({
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: cookie,
    description: 'The session cookie that is set when a user signs in.',
  },
  managementKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A management key of an account, limited to its scopes.',
  },
})

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', description: 'An error code. `/docs/errors` lists them.' },
        message: { type: 'string' },
        param: { type: 'string', description: 'The field that caused the error.' },
        facts: { type: 'object', additionalProperties: true },
        requestId: { type: 'string', description: 'The ID of the request in the server log.' },
      },
    },
  },
} as const

function pathsOf(): OpenApi['paths'] {
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  for (const section of sections) {
    for (const name of section.operations) {
      const { http } = operations[name]
      if (http === null) continue
      const [method, path] = http
      const atPath = paths[path] ?? {}
      atPath[method.toLowerCase()] = operationOf(name, section.name)
      paths[path] = atPath
    }
  }
  return { ...paths, ...otherPaths }
}

function operationOf(name: OperationName, tag: string): OpenApiOperation {
  const { summary, policy, effect, produces } = operations[name]
  const { parameters, body } = inputParts(name)
  return {
    operationId: operationId(name),
    summary,
    description: policyText(policy),
    tags: [tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null
      ? {}
      : {
          requestBody: {
            required: (body.required ?? []).length > 0,
            content: { 'application/json': { schema: body } },
          },
        }),
    responses: {
      '200': { description: 'Done.', content: contentOf(name, produces) },
      ...errorResponses(usualErrors({ policy, effect })),
    },
    security: securityOf(policy),
    'x-effect': effect,
    'x-policy': policy,
  }
}

/** An operation's input, split by the location of its fields. */
export function inputParts(name: OperationName): {
  readonly parameters: readonly OpenApiParameter[]
  readonly body: JsonSchema | null
} {
  const { http } = operations[name]
  const [method, path] = http ?? ['POST', '']
  const { properties = {}, required = [], ...rest } = inputOf(name)
  const fields = Object.entries(properties).map(([field, schema]) => ({
    field,
    schema,
    required: required.includes(field),
    inPath: path.includes(`{${field}}`),
  }))
  const inBody = fields.filter(({ inPath }) => method !== 'GET' && !inPath)
  return {
    parameters: fields
      .filter((field) => !inBody.includes(field))
      .map(({ field, schema, required, inPath }) => ({
        name: field,
        in: inPath ? 'path' : 'query',
        required: inPath || required,
        schema,
      })),
    body:
      inBody.length === 0
        ? null
        : {
            ...rest,
            properties: Object.fromEntries(inBody.map(({ field, schema }) => [field, schema])),
            required: inBody.filter(({ required }) => required).map(({ field }) => field),
          },
  }
}

function contentOf(name: OperationName, produces: 'json' | 'csv' | 'file'): object {
  if (produces === 'json') return { 'application/json': { schema: answerOf(name) } }
  const type = produces === 'csv' ? 'text/csv' : 'application/json'
  return { [type]: { schema: produces === 'csv' ? { type: 'string' } : {} } }
}

function errorResponses(codes: readonly ErrorCode[]): Readonly<Record<string, object>> {
  const content = { 'application/json': { schema: { $ref: `${schemaPlace}Error` } } }
  const statuses = [...new Set(codes.map((code) => errors[code].status))].toSorted((a, b) => a - b)
  const byStatus = statuses.map((status): [string, object] => {
    const here = codes.filter((code) => errors[code].status === status)
    return [
      String(status),
      { description: here.map((code) => `\`${code}\`: ${errors[code].title}.`).join(' '), content },
    ]
  })
  return {
    ...Object.fromEntries(byStatus),
    default: { description: 'Any other error.', content },
  }
}

function securityOf(policy: Policy): readonly object[] {
  if (policy.kind === 'public') return []
  if (policy.kind !== 'account' || policy.scope === null) return [{ session: [] }]
  return [{ session: [] }, { managementKey: [policy.scope] }]
}

const otherPaths: OpenApi['paths'] = {
  [otherRoutes.events.path]: {
    get: {
      operationId: 'events_watch',
      summary: otherRoutes.events.summary,
      description: `${otherRoutes.events.policy} The first event is \`ready\`, followed by \`changed\` events with the topics that changed.`,
      parameters: [{ name: 'account', in: 'query', required: false, schema: { type: 'string' } }],
      responses: {
        '200': {
          description: 'Server-sent events until either side closes the connection.',
          content: { 'text/event-stream': {} },
        },
        ...errorResponses(['not_signed_in', 'account_not_found', 'concurrency_limited', 'draining']),
      },
      security: [{ session: [] }, { managementKey: ['account:read'] }],
    },
  },
  [otherRoutes.pricing.path]: {
    get: {
      operationId: 'pricing_show',
      summary: otherRoutes.pricing.summary,
      description:
        'Built-in test models are in it only while no real model is enabled, or with `models=all`; `testModel` of their rows is `basic` or, for those that simulate failures, `special`.',
      parameters: [
        { name: 'models', in: 'query', required: false, schema: { type: 'string', enum: ['all'] } },
      ],
      responses: {
        '200': {
          description: 'One entry for each enabled model.',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['data'],
                properties: { data: { type: 'array', items: { type: 'object' } } },
              },
            },
          },
        },
      },
      security: [],
    },
  },
}
