/** What control-plane operations are told of the server that they run in, or that none runs. */
import type { App } from './app.ts'
import type { Clock } from './base/clock.ts'
import { TollgateError } from './base/errors.ts'
import type { ServerFacts } from './control/parts.ts'
import type { Pressure } from './http/pressure.ts'
import type { LedgerWatch } from './ledger/watch.ts'
import { program } from './program.ts'

/** On the command line without a server nothing runs, and nothing can be stopped. */
export function noServer(clock: Clock): ServerFacts {
  return {
    startedMs: clock.wallMs(),
    version: program.version,
    running: () => 0,
    stop: () => false,
    draining: () => false,
    memoryBytes,
    eventLoopDelayMs: () => 0,
    ledgerCheck: () => ({ checkedMs: null, contradictions: 0 }),
  }
}

export function serverFacts(
  { clock, running, draining }: App,
  pressure: Pick<Pressure, 'readings'>,
  watch: Pick<LedgerWatch, 'report'>,
): ServerFacts {
  return {
    startedMs: clock.wallMs(),
    version: program.version,
    running: () => running.count,
    stop: (request) => running.stopRequest(request, stoppedByHand()),
    draining: () => draining.begun,
    memoryBytes,
    eventLoopDelayMs: () => pressure.readings.eventLoopDelayMs,
    ledgerCheck: watch.report,
  }
}

function memoryBytes(): number {
  return process.memoryUsage.rss()
}

function stoppedByHand(): TollgateError {
  return new TollgateError('request_stopped', { message: 'The request was stopped from the console.' })
}
