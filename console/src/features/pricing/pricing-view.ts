/** Search, filter and sort of the price list, from the URL. Pure. */
import { isConversationFormat } from '../../../../contract/formats.ts'
import { compareModels } from '../../lib/model-order.ts'
import { compareUsd } from '../../lib/usd.ts'
import type { PricedModel } from './price-list.ts'

/** Capabilities as filters. */
export const capabilities = {
  tools: { label: 'Tools', has: (model: PricedModel) => model.takesTools },
  reasoning: { label: 'Reasoning', has: (model: PricedModel) => model.reasons },
  images: { label: 'Vision', has: (model: PricedModel) => model.inputs.includes('image') },
  documents: { label: 'PDF', has: (model: PricedModel) => model.inputs.includes('pdf') },
  audio: {
    label: 'Audio',
    has: (model: PricedModel) => model.inputs.includes('audio') || model.outputs.includes('audio'),
  },
  embeddings: {
    label: 'Embeddings',
    has: (model: PricedModel) => !model.formats.every(isConversationFormat),
  },
} as const
export type Capability = keyof typeof capabilities

/** Sort keys; `falls`: descending by default. */
export const sorts = {
  newest: { label: 'Newest', falls: false, by: compareModels },
  name: { label: 'Name', falls: false, by: byText((model) => model.model) },
  provider: { label: 'Provider', falls: false, by: byText((model) => model.provider) },
  context: { label: 'Context', falls: true, by: byNumber((model) => model.contextTokens) },
  output_limit: { label: 'Max output', falls: true, by: byNumber((model) => model.outputTokensMax) },
  input: { label: 'Input price', falls: false, by: byPrice((model) => model.price.input) },
  cached: { label: 'Cached price', falls: false, by: byPrice((model) => model.price.cacheRead) },
  write: { label: 'Cache write price', falls: false, by: byPrice((model) => model.price.cacheWrite5m) },
  output: { label: 'Output price', falls: false, by: byPrice((model) => model.price.output) },
} as const
export type Sort = keyof typeof sorts

export interface View {
  readonly words: string
  readonly provider: string | undefined
  readonly can: readonly Capability[]
  readonly sort: Sort
  readonly reversed: boolean
}

export function viewOf(search: Readonly<Record<string, string | undefined>>): View {
  const can = (search.can ?? '').split(',').filter(isCapability)
  const sort = search.sort !== undefined && isSort(search.sort) ? search.sort : 'newest'
  return {
    words: search.q ?? '',
    provider: search.provider,
    can,
    sort,
    reversed: search.order === 'reversed',
  }
}

/** The models of a view, in its order. Every word must occur in the name, provider or title. */
export function shown(models: readonly PricedModel[], view: View): readonly PricedModel[] {
  const words = view.words.toLowerCase().split(/\s+/).filter(Boolean)
  const { by, falls } = sorts[view.sort]
  const sign = falls !== view.reversed ? -1 : 1
  return models
    .filter((model) => {
      const text = `${model.model} ${model.displayName} ${model.provider}`.toLowerCase()
      return (
        words.every((word) => text.includes(word)) &&
        (view.provider === undefined || model.provider === view.provider) &&
        view.can.every((can) => capabilities[can].has(model))
      )
    })
    .sort((one, other) => sign * by(one, other) || (one.model < other.model ? -1 : 1))
}

export function providersOf(models: readonly PricedModel[]): readonly string[] {
  return [...new Set(models.map(({ provider }) => provider))].sort()
}

function isCapability(text: string): text is Capability {
  return Object.hasOwn(capabilities, text)
}

function isSort(text: string): text is Sort {
  return Object.hasOwn(sorts, text)
}

type Compare = (one: PricedModel, other: PricedModel) => number

function byText(text: (model: PricedModel) => string): Compare {
  return (one, other) => text(one).localeCompare(text(other))
}

function byNumber(number: (model: PricedModel) => number): Compare {
  return (one, other) => number(one) - number(other)
}

function byPrice(price: (model: PricedModel) => string): Compare {
  return (one, other) => compareUsd(price(one), price(other))
}
