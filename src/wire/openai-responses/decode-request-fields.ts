/**
 * The fields of a Responses body by their names in the policy table. Of a nested field the first
 * position represents all, so that a long conversation is reported briefly. Must not decide their outcome.
 */

import type { View } from '../json/view.ts'
import { RequestFieldList } from '../translation/policy.ts'

/** Read wherever they occur; they need no policy row of their own. */
const structural = ['model', 'input', 'stream', 'max_tool_calls']
/** Objects whose members are fields with their own policy rows. */
const groups = ['reasoning', 'text']
/** Values that ask for nothing, as they are written without spaces. */
const idle: Readonly<Record<string, readonly string[]>> = {
  background: ['false'],
  store: ['false'],
  parallel_tool_calls: ['true'],
  service_tier: ['"auto"', '"default"', '"standard"'],
  truncation: ['"disabled"'],
  tool_choice: ['"auto"'],
  top_logprobs: ['0'],
  instructions: ['""'],
  metadata: ['{}'],
  'reasoning.context': ['"auto"'],
  'reasoning.mode': ['"standard"'],
  'text.format': ['{"type":"text"}'],
}
const idleCharactersMax = 32
/** Values of `include` that are always honored, so they need no adjustment. */
const alwaysIncluded = ['reasoning.encrypted_content']

export class ResponsesFieldList extends RequestFieldList {
  /** Every member of the body that is there and asks for something. */
  readBody(body: View): void {
    for (const [name, value] of body.members()) {
      if (structural.includes(name) || asksNothing(name, value)) continue
      if (name === 'include') this.readInclude(value)
      else if (groups.includes(name) && value.kind === 'object') this.readGroup(name, value)
      else if (name === 'tool_choice') this.readChoice(value)
      else this.note(name, value.pointer)
    }
  }

  private readGroup(group: string, value: View): void {
    for (const [name, member] of value.members()) {
      const field = `${group}.${name}`
      if (!asksNothing(field, member)) this.note(field, member.pointer)
    }
  }

  private readInclude(value: View): void {
    for (const entry of value.isList ? value.items() : []) {
      const name = entry.isText ? entry.text() : ''
      if (name === 'message.output_text.logprobs') this.note(`include[${name}]`, entry.pointer)
      else if (!alwaysIncluded.includes(name)) this.note('include', entry.pointer)
    }
  }

  /** A choice among the caller's own tools can be said elsewhere; one of the provider's cannot. */
  private readChoice(value: View): void {
    const type = value.get('type')?.text()
    const isOwn = type === undefined || ['function', 'custom', 'allowed_tools'].includes(type)
    this.note(isOwn ? 'tool_choice' : 'tool_choice.type', value.pointer)
  }
}

function asksNothing(name: string, value: View): boolean {
  if (value.isNull) return true
  const { start, end } = value.span
  if (end - start > idleCharactersMax) return false
  const written = value.written.replace(/\s/g, '')
  return written === '[]' || (Object.hasOwn(idle, name) && idle[name]?.includes(written) === true)
}
