/**
 * Compares a published price list with the prices in force: new, changed and missing prices, and unclear rows.
 * Pure; decides nothing about what is applied, apart from marking rows that need to be chosen by name.
 */
import { type RateName, rateNames } from '../../../contract/meters.ts'
import { formatUsd } from '../../../contract/usd.ts'
import type { PriceDefinition, TierDefinition } from '../definition.ts'
import { type PriceBody, priceBody, type WrittenRates, writtenRates } from '../prices.ts'
import type { Rates } from '../types.ts'
import { listNames } from './list-names-table.ts'
import type { ListedFacts, ListedModel, ListedPrice } from './listed-model.ts'
import type { PresentModel } from './present-prices.ts'

/** One amount that differs; null: the class is not sold. */
export interface RateChange {
  readonly rate: RateName
  /** null: the price below every tier. */
  readonly aboveInputTokens: number | null
  readonly from: string | null
  readonly to: string | null
  /** `+12.5%`; null where one of both is missing or zero. */
  readonly percent: string | null
}

export interface CatalogRow {
  /** Its public name here. */
  readonly model: string
  readonly provider: string
  /** Its name in the list. */
  readonly listedAs: string
  readonly change: 'new' | 'changed' | 'gone' | 'unclear'
  /** `unclear`: why; otherwise why it is only applied when it is chosen by name; null: nothing speaks against it. */
  readonly reason: string | null
  readonly changes: readonly RateChange[]
  /** What would be applied; null for rows that cannot be. */
  readonly price: PriceDefinition | null
  /** What is said of a model that is not known here; null: it is. */
  readonly facts: ListedFacts | null
}

export interface Comparison {
  readonly rows: readonly CatalogRow[]
  readonly unchanged: number
  /** Listed models of other providers, and those that are not known here and do not converse in text. */
  readonly leftOut: number
}

export interface ComparisonInput {
  readonly listed: readonly ListedModel[]
  readonly present: readonly PresentModel[]
  /** The providers that have an upstream; others are not compared. */
  readonly providers: readonly ComparedProvider[]
}

export interface ComparedProvider {
  readonly provider: string
  /** What its models' public names begin with here. */
  readonly namesModelsBelow?: string | undefined
}

/** Prices above this are marked, in USD per million tokens. */
const usualUsdMax = 1_000
const usualNanoMax = BigInt(usualUsdMax) * 10n ** 9n
/** Prices that change by more than this factor are marked. */
const usualFactorMax = 10n

const order = ['changed', 'new', 'gone', 'unclear'] as const

/** Compares the models of providers that have an upstream. */
export function compareCatalog({ listed, present, providers }: ComparisonInput): Comparison {
  const compared = new Map(providers.map((provider) => [provider.provider, provider]))
  const known = groupBy(present, keyOf)
  const names = new Map(present.map(({ name, provider }) => [name, provider]))
  const listing = distinct(listed.filter(({ provider }) => compared.has(provider)))
  const rows: CatalogRow[] = []
  let unchanged = 0
  let leftOut = listed.filter(({ provider }) => !compared.has(provider)).length
  for (const model of listing.values()) {
    const ours = known.get(keyOf({ provider: model.provider, upstreamModel: model.name }))
    if (ours === undefined && !model.converses) leftOut += 1
    else if (ours === undefined) rows.push(newRow(model, compared.get(model.provider), names))
    for (const one of ours ?? []) {
      const row = knownRow(model, one)
      if (row === undefined) unchanged += 1
      else rows.push(row)
    }
  }
  rows.push(...goneRows(present, listing, compared))
  rows.sort((a, b) => order.indexOf(a.change) - order.indexOf(b.change) || (a.model < b.model ? -1 : 1))
  return { rows, unchanged, leftOut }
}

const keyOf = (model: Pick<PresentModel, 'provider' | 'upstreamModel'>): string =>
  `${model.provider} ${model.upstreamModel}`

function groupBy<Item>(
  items: readonly Item[],
  key: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return groups
}

/** One entry for each name; lists have some models twice, with and without a prefix. */
function distinct(listed: readonly ListedModel[]): ReadonlyMap<string, ListedModel> {
  const models = new Map<string, ListedModel>()
  for (const model of listed) {
    const key = keyOf({ provider: model.provider, upstreamModel: model.name })
    const before = models.get(key)
    if (before === undefined) models.set(key, model)
    else if (JSON.stringify(before.price) !== JSON.stringify(model.price)) {
      models.set(key, {
        ...before,
        price: { kind: 'unclear', reason: 'the list has it twice, with different prices' },
      })
    }
  }
  return models
}

