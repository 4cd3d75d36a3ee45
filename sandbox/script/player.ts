/**
 * Plays a script on one HTTP response: paces it by the clock, waits where the client reads slowly, counts
 * every generated token when it is written to the socket, and stops when the client disconnects.
 */
import type { ServerResponse } from 'node:http'
import type { Clock, Timer } from '../../src/base/clock.ts'
import type { Recorder } from '../request-log.ts'
import type { BodyFraming, Close, Head, ResponseScript, ScriptStep, Write } from './script.ts'

interface PlayerOptions {
  readonly response: ServerResponse
  readonly clock: Clock
  readonly recorder: Recorder
  /** Steps in one turn of the event loop; other connections have theirs in between. */
  readonly stepsPerTurnMax: number
  /** Called with what a broken invariant threw; the answer is cut before. */
  readonly onDefect: (error: unknown) => void
}

/** A length that no answer reaches. */
const declaredBytes = 2 ** 40

const framings: Readonly<Record<BodyFraming, (response: ServerResponse) => void>> = {
  chunked: () => {},
  declared: (response) => response.setHeader('content-length', declaredBytes),
  until_close(response) {
    response.setHeader('connection', 'close')
    response.removeHeader('transfer-encoding')
  },
}

const closes: Readonly<Record<Close, (response: ServerResponse) => void>> = {
  clean: (response) => response.end(),
  fin: ({ socket }) => socket?.destroySoon(),
  // A reset discards unsent data, so everything written is flushed first.
  rst: ({ socket }) => socket?.write('', () => socket.resetAndDestroy()),
}

function sendHead(response: ServerResponse, { status, headers, framing }: Head): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  framings[framing](response)
  response.writeHead(status)
  response.flushHeaders()
}

/** Plays `script` to its end or until the client disconnects, whichever comes first. Returns immediately. */
export function playScript(script: ResponseScript, options: PlayerOptions): void {
  const { response, clock, recorder } = options
  const steps = script[Symbol.iterator]()
  let originMs = clock.monoMs()
  let timer: Timer | undefined
  let over = false

  function stop(outcome: 'complete' | 'broken_off' | 'client_gone'): void {
    over = true
    timer?.cancel()
    recorder.over(outcome)
  }

  function runAfter(delayMs: number): false {
    timer = clock.after(Math.ceil(delayMs), run)
    return false
  }

  function write({ text, outputTokens, reasoningTokens }: Write): boolean {
    recorder.made(outputTokens, reasoningTokens)
    if (text.length === 0 || response.write(text)) return true
    response.once('drain', run)
    return false
  }

  /** True where the next step may follow immediately; otherwise something will call `run` again, or nothing ever. */
  function play(step: ScriptStep): boolean {
    switch (step.kind) {
      case 'head':
        sendHead(response, step)
        recorder.answered(step.status)
        return true
      case 'write':
        return write(step)
      case 'charge':
        recorder.charged(step.input)
        return true
      case 'report':
        recorder.reported(step.outputTokens)
        return true
      case 'wait':
        originMs = clock.monoMs() + step.ms
        return step.ms > 0 ? runAfter(step.ms) : true
      case 'due': {
        const leftMs = originMs + step.ms - clock.monoMs()
        return leftMs > 0 ? runAfter(leftMs) : true
      }
      case 'turn':
        setImmediate(run)
        return false
      case 'silence':
        return false
      case 'close':
        stop('broken_off')
        closes[step.how](response)
        return false
    }
  }

  function runTurn(): void {
    for (let played = 0; played < options.stepsPerTurnMax; played += 1) {
      const next = steps.next()
      if (next.done === true) {
        response.end()
        return
      }
      if (!play(next.value)) return
    }
    setImmediate(run)
  }

  function run(): void {
    if (over) return
    try {
      runTurn()
    } catch (error) {
      stop('broken_off')
      response.destroy()
      options.onDefect(error)
    }
  }

  response.on('finish', () => stop('complete'))
  response.on('close', () => stop('client_gone'))
  run()
}
