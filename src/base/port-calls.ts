/**
 * Two threads that ask each other things over one port, any number at a time up to a bound: each has a table of what it
 * answers, and errors of ours arrive as what they were. Knows nothing of what is asked.
 */
import type { MessagePort, Worker } from 'node:worker_threads'
import { BrokenInvariant } from './assert.ts'
import { type ErrorDetails, TollgateError } from './errors.ts'

/** What one side answers: plain values in, plain values out. */
export type Answers = Readonly<Record<string, (...values: never[]) => unknown>>

export interface PortCalls<Theirs> {
  /** Rejects with what the other side threw, with `overloaded` when too much waits, and when the other side is gone. */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    ...values: Asked<Theirs[Name]>
  ): Promise<Answered<Theirs[Name]>>
  /** The same without waiting for an answer; what fails there is told nobody here. */
  tell<Name extends keyof Theirs & string>(name: Name, ...values: Asked<Theirs[Name]>): void
  /** Nobody will answer any more: whoever waits hears why. */
  end(reason: Error): void
}

type Asked<Call> = Call extends (...values: infer Values) => unknown ? Values : never
type Answered<Call> = Call extends (...values: never[]) => infer Result ? Awaited<Result> : never

type Failure =
  | { readonly kind: 'told'; readonly code: TollgateError['code']; readonly details: ErrorDetails }
  | { readonly kind: 'broken'; readonly message: string; readonly stack: string }

type Message =
  | readonly ['ask', number: number, name: string, values: readonly unknown[]]
  | readonly ['tell', name: string, values: readonly unknown[]]
  | readonly ['answer', number: number, value: unknown]
  | readonly ['failed', number: number, failure: Failure]

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (reason: Error) => void
}

/** The memory in what is sent that is handed over instead of copied; it is empty here afterwards. */
export type Moved = (values: unknown) => readonly ArrayBuffer[]

/** `mine`: what this side answers. `waitingMax`: how many questions to the other side may be open at once. */
export function openPortCalls<Theirs>(
  port: Pick<MessagePort | Worker, 'postMessage' | 'on'>,
  mine: Answers,
  waitingMax: number,
  moved: Moved = () => [],
): PortCalls<Theirs> {
  const waiting = new Map<number, Waiting>()
  let last = 0
  let ended: Error | undefined

  async function answer(number: number, name: string, values: readonly unknown[]): Promise<void> {
    const post = (message: Message, values?: unknown): void =>
      port.postMessage(message, values === undefined ? [] : moved(values))
    try {
      const value = await callOf(mine, name)(...values)
      post(['answer', number, value], value)
    } catch (error) {
      post(['failed', number, failureOf(error)])
    }
  }
  function taken(number: number): Waiting | undefined {
    const found = waiting.get(number)
    waiting.delete(number)
    return found
  }
  port.on('message', (message: Message) => {
    switch (message[0]) {
      case 'ask':
        void answer(message[1], message[2], message[3])
        return
      case 'tell':
        callOf(mine, message[1])(...message[2])
        return
      case 'answer':
        taken(message[1])?.resolve(message[2] as never)
        return
      case 'failed':
        taken(message[1])?.reject(errorOf(message[2]))
    }
  })
  const ask = (name: string, ...values: readonly unknown[]): Promise<never> =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) throw ended
      if (waiting.size >= waitingMax) throw overloaded()
      last += 1
      port.postMessage(['ask', last, name, values] satisfies Message, moved(values))
      waiting.set(last, { resolve, reject })
    })
  return {
    ask,
    tell: (name, ...values) => port.postMessage(['tell', name, values] satisfies Message),
    end(reason) {
      ended ??= reason
      for (const { reject } of waiting.values()) reject(reason)
      waiting.clear()
    },
  }
}

function callOf(answers: Answers, name: string): (...values: readonly unknown[]) => unknown {
  const found = Object.hasOwn(answers, name) ? answers[name] : undefined
  if (found === undefined) throw new BrokenInvariant(`nobody answers ${name} here`)
  return found as (...values: readonly unknown[]) => unknown
}

function overloaded(): TollgateError {
  return new TollgateError('overloaded', {
    message: 'Too much waits here at the moment. Try again shortly.',
    retryAfterMs: 1_000,
  })
}

function failureOf(error: unknown): Failure {
  if (error instanceof TollgateError) {
    const { cause: _stays, ...details } = error.details
    return { kind: 'told', code: error.code, details }
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { kind: 'broken', message, stack: stack ?? '' }
}

function errorOf(failure: Failure): Error {
  if (failure.kind === 'told') return new TollgateError(failure.code, failure.details)
  const error = new BrokenInvariant(failure.message)
  if (failure.stack !== '') error.stack = failure.stack
  return error
}
