/** The settings of OpenTelemetry, under the names that its specification gives the environment variables. */
import { z } from 'zod'

export const otlpProtocols = ['http/protobuf', 'http/json'] as const
export type OtlpProtocol = (typeof otlpProtocols)[number]

export interface TelemetrySettings {
  /** The collector's base URL. */
  readonly endpoint: URL
  readonly protocol: OtlpProtocol
  /** Flat: name, value, name, value. */
  readonly headers: readonly string[]
  readonly serviceName: string
  readonly resource: Readonly<Record<string, string>>
  /** The share of traces that is recorded where the client does not decide it; 0 to 1. */
  readonly traceRatio: number
}

const pairsMax = 64
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const attributeName = /^[\w.-]{1,100}$/
const visible = /^[\x20-\x7e]{0,4096}$/

/** `name=value,name=value`, values percent-encoded. */
function pairs(namePattern: RegExp) {
  return z.string().transform((text, context) => {
    const found: Record<string, string> = {}
    for (const part of text.split(',').filter((each) => each.trim() !== '')) {
      const [name = '', ...rest] = part.split('=')
      const value = decoded(rest.join('=').trim())
      if (!namePattern.test(name.trim()) || value === undefined || rest.length === 0) {
        context.addIssue({ code: 'custom', message: 'must be name=value pairs separated by commas' })
        return z.NEVER
      }
      found[name.trim()] = value
    }
    if (Object.keys(found).length > pairsMax)
      context.addIssue({ code: 'custom', message: `must be at most ${pairsMax} pairs` })
    return found
  })
}

function decoded(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text)
    return visible.test(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const otlpHeaders = pairs(headerName)
export const resourceAttributes = pairs(attributeName)
export const otlpHeaderMap = z.record(z.string().regex(headerName), z.string().regex(visible))
export const resourceAttributeMap = z.record(z.string().regex(attributeName), z.string().regex(visible))

export const otlpEndpoint = z
  .string()
  .refine(isEndpoint, 'must be the http or https URL of a collector, such as http://127.0.0.1:4318')

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === ''
}

export const ratio = z
  .string()
  .regex(/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/, 'must be a number from 0 to 1')
  .transform(Number)

/** `values`: of the rows of the table with these names. */
export function telemetryOf(values: {
  readonly otlpEndpoint: string | null
  readonly otlpProtocol: OtlpProtocol
  readonly otlpHeaders: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly resourceAttributes: Readonly<Record<string, string>>
  readonly traceRatio: number
}): TelemetrySettings | null {
  if (values.otlpEndpoint === null) return null
  return {
    endpoint: new URL(values.otlpEndpoint),
    protocol: values.otlpProtocol,
    headers: Object.entries(values.otlpHeaders).flat(),
    serviceName: values.serviceName,
    resource: values.resourceAttributes,
    traceRatio: values.traceRatio,
  }
}
