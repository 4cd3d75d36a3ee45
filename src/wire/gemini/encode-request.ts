/**
 * A conversation → a Gemini request. What a cache matches by prefix comes first: tools, instructions,
 * contents; then all settings. The model is in the URL. Pure: the same conversation gives the same
 * bytes.
 */

import { type JsonOut, jsonText } from '../json/text.ts'
import { cutAt } from '../translation/emulated-stops.ts'
import type {
  Adjustment,
  Conversation,
  ConversationTurn,
  EncodedRequest,
  TextPart,
  TranslationTarget,
} from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { geminiNames, NamedTools } from '../translation/tool-names.ts'
import { leadingSystemCount } from '../translation/turns.ts'
import { ContentWriter } from './encode-request-contents.ts'
import { generationConfig, stopsOf, toolConfig, toolList } from './encode-request-settings.ts'

/** A block that Messages clients put first, about their own billing. */
const billingHeader = 'x-anthropic-billing-header'

/** See `UpstreamCodec.encodeRequest`. */
export function encodeRequest(
  conversation: Conversation,
  { capabilities }: TranslationTarget,
): EncodedRequest {
  const adjusted: Adjustment[] = []
  const adjust = (adjustment: Adjustment) => {
    adjusted.push(adjustment)
  }
  const { turns } = conversation
  if (turns.at(-1)?.role === 'assistant' && !capabilities.prefill) {
    throw untranslatable('messages', 'the model does not support prefilled responses')
  }
  // No request can cap how often these run, so their cost is unbounded.
  for (const { pointer } of conversation.providerTools) {
    adjust({ kind: 'dropped', field: pointer, why: 'its number of uses cannot be limited' })
  }
  const names = new NamedTools(geminiNames)
  const writer = new ContentWriter(capabilities, names)
  const leading = leadingSystemCount(turns)
  const body: Readonly<Record<string, JsonOut | undefined>> = {
    tools: toolList(conversation.tools, names),
    systemInstruction: instruction(turns.slice(0, leading), adjust),
    contents: writer.write(turns.slice(leading)),
    toolConfig: toolConfig(conversation, capabilities, names),
    generationConfig: generationConfig(conversation, capabilities, adjust),
  }
  return {
    text: jsonText(body),
    adjusted: [...adjusted, ...writer.adjusted],
    names: names.names,
    headers: {},
    emulation: cutAt(stopsOf(conversation, capabilities).emulated),
  }
}

function instruction(
  turns: readonly ConversationTurn[],
  adjust: (adjustment: Adjustment) => void,
): JsonOut | undefined {
  const texts = turns
    .flatMap(({ parts }) => parts)
    .filter((part): part is TextPart => part.kind === 'text' && part.text !== '')
  const isBilling = texts[0]?.text.startsWith(billingHeader) === true
  if (isBilling) adjust({ kind: 'dropped', field: 'system[0]', why: 'it is meant for another vendor' })
  const parts = texts.slice(isBilling ? 1 : 0).map(({ text }) => ({ text }))
  return parts.length === 0 ? undefined : { parts }
}
