/**
 * A neutral response → a whole chat response: text in `content`, readable reasoning in `reasoning_content`, and what
 * must return unchanged in the IDs of calls and in the fields that clients are known to echo.
 */
import { inputTokens, outputTokens } from '../../../contract/meters.ts'
import { type JsonOut, jsonText } from '../json/text.ts'
import type {
  CallPart,
  Citation,
  EncryptedReasoning,
  Finish,
  FinishReason,
  Frame,
  MediaPart,
  NeutralResponse,
  ResponseCost,
  ResponsePart,
  TextPart,
  ThinkingPart,
} from '../translation/neutral.ts'
import {
  carrierId,
  plainId,
  plainIdCharactersMax,
  tagged,
  taggedBase64,
  unencrypted,
} from '../translation/reasoning-carriers.ts'
import { costMembers } from '../usage-cost.ts'
import { oldestForm } from './decode-request.ts'
import { encryptedForms } from './encrypted-reasoning.ts'

type ChatResponseMembers = Readonly<Record<string, JsonOut | undefined>>

/** See `ClientCodec.encodeResponse`. */
export function encodeResponse(answer: NeutralResponse, frame: Frame, tally: ResponseCost): string {
  const { parts, finish, logprobs } = answer
  const kinds = new Set(parts.map(({ kind }) => kind))
  return jsonText({
    id: answerId(frame),
    object: 'chat.completion',
    created: frame.createdSeconds,
    model: frame.model,
    choices: [
      {
        index: 0,
        message: messageOf(parts, finish, frame),
        logprobs:
          logprobs !== null && frame.responseOptions.logprobs ? { content: logprobs, refusal: null } : null,
        finish_reason: finishReasonOf(finish, kinds, frame),
      },
    ],
    usage: usageOf(tally),
  })
}

function messageOf(parts: readonly ResponsePart[], finish: Finish, frame: Frame): JsonOut {
  const texts = parts.filter((part) => part.kind === 'text')
  const content = texts.map(({ text }) => text).join('')
  const refusals = parts.flatMap((part) => (part.kind === 'refusal' ? [part.text] : []))
  const thoughts = parts.filter((part) => part.kind === 'thinking')
  const reasoning = thoughts
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n\n')
  const details = detailsOf(thoughts)
  const calls = callsOf(parts, frame)
  const refusal = refusals.length > 0 ? refusals.join('') : content === '' ? explanationOf(finish) : null
  const images = parts.filter((part) => part.kind === 'media').map(imageOf)
  const isSilent = content === '' && (calls.length > 0 || refusal !== null)
  return {
    role: 'assistant',
    content: isSilent ? null : content,
    refusal,
    reasoning_content: reasoning === '' ? undefined : reasoning,
    reasoning_details: details.length === 0 ? undefined : details,
    ...callMembers(calls, frame),
    images: images.length === 0 ? undefined : images,
    annotations: annotationsOf(texts),
  }
}

/** Callers of the oldest form read one call, in a separate field; further calls are in the current field. */
function callMembers(calls: readonly CallMember[], frame: Frame): ChatResponseMembers {
  const [first, ...rest] = calls
  if (first === undefined) return {}
  if (!isOldest(frame)) return { tool_calls: calls }
  return { function_call: first.function, tool_calls: rest.length === 0 ? undefined : rest }
}

/** Whether the caller declared its tools as `functions`. */
export function isOldest({ responseOptions }: Frame): boolean {
  return responseOptions.echo.some(([name]) => name === oldestForm)
}

function callsOf(parts: readonly ResponsePart[], frame: Frame): readonly CallMember[] {
  const calls: CallMember[] = []
  let thoughts: ThinkingPart[] = []
  for (const part of parts) {
    if (part.kind === 'thinking' && part.encrypted !== null) thoughts.push(part)
    if (part.kind !== 'call') continue
    const input = part.input === '' && part.form === 'json' ? '{}' : part.input
    calls.push(callOf(part, { id: callId(part, calls.length, frame), thoughts, input }))
    thoughts = []
  }
  return calls
}

/** The upstream's id of a call in a form that every client takes; one of ours where it has none. */
export function callId({ id }: Pick<CallPart, 'id'>, index: number, frame: Frame): string {
  return plainId(id === '' ? `call_${tailOf(frame)}_${index}` : id, plainIdCharactersMax)
}

/** A type alias, since an interface is not assignable to JsonOut. */
export type CallMember = ChatResponseMembers & { readonly function?: JsonOut | undefined }

