/** Stop strings that a target does not support, and at which the response is cut instead. Pure. */
import { WireError } from '../format.ts'
import { emulatedStopCharactersMax, emulatedStopsMax } from './emulation.ts'
import type { Conversation, Emulation } from './neutral.ts'

export interface SharedStops {
  /** Stop strings sent upstream. */
  readonly sent: readonly string[]
  /** Stop strings at which we cut the answer. */
  readonly emulated: readonly string[]
}

/** Shares the caller's stop strings. Throws WireError where they can neither be sent nor be emulated. */
export function sharedStops(
  { stops, logprobs }: Conversation,
  takes: { readonly max: number; readonly isTaken: (stop: string) => boolean },
): SharedStops {
  const sent = stops.filter(takes.isTaken).slice(0, takes.max)
  if (sent.length === stops.length) return { sent, emulated: [] }
  const known = new Set(sent)
  const emulated = [...new Set(stops)].filter((stop) => stop !== '' && !known.has(stop))
  if (emulated.length > emulatedStopsMax) throw rejected(`at most ${emulatedStopsMax} stop strings`)
  if (emulated.some((stop) => stop.length > emulatedStopCharactersMax)) {
    throw rejected(`stop strings of at most ${emulatedStopCharactersMax} characters`)
  }
  if (emulated.length > 0 && logprobs !== null)
    throw rejected('stop strings cannot be combined with log probabilities')
  return { sent, emulated }
}

/** undefined where there is nothing to cut at. */
export function cutAt(stops: readonly string[]): Emulation | undefined {
  return stops.length === 0 ? undefined : { callOf: null, stops }
}

function rejected(what: string): WireError {
  const why = `the model does not support these stop strings; the gateway applies them, which requires ${what}`
  return new WireError('untranslatable', `stop: ${why}.`, 'stop')
}
