/**
 * How threads of this program call each other: typed requests and replies over one message port, any number concurrently up
 * to a bound; each side may call the other. Our errors keep their type. Must not know the calls' content.
 */
import type { MessagePort, Worker } from 'node:worker_threads'
import { BrokenInvariant } from '../base/assert.ts'
import { type ErrorDetails, TollgateError } from '../base/errors.ts'

/** Handlers of one side: plain values in, plain values or a promise of them out. */
export type Handlers = Readonly<Record<string, (...values: never[]) => unknown>>

/** The same for work that can be stopped while it runs; the reply of a canceled call is dropped. */
export type CancellableHandlers = Readonly<
  Record<string, (cancellation: Cancellation, ...values: never[]) => Promise<unknown>>
>

export interface Cancellation {
  /** Runs once if the call is canceled before it is answered. */
  onCancel(run: () => void): void
}

export type Arguments<Request> = Request extends (...values: infer Values) => unknown ? Values : never
export type Result<Request> = Request extends (...values: never[]) => infer Value ? Awaited<Value> : never

export interface Port<Requests> {
  /** Rejects with the other side's error, when too many calls wait, and when the other side is gone. */
  call<Name extends keyof Requests & string>(
    name: Name,
    ...values: Arguments<Requests[Name]>
  ): Promise<Result<Requests[Name]>>
  /** The same without a promise, for the hot path: exactly one of the two runs. The number of the call. */
  send<Name extends keyof Requests & string>(
    name: Name,
    values: Arguments<Requests[Name]>,
    settle: Settle<Result<Requests[Name]>>,
  ): number
  /** The other side stops the work if it can; the call fails with the reason. */
  cancel(call: number, reason: Error): void
  /** A call without a reply. */
  notify<Name extends keyof Requests & string>(name: Name, ...values: Arguments<Requests[Name]>): void
  /** How many calls wait for their reply. */
  waiting(): number
  /** There will be no more replies: pending and future calls fail with the reason. */
  fail(reason: Error): void
}

export interface Settle<Value> {
  readonly onReply: (value: Value) => void
  readonly onFailure: (error: Error) => void
}

/** How an error crosses from thread to thread: as plain values and back. */
export interface ErrorCodec {
  toFailure(error: unknown): unknown
  toError(failure: never): Error
}

/** Memory in the message that is transferred instead of copied; it is empty here afterwards. */
export type Transfer = (values: unknown) => readonly ArrayBuffer[]

export interface PortOptions {
  readonly handlers?: Handlers
  readonly cancellable?: CancellableHandlers
  /** Maximum number of waiting calls to the other side. */
  readonly waitingMax: number
  /** The error of a call over the limit. */
  readonly full?: (waiting: number) => Error
  readonly transfer?: Transfer
  readonly errors?: ErrorCodec
  /** The first message of a thread: it can work, or why not. */
  readonly onGreeting?: (rejection: StartRejection | null) => void
}

/** Why a thread will not work. */
export interface StartRejection {
  readonly reason: 'newer_schema' | 'failed'
  /** A sentence for the operator. */
  readonly message: string
}

// Message kinds are small numbers, which cost less to copy than words.
const kinds = { call: 0, reply: 1, failure: 2, notice: 3, cancel: 4, greeting: 5 } as const

export type Message =
  | readonly [kind: typeof kinds.call, call: number, name: string, values: readonly unknown[]]
  | readonly [kind: typeof kinds.reply, call: number, value: unknown]
  | readonly [kind: typeof kinds.failure, call: number, failure: never]
  | readonly [kind: typeof kinds.notice, name: string, values: readonly unknown[]]
  | readonly [kind: typeof kinds.cancel, call: number]
  | readonly [kind: typeof kinds.greeting, rejection: StartRejection | null]

export const greeting = (rejection: StartRejection | null): Message => [kinds.greeting, rejection]

export type MessageChannelPort = Pick<MessagePort | Worker, 'postMessage' | 'on'>

