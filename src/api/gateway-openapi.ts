/** The gateway's API in OpenAPI 3.1, made from its table of operations. Pure. */
import { type DocumentedOperation, gatewayOperations, gatewayTags } from './gateway-operations-table.ts'
import { gatewaySchemas } from './gateway-schemas.ts'
import type { OpenApi, OpenApiOperation, OpenApiParameter } from './openapi.ts'

export const gatewayOpenApiPath = '/openapi.json'

/** `address`: where clients reach the server. */
export function gatewayOpenApi({
  address,
  version,
}: {
  readonly address: string
  readonly version: string
}): OpenApi {
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  for (const operation of gatewayOperations) {
    const atPath = paths[operation.path] ?? {}
    atPath[operation.method] = described(operation)
    paths[operation.path] = atPath
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tollgate API',
      version,
      description:
        'Models in the formats of OpenAI, Anthropic and Google, behind one API key. Request and response bodies in a provider’s format accept every field of that format.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: address }],
    externalDocs: { url: `${address}/docs/api` },
    tags: Object.entries(gatewayTags).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: gatewaySchemas, securitySchemes },
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
  }
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key of this server.' },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same API key, in the header that Messages clients use.',
  },
  googleApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-goog-api-key',
    description: 'The same API key, in the header that Gemini clients use.',
  },
} as const

function described(operation: DocumentedOperation): OpenApiOperation {
  const { id, tag, summary, takes, media = 'application/json', error, isOpen } = operation
  const parameters = parametersOf(operation)
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(takes === undefined
      ? {}
      : { requestBody: { required: true, content: { [media]: { schema: reference(takes) } } } }),
    responses: {
      '200': { description: 'OK', headers: headersOf(operation), content: contentOf(operation) },
      default: {
        description: 'An error. `/docs/errors` lists the codes.',
        content: { 'application/json': { schema: reference(error) } },
      },
    },
    ...(isOpen === true ? { security: [] } : {}),
  }
}

function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` }
}

function parametersOf({ path, query = {} }: DocumentedOperation): readonly OpenApiParameter[] {
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(
      ([, name = '']): OpenApiParameter => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      }),
    ),
    ...Object.entries(query).map(
      ([name, type]): OpenApiParameter => ({ name, in: 'query', required: false, schema: { type } }),
    ),
  ]
}

function contentOf({ gives, streams }: DocumentedOperation): object {
  if (gives === 'file') return { '*/*': { schema: { type: 'string', format: 'binary' } } }
  const [only] = gives
  const json = gives.length === 1 && only !== undefined ? reference(only) : { anyOf: gives.map(reference) }
  return {
    ...(gives.length === 0 ? {} : { 'application/json': { schema: json } }),
    ...(streams === true ? { 'text/event-stream': { schema: { type: 'string' } } } : {}),
  }
}

const header = (description: string) => ({ description, schema: { type: 'string' } })

function headersOf({ takes }: DocumentedOperation): object {
  const everywhere = { 'x-request-id': header('The ID of the request and of its receipt.') }
  if (takes === undefined) return everywhere
  return {
    ...everywhere,
    'x-tollgate-hold': header('USD reserved for the request: its maximum cost.'),
    'x-tollgate-model': header('The model that served the request.'),
    'x-tollgate-upstream': header('The name of the upstream that served the request.'),
    'x-tollgate-cost': header('USD charged; only on responses that are not streamed.'),
    'x-tollgate-adjusted': header('What the translation dropped, adapted or added.'),
  }
}
