/**
 * The fields of a Messages body by their names in the policy table. Of a nested field the
 * first position represents all, so that a long conversation is reported briefly. Must not decide their outcome.
 */

import type { View } from '../json/view.ts'
import { RequestFieldList } from '../translation/policy.ts'

/** Read in any position; they need no policy row. */
const structural = ['model', 'messages', 'stream']
/** Objects whose members are fields with their own policy rows. */
const groups = ['metadata', 'output_config']
/** Values that ask for nothing. */
const defaults: Readonly<Record<string, readonly string[]>> = {
  service_tier: ['auto', 'standard', 'standard_only'],
  speed: ['standard'],
  inference_geo: ['global'],
}

export class MessagesFieldList extends RequestFieldList {
  /** Every member of the body that is there and asks for something. */
  readBody(body: View): void {
    for (const [name, value] of body.members()) {
      if (structural.includes(name) || asksNothing(name, value)) continue
      if (groups.includes(name) && value.kind === 'object') this.readGroup(name, value)
      else this.note(name, value.pointer)
    }
    const isSerial = body.get('tool_choice')?.get('disable_parallel_tool_use')
    if (isSerial?.kind === 'true') this.note('tool_choice.disable_parallel_tool_use', isSerial.pointer)
    const thinking = body.get('thinking')
    for (const name of ['display', 'block_binding']) {
      const value = thinking?.get(name)
      if (value !== undefined) this.note(`thinking.${name}`, value.pointer)
    }
  }

  private readGroup(group: string, value: View): void {
    for (const [name, member] of value.members()) {
      if (!member.isNull) this.note(`${group}.${name}`, member.pointer)
    }
  }
}

function asksNothing(name: string, value: View): boolean {
  if (value.isNull) return true
  if (value.isList) return value.written.replace(/\s/g, '') === '[]'
  const known = Object.hasOwn(defaults, name) ? defaults[name] : undefined
  return value.isText && known?.includes(value.text()) === true
}