type Row = Pick<CatalogRow, 'model' | 'provider' | 'listedAs'>

function unclearRow(row: Row, reason: string): CatalogRow {
  return { ...row, change: 'unclear', reason, changes: [], price: null, facts: null }
}

function newRow(
  { provider, name, price, facts }: ListedModel,
  compared: ComparedProvider | undefined,
  names: ReadonlyMap<string, string>,
): CatalogRow {
  const model = `${compared?.namesModelsBelow ?? ''}${name}`
  const row = { model, provider, listedAs: name }
  if (price.kind === 'unclear') return unclearRow(row, price.reason)
  if (names.has(model)) return unclearRow(row, `a model of ${names.get(model)} has this name`)
  if (facts.context === undefined || facts.maxOutput === undefined) {
    return unclearRow(row, 'the list has no context length or no output limit')
  }
  return { ...row, ...addition(price, [provider]), change: 'new', facts }
}

/** What is the same for a new model and for one that had no price. */
function addition(
  price: Extract<ListedPrice, { kind: 'price' }>,
  providers: readonly string[],
): Pick<CatalogRow, 'price' | 'changes' | 'reason'> {
  const written = writtenPrice(price, null, providers)
  const body = priceBody(written, providers, null)
  return { price: written, changes: changesBetween(undefined, body), reason: unusual(undefined, body) }
}

/** undefined: the price is the same. */
function knownRow(listed: ListedModel, present: PresentModel): CatalogRow | undefined {
  const { provider, billingProviders: providers } = present
  const row = { model: present.name, provider, listedAs: listed.name }
  if (listed.price.kind === 'unclear') return unclearRow(row, listed.price.reason)
  if (present.price === null) {
    return { ...row, ...addition(listed.price, providers), change: 'new', facts: null }
  }
  const before = priceBody(present.price, providers, null)
  const written = writtenPrice(listed.price, present.price, providers)
  const after = priceBody(written, providers, null)
  const changes = changesBetween(before, after)
  if (changes.length === 0) return undefined
  const reason = specialPrice(present) ?? unusual(before, after)
  return { ...row, change: 'changed', reason, changes, price: written, facts: null }
}

/** Why a list should not replace a price unasked. */
function specialPrice({ price, isOperators }: PresentModel): string | undefined {
  if (isOperators) return 'an administrator set its price'
  const isScheduled = (price?.schedule ?? []).length > 0
  return isScheduled ? 'its price depends on the time of day, which the list does not contain' : undefined
}

/** The listed price; what the list does not say stays as it is, and so do options and fees. */
function writtenPrice(
  { rates, tiers }: Extract<ListedPrice, { kind: 'price' }>,
  present: PriceDefinition | null,
  providers: readonly string[],
): PriceDefinition {
  const kept: Partial<WrittenRates> =
    present === null ? {} : writtenRates(priceBody(present, providers, null).listRates, providers)
  const { input = '0', output = '0' } = rates
  const listedTiers = tiers.map(({ aboveInputTokens, rates: { input: above = input, ...others } }) => {
    return { aboveInputTokens, input: above, ...others }
  })
  const keptTiers: readonly TierDefinition[] = listedTiers.length > 0 ? listedTiers : (present?.tiers ?? [])
  return {
    ...kept,
    ...rates,
    ...{ input, output },
    ...(keptTiers.length === 0
      ? {}
      : { tiers: keptTiers.map((tier) => ({ ...tier, output: tier.output ?? output })) }),
    ...(present?.options === undefined ? {} : { options: present.options }),
    ...(present?.fees === undefined ? {} : { fees: present.fees }),
  }
}

type Steps = ReadonlyMap<number | null, Rates>

function stepsOf({ listRates, listTiers }: Pick<PriceBody, 'listRates' | 'listTiers'>): Steps {
  return new Map([
    [null, listRates] as const,
    ...listTiers.map(({ aboveInputTokens, rates }) => [aboveInputTokens, rates] as const),
  ])
}

function changesBetween(before: PriceBody | undefined, after: PriceBody): readonly RateChange[] {
  return amounts(before, after).flatMap(({ rate, aboveInputTokens, from, to }) => {
    // Of a first price, cache rates that equal the input rate say nothing.
    if (before === undefined && rate.startsWith('cache') && to === inputOf(after, aboveInputTokens)) return []
    return from === to
      ? []
      : { rate, aboveInputTokens, from: shown(from), to: shown(to), percent: percentOf(from, to) }
  })
}

