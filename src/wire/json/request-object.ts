/** Reads the JSON object that is the body of a request; an error about it names the requested model, if the body does. */
import { type ReadLimits, WireError } from '../dialect.ts'
import { type Json, readJson } from './json.ts'

/** A longer text is not the name of a model. */
const modelBytesMax = 1_024

/** Throws WireError as `readJson` and `read` do, and for a body that is not an object. */
export function readRequestObject<Result>(
  body: Uint8Array,
  limits: ReadLimits,
  read: (json: Json) => Result,
): Result {
  return readJson(body, limits, (json) => {
    if (json.kind(json.root) !== 'object') {
      throw new WireError('invalid_value', 'The body must be a JSON object.')
    }
    try {
      return read(json)
    } catch (error) {
      if (error instanceof WireError) error.model ??= modelIn(json)
      throw error
    }
  })
}

function modelIn(json: Json): string | undefined {
  const end = json.next(json.root)
  for (let name = json.root + 1; name < end; name = json.next(name + 1)) {
    if (!json.is(name, 'model')) continue
    const value = name + 1
    const isName = json.kind(value) === 'string' && json.end(value) - json.start(value) <= modelBytesMax
    return isName ? json.text(value) : undefined
  }
  return undefined
}
