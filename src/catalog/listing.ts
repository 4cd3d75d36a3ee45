/**
 * The available models, in each format's list and as the public price list. All come from one snapshot.
 * Pure; prices are those in force at `nowMs`.
 */

import { isConversationFormat } from '../../contract/formats.ts'
import { meters } from '../../contract/meters.ts'
import { formatUsd } from '../../contract/usd.ts'
import { TollgateError } from '../base/errors.ts'
import { formatId } from '../base/ids.ts'
import type { ClientFormatName } from '../wire/format-names.ts'
import { type CustomerView, shownModel } from './customer-view.ts'
import { formatWindow } from './prices/price-schedule.ts'
import { mapRates } from './prices/prices.ts'
import { modelNamed } from './spellings.ts'
import {
  type Model,
  type Multiplier,
  type PriceVersion,
  priceAt,
  pricesOfWeek,
  type Rates,
  type Snapshot,
} from './types.ts'

type ListingObject = Readonly<Record<string, unknown>>

export interface PageLimits {
  readonly modelsPageDefault: number
  readonly modelsPageMax: number
}

/** The moment, the limits and the customers that a list is made for. */
export interface ListingMoment {
  readonly nowMs: number
  readonly view: CustomerView
  readonly limits: PageLimits
}

interface ListingFormat {
  readonly row: (model: Model, nowMs: number) => ListingObject
  readonly list: (models: readonly Model[], query: URLSearchParams, moment: ListingMoment) => ListingObject
  readonly name: string
  /** Query parameters that select a page of the list. */
  readonly pageFields: readonly string[]
}

const openaiShape: ListingFormat = { row: openaiRow, list: openaiList, name: 'openai', pageFields: [] }

/** Shapes of vendors other than OpenAI. */
const shapes: Readonly<Partial<Record<ClientFormatName, ListingFormat>>> = {
  anthropic: {
    row: anthropicRow,
    list: anthropicList,
    name: 'anthropic',
    pageFields: ['limit', 'after_id', 'before_id'],
  },
  gemini: {
    row: geminiRow,
    list: geminiList,
    name: 'gemini',
    pageFields: ['pageSize', 'page_size', 'pageToken', 'page_token'],
  },
}

const shapeOf = (format: ClientFormatName): ListingFormat => shapes[format] ?? openaiShape

/** The body of `GET /models`. Throws `invalid_value` for a page that cannot be. */
export function listModels(
  snapshot: Snapshot,
  format: ClientFormatName,
  query: URLSearchParams,
  moment: ListingMoment,
): ListingObject {
  const models = inOrder(snapshot).filter(isListed)
  return shapeOf(format).list(shownModels(moment.view, snapshot, models), query, moment)
}

/** Cache key: lists with the same key differ within a snapshot only by prices. `names`: as for `only`. */
export function listKey(
  format: ClientFormatName,
  query: URLSearchParams,
  names: readonly string[] | null,
): string {
  const { name, pageFields } = shapeOf(format)
  return JSON.stringify([name, pageFields.map((field) => query.get(field)), names])
}

/** The body of `GET /models/{id}`; undefined if the model is not available. */
export function showModel(
  snapshot: Snapshot,
  format: ClientFormatName,
  name: string,
  { nowMs, view }: Pick<ListingMoment, 'nowMs' | 'view'>,
): ListingObject | undefined {
  const found = modelNamed(snapshot, name)
  return found === undefined ? undefined : shapeOf(format).row(shownModel(view, snapshot, found.model), nowMs)
}

function shownModels(view: CustomerView, snapshot: Snapshot, models: readonly Model[]): readonly Model[] {
  return models.map((model) => shownModel(view, snapshot, model))
}

/** Special test models fail on purpose: a client that offers every listed model would offer failures. */
function isListed({ testModel }: Model): boolean {
  return testModel !== 'special'
}

/** The catalog for a key limited to these models, which are all listed; null: every model. */
export function only(snapshot: Snapshot, names: readonly string[] | null): Snapshot {
  if (names === null) return snapshot
  const models = new Map<string, Model>()
  for (const name of names) {
    const model = snapshot.models.get(name)
    if (model !== undefined) models.set(name, { ...model, testModel: null })
  }
  return { ...snapshot, models }
}

/** `offered`: what customers can buy. `all`: the built-in test models too. */
export const priceListScopes = ['offered', 'all'] as const
export type PriceListScope = (typeof priceListScopes)[number]

/** Test models are listed only while there is no other model. */
function priceListModels(snapshot: Snapshot, scope: PriceListScope): readonly Model[] {
  const models = inOrder(snapshot)
  if (scope === 'all') return models
  const real = models.filter(({ testModel }) => testModel === null)
  return real.length > 0 ? real : models.filter(isListed)
}

