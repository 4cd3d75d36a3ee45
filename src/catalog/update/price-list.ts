/**
 * A published price list as values: recognizes the format and reads every model of the providers that are known here. Pure.
 * Must not compare with current prices.
 */

import type { Steps } from '../../base/steps.ts'
import { type ExactObject, exactJsonSteps, type ReadOptions } from './exact-json.ts'
import { objectOf } from './list-fields.ts'
import type { ListedModel } from './listed-model.ts'
import { readLitellm } from './read-litellm.ts'
import { readModelsDev } from './read-models-dev.ts'

const listFormats = { 'models.dev': readModelsDev, LiteLLM: readLitellm } as const
export type ListFormat = keyof typeof listFormats
export const listFormatNames = Object.keys(listFormats) as readonly ListFormat[]

export type PriceList =
  | {
      readonly kind: 'list'
      readonly format: ListFormat
      readonly models: readonly ListedModel[]
      /** Models of providers that are not known here. */
      readonly otherModels: number
    }
  /** A sentence without a period. */
  | { readonly kind: 'mistake'; readonly message: string }

/** Reads a list in whichever format it is, in small steps. */
export function* priceListSteps(
  text: string,
  options: ReadOptions & { readonly modelsMax: number },
): Steps<PriceList> {
  if (/^\s?$/.test(text)) return { kind: 'mistake', message: 'The list is empty' }
  const read = yield* exactJsonSteps(text, options)
  if (read.kind === 'mistake')
    return { kind: 'mistake', message: `The list is not valid JSON: ${read.message}` }
  if (read.value instanceof Map) {
    if (modelsIn(read.value) > options.modelsMax) {
      return { kind: 'mistake', message: `The list has more than ${options.modelsMax} models` }
    }
    for (const format of listFormatNames) {
      const list = yield* listFormats[format](read.value)
      if (list !== undefined) return { kind: 'list', format, ...list }
    }
  }
  return {
    kind: 'mistake',
    message: 'The list is neither api.json of models.dev nor model_prices_and_context_window.json of LiteLLM',
  }
}

/** Upper bound of the list's models, in either format. */
function modelsIn(root: ExactObject): number {
  let count = root.size
  for (const value of root.values()) count += objectOf(objectOf(value)?.get('models'))?.size ?? 0
  return count
}
