/** Short messages on what just happened, read out too. They leave by themselves; problems stay until closed. */
import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { type JSX, useSyncExternalStore } from 'react'

interface Message {
  readonly id: number
  readonly tone: 'good' | 'bad'
  readonly text: string
}

const shownMs = 5_000
const shownMax = 4
let messages: readonly Message[] = []
let nextId = 1
const listeners = new Set<() => void>()

function show(tone: Message['tone'], text: string): void {
  const id = nextId
  nextId += 1
  const others = messages.filter((message) => message.text !== text)
  set([...others, { id, tone, text }].slice(-shownMax))
  if (tone === 'good') setTimeout(() => close(id), shownMs)
}

function close(id: number): void {
  set(messages.filter((message) => message.id !== id))
}

function set(next: readonly Message[]): void {
  messages = next
  for (const listener of listeners) listener()
}

export const toast = {
  good: (text: string): void => show('good', text),
  problem: (text: string): void => show('bad', text),
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toaster(): JSX.Element {
  const shown = useSyncExternalStore(subscribe, () => messages)
  return (
    <section
      aria-label="Messages"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-60 flex flex-col items-end gap-2 print:hidden"
    >
      {shown.map(({ id, tone, text }) => (
        <div
          key={id}
          className="motion-appear pointer-events-auto flex w-full max-w-sm items-start gap-3 rounded-lg border border-line bg-raised py-3 pr-2 pl-4 shadow-lg shadow-black/10"
        >
          {tone === 'good' ? (
            <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-good" />
          ) : (
            <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
          )}
          <p className="min-w-0 flex-1 break-words">{text}</p>
          <button
            type="button"
            aria-label="Close the message"
            onClick={() => close(id)}
            className="flex size-6 items-center justify-center rounded-md text-ink-soft hover:bg-sunken max-sm:size-10"
          >
            <X aria-hidden="true" className="size-4" />
          </button>
        </div>
      ))}
    </section>
  )
}