/** The rows of the public price list, in USD per million tokens, with announced future prices. */
export function pricingRows(
  snapshot: Snapshot,
  { nowMs, view }: Pick<ListingMoment, 'nowMs' | 'view'>,
  scope: PriceListScope = 'offered',
): readonly ListingObject[] {
  return shownModels(view, snapshot, priceListModels(snapshot, scope)).map((model) => ({
    model: model.name,
    displayName: model.displayName,
    provider: model.provider,
    formats: model.formats,
    contextTokens: model.contextTokens,
    inputTokensMax: model.inputTokensMax,
    outputTokensMax: model.outputTokensMax,
    inputs: model.inputs,
    outputs: model.outputs,
    reasons: model.reasons,
    takesTools: model.takesTools,
    released: model.releasedMs === null ? null : new Date(model.releasedMs).toISOString().slice(0, 10),
    deprecated: model.deprecated,
    testModel: model.testModel,
    price: publicPrice(priceAt(model, nowMs)),
    otherTimes: otherTimes(model, nowMs).map(publicPrice),
    next: model.prices.filter(({ effectiveFromMs }) => effectiveFromMs > nowMs).map(publicPrice),
  }))
}

/** The scheduled prices of this week. */
function otherTimes(model: Model, nowMs: number): readonly PriceVersion[] {
  const present = priceAt(model, nowMs)
  return pricesOfWeek(model, nowMs).filter((price) => price !== present)
}

/** Formats a price: USD per million tokens, fees per use, factors by option. */
export const priceOut = remembered((price: PriceVersion): ListingObject => {
  return {
    id: formatId('prc', price.id),
    effectiveFrom: new Date(price.effectiveFromMs).toISOString(),
    ...mapRates(price.rates, formatUsd),
    tiers: price.tiers.map(({ aboveInputTokens, rates }) => ({
      aboveInputTokens,
      ...mapRates(rates, formatUsd),
    })),
    options: mapValues(price.options, formatFactor),
    fees: mapValues(price.fees, formatUsd),
    schedule: price.schedule?.flatMap(formatWindow) ?? null,
    source: price.source,
  }
})

/** Removes the sources of prices, which only administrators see. */
const publicPrice = remembered((price: PriceVersion): ListingObject => {
  const { source: _source, ...rest } = priceOut(price)
  return rest
})

/** Makes each result once: snapshots and prices never change, and any number of clients read the lists. */
function remembered<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const known = new WeakMap<Of, Made>()
  return (of) => {
    const found = known.get(of)
    if (found !== undefined) return found
    const made = make(of)
    known.set(of, made)
    return made
  }
}

/** The newest first; among equals by name. */
const inOrder = remembered(({ models }: Snapshot): readonly Model[] => {
  return [...models.values()].sort(
    (one, other) => (other.releasedMs ?? 0) - (one.releasedMs ?? 0) || (one.name < other.name ? -1 : 1),
  )
})

function openaiRow(model: Model, nowMs: number): ListingObject {
  return {
    id: model.name,
    object: 'model',
    created: Math.floor((model.releasedMs ?? 0) / 1_000),
    owned_by: model.provider,
    ...commonRow(model, nowMs),
  }
}

function openaiList(
  models: readonly Model[],
  _query: URLSearchParams,
  { nowMs }: ListingMoment,
): ListingObject {
  return { object: 'list', data: models.map((model) => openaiRow(model, nowMs)) }
}

/** A model without a date of release has the first day of 1970, as in the provider's own list. */
function anthropicRow(model: Model, nowMs: number): ListingObject {
  return {
    type: 'model',
    id: model.name,
    created_at: new Date(model.releasedMs ?? 0).toISOString().replace('.000Z', 'Z'),
    max_input_tokens: model.inputTokensMax,
    max_tokens: model.outputTokensMax,
    ...commonRow(model, nowMs),
  }
}

function anthropicList(
  models: readonly Model[],
  query: URLSearchParams,
  moment: ListingMoment,
): ListingObject {
  const size = pageSize(query.get('limit'), moment.limits)
  const [start, end] = pageBounds(models, query, size)
  const page = models.slice(start, end).map((model) => anthropicRow(model, moment.nowMs))
  return {
    data: page,
    has_more: query.has('before_id') ? start > 0 : end < models.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  }
}

