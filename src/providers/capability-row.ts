/**
 * How a table of capabilities is read: the first row whose pattern matches a name counts, and the last
 * row matches every name, so that an unknown model is treated as the newest of its family. Pure.
 */
import { assert } from '../base/assert.ts'
import type { Capabilities } from '../wire/translation/capabilities.ts'

export interface CapabilityRow {
  /** Fits the provider's own names, dated ones included. */
  readonly names: RegExp
  readonly takes: Capabilities
  /** The source of the facts. */
  readonly source: string
}

/** Rows by name: patterns are slow, and each request asks several times. Names come from the catalog and, dated, from callers. */
const known = new WeakMap<readonly CapabilityRow[], Map<string, Capabilities>>()
const namesKnownMax = 1_000

/** What a model of this name takes. The table's last row must fit every name. */
export function capabilitiesFrom(rows: readonly CapabilityRow[], upstreamModel: string): Capabilities {
  const byName = known.get(rows) ?? new Map<string, Capabilities>()
  known.set(rows, byName)
  const found = byName.get(upstreamModel)
  if (found !== undefined) return found
  const takes = firstFit(rows, upstreamModel)
  if (byName.size < namesKnownMax) byName.set(upstreamModel, takes)
  return takes
}

function firstFit(rows: readonly CapabilityRow[], upstreamModel: string): Capabilities {
  const row = rows.find(({ names }) => names.test(upstreamModel))
  assert(row !== undefined, 'the last row fits every name')
  return row.takes
}
