/** Toasts: who adds them, and who shows them. Good ones disappear on their own; problems stay. */
import { type ReactNode, useSyncExternalStore } from 'react'

export interface Message {
  readonly id: number
  readonly tone: 'good' | 'bad'
  readonly text: string
  /** A link to what comes next. */
  readonly link?: ReactNode
}

const shownMs = 5_000
/** Time to reach the link. */
const shownWithLinkMs = 15_000
const shownMax = 2
let messages: readonly Message[] = []
let nextId = 1
const listeners = new Set<() => void>()

function show(tone: Message['tone'], text: string, link?: ReactNode): void {
  const id = nextId
  nextId += 1
  const all = [...messages.filter((message) => message.text !== text), { id, tone, text, link }]
  // Confirmations are removed first, then the oldest problem.
  const surplus =
    all.length > shownMax ? (all.find((message) => message.tone === 'good') ?? all[0]) : undefined
  set(all.filter((message) => message !== surplus))
  if (tone === 'good') setTimeout(() => closeMessage(id), link === undefined ? shownMs : shownWithLinkMs)
}

export function closeMessage(id: number): void {
  set(messages.filter((message) => message.id !== id))
}

function set(next: readonly Message[]): void {
  messages = next
  for (const listener of listeners) listener()
}

export const toast = {
  good: (text: string, link?: ReactNode): void => show('good', text, link),
  problem: (text: string): void => show('bad', text),
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The toasts shown now. */
export function useMessages(): readonly Message[] {
  return useSyncExternalStore(subscribe, () => messages)
}
