/**
 * The log: one JSON line per event, without keys, prompts or responses. The loggable fields of an error
 * are chosen here, so that a new field cannot leak by accident.
 */
import pino, { type Logger } from 'pino'
import { TollgateError } from './errors.ts'

export type Log = Logger

/** Patterns of credentials, which are cut out of all text in the log. */
const secrets = /\b(?:sk-[A-Za-z0-9_-]{6})[A-Za-z0-9_-]+|\bAIza[A-Za-z0-9_-]{10,}|\bBearer\s+[^\s"]+/g

export function createLog(options: { level: string; destination?: pino.DestinationStream }): Log {
  const settings: pino.LoggerOptions = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describe },
  }
  return pino(settings, options.destination ?? standardOutput())
}

/** A terminal that was closed takes no more lines; a program that shuts down then, or continues, does not fail for that. */
function standardOutput(): pino.DestinationStream {
  const output = pino.destination({ fd: process.stdout.fd, sync: true })
  output.on('error', (error: NodeJS.ErrnoException) => {
    throwUnlessClosedTerminal(error)
    output.write = () => true
  })
  return output
}

/** For errors of standard output. */
export function throwUnlessClosedTerminal(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EIO') throw error
}

/** Text with everything that looks like a credential cut back to its beginning. */
function redact(text: string): string {
  return text.replace(secrets, (found) => `${found.slice(0, 9)}…`)
}

/** Writes a line that a log of this kind made in another thread. */
export function writeAgain(log: Log, line: string): void {
  const { level, time: _time, msg, err, ...fields } = JSON.parse(line) as LogRecord
  log[level](err === undefined ? fields : { err: new DescribedError(err), ...fields }, msg)
}

interface LogRecord extends Readonly<Record<string, unknown>> {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  readonly time: string
  readonly msg?: string
  readonly err?: Readonly<Record<string, string>>
}

/** An error that was described where it happened. */
class DescribedError {
  readonly description: Readonly<Record<string, string>>

  constructor(description: Readonly<Record<string, string>>) {
    this.description = description
  }
}

function describe(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof DescribedError) return error.description
  if (error instanceof TollgateError) {
    return {
      code: error.code,
      message: redact(error.details.message),
      ...(error.details.detail === undefined ? {} : { detail: redact(error.details.detail) }),
    }
  }
  if (error instanceof Error) return { message: redact(error.message), stack: redact(error.stack ?? '') }
  return { message: redact(String(error)) }
}
