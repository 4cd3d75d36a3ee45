/**
 * Stored responses, as OpenAI stores them: a response with all of its input, and each item by its id. The oldest are
 * evicted when the budget is used up. Must not decide how requests are answered.
 */

import { isObject, type JsonObject, objectsIn, textIn } from '../request/normalized-request.ts'
import type { WriterInput } from '../script/answer.ts'
import { responseId } from './errors.ts'
import { ending, outputItems } from './writer.ts'

export interface StoredResponses {
  /** The body with stored items in place of references; unknown references stay. */
  resolved(body: JsonObject): JsonObject
  /** Stores the response to a resolved body, unless the body says `store: false`. */
  store(body: JsonObject, turn: WriterInput): void
  /** The response and its input items; undefined where it is not stored. */
  find(id: string): { readonly response: JsonObject; readonly input: readonly JsonObject[] } | undefined
  remove(id: string): void
}

interface StoredResponse {
  readonly items: readonly JsonObject[]
  readonly outputIds: readonly string[]
  readonly turn: WriterInput
  readonly input: readonly JsonObject[]
  readonly bytes: number
}

/** The input as items; a text alone is one message of the user. */
function inputItems({ input }: JsonObject): readonly JsonObject[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : objectsIn(input)
}

export function storedResponses(bytesMax: number): StoredResponses {
  const answers = new Map<string, StoredResponse>()
  const items = new Map<string, JsonObject>()
  let bytes = 0

  function forgetOldest(): void {
    for (const id of answers.keys()) {
      if (bytes <= bytesMax) return
      remove(id)
    }
  }

  function remove(id: string): void {
    const answer = answers.get(id)
    if (answer === undefined) return
    answers.delete(id)
    for (const outputIds of answer.outputIds) items.delete(outputIds)
    bytes -= answer.bytes
  }

  function itemFor(value: unknown): unknown {
    return isObject(value) && value.type === 'item_reference' ? (items.get(textIn(value.id)) ?? value) : value
  }

  return {
    resolved(body) {
      const referring = Array.isArray(body.input) ? { ...body, input: body.input.map(itemFor) } : body
      const earlier = answers.get(textIn(body.previous_response_id))
      if (earlier === undefined) return referring
      const input = [...earlier.items, ...inputItems(referring)]
      return { ...referring, input, previous_response_id: null }
    },
    store(body, turn) {
      if (body.store === false) return
      const output = outputItems(turn)
      const input = inputItems(body)
      const all = [...input, ...output]
      const outputIds = output.map(({ id }) => textIn(id))
      const answer = { items: all, outputIds, turn, input, bytes: JSON.stringify(all).length }
      answers.set(responseId(turn.stamp), answer)
      for (const [index, item] of output.entries()) items.set(outputIds[index] ?? '', item)
      bytes += answer.bytes
      forgetOldest()
    },
    find(id) {
      const answer = answers.get(id)
      return answer === undefined ? undefined : { response: ending(answer.turn), input: answer.input }
    },
    remove,
  }
}
