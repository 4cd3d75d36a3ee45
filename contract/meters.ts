/**
 * The classes of tokens that are counted, priced, stored and shown: one row each. Usage, prices, receipts, hourly sums,
 * the CSV file, the command line and the console are made from this table. A class of tokens is counted once: the
 * classes of one direction sum to all of it. Values only; it must not import anything.
 */

/** The token classes of hourly sums; several meters may count in one. */
export const tokenSums = {
  inputUncached: { column: 'input_uncached', direction: 'input' },
  cacheRead: { column: 'cache_read', direction: 'input' },
  cacheWrite: { column: 'cache_write', direction: 'input' },
  output: { column: 'output', direction: 'output' },
} as const

export type TokenSum = keyof typeof tokenSums
export const tokenSumNames = Object.keys(tokenSums) as readonly TokenSum[]

/** A value for each sum. */
export function eachSum<Value>(valueFor: (name: TokenSum) => Value): Record<TokenSum, Value> {
  return Object.fromEntries(tokenSumNames.map((name) => [name, valueFor(name)])) as Record<TokenSum, Value>
}

export function sumOfDirection(
  sums: Readonly<Record<TokenSum, number>>,
  direction: 'input' | 'output',
): number {
  const names = tokenSumNames.filter((name) => tokenSums[name].direction === direction)
  return names.reduce((total, name) => total + sums[name], 0)
}

interface MeterRow {
  readonly direction: 'input' | 'output'
  /** The field of a price that says what a million of them costs. */
  readonly rate: string
  /**
   * Where a price leaves the rate out: `required`: it cannot; `derived`: it follows from the rate of input by the rules of
   * the catalog; `unsold`: the model does not sell this class, and a report of it is flagged as unpriced.
   */
  readonly absent: 'required' | 'derived' | 'unsold'
  /** In the receipt's table; with `_tokens` behind it the heading of the CSV file. */
  readonly column: string
  /** Where the hourly sums count it. */
  readonly sum: TokenSum
  readonly label: string
  /** In price lists. */
  readonly priceLabel: string
  /** A short label for price lists on the command line. */
  readonly shortLabel: string
  /** Behind "of a million": the help of the option that sets the rate. */
  readonly help: string
  /** Name of the rate per token in the list of models. */
  readonly listed: string
}

export const meters = {
  inputUncached: {
    direction: 'input',
    rate: 'input',
    absent: 'required',
    column: 'input_uncached',
    sum: 'inputUncached',
    label: 'Input',
    priceLabel: 'Input',
    shortLabel: 'input',
    help: 'input tokens',
    listed: 'prompt',
  },
  cacheRead: {
    direction: 'input',
    rate: 'cacheRead',
    absent: 'derived',
    column: 'cache_read',
    sum: 'cacheRead',
    label: 'Read from cache',
    priceLabel: 'Cached input',
    shortLabel: 'cached',
    help: 'tokens read from the cache',
    listed: 'input_cache_read',
  },
  cacheWrite5m: {
    direction: 'input',
    rate: 'cacheWrite5m',
    absent: 'derived',
    column: 'cache_write_5m',
    sum: 'cacheWrite',
    label: 'Written to cache, 5 minutes',
    priceLabel: 'Cache write, 5 minutes',
    shortLabel: 'write 5m',
    help: 'tokens cached for 5 minutes',
    listed: 'input_cache_write',
  },
  cacheWrite1h: {
    direction: 'input',
    rate: 'cacheWrite1h',
    absent: 'derived',
    column: 'cache_write_1h',
    sum: 'cacheWrite',
    label: 'Written to cache, 1 hour',
    priceLabel: 'Cache write, 1 hour',
    shortLabel: 'write 1h',
    help: 'tokens cached for an hour',
    listed: 'input_cache_write_1h',
  },
  inputAudio: {
    direction: 'input',
    rate: 'inputAudio',
    absent: 'unsold',
    column: 'input_audio',
    sum: 'inputUncached',
    label: 'Audio input',
    priceLabel: 'Audio in',
    shortLabel: 'audio in',
    help: 'tokens of audio input',
    listed: 'audio',
  },
  output: {
    direction: 'output',
    rate: 'output',
    absent: 'required',
    column: 'output',
    sum: 'output',
    label: 'Output',
    priceLabel: 'Output',
    shortLabel: 'output',
    help: 'output tokens',
    listed: 'completion',
  },
  outputAudio: {
    direction: 'output',
    rate: 'outputAudio',
    absent: 'unsold',
    column: 'output_audio',
    sum: 'output',
    label: 'Audio output',
    priceLabel: 'Audio out',
    shortLabel: 'audio out',
    help: 'tokens of audio output',
    listed: 'audio_output',
  },
} as const satisfies Readonly<Record<string, MeterRow>>

