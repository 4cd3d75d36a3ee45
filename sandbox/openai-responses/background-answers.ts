/**
 * Responses that the sandbox runs in the background, as OpenAI does: played without a connection, at their own pace, and
 * available until they are deleted. The oldest are evicted when there are too many. Decides nothing about their content.
 */
import type { Clock, Timer } from '../../src/base/clock.ts'
import { isObject, type JsonObject } from '../request/normalized-request.ts'
import type { Recorder } from '../request-log.ts'
import { inputTotal } from '../script/answer.ts'
import type { ResponseScript, ScriptStep } from '../script/script.ts'

export interface BackgroundAnswers {
  /** Plays the script of a whole answer from now on; `opened` is the response object as it begins. */
  begin(id: string, opened: JsonObject, run: { script: ResponseScript; recorder: Recorder }): void
  /** The current state of the response; undefined: it does not run here. */
  show(id: string): JsonObject | undefined
  /** The state afterwards; an ended response does not change. */
  cancel(id: string): JsonObject | undefined
  remove(id: string): void
  close(): void
}

interface BackgroundRun {
  response: JsonObject
  readonly steps: Iterator<ScriptStep>
  readonly recorder: Recorder
  originMs: number
  timer: Timer | undefined
  status: number
  body: string
  inputTokens: number
  outputTokens: number
  reasoningTokens: number
}

const stepsPerTurnMax = 64

const hasEnded = ({ response }: BackgroundRun): boolean =>
  response.status !== 'queued' && response.status !== 'in_progress'

export function backgroundAnswers(clock: Clock, runsMax: number): BackgroundAnswers {
  const runs = new Map<string, BackgroundRun>()

  function remove(id: string): void {
    runs.get(id)?.timer?.cancel()
    runs.delete(id)
  }

  return {
    begin(id, opened, { script, recorder }) {
      const run: BackgroundRun = {
        response: opened,
        steps: script[Symbol.iterator](),
        recorder,
        originMs: clock.monoMs(),
        timer: undefined,
        status: 0,
        body: '',
        inputTokens: 0,
        outputTokens: 0,
        reasoningTokens: 0,
      }
      runs.set(id, run)
      for (const oldest of runs.keys()) {
        if (runs.size <= runsMax) break
        remove(oldest)
      }
      // Queued until its request has been answered.
      run.timer = clock.after(0, () => {
        run.response = { ...run.response, status: 'in_progress' }
        play(clock, run)
      })
    },
    show: (id) => runs.get(id)?.response,
    cancel(id) {
      const run = runs.get(id)
      if (run === undefined || hasEnded(run)) return run?.response
      run.timer?.cancel()
      run.response = { ...run.response, status: 'cancelled', usage: usageOf(run) }
      return run.response
    },
    remove,
    close() {
      for (const id of runs.keys()) remove(id)
    },
  }
}

/** Plays the steps that are due; timers play the rest. */
function play(clock: Clock, run: BackgroundRun): void {
  const later = (ms: number): void => {
    run.timer = clock.after(ms, () => play(clock, run))
  }
  for (let played = 0; played < stepsPerTurnMax; played += 1) {
    const next = run.steps.next()
    if (next.done === true) return finish(run)
    const step = next.value
    if (step.kind === 'silence') return
    if (step.kind === 'close') return fail(run)
    if (step.kind === 'turn') return later(0)
    if (step.kind === 'wait') {
      run.originMs = clock.monoMs() + step.ms
      return later(step.ms)
    }
    if (step.kind === 'due') {
      const leftMs = run.originMs + step.ms - clock.monoMs()
      if (leftMs > 0) return later(Math.ceil(leftMs))
    } else note(run, step)
  }
  later(0)
}

function note(
  run: BackgroundRun,
  step: Exclude<ScriptStep, { kind: 'silence' | 'close' | 'turn' | 'wait' | 'due' }>,
): void {
  switch (step.kind) {
    case 'head':
      run.status = step.status
      return
    case 'charge':
      run.inputTokens = inputTotal(step.input)
      run.recorder.charged(step.input)
      return
    case 'report':
      run.recorder.reported(step.outputTokens)
      return
    case 'write':
      run.body += typeof step.text === 'string' ? step.text : Buffer.from(step.text).toString()
      run.outputTokens += step.outputTokens
      run.reasoningTokens += step.reasoningTokens
      run.recorder.made(step.outputTokens, step.reasoningTokens)
  }
}

function finish(run: BackgroundRun): void {
  const answer = parsed(run.body)
  if (run.status !== 200 || answer === undefined) return fail(run)
  run.response = { ...answer, id: run.response.id, background: true }
}

function fail(run: BackgroundRun): void {
  const { error } = parsed(run.body) ?? {}
  const { message = 'The response failed.' } = isObject(error) ? error : {}
  run.response = { ...run.response, status: 'failed', error: { code: 'server_error', message } }
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Usage so far. */
function usageOf({ inputTokens, outputTokens, reasoningTokens }: BackgroundRun): JsonObject {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  }
}
