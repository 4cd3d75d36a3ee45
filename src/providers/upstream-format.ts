/**
 * A model's capabilities, and the format of a request to its upstream: the caller's own if the model supports the request in it, else
 * the one that loses least. Pure: the same facts, the same format.
 */

import { assert } from '../base/assert.ts'
import type { ExtractedFields } from '../wire/format.ts'
import type { ClientFormatName, TargetFormat, UpstreamFormatName } from '../wire/format-names.ts'
import { isSourceFormat, isTargetFormat, upstreamCodecs, upstreamFormats } from '../wire/formats.ts'
import type { HostField, RequestDifferences } from '../wire/host-differences.ts'
import type { Capabilities } from '../wire/translation/capabilities.ts'
import type { Connector } from './connector.ts'

/** Most vendors' first models: a table says where its own differ. */
export const plainModel = {
  sampling: 'all',
  temperatureMax: 2,
  topK: false,
  penalties: true,
  seed: true,
  logprobs: true,
  thinking: 'none',
  efforts: [],
  budget: null,
  bindsThinking: false,
  signedCalls: false,
  forcedTools: true,
  prefill: false,
  midSystem: true,
  parallelSwitch: true,
  cacheBreakpoints: false,
  resultMedia: false,
  chatTools: 'always',
} as const satisfies Partial<Capabilities>

/** The inputs of the selection other than the model. */
export type FormatFacts = Pick<ExtractedFields, 'functionTools' | 'effort' | 'canPassThrough' | 'hostFields'>

/** By rank: with models that reason Responses first, since only there reasoning survives from turn to turn. */
const ranked = (by: 'reasoning' | 'others'): readonly TargetFormat[] =>
  Object.keys(upstreamCodecs)
    .filter(isTargetFormat)
    .sort((a, b) => upstreamCodecs[a].rank[by] - upstreamCodecs[b].rank[by])
const forModelsThatReason = ranked('reasoning')
const forOthers = ranked('others')

/** `caller`: the format of its address. null: the model cannot be reached from it; embeddings are no conversation. */
export function upstreamFormat(
  connector: Pick<Connector, 'capabilities' | 'requestDifferences'>,
  {
    formats,
    upstreamModel,
  }: { readonly formats: readonly UpstreamFormatName[]; readonly upstreamModel: string },
  caller: ClientFormatName,
  facts: FormatFacts,
): UpstreamFormatName | null {
  const own = formats.find((format) => format === caller)
  if (!isSourceFormat(caller)) return own ?? null
  const { chatTools, thinking } = connector.capabilities(upstreamModel)
  const fits = (format: UpstreamFormatName) =>
    formats.includes(format) &&
    (!upstreamFormats[format].limitsToolsWithEffort || takesTools(chatTools, facts))
  if (own !== undefined && passesAsIs(facts, connector.requestDifferences?.[own]) && fits(own)) return own
  const order = thinking === 'none' ? forOthers : forModelsThatReason
  // Where no format fits, the provider's own error reaches the caller.
  return order.find(fits) ?? order.find((format) => formats.includes(format)) ?? null
}

/** Whether the host takes the body in its own format without an encoding of ours. */
export function passesAsIs(
  {
    canPassThrough,
    hostFields,
  }: { readonly canPassThrough: boolean; readonly hostFields?: readonly HostField[] },
  differences: RequestDifferences | undefined,
): boolean {
  if (canPassThrough) return true
  const own = differences?.ownFields ?? []
  return hostFields?.every((field) => own.includes(field)) ?? false
}

type ChatTools = ReturnType<Connector['capabilities']>['chatTools']

/** Whether Chat Completions takes this request to a model whose rule is `chatTools`. */
function takesTools(chatTools: ChatTools, { functionTools, effort }: FormatFacts): boolean {
  if (!functionTools) return true
  switch (chatTools) {
    case 'always':
      return true
    case 'without_effort':
      return effort === null || effort === 'none'
    case 'explicit_none':
      return effort === 'none'
    case 'never':
      return false
  }
}

export interface CapabilityRow {
  /** Fits the provider's own names, dated ones included. */
  readonly names: RegExp
  readonly takes: Capabilities
  readonly source: string
}

/** Rows by name: patterns are slow, and each request needs several lookups. Names come from the catalog and, dated, from callers. */
const known = new WeakMap<readonly CapabilityRow[], Map<string, Capabilities>>()
const namesKnownMax = 1_000

/**
 * The capabilities of a model by name: the first row whose pattern matches counts. The table's last row must fit every name, so that
 * an unknown model is treated as the newest of its family.
 */
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
