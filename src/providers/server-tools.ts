/** Facts about tools that providers run, as tables: one row per meter, and one for unknown meters. Pure. */
import type { ServerToolFacts } from './connector.ts'

/** A provider's tools by meter. Throws nothing: `other` is for every meter without a row. */
export function serverToolsFrom(
  rows: Readonly<Record<string, ServerToolFacts>>,
  other: ServerToolFacts,
): (meter: string) => ServerToolFacts {
  return (meter) => (Object.hasOwn(rows, meter) ? (rows[meter] ?? other) : other)
}
