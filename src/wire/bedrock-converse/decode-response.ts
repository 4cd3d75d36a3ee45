/**
 * A Converse response → the neutral form. Input of calls stays as the model wrote it. Signatures of thoughts are left out, as
 * they are not sent back. Must not read usage, which `extract-usage.ts` reads.
 */
import { WireError } from '../format.ts'
import { answerLimits, readJson } from '../json/json.ts'
import { View } from '../json/view.ts'
import type { Finish, FinishReason, NeutralResponse, ResponsePart } from '../translation/neutral.ts'
import type { Usage } from '../usage.ts'

/** API_runtime_Converse, `stopReason`, 2026-11; what is not here is the end of a turn. */
const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'end',
  tool_use: 'calls',
  max_tokens: 'length',
  stop_sequence: 'stop_string',
  guardrail_intervened: 'filter',
  content_filtered: 'filter',
  model_context_window_exceeded: 'context',
  malformed_model_output: 'end',
  malformed_tool_use: 'end',
}

export function finishOf(stopReason: string): Finish {
  const reason = (Object.hasOwn(reasons, stopReason) ? reasons[stopReason] : undefined) ?? 'end'
  return { reason, stopString: null, explanation: reason === 'filter' ? stopReason : null }
}

/** Throws WireError `invalid_value` for what is not a response. */
export function decodeResponse(body: Uint8Array, usage: Usage): NeutralResponse {
  try {
    return readJson(body, answerLimits(body), (json) => responseOf(new View(json, json.root), usage))
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    throw new WireError('invalid_value', `The upstream's response cannot be parsed: ${error.message}`)
  }
}

function responseOf(root: View, usage: Usage): NeutralResponse {
  const content = root.get('output')?.get('message')?.get('content')
  if (content === undefined) throw new WireError('invalid_value', 'content is missing')
  return {
    parts: content.items().flatMap(partOf),
    finish: finishOf(textIn(root, 'stopReason')),
    usage,
    logprobs: null,
  }
}

function partOf(block: View): readonly ResponsePart[] {
  const text = block.get('text')
  if (text?.isText === true) return [{ kind: 'text', text: text.text(), cache: null, citations: [] }]
  const call = block.get('toolUse')
  if (call !== undefined) {
    return [
      {
        kind: 'call',
        id: textIn(call, 'toolUseId'),
        name: textIn(call, 'name'),
        namespace: null,
        form: 'json',
        input: call.get('input')?.written ?? '{}',
        encrypted: null,
        pointer: block.pointer,
      },
    ]
  }
  const thought = textIn(block.get('reasoningContent')?.get('reasoningText'), 'text')
  return thought === '' ? [] : [{ kind: 'thinking', text: thought, redacted: false, encrypted: null }]
}

function textIn(value: View | undefined, name: string): string {
  const member = value?.get(name)
  return member?.isText === true ? member.text() : ''
}