/** A call as clients get it, with what it must bring back. */
export function callOf(
  call: Pick<CallPart, 'name' | 'form' | 'encrypted'>,
  {
    id: callId,
    thoughts,
    input,
  }: Pick<CallPart, 'id' | 'input'> & { readonly thoughts: readonly ThinkingPart[] },
): CallMember {
  const { name, form, encrypted } = call
  const id = carrierId(callId, { encrypted, thoughts })
  return {
    id,
    type: form === 'json' ? 'function' : 'custom',
    function: form === 'json' ? { name, arguments: input } : undefined,
    custom: form === 'text' ? { name, input } : undefined,
    extra_content:
      encrypted !== null && encryptedForms[encrypted.vendor].onCalls
        ? signatureOf(encrypted, id !== callId)
        : undefined,
  }
}

/** With a tag where it did not fit into the ID, so that it is still recognized as ours. */
function signatureOf(encrypted: EncryptedReasoning, isInId: boolean): JsonOut {
  return { google: { thought_signature: isInId ? encrypted.data : taggedBase64(encrypted) } }
}

/** Thoughts in the form that clients echo, one entry each; unencrypted ones too, so that they are recognized as ours. */
export function detailsOf(thoughts: readonly ThinkingPart[]): readonly JsonOut[] {
  return thoughts.flatMap(({ text, redacted, encrypted }): JsonOut[] => {
    if (encrypted === null) {
      return text === '' ? [] : [{ type: 'reasoning.text', text, signature: tagged(unencrypted) }]
    }
    const signature = tagged(encrypted)
    const { type, field, hidesEmpty } = encryptedForms[encrypted.vendor]
    if (redacted || (text === '' && hidesEmpty)) return [{ type: 'reasoning.encrypted', data: signature }]
    return [{ type, [field]: text, signature }]
  })
}

export function imageOf({ source }: MediaPart): JsonOut {
  const url =
    source.kind === 'url'
      ? source.url
      : source.kind === 'base64'
        ? `data:${source.mediaType};base64,${source.data}`
        : `data:text/plain,${encodeURIComponent(source.text)}`
  return { type: 'image_url', image_url: { url } }
}

/** The sources with an address; a source holds for the whole text that it came with. */
function annotationsOf(texts: readonly TextPart[]): readonly JsonOut[] | undefined {
  const annotations: JsonOut[] = []
  let start = 0
  for (const { text, citations } of texts) {
    const end = start + text.length
    for (const citation of citations) annotations.push(...annotationOf(citation, start, end))
    start = end
  }
  return annotations.length === 0 ? undefined : annotations
}

export function annotationOf(citation: Citation, start: number, end: number): readonly JsonOut[] {
  const { url, title } = citation
  if (url === null) return []
  return [
    { type: 'url_citation', url_citation: { start_index: start, end_index: end, title: title ?? '', url } },
  ]
}

const words: Readonly<Record<FinishReason, string>> = {
  end: 'stop',
  stop_string: 'stop',
  calls: 'tool_calls',
  length: 'length',
  context: 'length',
  refusal: 'content_filter',
  filter: 'content_filter',
  pause: 'stop',
}

/** A refusal in words ends with `stop`; one without any is a filter's. */
export function finishReasonOf({ reason }: Finish, kinds: ReadonlySet<string>, frame: Frame): string {
  if (reason === 'refusal' && kinds.has('refusal')) return 'stop'
  const word = words[reason]
  if (word !== 'stop' && word !== 'tool_calls') return word
  if (!kinds.has('call')) return 'stop'
  return isOldest(frame) ? 'function_call' : 'tool_calls'
}

/** The provider's explanation of a refusal or a filter, for an answer that is otherwise empty. */
export function explanationOf({ reason, explanation }: Finish): string | null {
  return (reason === 'refusal' || reason === 'filter') && explanation !== '' ? explanation : null
}

/** Disjoint classes → counters that include each other, with what they cost. */
export function usageOf({ usage, ...charge }: ResponseCost): JsonOut {
  const prompt = inputTokens(usage)
  const completion = outputTokens(usage)
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
      audio_tokens: usage.inputAudio,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.outputAudio,
    },
    ...costMembers(charge),
  }
}

export function answerId(frame: Frame): string {
  return `chatcmpl-${tailOf(frame)}`
}

function tailOf({ requestId }: Frame): string {
  return requestId.replace(/^req_/, '')
}
