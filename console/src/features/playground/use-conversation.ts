/**
 * The playground's conversation: send, stream, stop, retry. In memory for the person and account while the page is
 * loaded, so that opening a receipt loses nothing; never stored.
 */
import { useCallback, useEffect, useRef, useState } from 'react'
import { call } from '@/lib/api'
import { ask } from './ask.ts'
import {
  type AnswerTurn,
  type MessageImage,
  nothingSaid,
  requestBody,
  type Said,
  type Settings,
  type Takes,
  type Turn,
  usualSettings,
} from './conversation.ts'

export interface SavedConversation {
  readonly turns: readonly Turn[]
  readonly settings: Settings
}

const saved = new Map<string, SavedConversation>()
let nextId = 1

export function newId(): number {
  const id = nextId
  nextId += 1
  return id
}

export interface With {
  readonly model: string
  readonly takes: Takes
}

export interface Conversation extends SavedConversation {
  readonly isRunning: boolean
  setSettings(changes: Partial<Settings>): void
  /** Sends a message. */
  send(text: string, images: readonly MessageImage[], on: With): void
  setResult(answer: number, call: string, result: string): void
  /** Continues the conversation, after the results of calls were entered. */
  goOn(on: With): void
  /** Removes the last response and requests a new one. */
  again(on: With): void
  stop(): void
  clear(): void
}

export function useConversation(owner: string, account: string): Conversation {
  const place = `${owner} ${account}`
  const [turns, setTurns] = useState<readonly Turn[]>(() => saved.get(place)?.turns ?? [])
  const [settings, setAll] = useState<Settings>(() => saved.get(place)?.settings ?? usualSettings)
  const running = useRef<AbortController | null>(null)
  const [isRunning, setRunning] = useState(false)

  useEffect(() => {
    saved.set(place, { turns: turns.map(settled), settings })
  }, [place, turns, settings])
  useEffect(() => () => running.current?.abort(), [])

  const answer = useCallback(
    async (before: readonly Turn[], { model, takes }: With): Promise<void> => {
      const control = new AbortController()
      running.current = control
      setRunning(true)
      const begun = newAnswer(model)
      const update = (changes: Partial<AnswerTurn>): void =>
        setTurns((now) =>
          now.map((turn) =>
            turn.id === begun.id && turn.kind === 'answer' ? { ...turn, ...changes } : turn,
          ),
        )
      setTurns([...before, begun])
      const painter = oncePerFrame((said: Said) => update({ said }))
      const outcome = await ask({
        account,
        body: requestBody(model, before, settings, takes),
        signal: control.signal,
        onRequest: (request) => update({ request }),
        onSaid: painter.paint,
      })
      painter.finish()
      const problem = outcome.kind === 'failed' ? outcome.problem : null
      update({ state: outcome.kind, problem })
      if (running.current === control) {
        running.current = null
        setRunning(false)
      }
      // People who are no longer signed in are redirected.
      if (problem?.code === 'not_signed_in') await call('me.show').catch(() => undefined)
    },
    [account, settings],
  )

  return {
    turns,
    settings,
    isRunning,
    setSettings: (changes) => setAll((now) => ({ ...now, ...changes })),
    send(text, images, on) {
      void answer([...turns, { kind: 'user', id: newId(), text, images }], on)
    },
    setResult(id, callId, result) {
      setTurns((now) =>
        now.map((turn) =>
          turn.id === id && turn.kind === 'answer'
            ? { ...turn, results: { ...turn.results, [callId]: result } }
            : turn,
        ),
      )
    },
    goOn: (on) => void answer(turns, on),
    again: (on) => void answer(turns.at(-1)?.kind === 'answer' ? turns.slice(0, -1) : turns, on),
    stop: () => running.current?.abort(),
    clear() {
      running.current?.abort()
      setTurns([])
    },
  }
}

function newAnswer(model: string): AnswerTurn {
  return {
    kind: 'answer',
    id: newId(),
    model,
    said: nothingSaid,
    state: 'streaming',
    request: null,
    problem: null,
    results: {},
  }
}

/** A running response is stopped when the page is left. */
function settled(turn: Turn): Turn {
  return turn.kind === 'answer' && turn.state === 'streaming' ? { ...turn, state: 'stopped' } : turn
}

/** A stream may bring hundreds of chunks a second; the screen shows sixty states. */
function oncePerFrame<Value>(show: (value: Value) => void): {
  readonly paint: (value: Value) => void
  readonly finish: () => void
} {
  let waiting: { readonly value: Value } | undefined
  let frame = 0
  const flush = (): void => {
    frame = 0
    if (waiting !== undefined) show(waiting.value)
    waiting = undefined
  }
  return {
    paint(value) {
      waiting = { value }
      if (frame === 0) frame = requestAnimationFrame(flush)
    },
    finish() {
      cancelAnimationFrame(frame)
      flush()
    },
  }
}
