/**
 * Writes the cost of a response into the usage object that its provider sent, for keys that request it.
 * No other byte changes; a response without a usage object stays unchanged.
 */
import { type CostFields, WireError } from './dialect.ts'
import type { BytePatch } from './json/byte-patch.ts'
import { applyEdits, readJson } from './json/json.ts'
import { View } from './json/view.ts'
import { SseParser } from './stream/sse.ts'

/** Of most formats. */
export const costInUsage: CostFields = { answer: ['usage'], event: ['usage'] }

/** What has more levels or values is left as it is. */
const limits = { depthMax: 512, valuesMax: 4_194_304 }

/** A whole JSON answer. `cost`: decimal USD. */
export function withCost(body: Uint8Array, fields: CostFields, cost: string): readonly Uint8Array[] {
  const edit = costEdit(body, fields.answer, cost)
  return edit === null ? [body] : applyEdits(body, [edit])
}

/** Whole server-sent events; the last one that has usage gets the cost. */
export function withCostInEvents(
  events: Uint8Array,
  fields: CostFields,
  cost: string,
): readonly Uint8Array[] {
  const parser = new SseParser(events.length)
  parser.push(events)
  parser.close()
  let found: BytePatch | null = null
  while (parser.next()) {
    // Data on several lines has no places in the stream; no provider sends such events.
    if (!parser.hasData || parser.bytes !== events) continue
    const { dataStart, dataEnd } = parser
    const edit = costEdit(events.subarray(dataStart, dataEnd), fields.event, cost)
    if (edit !== null) found = { start: dataStart + edit.start, end: dataStart + edit.end, text: edit.text }
  }
  return found === null ? [events] : applyEdits(events, [found])
}

function costEdit(bytes: Uint8Array, path: readonly string[], cost: string): BytePatch | null {
  try {
    return readJson(bytes, limits, (json) => {
      let usage: View | undefined = new View(json, json.root)
      for (const name of path) usage = usage?.get(name)
      return usage?.kind === 'object' ? editIn(usage, cost) : null
    })
  } catch (error) {
    if (error instanceof WireError) return null
    throw error
  }
}

/** A host's own `cost` gives way: what this key is charged is ours to say. */
function editIn(usage: View, cost: string): BytePatch {
  const members = usage.members()
  const own = members.findLast(([name]) => name === 'cost')
  if (own !== undefined) return { ...own[1].span, text: cost }
  const end = usage.span.end - 1
  return { start: end, end, text: `${members.length === 0 ? '' : ','}"cost":${cost}` }
}
