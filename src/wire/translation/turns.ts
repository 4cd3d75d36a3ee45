/**
 * Shared views of a history for all encoders: turns of one speaker joined, and which call a
 * result belongs to. The order stays; nothing is added or omitted.
 */
import type { CallPart, ConversationPart, ConversationTurn, TextPart } from './neutral.ts'

/** Adjacent turns of the same role become one turn; instructions stay as they are. */
export function joinedTurns(turns: readonly ConversationTurn[]): readonly ConversationTurn[] {
  const joined: { role: ConversationTurn['role']; parts: ConversationPart[] }[] = []
  for (const { role, parts } of turns) {
    const last = joined.at(-1)
    if (last === undefined || last.role !== role || role === 'system')
      joined.push({ role, parts: [...parts] })
    else for (const part of parts) last.parts.push(part)
  }
  return joined
}

/** Every call of the history by its id; of two calls with one id the later one counts for what follows it. */
export function callsById(turns: readonly ConversationTurn[]): ReadonlyMap<string, CallPart> {
  const calls = new Map<string, CallPart>()
  for (const { parts } of turns) for (const part of parts) if (part.kind === 'call') calls.set(part.id, part)
  return calls
}

/** A message that was sent and says nothing, which is more than no message: the model answers it. */
export function isEmptyMessage(parts: readonly ConversationPart[]): boolean {
  return parts.every((part) => part.kind === 'text' && part.text === '')
}

/** How many turns at the beginning are instructions. */
export function leadingSystemCount(turns: readonly ConversationTurn[]): number {
  const first = turns.findIndex(({ role }) => role !== 'system')
  return first === -1 ? turns.length : first
}

export const textPart = (text: string): TextPart => ({ kind: 'text', text, cache: null, citations: [] })

/** Instructions within a conversation, where a format has no place for them. */
export const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`

/** Where the turns that are not of the model end. */
export function endOfUser(turns: readonly ConversationTurn[], from: number): number {
  let end = from
  while (end < turns.length && turns[end]?.role !== 'assistant') end += 1
  return end
}
