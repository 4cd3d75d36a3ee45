/**
 * `models` of a request: other models that may serve it, in the order of the list, as routers take it. It is for this server
 * and is never forwarded.
 */
import { type FallbackModels, WireError } from './dialect.ts'
import { absent, invalid, isGiven, string } from './json/fields.ts'
import type { Json } from './json/json.ts'
import { memberRemovals } from './json/members.ts'

/** More than a request can try. */
const namesMax = 8

/** `value`: of the body's member `models`. Undefined where there is none; throws WireError for anything but names. */
export function fallbackModels(json: Json, value: number): FallbackModels | undefined {
  if (value === absent) return undefined
  const names = isGiven(json, value) ? namesIn(json, value) : []
  return {
    names,
    spans: memberRemovals(json, json.root, ['models']).map(({ start, end }) => ({ start, end })),
  }
}

function namesIn(json: Json, value: number): readonly string[] {
  if (json.kind(value) !== 'array') throw invalid(json, value, 'an array of names of models')
  const elements = json.children(value)
  if (elements.length > namesMax) {
    throw new WireError('invalid_value', `models: at most ${namesMax} names are supported.`, 'models')
  }
  return elements.map((element) => {
    const name = string(json, element)
    if (name === '') throw invalid(json, element, 'the name of a model')
    return name
  })
}
