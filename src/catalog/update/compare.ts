/**
 * Compares a published price list with the prices in force: new, changed and missing prices, and unclear rows.
 * Pure; decides nothing about what is applied, apart from marking rows that need to be chosen by name.
 */
import { type RateName, rateNames } from '../../../contract/meters.ts'
import { formatUsd } from '../../../contract/usd.ts'
import type { Steps } from '../../base/steps.ts'
import type { PriceDefinition, TierDefinition } from '../definition.ts'
import { type PriceBody, priceBody, type WrittenRates, writtenRates } from '../prices/prices.ts'
import type { Rates } from '../types.ts'
import { listNames } from './list-names-table.ts'
import type { ListedFacts, ListedModel, ListedPrice } from './listed-model.ts'
import type { PresentModel } from './present-prices.ts'

/** A changed amount; null: the class is not sold. */
export interface RateChange {
  readonly rate: RateName
  /** null: the price below every tier. */
  readonly aboveInputTokens: number | null
  readonly from: string | null
  readonly to: string | null
  /** `+12.5%`; null if one of the two is missing or zero. */
  readonly percent: string | null
}

export interface CatalogRow {
  /** The public name. */
  readonly model: string
  readonly provider: string
  readonly listedAs: string
  readonly change: 'new' | 'changed' | 'gone' | 'unclear'
  /** `unclear`: why; otherwise why the row is applied only when chosen by name; null: always applied. */
  readonly reason: string | null
  readonly changes: readonly RateChange[]
  /** The price to apply; null if there is none. */
  readonly price: PriceDefinition | null
  /** Facts about a model that is not known here; null: it is. */
  readonly facts: ListedFacts | null
}

export interface Comparison {
  readonly rows: readonly CatalogRow[]
  readonly unchanged: number
  /** Listed models of other providers, and unknown models that do not converse in text. */
  readonly leftOut: number
}

export interface ComparisonInput {
  readonly listed: readonly ListedModel[]
  readonly present: readonly PresentModel[]
  /** The providers that have an upstream; others are not compared. */
  readonly providers: readonly ComparedProvider[]
  readonly rowsMax: number
}

export interface ComparedProvider {
  readonly provider: string
  /** Prefix of the models' public names. */
  readonly namesModelsBelow?: string | undefined
}

/** Prices above this are marked, in USD per million tokens. */
const usualUsdMax = 1_000
const usualNanoMax = BigInt(usualUsdMax) * 10n ** 9n
/** Prices that change by more than this factor are marked. */
const usualFactorMax = 10n

const order = ['changed', 'new', 'gone', 'unclear'] as const

/** Compares the models of providers that have an upstream, one per step; undefined: more rows than allowed. */
export function* compareSteps({
  listed,
  present,
  providers,
  rowsMax,
}: ComparisonInput): Steps<Comparison | undefined> {
  const compared = new Map(providers.map((provider) => [provider.provider, provider]))
  const known = yield* knownModels(present)
  const { listing, others } = yield* comparedModels(listed, compared)
  const rows: CatalogRow[] = []
  let unchanged = 0
  let leftOut = others
  for (const [key, model] of listing) {
    const ours = known.byKey.get(key)
    if (ours === undefined && !model.converses) leftOut += 1
    else if (ours === undefined) rows.push(newRow(model, compared.get(model.provider), known.providerByName))
    for (const one of ours ?? []) {
      const row = knownRow(model, one)
      if (row === undefined) unchanged += 1
      else rows.push(row)
    }
    yield
  }
  rows.push(...(yield* goneRows(present, listing, compared)))
  return rows.length > rowsMax ? undefined : { rows: yield* inOrder(rows), unchanged, leftOut }
}

/** Sorted by kind of change, then by name. */
function* inOrder(rows: readonly CatalogRow[]): Steps<readonly CatalogRow[]> {
  const sorted: CatalogRow[] = []
  for (const change of order) {
    sorted.push(...rows.filter((row) => row.change === change).sort((a, b) => (a.model < b.model ? -1 : 1)))
    yield
  }
  return sorted
}

const keyOf = (model: Pick<PresentModel, 'provider' | 'upstreamModel'>): string =>
  `${model.provider} ${model.upstreamModel}`

interface KnownModels {
  readonly byKey: ReadonlyMap<string, readonly PresentModel[]>
  readonly providerByName: ReadonlyMap<string, string>
}

function* knownModels(present: readonly PresentModel[]): Steps<KnownModels> {
  const byKey = new Map<string, PresentModel[]>()
  const providerByName = new Map<string, string>()
  for (const model of present) {
    const key = keyOf(model)
    byKey.set(key, [...(byKey.get(key) ?? []), model])
    providerByName.set(model.name, model.provider)
    yield
  }
  return { byKey, providerByName }
}

interface ComparedModels {
  readonly listing: ReadonlyMap<string, ListedModel>
  /** Listed models of providers without an upstream. */
  readonly others: number
}

/** Yields an entry per name; lists have some models twice, with and without a prefix. */
function* comparedModels(
  listed: readonly ListedModel[],
  compared: ReadonlyMap<string, ComparedProvider>,
): Steps<ComparedModels> {
  const listing = new Map<string, ListedModel>()
  let others = 0
  for (const model of listed) {
    const key = keyOf({ provider: model.provider, upstreamModel: model.name })
    const before = listing.get(key)
    if (!compared.has(model.provider)) others += 1
    else if (before === undefined) listing.set(key, model)
    else if (JSON.stringify(before.price) !== JSON.stringify(model.price)) {
      listing.set(key, {
        ...before,
        price: { kind: 'unclear', reason: 'the list has it twice, with different prices' },
      })
    }
    yield
  }
  return { listing, others }
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

/** Row parts shared by new models and models that had no price. */
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

/** The listed price; values that the list lacks, options and fees stay. */
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

type RatesByTier = ReadonlyMap<number | null, Rates>

function stepsOf({ listRates, listTiers }: Pick<PriceBody, 'listRates' | 'listTiers'>): RatesByTier {
  return new Map([
    [null, listRates] as const,
    ...listTiers.map(({ aboveInputTokens, rates }) => [aboveInputTokens, rates] as const),
  ])
}

function changesBetween(before: PriceBody | undefined, after: PriceBody): readonly RateChange[] {
  return amounts(before, after).flatMap(({ rate, aboveInputTokens, from, to }) => {
    // In a first price, cache rates equal to the input rate add nothing.
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
    RatesByTier,
    RatesByTier,
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

function* goneRows(
  present: readonly PresentModel[],
  listing: ReadonlyMap<string, ListedModel>,
  compared: ReadonlyMap<string, ComparedProvider>,
): Steps<readonly CatalogRow[]> {
  const covered = new Set([...listing.values()].map(({ provider }) => provider))
  const rows: CatalogRow[] = []
  for (const model of present) {
    const { name, provider, upstreamModel } = model
    const isListable = listNames[provider]?.priceDependsOn === undefined
    const isCompared = compared.has(provider) && covered.has(provider) && isListable
    if (isCompared && model.isSold && !model.isOperators && !listing.has(keyOf(model))) {
      rows.push({
        ...{ model: name, provider, listedAs: upstreamModel },
        ...{ change: 'gone', reason: null, changes: [], price: null, facts: null },
      })
    }
    yield
  }
  return rows
}
