/**
 * A conversation in the neutral form → a chat request that api.openai.com accepts, without any vendor's fields.
 * What a prompt cache matches comes first: model, tools, messages; then the settings. Same values, same bytes.
 */

import { jsonText } from '../json/text.ts'
import { cutAt } from '../translation/emulated-stops.ts'
import type { Adjustment, Conversation, EncodedRequest, TranslationTarget } from '../translation/neutral.ts'
import { NamedTools, openaiNames } from '../translation/tool-names.ts'
import { effortFor } from './encode-request-effort.ts'
import { messagesOf } from './encode-request-messages.ts'
import { choiceOf, settingsOf, stopsOf, toolsOf } from './encode-request-settings.ts'

/** Throws WireError `untranslatable`; see `UpstreamCodec.encodeRequest`. */
export function encodeRequest(conversation: Conversation, target: TranslationTarget): EncodedRequest {
  const { capabilities: takes } = target
  const names = new NamedTools(openaiNames)
  const adjusted: Adjustment[] = []
  const tools = toolsOf(conversation.tools, names, adjusted)
  const messages = messagesOf(conversation.turns, {
    capabilities: takes,
    names,
    adjusted,
    thoughtsMember: target.thoughtsMember,
  })
  const reasoning = effortFor(conversation.reasoning, takes, tools !== undefined)
  for (const one of reasoning.adjusted) adjusted.push(one)
  for (const one of omissions(conversation, takes.cacheBreakpoints)) adjusted.push(one)
  const settings = { takes, effort: reasoning.effort, adjusted }
  const text = jsonText({
    model: target.model,
    tools,
    messages,
    ...choiceOf(conversation, names, settings),
    ...settingsOf(conversation, settings),
  })
  const emulation = cutAt(stopsOf(conversation, takes).emulated)
  return { text, adjusted, names: names.names, headers: {}, emulation }
}

/** Tools of other providers, which agents declare without being asked, and marks that the model does not take. */
function omissions(conversation: Conversation, takesBreakpoints: boolean): readonly Adjustment[] {
  const adjusted: Adjustment[] = conversation.providerTools.map(({ name, pointer }) => ({
    kind: 'dropped',
    field: pointer,
    why: `${name} runs at another provider`,
  }))
  if (!takesBreakpoints && hasBreakpoints(conversation)) {
    adjusted.push({ kind: 'dropped', field: 'cache_control', why: 'the model caches automatically' })
  }
  return adjusted
}

function hasBreakpoints({ turns }: Conversation): boolean {
  return turns.some(({ parts }) => parts.some((part) => 'cache' in part && part.cache !== null))
}