const inputOf = (body: PriceBody, aboveInputTokens: number | null): bigint | undefined =>
  stepsOf(body).get(aboveInputTokens)?.input

interface Amounts {
  readonly rate: RateName
  readonly aboveInputTokens: number | null
  readonly from: bigint | null
  readonly to: bigint | null
}

function amounts(before: PriceBody | undefined, after: PriceBody): readonly Amounts[] {
  const [was, is] = [before === undefined ? new Map() : stepsOf(before), stepsOf(after)] as readonly [
    Steps,
    Steps,
  ]
  return [...new Set([...is.keys(), ...was.keys()])].flatMap((aboveInputTokens) =>
    rateNames.map((rate) => {
      const [from, to] = [was.get(aboveInputTokens)?.[rate] ?? null, is.get(aboveInputTokens)?.[rate] ?? null]
      return { rate, aboveInputTokens, from, to }
    }),
  )
}

const shown = (amount: bigint | null): string | null => (amount === null ? null : formatUsd(amount))

/** In tenths of a percent, rounded half away from zero. */
function percentOf(from: bigint | null, to: bigint | null): string | null {
  if (from === null || to === null || from === 0n) return null
  const difference = to - from
  const size = difference < 0n ? -difference : difference
  const tenths = (size * 2_000n + from) / (2n * from)
  return `${difference < 0n ? '-' : '+'}${tenths / 10n}.${tenths % 10n}%`
}

/** Why a price needs a second look; null: it does not. */
function unusual(before: PriceBody | undefined, after: PriceBody): string | null {
  if (amounts(before, after).some(({ to }) => to !== null && to > usualNanoMax)) {
    return `it costs more than ${usualUsdMax.toLocaleString('en')} USD per million tokens`
  }
  if (before !== undefined && jumps(before, after)) {
    return `a price changes by more than a factor of ${usualFactorMax}`
  }
  if (before === undefined && after.listRates.output === 0n) return 'its output costs nothing'
  const tier = after.listTiers.find(({ rates }, index) =>
    isLowered((index === 0 ? after.listRates : after.listTiers[index - 1]?.rates) ?? rates, rates),
  )
  return tier === undefined
    ? null
    : `above ${tier.aboveInputTokens} input tokens, a price is lower than below`
}

/** Whether a rate changes too much at any input size, in whichever tiers the prices have. */
function jumps(before: PriceBody, after: PriceBody): boolean {
  const steps = [...before.listTiers, ...after.listTiers].map(({ aboveInputTokens }) => aboveInputTokens)
  return [0, ...steps].some((step) => {
    const [was, is] = [ratesAbove(before, step), ratesAbove(after, step)]
    return rateNames.some((rate) => {
      const [from, to] = [was[rate] ?? null, is[rate] ?? null]
      return from !== null && to !== null && (to > from * usualFactorMax || from > to * usualFactorMax)
    })
  })
}

/** The rates of a request with more input tokens than `step`, up to the next tier. */
function ratesAbove({ listRates, listTiers }: PriceBody, step: number): Rates {
  return listTiers.findLast(({ aboveInputTokens }) => aboveInputTokens <= step)?.rates ?? listRates
}

const isLowered = (below: Rates, above: Rates): boolean =>
  rateNames.some((rate) => {
    const [low, high] = [below[rate] ?? null, above[rate] ?? null]
    return low !== null && high !== null && high < low
  })

function goneRows(
  present: readonly PresentModel[],
  listing: ReadonlyMap<string, ListedModel>,
  compared: ReadonlyMap<string, ComparedProvider>,
): readonly CatalogRow[] {
  const covered = new Set([...listing.values()].map(({ provider }) => provider))
  return present
    .filter((model) => {
      const isListable = listNames[model.provider]?.priceDependsOn === undefined
      const isCompared = compared.has(model.provider) && covered.has(model.provider) && isListable
      return isCompared && model.isSold && !model.isOperators && !listing.has(keyOf(model))
    })
    .map(({ name, provider, upstreamModel }) => ({
      ...{ model: name, provider, listedAs: upstreamModel },
      ...{ change: 'gone', reason: null, changes: [], price: null, facts: null },
    }))
}
