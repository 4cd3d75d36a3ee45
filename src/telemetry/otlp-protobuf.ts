/**
 * OTLP as protobuf, from the same messages as in JSON. The schema has the fields that are exported, with their numbers.
 * Source: https://github.com/open-telemetry/opentelemetry-proto
 */
import protobuf from 'protobufjs/light.js'

/** By message: each field as `number type`, or `number repeated type`. */
const schema: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  traces: { resourceSpans: '1 repeated ResourceSpans' },
  metrics: { resourceMetrics: '1 repeated ResourceMetrics' },
  ResourceSpans: { resource: '1 Resource', scopeSpans: '2 repeated ScopeSpans' },
  ResourceMetrics: { resource: '1 Resource', scopeMetrics: '2 repeated ScopeMetrics' },
  Resource: { attributes: '1 repeated KeyValue' },
  ScopeSpans: { scope: '1 Scope', spans: '2 repeated Span' },
  ScopeMetrics: { scope: '1 Scope', metrics: '2 repeated Metric' },
  Scope: { name: '1 string' },
  KeyValue: { key: '1 string', value: '2 AnyValue' },
  AnyValue: { stringValue: '1 string', boolValue: '2 bool', intValue: '3 int64', doubleValue: '4 double' },
  Span: {
    ...{ traceId: '1 bytes', spanId: '2 bytes', traceState: '3 string', parentSpanId: '4 bytes' },
    ...{ name: '5 string', kind: '6 int32', startTimeUnixNano: '7 fixed64', endTimeUnixNano: '8 fixed64' },
    ...{ attributes: '9 repeated KeyValue', status: '15 Status' },
  },
  Status: { code: '3 int32' },
  Metric: {
    ...{ name: '1 string', description: '2 string', unit: '3 string' },
    ...{ gauge: '5 Gauge', sum: '7 Sum', histogram: '9 Histogram' },
  },
  Gauge: { dataPoints: '1 repeated NumberPoint' },
  Sum: { dataPoints: '1 repeated NumberPoint', aggregationTemporality: '2 int32', isMonotonic: '3 bool' },
  Histogram: { dataPoints: '1 repeated HistogramPoint', aggregationTemporality: '2 int32' },
  NumberPoint: {
    ...{ startTimeUnixNano: '2 fixed64', timeUnixNano: '3 fixed64', asDouble: '4 double' },
    attributes: '7 repeated KeyValue',
  },
  HistogramPoint: {
    ...{ startTimeUnixNano: '2 fixed64', timeUnixNano: '3 fixed64', count: '4 fixed64', sum: '5 double' },
    ...{ bucketCounts: '6 repeated fixed64', explicitBounds: '7 repeated double' },
    attributes: '9 repeated KeyValue',
  },
}

const root = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(schema).map(([name, fields]) => [
      name,
      { fields: Object.fromEntries(Object.entries(fields).map(([field, text]) => [field, readField(text)])) },
    ]),
  ),
})

function readField(text: string) {
  const [id, ...words] = text.split(' ')
  const type = words.at(-1) ?? ''
  // A value that was set is written also where it is 0 or false.
  const options = { features: { field_presence: 'EXPLICIT' } }
  return { id: Number(id), type, ...(words.length > 1 ? { rule: 'repeated' } : { options }) }
}

/** @param message in the JSON form of OTLP, whose ids of traces and spans are hexadecimal */
export function otlpProtobuf(kind: 'traces' | 'metrics', message: object): Uint8Array {
  const type = root.lookupType(kind)
  return type.encode(type.fromObject(withBytes(message) as Record<string, unknown>)).finish()
}

const idNames: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId'])

function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      idNames.has(name) ? Buffer.from(String(member), 'hex') : withBytes(member),
    ]),
  )
}
