/**
 * The calls that a model is paid for: one row each. Operations of the gateway and of upstreams, their handlers and their names in
 * traces are made from this table. Values only.
 */
interface EndpointRow {
  /** The operation name of OpenTelemetry's conventions for generative AI. */
  readonly traced: string
  /** Left out: hosts of models offer it where their format has a path for it. */
  readonly vendorOnly?: true
}

export const endpoints = {
  generate: { traced: 'chat' },
  // What it returns can only be read by its vendor.
  compact: { traced: 'chat', vendorOnly: true },
  embed: { traced: 'embeddings' },
  embed_batch: { traced: 'embeddings' },
} as const satisfies Readonly<Record<string, EndpointRow>>

export type EndpointName = keyof typeof endpoints

export const endpointNames = Object.keys(endpoints) as readonly EndpointName[]

export function isEndpoint(name: string): name is EndpointName {
  return Object.hasOwn(endpoints, name)
}

export function endpointRow(name: EndpointName): EndpointRow {
  return endpoints[name]
}

/** The same value for each endpoint. */
export function eachEndpoint<Value>(value: Value): Readonly<Record<EndpointName, Value>> {
  return Object.fromEntries(endpointNames.map((name) => [name, value])) as Record<EndpointName, Value>
}
