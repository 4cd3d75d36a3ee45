/**
 * Members of a passed-through response that do not reach the client: the name and the cost of a hidden provider, and the empty role
 * of a delta, at which older libraries stop. No other byte changes.
 */
import { WireError } from './format.ts'
import type { BytePatch } from './json/byte-patch.ts'
import { applyEdits, type Json, readJson } from './json/json.ts'
import { memberRemovals } from './json/members.ts'
import { SseParser } from './stream/sse.ts'

export interface LeftOutMembers {
  readonly hidesProvider: boolean
  readonly hasEmptyRole: boolean
}

/** OpenRouter, xAI, DeepInfra and gateways in front of others. */
const providerMembers = [
  'provider',
  'provider_name',
  'cost',
  'cost_details',
  'is_byok',
  'cost_in_usd_ticks',
  'estimated_cost',
]
/** The objects that have them: a response or an event, what it holds in some formats, and usage. */
const providerPlaces: readonly (readonly string[])[] = [
  [],
  ['response'],
  ['message'],
  ['usage'],
  ['response', 'usage'],
  ['message', 'usage'],
  ['usageMetadata'],
  ['error', 'metadata'],
]
const rolesMax = 128

/** A body beyond these limits is left unchanged. */
const limits = { depthMax: 512, valuesMax: 4_194_304 }
const decoder = new TextDecoder('latin1')

/** A whole JSON response, or the body of an error. */
export function withoutMembers(body: Uint8Array, leftOut: LeftOutMembers): readonly Uint8Array[] {
  if (!mayHave(body, leftOut)) return [body]
  const edits = removals(body, leftOut)
  return edits.length === 0 ? [body] : applyEdits(body, edits)
}

/** Whole server-sent events. */
export function withoutMembersInEvents(events: Uint8Array, leftOut: LeftOutMembers): readonly Uint8Array[] {
  if (!mayHave(events, leftOut)) return [events]
  const edits = editsInEvents(events, (data) => removals(data, leftOut))
  return edits.length === 0 ? [events] : applyEdits(events, edits)
}

/** The edits of the data of each event, as positions among all of them. */
export function editsInEvents(
  events: Uint8Array,
  editsOf: (data: Uint8Array) => readonly BytePatch[],
): readonly BytePatch[] {
  const parser = new SseParser(events.length)
  parser.push(events)
  parser.close()
  const edits: BytePatch[] = []
  while (parser.next()) {
    // Data on several lines has no places in the stream; no provider sends such events.
    if (!parser.hasData || parser.bytes !== events) continue
    const { dataStart, dataEnd } = parser
    for (const { start, end, text } of editsOf(events.subarray(dataStart, dataEnd)))
      edits.push({ start: dataStart + start, end: dataStart + end, text })
  }
  return edits
}

/** Reads a JSON text for edits; none where it cannot be read. */
export function editsInJson(
  data: Uint8Array,
  editsOf: (json: Json) => readonly BytePatch[],
): readonly BytePatch[] {
  try {
    return readJson(data, limits, editsOf)
  } catch (error) {
    if (error instanceof WireError) return []
    throw error
  }
}

/** Most bytes have none of them, and need not be read. */
function mayHave(bytes: Uint8Array, { hidesProvider, hasEmptyRole }: LeftOutMembers): boolean {
  const text = decoder.decode(bytes)
  return (
    (hidesProvider && providerMembers.some((name) => text.includes(`"${name}"`))) ||
    (hasEmptyRole && text.includes('"role"'))
  )
}

function removals(data: Uint8Array, { hidesProvider, hasEmptyRole }: LeftOutMembers): readonly BytePatch[] {
  const found = editsInJson(data, (json) => [
    ...(hidesProvider
      ? providerPlaces.flatMap((place) => removed(json, json.find(place), providerMembers))
      : []),
    ...(hasEmptyRole ? emptyRoles(json) : []),
  ])
  return [...found].sort((one, other) => one.start - other.start)
}

function removed(json: Json, object: number, names: readonly string[]): readonly BytePatch[] {
  return object !== -1 && json.kind(object) === 'object' ? memberRemovals(json, object, names) : []
}

function emptyRoles(json: Json): readonly BytePatch[] {
  const choices = json.find(['choices'])
  if (choices === -1 || json.kind(choices) !== 'array') return []
  return json
    .children(choices)
    .slice(0, rolesMax)
    .flatMap((_, at) => {
      const isEmpty = json.equalsText(json.find(['choices', at, 'delta', 'role']), '')
      return isEmpty ? removed(json, json.find(['choices', at, 'delta']), ['role']) : []
    })
}