export type Meter = keyof typeof meters
type MeterNamed<Field extends keyof MeterRow, Value> = {
  [Name in Meter]: (typeof meters)[Name][Field] extends Value ? Name : never
}[Meter]
export type OutputMeter = MeterNamed<'direction', 'output'>

/** The field of a price for a meter. */
export type RateName = (typeof meters)[Meter]['rate']
/** Rates of what a model may not sell. */
export type UnsoldRate = (typeof meters)[MeterNamed<'absent', 'unsold'>]['rate']
type RequiredRate = (typeof meters)[MeterNamed<'absent', 'required'>]['rate']

export type OptionalRate = Exclude<RateName, RequiredRate>

/** Rates as a price list writes them: omitted rates follow from the others, or are not sold. */
export type WrittenRatesOf<Text> = { readonly [Name in RequiredRate]: Text } & {
  readonly [Name in OptionalRate]?: Text | undefined
}

/** A count for each class. */
export type TokenCounts = Readonly<Record<Meter, number>>

export const rateNames = Object.values(meters).map(({ rate }) => rate) as readonly RateName[]
export const unsoldRates = Object.values(meters).flatMap((row) => (row.absent === 'unsold' ? [row.rate] : []))
export const optionalRates = Object.values(meters).flatMap((row) =>
  row.absent === 'required' ? [] : [row.rate],
) as readonly OptionalRate[]
export const meterNames = Object.keys(meters) as readonly Meter[]
export type InputMeter = Exclude<Meter, OutputMeter>

export const inputMeters = meterNames.filter((name): name is InputMeter => meters[name].direction === 'input')
export const outputMeters = meterNames.filter(
  (name): name is OutputMeter => meters[name].direction === 'output',
)

const isUnsold = (name: Meter): boolean => meters[name].absent === 'unsold'
/** In the order of price lists: what every model sells comes first. */
export const pricedMeters = [
  ...meterNames.filter((name) => !isUnsold(name)),
  ...meterNames.filter(isUnsold),
].map((name) => meters[name])

/** A value for each meter. */
export function eachMeter<Value>(valueFor: (name: Meter) => Value): Record<Meter, Value> {
  return record(meterNames, valueFor)
}

/** A value for each class of output. */
export function eachOutput<Value>(valueFor: (name: OutputMeter) => Value): Record<OutputMeter, Value> {
  return record(outputMeters, valueFor)
}

/** Which classes of output a request can produce. */
export type OutputClasses = Readonly<Record<OutputMeter, boolean>>

/** A value for each field of a price. */
export function eachRate<Value>(valueFor: (rate: RateName) => Value): Record<RateName, Value> {
  return record(rateNames, valueFor)
}

/** In a loop, because each request takes several of them, and building lists of entries took longer than the rest. */
function record<Name extends string, Value>(
  names: readonly Name[],
  valueFor: (name: Name) => Value,
): Record<Name, Value> {
  const values = {} as Record<Name, Value>
  for (const name of names) values[name] = valueFor(name)
  return values
}

/** Reasoning is a part of `output`: counted and shown, and priced with it. */
export interface CountedTokens extends TokenCounts {
  readonly reasoning: number
}

export const noTokens: CountedTokens = { ...eachMeter(() => 0), reasoning: 0 }
/** Counts of an empty direction. */
export const noInput = Object.fromEntries(inputMeters.map((name) => [name, 0])) as Pick<
  TokenCounts,
  InputMeter
>
export const noOutput = {
  ...(Object.fromEntries(outputMeters.map((name) => [name, 0])) as Pick<TokenCounts, OutputMeter>),
  reasoning: 0,
}

/** The counts alone, of something that has more to it. */
export function tokensOf(counted: CountedTokens): CountedTokens {
  return { ...eachMeter((name) => counted[name]), reasoning: counted.reasoning }
}

export function inputTokens(counts: Pick<TokenCounts, InputMeter>): number {
  let total = 0
  for (const name of inputMeters) total += counts[name]
  return total
}

export function outputTokens(counts: Pick<TokenCounts, OutputMeter>): number {
  let total = 0
  for (const name of outputMeters) total += counts[name]
  return total
}
