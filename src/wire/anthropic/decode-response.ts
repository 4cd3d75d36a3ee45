/**
 * A whole Messages response in the neutral form. Input of calls stays the text that the model
 * wrote; what ran at the provider is omitted. Must not read usage, which `extract-usage.ts` reads.
 */
import { WireError } from '../format.ts'
import { answerLimits, readJson } from '../json/json.ts'
import { View } from '../json/view.ts'
import type {
  EncryptedReasoning,
  Finish,
  FinishReason,
  NeutralResponse,
  ResponsePart,
} from '../translation/neutral.ts'
import type { Usage } from '../usage.ts'
import { citationsOf } from './decode-request-parts.ts'
import { ownVendor } from './encrypted-reasoning.ts'

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'end',
  stop_sequence: 'stop_string',
  tool_use: 'calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'context',
  refusal: 'refusal',
  pause_turn: 'pause',
}

export interface StopFields {
  readonly reason: string
  readonly stopString: string | null
  readonly explanation: string | null
}

/** A reason that is not known is taken for an end. */
export function finishOf({ reason, stopString, explanation }: StopFields): Finish {
  return {
    reason: (Object.hasOwn(reasons, reason) ? reasons[reason] : undefined) ?? 'end',
    stopString,
    explanation,
  }
}

/** Throws WireError `invalid_value` for what is not a response. */
export function decodeResponse(body: Uint8Array, usage: Usage): NeutralResponse {
  try {
    return readJson(body, answerLimits(body), (json) => answerOf(new View(json, json.root), usage))
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    throw new WireError('invalid_value', `The upstream's response cannot be parsed: ${error.message}`)
  }
}

function answerOf(answer: View, usage: Usage): NeutralResponse {
  const content = answer.get('content')
  if (content === undefined) throw new WireError('invalid_value', 'content is missing')
  return {
    parts: content.items().flatMap(partOf),
    finish: finishOf({
      reason: textIn(answer, 'stop_reason') ?? '',
      stopString: textIn(answer, 'stop_sequence'),
      explanation: textIn(answer.get('stop_details'), 'explanation'),
    }),
    usage,
    logprobs: null,
  }
}

function partOf(block: View): readonly ResponsePart[] {
  switch (textIn(block, 'type')) {
    case 'text': {
      const text = textIn(block, 'text') ?? ''
      return [{ kind: 'text', text, cache: null, citations: citationsOf(block.get('citations')) }]
    }
    case 'thinking': {
      const encrypted = ownEncrypted(textIn(block, 'signature') ?? '')
      return [{ kind: 'thinking', text: textIn(block, 'thinking') ?? '', redacted: false, encrypted }]
    }
    case 'redacted_thinking':
      return [
        { kind: 'thinking', text: '', redacted: true, encrypted: ownEncrypted(textIn(block, 'data') ?? '') },
      ]
    case 'tool_use':
      return [
        {
          kind: 'call',
          id: textIn(block, 'id') ?? '',
          name: textIn(block, 'name') ?? '',
          namespace: null,
          form: 'json',
          input: block.get('input')?.written ?? '',
          encrypted: null,
          pointer: block.pointer,
        },
      ]
    default:
      return []
  }
}

/** Marks data signed by an upstream of this format as Anthropic's; null when nothing is signed. */
export function ownEncrypted(data: string): EncryptedReasoning | null {
  return data === '' ? null : { vendor: ownVendor, data }
}

function textIn(value: View | undefined, name: string): string | null {
  const member = value?.get(name)
  return member?.isText === true ? member.text() : null
}
