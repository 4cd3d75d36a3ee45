/** OTLP as protobuf, read with the definitions of its specification. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import protobuf from 'protobufjs'
import { otlpProtobuf } from './otlp-protobuf.ts'

/** The exported parts of the OTLP definitions, with the packing of proto3. */
const { root } = protobuf.parse(`syntax = "proto3";
message TracesData { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5;
  enum SpanKind { SPAN_KIND_UNSPECIFIED = 0; SPAN_KIND_INTERNAL = 1; SPAN_KIND_SERVER = 2; SPAN_KIND_CLIENT = 3; }
  SpanKind kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
  Status status = 15; fixed32 flags = 16;
}
message Status { string message = 2; StatusCode code = 3; enum StatusCode { UNSET = 0; OK = 1; ERROR = 2; } }
message Resource { repeated KeyValue attributes = 1; }
message InstrumentationScope { string name = 1; string version = 2; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
message MetricsData { repeated ResourceMetrics resource_metrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
message ScopeMetrics { InstrumentationScope scope = 1; repeated Metric metrics = 2; }
message Metric {
  string name = 1; string description = 2; string unit = 3;
  oneof data { Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; }
}
message Gauge { repeated NumberDataPoint data_points = 1; }
message Sum { repeated NumberDataPoint data_points = 1; AggregationTemporality aggregation_temporality = 2; bool is_monotonic = 3; }
message Histogram { repeated HistogramDataPoint data_points = 1; AggregationTemporality aggregation_temporality = 2; }
enum AggregationTemporality { UNSPECIFIED = 0; DELTA = 1; CUMULATIVE = 2; }
message NumberDataPoint {
  repeated KeyValue attributes = 7; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
  oneof value { double as_double = 4; sfixed64 as_int = 6; }
}
message HistogramDataPoint {
  repeated KeyValue attributes = 9; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3; fixed64 count = 4;
  optional double sum = 5; repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7;
}`)

const read = (name: string, bytes: Uint8Array) => {
  const type = root.lookupType(name)
  return type.toObject(type.decode(bytes), { longs: String, bytes: String, enums: String })
}

const attributes = [
  { key: 'text', value: { stringValue: 'é' } },
  { key: 'large', value: { intValue: '9007199254740993' } },
  { key: 'share', value: { doubleValue: 0.5 } },
  { key: 'off', value: { boolValue: false } },
]
const times = { startTimeUnixNano: '1764340000123456789', timeUnixNano: '1764340000123456790' }

test('spans keep ids, times to the nanosecond, and attributes of each type', () => {
  const span = {
    ...{
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      spanId: '00f067aa0ba902b7',
      parentSpanId: 'b7ad6b7169203331',
    },
    ...{ traceState: 'a=1', name: 'chat', kind: 3, attributes, status: { code: 2 } },
    ...{ startTimeUnixNano: times.startTimeUnixNano, endTimeUnixNano: times.timeUnixNano },
  }
  const scopeSpans = [{ scope: { name: 'tollgate' }, spans: [span] }]
  const bytes = otlpProtobuf('traces', { resourceSpans: [{ resource: { attributes }, scopeSpans }] })
  const inBase64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64')
  const expected = {
    ...span,
    ...{ traceId: inBase64(span.traceId), spanId: inBase64(span.spanId) },
    ...{ parentSpanId: inBase64(span.parentSpanId) },
    ...{ kind: 'SPAN_KIND_CLIENT', status: { code: 'ERROR' } },
  }
  assert.deepEqual(read('TracesData', bytes), {
    resourceSpans: [
      { resource: { attributes }, scopeSpans: [{ scope: { name: 'tollgate' }, spans: [expected] }] },
    ],
  })
})

test('messages that are appended are one message with all metrics', () => {
  const point = { attributes, ...times, asDouble: 0 }
  const histogram = {
    ...{ attributes, ...times, count: '3', sum: 1.5 },
    ...{ bucketCounts: ['1', '0', '2'], explicitBounds: [0.1, 1] },
  }
  const metrics = [
    { name: 'a', description: 'A.', gauge: { dataPoints: [point] } },
    { name: 'b', sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [point, point] } },
    { name: 'c', unit: 's', histogram: { aggregationTemporality: 2, dataPoints: [histogram] } },
  ]
  const bytes = Buffer.concat(
    metrics.map((metric) =>
      otlpProtobuf('metrics', { resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] }),
    ),
  )
  const [gauge, sum, ofTimes] = metrics
  const cumulative = 'CUMULATIVE'
  assert.deepEqual(
    read('MetricsData', bytes).resourceMetrics.map(
      ({ scopeMetrics }: { scopeMetrics: { metrics: unknown[] }[] }) => scopeMetrics[0]?.metrics[0],
    ),
    [
      gauge,
      { ...sum, sum: { ...sum?.sum, aggregationTemporality: cumulative } },
      { ...ofTimes, histogram: { ...ofTimes?.histogram, aggregationTemporality: cumulative } },
    ],
  )
})
