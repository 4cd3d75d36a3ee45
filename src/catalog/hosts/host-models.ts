/**
 * The models that hosts are known to serve, as definitions. A host's table is loaded with the first upstream of that host:
 * an installation without one needs neither time nor memory for it.
 */
import type {
  ModelDefinition,
  PriceDefinition,
  ScheduledRatesDefinition,
  TierDefinition,
} from '../definition.ts'

/** `source`: where the prices were read, if elsewhere. */
type Table = () => Promise<{ readonly models: string; readonly source?: string }>

/** Perplexity has none: it charges per request in addition to tokens. */
const tables: Readonly<Record<string, Table>> = {
  alibaba: () => import('./alibaba-models.ts'),
  azure: () => import('./azure-models.ts'),
  baseten: () => import('./baseten-models.ts'),
  bedrock: () => import('./bedrock-models.ts'),
  cerebras: () => import('./cerebras-models.ts'),
  cohere: () => import('./cohere-models.ts'),
  deepinfra: () => import('./deepinfra-models.ts'),
  deepseek: () => import('./deepseek-models.ts'),
  digitalocean: () => import('./digitalocean-models.ts'),
  fireworks: () => import('./fireworks-models.ts'),
  groq: () => import('./groq-models.ts'),
  huggingface: () => import('./huggingface-models.ts'),
  inception: () => import('./inception-models.ts'),
  minimax: () => import('./minimax-models.ts'),
  mistral: () => import('./mistral-models.ts'),
  moonshot: () => import('./moonshot-models.ts'),
  nebius: () => import('./nebius-models.ts'),
  novita: () => import('./novita-models.ts'),
  nvidia: () => import('./nvidia-models.ts'),
  openrouter: () => import('./openrouter-models.ts'),
  ovh: () => import('./ovh-models.ts'),
  scaleway: () => import('./scaleway-models.ts'),
  siliconflow: () => import('./siliconflow-models.ts'),
  together: () => import('./together-models.ts'),
  vertex: () => import('./vertex-models.ts'),
  xai: () => import('./xai-models.ts'),
  zai: () => import('./zai-models.ts'),
}

const loaded = new Map<string, Promise<readonly ModelDefinition[]>>()

/** The models of these providers, as far as they are hosts with a table; each host's are the same objects every time. */
export async function hostModels(providers: Iterable<string>): Promise<readonly ModelDefinition[]> {
  const known = [...new Set(providers)].filter((provider) => Object.hasOwn(tables, provider))
  const models = await Promise.all(known.map((provider) => loaded.get(provider) ?? load(provider)))
  return models.flat()
}

function load(provider: string): Promise<readonly ModelDefinition[]> {
  const models = read(provider)
  loaded.set(provider, models)
  return models
}

async function read(provider: string): Promise<readonly ModelDefinition[]> {
  const table = tables[provider]
  const { models, source = listSource } = table === undefined ? { models: '' } : await table()
  return models
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => definitionOf(provider, line, source))
}

const inputKinds: readonly (readonly [flag: string, kind: string])[] = [
  ['i', 'image'],
  ['a', 'audio'],
  ['v', 'video'],
  ['p', 'pdf'],
]

/** `id|name|released|context|maxOutput|flags|price`; a model without a price is known and not sold. */
function definitionOf(provider: string, line: string, source: string): ModelDefinition {
  const [id = '', displayName = '', released = '', context, maxOutput, flags = '', price = ''] =
    line.split('|')
  return {
    // The host's name for it follows from the ID.
    id: `${provider}/${id}`,
    provider,
    displayName,
    released,
    context: Number(context),
    maxOutput: Number(maxOutput),
    inputs: ['text', ...inputKinds.filter(([flag]) => flags.includes(flag)).map(([, kind]) => kind)],
    reasoning: flags.includes('r'),
    tools: flags.includes('t'),
    ...(price === '' ? {} : { prices: [priceOf(price, source)] }),
  }
}

const listSource = 'models.dev, list price of 2026-07-02'

/** Rates, then tiers as `above:rates`, and rates at some times of the week as `@times=rates`. */
function priceOf(text: string, source: string): PriceDefinition {
  const [base = '', ...rest] = text.split(';')
  const tiers = rest.filter((part) => !part.startsWith('@'))
  const schedule = rest.filter((part) => part.startsWith('@'))
  return {
    ...ratesOf(base),
    source,
    ...(tiers.length === 0 ? {} : { tiers: tiers.map(tierOf) }),
    ...(schedule.length === 0 ? {} : { schedule: schedule.map(scheduledOf) }),
  }
}

function tierOf(text: string): TierDefinition {
  const [above = '', rates = ''] = text.split(':')
  return { aboveInputTokens: Number(above), ...ratesOf(rates) }
}

function scheduledOf(text: string): ScheduledRatesDefinition {
  const [times = '', rates = ''] = text.slice(1).split('=')
  return { times: times.split(','), ...ratesOf(rates) }
}

const optionalRates = ['cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'inputAudio'] as const

function ratesOf(text: string): Pick<PriceDefinition, 'input' | 'output' | (typeof optionalRates)[number]> {
  const [input = '', output = '', ...others] = text.split(',')
  const given = optionalRates.flatMap((name, place) => {
    const rate = others[place] ?? ''
    return rate === '' ? [] : [[name, rate] as const]
  })
  return { input, output, ...Object.fromEntries(given) }
}
