/**
 * A conversation → a request of Amazon Bedrock's Converse. What a cache matches by prefix comes first: tools, instructions,
 * messages; then the settings. The model and streaming are in the path. Pure: the same conversation gives the same bytes.
 * docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, 2026-11.
 */

import { type JsonOut, jsonText } from '../json/text.ts'
import { cutAt, sharedStops } from '../translation/emulated-stops.ts'
import { jsonInstruction } from '../translation/emulation.ts'
import type { Adjustment, Conversation, EncodedRequest, TranslationTarget } from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { NamedTools, openaiNames } from '../translation/tool-names.ts'
import { leadingSystemCount } from '../translation/turns.ts'
import { CachePoints } from './encode-request-cache.ts'
import { type MessageDeps, writeMessages } from './encode-request-messages.ts'
import { additionalFields, inferenceConfig, toolConfig } from './encode-request-settings.ts'

/** A block that Messages clients put first, about their own billing. */
const billingHeader = 'x-anthropic-billing-header'
/** See `UpstreamCodec.encodeRequest`. */
export function encodeRequest(
  conversation: Conversation,
  { capabilities }: TranslationTarget,
): EncodedRequest {
  const adjusted: Adjustment[] = []
  const adjust = (adjustment: Adjustment) => void adjusted.push(adjustment)
  const { turns, format } = conversation
  if (turns.at(-1)?.role === 'assistant' && !capabilities.prefill) {
    throw untranslatable('messages', 'the model does not support prefilled responses')
  }
  if (format?.kind === 'schema') throw untranslatable('response_format', 'the format has no schemas')
  if (conversation.logprobs !== null) throw untranslatable('logprobs', 'the format does not return them')
  for (const { pointer } of conversation.providerTools) {
    adjust({ kind: 'dropped', field: pointer, why: 'the format has no such tool' })
  }
  const names = new NamedTools(openaiNames)
  const leading = leadingSystemCount(turns)
  const config = toolConfig(conversation, { capabilities, names, adjust })
  const cachePoints = new CachePoints(turns, { capabilities, adjust })
  const stops = sharedStops(conversation, {
    max: capabilities.stopsMax,
    isTaken: (stop) => stop.trim() !== '',
  })
  if (stops.emulated.length > 0) {
    adjust({
      kind: 'adapted',
      field: 'stop',
      why: 'the gateway applies stop strings that the model does not support',
    })
  }
  const body: Readonly<Record<string, JsonOut | undefined>> = {
    toolConfig: config,
    system: systemOf(conversation, leading, { cachePoints, adjust }),
    messages: writeMessages(turns.slice(leading), { capabilities, names, cachePoints, adjust }),
    inferenceConfig: inferenceConfig(conversation, { capabilities, stops: stops.sent, adjust }),
    additionalModelRequestFields: additionalFields(conversation.reasoning, { capabilities, adjust }),
  }
  return { text: jsonText(body), adjusted, names: names.names, headers: {}, emulation: cutAt(stops.emulated) }
}

/** Blank texts are rejected, and there is at least one block or none at all. */
function systemOf(
  { turns, format }: Conversation,
  leading: number,
  { cachePoints, adjust }: Pick<MessageDeps, 'cachePoints' | 'adjust'>,
): JsonOut | undefined {
  const texts: { readonly text: string; readonly behind: readonly JsonOut[] }[] = []
  for (const part of turns.slice(0, leading).flatMap(({ parts }) => parts)) {
    if (part.kind === 'media') throw untranslatable(part.pointer, 'instructions must be text')
    if (part.kind === 'text' && part.text.trim() !== '')
      texts.push({ text: part.text, behind: cachePoints.behind(part) })
  }
  const isBilling = texts[0]?.text.startsWith(billingHeader) === true
  if (isBilling) {
    texts.shift()
    adjust({ kind: 'dropped', field: 'system[0]', why: 'it is meant for another vendor' })
  }
  if (format?.kind === 'json') {
    texts.push({ text: jsonInstruction, behind: [] })
    adjust({ kind: 'adapted', field: 'response_format', why: 'an instruction to answer in JSON' })
  }
  return texts.length === 0 ? undefined : texts.flatMap(({ text, behind }) => [{ text }, ...behind])
}
