/**
 * Writes the cost of a response into the usage object that its provider sent, for keys that request it.
 * No other byte changes; a response without a usage object stays unchanged.
 */
import type { CostFields } from './format.ts'
import type { BytePatch } from './json/byte-patch.ts'
import { applyEdits } from './json/json.ts'
import { RawJson } from './json/text.ts'
import { View } from './json/view.ts'
import { editsInEvents, editsInJson } from './left-out-members.ts'
import type { Charge } from './usage.ts'

/** Cost fields of most formats. */
export const costInUsage: CostFields = { answer: ['usage'], event: ['usage'] }

/** Cost members of a usage object; `is_byok` is OpenRouter's name. */
export function costMembers({ cost, isOwnKey }: Charge): { cost: RawJson; is_byok: true | undefined } {
  return { cost: new RawJson(cost), is_byok: isOwnKey === true ? true : undefined }
}

/** A whole JSON answer. */
export function withCost(body: Uint8Array, fields: CostFields, charge: Charge): readonly Uint8Array[] {
  const edits = costEdits(body, fields.answer, charge)
  return edits.length === 0 ? [body] : applyEdits(body, edits)
}

/** Whole server-sent events; the last one that has usage gets the cost. */
export function withCostInEvents(
  events: Uint8Array,
  fields: CostFields,
  charge: Charge,
): readonly Uint8Array[] {
  let last: readonly BytePatch[] = []
  const all = editsInEvents(events, (data) => {
    const edits = costEdits(data, fields.event, charge)
    if (edits.length > 0) last = edits
    return edits
  })
  return all.length === 0 ? [events] : applyEdits(events, all.slice(-last.length))
}

function costEdits(bytes: Uint8Array, path: readonly string[], charge: Charge): readonly BytePatch[] {
  return editsInJson(bytes, (json) => {
    let usage: View | undefined = new View(json, json.root)
    for (const name of path) usage = usage?.get(name)
    return usage?.kind === 'object' ? editsIn(usage, charge) : []
  })
}

/** A host's own members give way: what this key is charged is ours to say. */
function editsIn(usage: View, { cost, isOwnKey }: Charge): readonly BytePatch[] {
  const members = usage.members()
  const written = Object.entries({ cost, ...(isOwnKey === true ? { is_byok: 'true' } : {}) })
  const own = (name: string) => members.findLast(([member]) => member === name)
  const replaced = written.flatMap(([name, text]) => {
    const found = own(name)
    return found === undefined ? [] : [{ ...found[1].span, text }]
  })
  const added = written.filter(([name]) => own(name) === undefined).map(([name, text]) => `"${name}":${text}`)
  const end = usage.span.end - 1
  const text = `${members.length === 0 ? '' : ','}${added.join(',')}`
  const edits = replaced.sort((one, other) => one.start - other.start)
  return added.length === 0 ? edits : [...edits, { start: end, end, text }]
}
