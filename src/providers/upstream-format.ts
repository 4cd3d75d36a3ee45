/**
 * In which format a model's upstream is asked: the caller's own wherever the model takes the request in it, else
 * the one that loses least. Pure: the same facts, the same format.
 */
import type { ConversationFormat, DialectName, RequestFacts } from '../wire/codec.ts'
import type { Connector } from './connector.ts'

/** What the choice rests on besides the model. */
export type FormatFacts = Pick<RequestFacts, 'functionTools' | 'effort' | 'asIs'>

/** Responses first: only there does reasoning survive from turn to turn. */
const forModelsThatReason: readonly ConversationFormat[] = [
  'openai-responses',
  'openai-chat',
  'anthropic',
  'gemini',
]
const forOthers: readonly ConversationFormat[] = ['openai-chat', 'openai-responses', 'anthropic', 'gemini']

/** `caller`: the format of its address. null: the model cannot be reached from it; embeddings are no conversation. */
export function upstreamFormat(
  connector: Pick<Connector, 'capabilities'>,
  { dialects, upstreamModel }: { readonly dialects: readonly DialectName[]; readonly upstreamModel: string },
  caller: DialectName,
  facts: FormatFacts,
): DialectName | null {
  if (caller === 'openai-embeddings') return dialects.includes(caller) ? caller : null
  const { chatTools, thinking } = connector.capabilities(upstreamModel)
  const fits = (dialect: DialectName) =>
    dialects.includes(dialect) && (dialect !== 'openai-chat' || takesTools(chatTools, facts))
  if (facts.asIs && fits(caller)) return caller
  const order = thinking === 'none' ? forOthers : forModelsThatReason
  // Where nothing fits, the provider itself tells the caller why.
  return order.find(fits) ?? order.find((dialect) => dialects.includes(dialect)) ?? null
}

type ChatTools = ReturnType<Connector['capabilities']>['chatTools']

/** Whether Chat Completions takes this request to a model whose rule is `chatTools`. */
function takesTools(chatTools: ChatTools, { functionTools, effort }: FormatFacts): boolean {
  if (!functionTools) return true
  switch (chatTools) {
    case 'always':
      return true
    case 'without_effort':
      return effort === null || effort === 'none'
    case 'explicit_none':
      return effort === 'none'
    case 'never':
      return false
  }
}
