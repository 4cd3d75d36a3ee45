/**
 * A published price list as values: recognizes the format and reads every model of the providers that are known here. Pure
 * apart from giving other work its turn. Must not compare with present prices.
 */
import type { RateName } from '../../../contract/meters.ts'
import { type ExactObject, type ReadOptions, readExactJson } from './exact-json.ts'
import { readLitellm } from './read-litellm.ts'
import { readModelsDev } from './read-models-dev.ts'

/** Decimal USD per million tokens. */
export type ListedRates = Readonly<Partial<Record<RateName, string>>>

export interface ListedTier {
  readonly aboveInputTokens: number
  readonly rates: ListedRates
}

export type ListedPrice =
  | { readonly kind: 'price'; readonly rates: ListedRates; readonly tiers: readonly ListedTier[] }
  /** A sentence without a period. */
  | { readonly kind: 'unclear'; readonly reason: string }

/** What a list says of a model apart from its price, as far as it says it. */
export interface ListedFacts {
  readonly displayName?: string | undefined
  readonly released?: string | undefined
  readonly context?: number | undefined
  readonly maxInput?: number | undefined
  readonly maxOutput?: number | undefined
  readonly inputs?: readonly string[] | undefined
  readonly reasoning?: boolean | undefined
  readonly tools?: boolean | undefined
  readonly deprecated?: boolean | undefined
}

export interface ListedModel {
  /** Ours. */
  readonly provider: string
  /** What the provider calls it. */
  readonly name: string
  /** Whether it converses in text alone, so that it can be added. */
  readonly converses: boolean
  readonly price: ListedPrice
  readonly facts: ListedFacts
}

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

/** What a reader of one format gives; undefined: the text is in another format. */
export type FormatReader = (
  root: ExactObject,
) => { readonly models: readonly ListedModel[]; readonly otherModels: number } | undefined

/** Reads a list in whichever format it is. */
export async function readPriceList(text: string, options: ReadOptions): Promise<PriceList> {
  if (text.trim() === '') return { kind: 'mistake', message: 'The list is empty' }
  const read = await readExactJson(text, options)
  if (read.kind === 'mistake')
    return { kind: 'mistake', message: `The list is not valid JSON: ${read.message}` }
  if (read.value instanceof Map) {
    for (const format of listFormatNames) {
      const list = listFormats[format](read.value)
      if (list !== undefined) return { kind: 'list', format, ...list }
      await options.yieldTurn()
    }
  }
  return {
    kind: 'mistake',
    message: 'The list is neither api.json of models.dev nor model_prices_and_context_window.json of LiteLLM',
  }
}