export function openPort<Requests>(channel: MessageChannelPort, options: PortOptions): Port<Requests> {
  const { waitingMax, transfer, errors = ourErrors, full = overloaded, onGreeting } = options
  const answer = answering(channel, options)
  const waiting = new Map<number, { settle: Settle<never> | undefined }>()
  let last = 0
  let ended: Error | undefined

  function take(call: number): Settle<never> | undefined {
    const found = waiting.get(call)
    waiting.delete(call)
    const settle = found?.settle
    // V8 keeps copies of a map's table, with what was in it, until a full collection.
    if (found !== undefined) found.settle = undefined
    return settle
  }
  channel.on('message', (message: Message) => {
    switch (message[0]) {
      case kinds.call:
        answer.call(message[1], message[2], message[3])
        return
      case kinds.reply:
        take(message[1])?.onReply(message[2] as never)
        return
      case kinds.failure:
        take(message[1])?.onFailure(errors.toError(message[2]))
        return
      case kinds.notice:
        answer.notice(message[1], message[2])
        return
      case kinds.cancel:
        answer.cancel(message[1])
        return
      case kinds.greeting:
        onGreeting?.(message[1])
    }
  })
  const send = (name: string, values: readonly unknown[], settle: Settle<never>): number => {
    const rejection = ended ?? (waiting.size >= waitingMax ? full(waiting.size) : undefined)
    last += 1
    if (rejection === undefined) {
      try {
        post(channel, [kinds.call, last, name, values], transfer?.(values))
        waiting.set(last, { settle })
        return last
      } catch (error) {
        // Something in it cannot be copied to another thread: the sender's mistake, and nothing was sent.
        settle.onFailure(error as Error)
      }
    } else settle.onFailure(rejection)
    return last
  }
  return {
    send,
    call: (name, ...values) =>
      new Promise((onReply, onFailure) => {
        send(name, values, { onReply, onFailure })
      }),
    cancel(call, reason) {
      const found = take(call)
      if (found === undefined) return
      if (ended === undefined) post(channel, [kinds.cancel, call])
      found.onFailure(reason)
    },
    notify: (name, ...values) => post(channel, [kinds.notice, name, values]),
    waiting: () => waiting.size,
    fail(reason) {
      ended ??= reason
      const failed = [...waiting.values()]
      waiting.clear()
      for (const { settle } of failed) settle?.onFailure(reason)
    },
  }
}

function post(channel: MessageChannelPort, message: Message, moved?: readonly ArrayBuffer[]): void {
  if (moved === undefined) channel.postMessage(message)
  else channel.postMessage(message, moved)
}

/** The replying side: a reply is sent immediately where the handler's value is not a promise, so replies stay in order. */
function answering(channel: MessageChannelPort, options: PortOptions) {
  const { handlers = {}, cancellable = {}, transfer, errors = ourErrors } = options
  const stops = new Map<number, () => void>()
  function fail(call: number, error: unknown): void {
    stops.delete(call)
    post(channel, [kinds.failure, call, errors.toFailure(error) as never])
  }
  function reply(call: number, value: unknown): void {
    stops.delete(call)
    try {
      post(channel, [kinds.reply, call, value], transfer?.(value))
    } catch (error) {
      fail(call, error)
    }
  }
  function run(call: number, name: string, values: readonly unknown[]): unknown {
    if (!Object.hasOwn(cancellable, name)) return handlerOf(handlers, name)(...values)
    const cancellation: Cancellation = { onCancel: (stop) => void stops.set(call, stop) }
    return handlerOf(cancellable, name)(cancellation, ...values)
  }
  return {
    call(call: number, name: string, values: readonly unknown[]): void {
      try {
        const value = run(call, name, values)
        if (value instanceof Promise) {
          value.then(
            (later) => reply(call, later),
            (error: unknown) => fail(call, error),
          )
        } else reply(call, value)
      } catch (error) {
        fail(call, error)
      }
    },
    notice(name: string, values: readonly unknown[]): void {
      handlerOf(handlers, name)(...values)
    },
    cancel(call: number): void {
      const stop = stops.get(call)
      stops.delete(call)
      stop?.()
    },
  }
}

function handlerOf(handlers: Handlers, name: string): (...values: readonly unknown[]) => unknown {
  const found = Object.hasOwn(handlers, name) ? handlers[name] : undefined
  if (found === undefined) throw new BrokenInvariant(`nothing answers ${name} here`)
  return found as (...values: readonly unknown[]) => unknown
}

function overloaded(): TollgateError {
  return new TollgateError('overloaded', {
    message: 'This server is overloaded. Try again shortly.',
    retryAfterMs: 1_000,
  })
}

type SerializedError =
  | { readonly kind: 'ours'; readonly code: TollgateError['code']; readonly details: ErrorDetails }
  | { readonly kind: 'broken'; readonly message: string; readonly stack: string }

/** Errors of the error table arrive as themselves, anything else as a broken invariant. */
const ourErrors: ErrorCodec = {
  toFailure(error): SerializedError {
    if (error instanceof TollgateError) {
      const { cause: _stays, ...details } = error.details
      return { kind: 'ours', code: error.code, details }
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    return { kind: 'broken', message, stack: stack ?? '' }
  },
  toError(failure: SerializedError): Error {
    if (failure.kind === 'ours') return new TollgateError(failure.code, failure.details)
    const error = new BrokenInvariant(failure.message)
    if (failure.stack !== '') error.stack = failure.stack
    return error
  },
}
