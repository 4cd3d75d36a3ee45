/**
 * The JSON form of OTLP: attributes, resources, times. Integers of 64 bits are texts in it.
 * Source: https://opentelemetry.io/docs/specs/otlp/
 */

export type AttributeValue = string | number | boolean
/** Attributes; undefined ones are omitted. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>

export interface OtlpAttribute {
  readonly key: string
  readonly value:
    | { readonly stringValue: string }
    | { readonly intValue: string }
    | { readonly doubleValue: number }
    | { readonly boolValue: boolean }
}

export function otlpAttributes(attributes: Attributes): readonly OtlpAttribute[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: otlpValue(value) }],
  )
}

function otlpValue(value: AttributeValue): OtlpAttribute['value'] {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Milliseconds since 1970, with a fraction, as nanoseconds. */
export function unixNano(ms: number): string {
  const whole = Math.floor(ms)
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6)))
}

/** The library that produced spans and metrics. */
export const otlpScope = { name: 'tollgate' }
