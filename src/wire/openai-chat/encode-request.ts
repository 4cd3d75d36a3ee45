/**
 * A conversation in the neutral form → a chat request that api.openai.com accepts, without any vendor's fields.
 * What a prompt cache matches comes first: model, tools, messages; then the settings. Same values, same bytes.
 */
import { jsonText } from '../json/text.ts'
import { efforts as ascending, type Capabilities, type Effort } from '../translation/capabilities.ts'
import { cutAt } from '../translation/emulated-stops.ts'
import type {
  Adjustment,
  Conversation,
  EncodedRequest,
  Reasoning,
  TranslationTarget,
} from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { NamedTools, openaiNames } from '../translation/tool-names.ts'
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

/** Tokens below which a budget means the effort; wire formats that count tokens are said in efforts so. */
const budgets: readonly (readonly [tokensBelow: number, effort: Effort])[] = [
  [1, 'none'],
  [5_000, 'low'],
  [10_000, 'medium'],
]

interface WrittenEffort {
  /** null: the field is left out, and the model's default holds. */
  readonly effort: Effort | null
  readonly adjusted: readonly Adjustment[]
}

/**
 * The reasoning effort, rounded to what the model supports, and `none` or omitted where it does not support an effort with
 * function tools. Changes are reported. Throws WireError where the model takes no function tools in this format at all.
 */
function effortFor(reasoning: Reasoning, takes: Capabilities, hasTools: boolean): WrittenEffort {
  const wanted = reasoning.effort ?? effortOfBudget(reasoning.budget)
  if (hasTools && takes.chatTools !== 'always') return besideTools(wanted, takes)
  if (wanted === null) return { effort: null, adjusted: [] }
  if (takes.thinking === 'none') {
    return wanted === 'none'
      ? { effort: null, adjusted: [] }
      : changed(null, 'dropped', 'the model does not reason')
  }
  const effort = nearest(wanted, takes)
  if (effort === null) return changed(null, 'dropped', 'the model does not support effort')
  if (effort !== wanted)
    return changed(effort, 'adapted', `the nearest effort that the model supports: ${effort}`)
  if (reasoning.effort === null) return changed(effort, 'adapted', `converted to effort ${effort}`)
  return { effort, adjusted: [] }
}

function besideTools(wanted: Effort | null, takes: Capabilities): WrittenEffort {
  if (takes.chatTools === 'never') {
    throw untranslatable('tools', 'this model does not support function tools in Chat Completions')
  }
  if (wanted === 'none') return { effort: 'none', adjusted: [] }
  const why = 'the model does not support effort with function tools in this format'
  if (takes.chatTools === 'explicit_none') return changed('none', 'adapted', why)
  return wanted === null ? { effort: null, adjusted: [] } : changed(null, 'dropped', why)
}

function effortOfBudget(budget: number | null): Effort | null {
  if (budget === null || budget < 0) return null
  return budgets.find(([tokensBelow]) => budget < tokensBelow)?.[1] ?? 'high'
}

/** The effort itself, else the next higher one that is taken, else the highest. */
function nearest(wanted: Effort, { efforts, thinkingOff }: Capabilities): Effort | null {
  if (wanted === 'none' && thinkingOff !== null) return 'none'
  const levels = ascending.filter((effort) => effort !== 'none' && efforts.includes(effort))
  return (
    levels.find((effort) => ascending.indexOf(effort) >= ascending.indexOf(wanted)) ?? levels.at(-1) ?? null
  )
}

function changed(effort: Effort | null, kind: Adjustment['kind'], why: string): WrittenEffort {
  return { effort, adjusted: [{ kind, field: 'reasoning', why }] }
}
