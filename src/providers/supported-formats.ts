/** Which formats a provider supports, and how a request is built in each: one table per provider. Pure. */
import { assert } from '../base/assert.ts'
import type { UpstreamFormatName } from '../wire/format-names.ts'
import type { Connector, OutgoingRequest } from './connector.ts'

/** The headers of a request in each format; null: the provider does not support it. */
export type FormatHeaders = Readonly<
  Record<UpstreamFormatName, ((outgoing: OutgoingRequest) => readonly string[]) | null>
>

/** In the order of the table. */
export function supportedFormats(headers: FormatHeaders): Connector['dialects'] {
  const names = Object.keys(headers) as UpstreamFormatName[]
  const [first, ...others] = names.filter((name) => headers[name] !== null)
  assert(first !== undefined, 'a provider supports at least one format')
  return [first, ...others]
}

export function headersIn(headers: FormatHeaders, outgoing: OutgoingRequest): readonly string[] {
  const build = headers[outgoing.dialect]
  assert(build !== null, `the provider does not support ${outgoing.dialect}`)
  return build(outgoing)
}