/** Formats a model like https://ai.google.dev/api/models, plus our own fields. */
function geminiRow(model: Model, nowMs: number): ListingObject {
  return {
    name: `models/${model.name}`,
    version: model.releasedMs === null ? '' : new Date(model.releasedMs).toISOString().slice(0, 10),
    displayName: model.displayName,
    inputTokenLimit: model.inputTokensMax,
    outputTokenLimit: model.outputTokensMax,
    supportedGenerationMethods: model.formats.some(isConversationFormat)
      ? ['generateContent', 'countTokens']
      : [],
    thinking: model.reasons,
    ...commonRow(model, nowMs),
  }
}

/** A page token is the name of the last model of the page before. */
function geminiList(models: readonly Model[], query: URLSearchParams, moment: ListingMoment): ListingObject {
  const size = geminiPageSize(query.get('pageSize') ?? query.get('page_size'), moment.limits)
  const token = query.get('pageToken') ?? query.get('page_token') ?? ''
  const start = token === '' ? 0 : positionOf(models, 'pageToken', token) + 1
  const page = models.slice(start, start + size)
  const last = page.at(-1)
  return {
    models: page.map((model) => geminiRow(model, moment.nowMs)),
    ...(last === undefined || start + size >= models.length ? {} : { nextPageToken: last.name }),
  }
}

/** 0 is the default, and more than the most is the most: as the provider has it. */
function geminiPageSize(asked: string | null, limits: PageLimits): number {
  if (asked === null || /^0{1,9}$/.test(asked)) return limits.modelsPageDefault
  if (/^\d{1,9}$/.test(asked)) return Math.min(Number(asked), limits.modelsPageMax)
  throw badPage('pageSize', 'must be a whole number')
}

function pageSize(asked: string | null, limits: PageLimits): number {
  if (asked === null) return limits.modelsPageDefault
  const size = /^\d{1,9}$/.test(asked) ? Number(asked) : 0
  if (size >= 1 && size <= limits.modelsPageMax) return size
  throw badPage('limit', `must be a whole number from 1 to ${limits.modelsPageMax}`)
}

/** The models after `after_id`, or those that end just before `before_id`. */
function pageBounds(
  models: readonly Model[],
  query: URLSearchParams,
  size: number,
): readonly [start: number, end: number] {
  const after = query.get('after_id')
  const before = query.get('before_id')
  if (after !== null && before !== null) throw badPage('after_id', 'cannot be used together with before_id')
  if (before !== null) {
    const end = positionOf(models, 'before_id', before)
    return [Math.max(0, end - size), end]
  }
  const start = after === null ? 0 : positionOf(models, 'after_id', after) + 1
  return [start, Math.min(models.length, start + size)]
}

function positionOf(models: readonly Model[], param: string, name: string): number {
  const position = models.findIndex((model) => model.name === name)
  if (position < 0) throw badPage(param, 'is not the id of a model in the list')
  return position
}

function badPage(param: string, wrong: string): TollgateError {
  return new TollgateError('invalid_value', { message: `${param}: ${wrong}.`, param })
}

function commonRow(model: Model, nowMs: number): ListingObject {
  return {
    display_name: model.displayName,
    context_length: model.contextTokens,
    max_output_tokens: model.outputTokensMax,
    architecture: { input_modalities: model.inputs, output_modalities: model.outputs },
    formats: model.formats,
    deprecated: model.deprecated,
    pricing: pricing(priceAt(model, nowMs)),
  }
}

/** USD per token, and per use for tools, as decimal strings. */
const pricing = remembered((price: PriceVersion): ListingObject => {
  return {
    ...pricingRates(price.rates),
    ...mapValues(price.fees, (fee) => decimal(fee, 9)),
    overrides: price.tiers.map(({ aboveInputTokens, rates }) => ({
      min_prompt_tokens: aboveInputTokens + 1,
      ...pricingRates(rates),
    })),
    version: formatId('prc', price.id),
  }
})

function pricingRates(rates: Rates): ListingObject {
  const perToken = mapRates(rates, (rate) => decimal(rate, 15))
  return Object.fromEntries(
    Object.values(meters).flatMap(({ listed, rate }) => {
      const price = perToken[rate]
      return price === null ? [] : [[listed, price]]
    }),
  )
}

function mapValues<Value>(
  values: Readonly<Record<string, Value>>,
  write: (value: Value) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, write(value)]))
}

/** `1.1` where the fraction ends in decimals, else `5/3`. */
function formatFactor({ numerator, denominator }: Multiplier): string {
  for (let places = 0; places <= 9; places += 1) {
    const power = 10n ** BigInt(places)
    if ((numerator * power) % denominator === 0n) return decimal((numerator * power) / denominator, places)
  }
  return `${numerator}/${denominator}`
}

/** `value / 10^places`, exactly, without zeros to spare. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
