/** A whole Responses response, of any host, in the neutral form. */
import { WireError } from '../format.ts'
import { isRecord, type JsonRecord, jsonOf, parsed, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import { RawJson } from '../json/text.ts'
import type {
  CallPart,
  Citation,
  EncryptedReasoning,
  Finish,
  FinishReason,
  MediaPart,
  NeutralResponse,
  ResponsePart,
} from '../translation/neutral.ts'
import type { Usage } from '../usage.ts'
import { ownVendor } from './encrypted-reasoning.ts'

const decoder = new TextDecoder('utf-8')

/** Throws WireError `invalid_value` for what is not a response of this format. */
export function decodeResponse(body: Uint8Array, usage: Usage): NeutralResponse {
  const answer = parsed(decoder.decode(body))
  if (!isRecord(answer) || !Array.isArray(answer.output)) {
    throw new WireError('invalid_value', 'The upstream response is not a response object.')
  }
  const parts = recordsIn(answer, 'output').flatMap(partsOf)
  return {
    parts,
    finish: finishOf(answer, (kind) => parts.some((part) => part.kind === kind)),
    usage,
    logprobs: logprobsOf(answer),
  }
}

function partsOf(item: JsonRecord): readonly ResponsePart[] {
  switch (item.type) {
    case 'message':
      return recordsIn(item, 'content').flatMap(contentPart)
    case 'reasoning': {
      const text = thoughtText(item)
      const encrypted = encryptedOf(item)
      return text === '' && encrypted === null ? [] : [{ kind: 'thinking', text, redacted: false, encrypted }]
    }
    case 'function_call':
    case 'custom_tool_call':
      return [{ ...callOf(item), input: inputOf(item), pointer: '' }]
    case 'image_generation_call':
      return [imageOf(item) ?? []].flat()
    default:
      return []
  }
}

function contentPart(content: JsonRecord): readonly ResponsePart[] {
  if (content.type === 'refusal') return [{ kind: 'refusal', text: textIn(content, 'refusal') }]
  const text = textIn(content, 'text')
  const citations = recordsIn(content, 'annotations').flatMap((annotation) => citationOf(annotation) ?? [])
  return text === '' && citations.length === 0 ? [] : [{ kind: 'text', text, cache: null, citations }]
}

/** null: a source without address and title. */
export function citationOf(annotation: JsonRecord): Citation | null {
  const url = textIn(annotation, 'url') || null
  const title = textIn(annotation, 'title') || textIn(annotation, 'filename') || null
  return url === null && title === null ? null : { url, title, quoted: null }
}

/** The visible text of a thought: its summary, or the thought itself where a host returns it. */
export function thoughtText(item: JsonRecord): string {
  const summary = recordsIn(item, 'summary').map((part) => textIn(part, 'text'))
  return summary.length > 0
    ? summary.join('\n\n')
    : recordsIn(item, 'content')
        .map((part) => textIn(part, 'text'))
        .join('')
}

export function encryptedOf(item: JsonRecord): EncryptedReasoning | null {
  const content = textIn(item, 'encrypted_content')
  return content === '' ? null : { vendor: ownVendor, data: `${textIn(item, 'id')}.${content}` }
}

/** The call is known by its `call_id`; `id` is the item's. */
export function callOf(item: JsonRecord): Omit<CallPart, 'input' | 'pointer'> {
  return {
    kind: 'call',
    id: textIn(item, 'call_id'),
    name: textIn(item, 'name'),
    namespace: textIn(item, 'namespace') || null,
    form: item.type === 'custom_tool_call' ? 'text' : 'json',
    encrypted: null,
  }
}

export function inputOf(item: JsonRecord): string {
  return textIn(item, item.type === 'custom_tool_call' ? 'input' : 'arguments')
}

/** null: it was not made. */
export function imageOf(item: JsonRecord): MediaPart | null {
  const image = textIn(item, 'result')
  if (image === '') return null
  return {
    kind: 'media',
    medium: 'image',
    source: { kind: 'base64', mediaType: `image/${textIn(item, 'output_format') || 'png'}`, data: image },
    title: null,
    detail: null,
    cache: null,
    pointer: '',
  }
}

const incompleteReasons: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: 'length',
  content_filter: 'filter',
  max_messages: 'end',
  steered: 'end',
}

/** Why the answer ended; `has` lists the kinds of its parts. */
export function finishOf(answer: JsonRecord, has: (kind: 'call' | 'refusal') => boolean): Finish {
  return { reason: reasonOf(answer, has), stopString: null, explanation: null }
}

function reasonOf(answer: JsonRecord, has: (kind: 'call' | 'refusal') => boolean): FinishReason {
  if (answer.status === 'incomplete') {
    const reason = textIn(recordIn(answer, 'incomplete_details'), 'reason')
    return Object.hasOwn(incompleteReasons, reason) ? (incompleteReasons[reason] ?? 'length') : 'length'
  }
  if (has('call')) return 'calls'
  return has('refusal') ? 'refusal' : 'end'
}

function logprobsOf(answer: JsonRecord): RawJson | null {
  const entries = recordsIn(answer, 'output')
    .flatMap((item) => recordsIn(item, 'content'))
    .flatMap((content) => recordsIn(content, 'logprobs'))
  const text = entries.length === 0 ? '' : jsonOf(entries)
  return text === '' ? null : new RawJson(text)
}
