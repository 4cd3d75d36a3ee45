/**
 * The sandbox's own log of every request: what was charged, what was generated, how it ended. Bounded:
 * the oldest bodies are evicted first, then the oldest requests.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { assert } from '../src/base/assert.ts'
import type { Clock } from '../src/base/clock.ts'
import { inputTotal } from './script/answer.ts'
import type { InputUsage } from './script/script.ts'

/**
 * How the sandbox's side of a request ended: `complete` is a whole answer or error handed to the socket,
 * `broken_off` an answer that a behavior (or closing the sandbox) cut, `client_gone` one that the client left.
 */
type RequestOutcome = 'running' | 'complete' | 'broken_off' | 'client_gone'

export interface LoggedRequest {
  readonly requestId: string
  /** Method and path with query, as received. */
  readonly line: string
  /** '' until the body was understood. */
  readonly model: string
  /** Input tokens charged, all classes together; 0 where the request was rejected. */
  readonly inputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWrite5mTokens: number
  readonly cacheWrite1hTokens: number
  /** Output tokens made so far, of all choices, reasoning included. */
  readonly outputTokens: number
  readonly reasoningTokens: number
  /** The final output count as the answer reports it; absent where it was never reported. */
  readonly reportedOutputTokens?: number
  readonly finished: boolean
  readonly outcome: RequestOutcome
  /** On the monotonic clock. */
  readonly arrivedAtMs: number
  /** On the monotonic clock; absent unless the client closed before the answer was whole. */
  readonly closedByClientAtMs?: number
  /** Absent where no headers were sent. */
  readonly status?: number
  /** Size of the body as received. */
  readonly bodyBytes: number
  /** Only when bodies are logged, and only while they fit the budget. */
  readonly body?: Buffer
  /** Only when bodies are logged. */
  readonly headers?: IncomingHttpHeaders
}

type LogEntry = { -readonly [Field in keyof LoggedRequest]: LoggedRequest[Field] }

/** Records one request. The first `over` counts; later calls change nothing. */
export interface Recorder {
  received(body: Buffer): void
  understood(model: string): void
  answered(status: number): void
  charged(input: InputUsage): void
  made(outputTokens: number, reasoningTokens: number): void
  reported(outputTokens: number): void
  over(outcome: Exclude<RequestOutcome, 'running'>): void
}

export interface RequestLogLimits {
  /** Requests that are remembered. */
  readonly requestsMax: number
  /** Bytes of all logged bodies together. */
  readonly loggedBodyBytesMax: number
  /** Calls of `until` that may wait concurrently. */
  readonly waitersMax: number
}

export interface RequestLog {
  open(requestId: string, line: string, headers: IncomingHttpHeaders): Recorder
  /** The latest request of this id. */
  find(requestId: string): LoggedRequest | undefined
  all(): readonly LoggedRequest[]
  count(): number
  /** Resolves with the latest request of this id once `holds` is true of it; rejects when the request log closes. */
  until(requestId: string, holds: (logged: LoggedRequest) => boolean): Promise<LoggedRequest>
  /** Ends what still runs as broken off and gives up every wait. */
  close(): void
}

interface Waiter {
  readonly requestId: string
  readonly holds: (logged: LoggedRequest) => boolean
  readonly resolve: (logged: LoggedRequest) => void
  readonly reject: (error: Error) => void
}

const newEntry = {
  model: '',
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  finished: false,
  outcome: 'running',
  bodyBytes: 0,
} as const

/** Holds the newest bodies within a budget of bytes. */
function bodyBuffer(bytesMax: number): {
  add(entry: LogEntry, body: Buffer): void
  drop(entry: LogEntry): void
} {
  const entries = new Set<LogEntry>()
  let bytes = 0
  function drop(entry: LogEntry): void {
    if (!entries.delete(entry)) return
    bytes -= entry.body?.length ?? 0
    delete entry.body
  }
  return {
    drop,
    add(entry, body) {
      if (body.length > bytesMax) return
      entry.body = body
      entries.add(entry)
      bytes += body.length
      for (const oldest of entries) {
        if (bytes <= bytesMax) break
        drop(oldest)
      }
    },
  }
}

