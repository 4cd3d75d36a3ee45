/** Serves a thread's port: called first in the thread's entry file. Must not know what the thread does. */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../base/assert.ts'
import { systemClock } from '../base/clock.ts'
import { collectAfterStart } from '../base/idle-memory.ts'
import {
  greeting,
  type MessageChannelPort,
  openPort,
  type Port,
  type PortOptions,
  type StartRejection,
} from './port.ts'

export type ServeOptions = Omit<PortOptions, 'onGreeting' | 'waitingMax'> &
  Partial<Pick<PortOptions, 'waitingMax'>>

/** Who started this thread, and the setup that it was given; replaced in tests. */
export const threadStart: { starter: MessageChannelPort | null; setup: unknown } = {
  starter: parentPort,
  setup: workerData,
}

/** Answers the thread that started this one; `Requests` is what can be asked back. */
export function serveThread<Requests = Record<never, never>>(options: ServeOptions): Port<Requests> {
  return servePort(starter(), options)
}

/** The same for another thread, which has the other end of the port. */
export function servePort<Requests = Record<never, never>>(
  channel: MessageChannelPort,
  options: ServeOptions,
): Port<Requests> {
  // A thread without calls to the main thread needs no bound.
  return openPort<Requests>(channel, { waitingMax: 0, ...options })
}

/** The first message of a thread that was opened with `openThread`; null: it can work. */
export function greet(rejection: StartRejection | null): void {
  starter().postMessage(greeting(rejection))
  // Once for each worker, also for one that tests share.
  if (rejection === null && threadStart.starter === parentPort) collectAfterStart(systemClock)
}

function starter(): MessageChannelPort {
  assert(threadStart.starter !== null, 'an entry of a thread runs in a worker thread')
  return threadStart.starter
}
