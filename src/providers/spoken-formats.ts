/** Which formats a provider speaks, and how a request is built in each: one table for each provider. Pure. */
import { assert } from '../base/assert.ts'
import type { UpstreamFormatName } from '../wire/formats.ts'
import type { Connector, OutgoingRequest } from './connector.ts'

/** The headers of a request in each format; null: the provider does not speak it. */
export type FormatHeaders = Readonly<
  Record<UpstreamFormatName, ((outgoing: OutgoingRequest) => readonly string[]) | null>
>

/** In the order of the table. */
export function spokenFormats(headers: FormatHeaders): Connector['dialects'] {
  const names = Object.keys(headers) as UpstreamFormatName[]
  const [first, ...others] = names.filter((name) => headers[name] !== null)
  assert(first !== undefined, 'a provider speaks at least one format')
  return [first, ...others]
}

export function headersIn(headers: FormatHeaders, outgoing: OutgoingRequest): readonly string[] {
  const build = headers[outgoing.dialect]
  assert(build !== null, `the provider does not speak ${outgoing.dialect}`)
  return build(outgoing)
}
