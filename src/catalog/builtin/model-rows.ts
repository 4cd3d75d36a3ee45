/**
 * Known models in rows, which is the form of `builtin-models-table.ts` and `hosts/host-models-table.ts`:
 * `id|name|released|context|maxOutput|flags|price|…`. Pure.
 *
 * A price is `rates;tier;@schedule`: rates in the order of `rateNames`, tiers as `above:rates`, and rates at some times of the
 * week as `@times=rates`. A model without a price is known and not enabled. Further columns begin with their name: `formats`
 * and `maxInput` of the model; `options`, `fees` and `source` of the price before; `from <date> <price>` is a later price.
 */
import type { UpstreamFormatName } from '../../wire/format-names.ts'
import type {
  ModelDefinition,
  PriceDefinition,
  ScheduledRatesDefinition,
  TierDefinition,
} from '../definition.ts'

/** Letters for what a model can do. */
const inputFlags: Readonly<Record<string, string>> = { i: 'image', a: 'audio', v: 'video', p: 'pdf' }
const outputFlags: Readonly<Record<string, string>> = { I: 'image', A: 'audio' }
const flagOf = { reasoning: 'r', tools: 't', deprecated: 'd', embeddings: 'E' } as const

/** The models of a table; its first line is the source of the prices that have no other. */
export function modelsOfRows(provider: string, table: string, idPrefix = ''): ModelDefinition[] {
  const [source = '', ...rows] = table.trim().split('\n')
  return rows.map((row) => ({ provider, ...readRow(row, idPrefix, source) }))
}

function readRow(row: string, idPrefix: string, source: string): ModelDefinition {
  const [id = '', displayName = '', released = '', context, maxOutput = '', flags = '', price = '', ...more] =
    row.split('|')
  const prices = price === '' ? [] : [{ ...readPrice(price), source }]
  const own = more.map((column) => readColumn(column, prices, source))
  const letters = [...flags]
  return {
    id: idPrefix + id,
    displayName,
    ...(released === '' ? {} : { released }),
    context: Number(context),
    ...(maxOutput === '' ? {} : { maxOutput: Number(maxOutput) }),
    inputs: ['text', ...letters.flatMap((letter) => inputFlags[letter] ?? [])],
    outputs: flags.includes(flagOf.embeddings)
      ? ['embeddings']
      : ['text', ...letters.flatMap((letter) => outputFlags[letter] ?? [])],
    reasoning: flags.includes(flagOf.reasoning),
    tools: flags.includes(flagOf.tools),
    ...(flags.includes(flagOf.deprecated) ? { deprecated: true } : {}),
    ...Object.assign({}, ...own),
    ...(prices.length === 0 ? {} : { prices }),
  }
}

/** What a further column says of the model; one of a price changes the last of `prices`, or adds one. */
function readColumn(column: string, prices: PriceDefinition[], source: string): Partial<ModelDefinition> {
  const [name, text] = splitAt(column, ' ')
  if (name === 'formats') return { formats: text.split(',') as UpstreamFormatName[] }
  if (name === 'maxInput') return { maxInput: Number(text) }
  if (name === 'from') {
    const [effectiveFrom, price] = splitAt(text, ' ')
    prices.push({ effectiveFrom, ...readPrice(price), source })
    return {}
  }
  const value =
    name === 'source' ? text : Object.fromEntries(text.split(',').map((pair) => splitAt(pair, '=')))
  const last = prices.pop()
  if (last !== undefined) prices.push({ ...last, [name]: value })
  return {}
}

function readPrice(text: string): PriceDefinition {
  const [base = '', ...rest] = text.split(';')
  const tiers = rest.filter((part) => !part.startsWith('@'))
  const schedule = rest.filter((part) => part.startsWith('@'))
  return {
    ...readRates(base),
    ...(tiers.length === 0 ? {} : { tiers: tiers.map(readTier) }),
    ...(schedule.length === 0 ? {} : { schedule: schedule.map(readScheduled) }),
  }
}

function readTier(text: string): TierDefinition {
  const [above, rates] = splitAt(text, ':')
  return { aboveInputTokens: Number(above), ...readRates(rates) }
}

function readScheduled(text: string): ScheduledRatesDefinition {
  const [times, rates] = splitAt(text.slice(1), '=')
  return { times: times.split(','), ...readRates(rates) }
}

const rateNames = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'inputAudio',
  'outputAudio',
] as const

function readRates(text: string): { readonly output: string } & TierRates {
  const rates = text.split(',')
  const given = rateNames.flatMap((name, place) => {
    const rate = rates[place] ?? ''
    return rate === '' ? [] : [[name, rate] as const]
  })
  return { input: '', output: '', ...Object.fromEntries(given) }
}

type TierRates = Omit<TierDefinition, 'aboveInputTokens' | 'output'>

function splitAt(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