interface WaiterList {
  wait(requestId: string, holds: (logged: LoggedRequest) => boolean): Promise<LoggedRequest>
  changed(entry: LogEntry): void
  close(): void
}

function waiterList(waitersMax: number): WaiterList {
  const waiters = new Set<Waiter>()
  let closed = false
  return {
    wait(requestId, holds) {
      if (closed) return Promise.reject(new Error('the sandbox is closed'))
      assert(waiters.size < waitersMax, 'too many calls of until() wait at once')
      return new Promise((resolve, reject) => waiters.add({ requestId, holds, resolve, reject }))
    },
    changed(entry) {
      for (const waiter of waiters) {
        if (waiter.requestId !== entry.requestId || !waiter.holds(entry)) continue
        waiters.delete(waiter)
        waiter.resolve({ ...entry })
      }
    },
    close() {
      closed = true
      for (const { requestId, reject } of waiters) {
        reject(new Error(`the sandbox closed before request ${requestId} got there`))
      }
      waiters.clear()
    },
  }
}

interface RequestLogOptions {
  readonly clock: Clock
  readonly logBodies: boolean
  readonly limits: RequestLogLimits
}

export function openRequestLog({ clock, logBodies, limits }: RequestLogOptions): RequestLog {
  const entries = new Set<LogEntry>()
  const latest = new Map<string, LogEntry>()
  const waiters = waiterList(limits.waitersMax)
  const bodies = bodyBuffer(logBodies ? limits.loggedBodyBytesMax : 0)
  let opened = 0

  function forgetOldest(): void {
    const [oldest] = entries
    if (oldest === undefined || entries.size <= limits.requestsMax) return
    entries.delete(oldest)
    bodies.drop(oldest)
    if (latest.get(oldest.requestId) === oldest) latest.delete(oldest.requestId)
  }

  function over(entry: LogEntry, outcome: Exclude<RequestOutcome, 'running'>): void {
    if (entry.outcome !== 'running') return
    entry.outcome = outcome
    entry.finished = outcome === 'complete'
    if (outcome === 'client_gone') entry.closedByClientAtMs = clock.monoMs()
    waiters.changed(entry)
  }

  function recorderOf(entry: LogEntry): Recorder {
    const change = (fields: Partial<LogEntry>): void => {
      Object.assign(entry, fields)
      waiters.changed(entry)
    }
    return {
      received(body) {
        if (logBodies && entries.has(entry)) bodies.add(entry, body)
        change({ bodyBytes: body.length })
      },
      understood: (model) => change({ model }),
      answered: (status) => change({ status }),
      charged: (input) =>
        change({
          inputTokens: inputTotal(input),
          cacheReadTokens: input.cacheRead,
          cacheWrite5mTokens: input.cacheWrite5m,
          cacheWrite1hTokens: input.cacheWrite1h,
        }),
      made(outputTokens, reasoningTokens) {
        entry.outputTokens += outputTokens
        entry.reasoningTokens += reasoningTokens
        waiters.changed(entry)
      },
      reported: (reportedOutputTokens) => change({ reportedOutputTokens }),
      over: (outcome) => over(entry, outcome),
    }
  }

  return {
    open(requestId, line, headers) {
      const entry: LogEntry = { ...newEntry, requestId, line, arrivedAtMs: clock.monoMs() }
      if (logBodies) entry.headers = headers
      opened += 1
      entries.add(entry)
      latest.set(requestId, entry)
      forgetOldest()
      waiters.changed(entry)
      return recorderOf(entry)
    },
    find(requestId) {
      const entry = latest.get(requestId)
      return entry && { ...entry }
    },
    all: () => Array.from(entries, (entry) => ({ ...entry })),
    count: () => opened,
    until(requestId, holds) {
      const entry = latest.get(requestId)
      if (entry !== undefined && holds(entry)) return Promise.resolve({ ...entry })
      return waiters.wait(requestId, holds)
    },
    close() {
      for (const entry of entries) over(entry, 'broken_off')
      waiters.close()
    },
  }
}
