/**
 * Writes src/catalog/hosts/host-models-table.ts from models.dev's api.json, or from the same models in JSON lines: only facts
 * (names, limits, list prices, dates), one line per model.
 * `node scripts/run.js scripts/host-models.js api.json 2026-07-02 wandb`, with the day on which the list was read, and the
 * hosts whose models are written; without them all.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { hostModelRows } from '../src/catalog/hosts/host-models-table.ts'

/**
 * @typedef {{ input: number, output: number, cache_read?: number, cache_write?: number, input_audio?: number, reasoning?: number }} ListedRates
 * @typedef {{ host: string, id: string, name: string, released: string, context: number, maxOutput: number, input: string[],
 *   output: string[], reasoning: boolean, tools: boolean,
 *   usdPerMillionTokens: ListedRates & { tiers?: (ListedRates & { tier: { size: number } })[] } }} Listed
 */

/** The hosts by their names here, with what the list calls them. @type {Record<string, string>} */
const hosts = {
  alibaba: 'alibaba',
  azure: 'azure',
  baseten: 'baseten',
  bedrock: 'amazon-bedrock',
  cerebras: 'cerebras',
  cohere: 'cohere',
  deepinfra: 'deepinfra',
  deepseek: 'deepseek',
  digitalocean: 'digitalocean',
  fireworks: 'fireworks-ai',
  groq: 'groq',
  huggingface: 'huggingface',
  inception: 'inception',
  minimax: 'minimax',
  mistral: 'mistral',
  moonshot: 'moonshotai',
  nebius: 'nebius',
  novita: 'novita-ai',
  nvidia: 'nvidia',
  openrouter: 'openrouter',
  ovh: 'ovhcloud',
  scaleway: 'scaleway',
  siliconflow: 'siliconflow',
  together: 'togetherai',
  vertex: 'google-vertex',
  xai: 'xai',
  zai: 'zai',
}

/** Whose price depends on more than the model: their models are known, and sold once the operator says the price. */
const unpriced = [
  // On who serves: huggingface.co/docs/inference-providers.
  'huggingface',
]

/**
 * The list has older prices of DeepSeek, which depend on the hour. The former aliases are no longer served.
 * @type {Record<string, Partial<Listed> | null>}
 */
const corrections = {
  'deepseek deepseek-chat': null,
  'deepseek deepseek-reasoner': null,
  'deepseek deepseek-v4-flash': { usdPerMillionTokens: { input: 0.15, output: 0.6, cache_read: 0.003 } },
  'deepseek deepseek-v4-pro': { usdPerMillionTokens: { input: 0.66, output: 1.98, cache_read: 0.022 } },
}

/**
 * From Claude 4.5 on, every name but the global one is served in a region or a group of them, which costs a tenth more; the list has
 * the global price for most, and another model's for one. platform.claude.com/docs/en/about-claude/pricing (cloud platforms),
 * docs.aws.amazon.com/bedrock/latest/userguide/global-cross-region-inference.html; read 2026-11-28.
 */
const regionalFactor = 1.1
const regionalName = /^(?!global\.)(?:[a-z]+\.)?(anthropic\.claude-.+)$/

/** The model with its regional price; the same where it has no global name. @param {Listed} model @param {Listed[]} all @returns {Listed} */
function regionallyPriced(model, all) {
  const name = model.host === 'amazon-bedrock' ? regionalName.exec(model.id)?.[1] : undefined
  const global = all.find(({ host, id }) => host === model.host && id === `global.${name}`)
  if (name === undefined || global === undefined) return model
  const { tiers, ...rates } = global.usdPerMillionTokens
  const dearer = Object.entries(rates).map(([kind, rate]) => [kind, rate * regionalFactor])
  return { ...model, usdPerMillionTokens: { ...Object.fromEntries(dearer), tiers } }
}

/** Where the prices of a host were read, where not in the list. @type {Record<string, string>} */
const sources = { deepseek: 'api-docs.deepseek.com/quick_start/pricing, 2026-11' }

/** The times of the week at which a host's prices are others, in UTC, and the factor. @type {Record<string, { times: string, factor: number }>} */
const schedules = {
  deepseek: { times: 'Mon-Fri 01:00-04:00,Mon-Fri 06:00-10:00', factor: 2 },
}

/** The name under which the list's model is sold since it was read. @type {Record<string, string>} */
const renamed = { 'deepseek deepseek-v4-flash': 'deepseek-flash' }

/**
 * Models to skip: routers, aliases of the newest model, embeddings, and models that none of our formats can reach.
 * @type {Record<string, RegExp>}
 */
const leftOut = {
  azure: /^model-router$|embed|^gpt-(?:3\.5|4)(?:$|-)/,
  'google-vertex': /embedding|-latest$|-customtools$/,
}

/** Decimal digits without an exponent. @param {number | undefined} amount */
function decimal(amount) {
  if (amount === undefined) return ''
  return amount.toFixed(9).replace(/\.?0+$/, '')
}

/** Input, output, cache read, cache write, cache write for an hour, audio. @param {ListedRates} rates @param {Listed} model */
function rates(
  { input, output, cache_read: read, cache_write: write, input_audio: audio, reasoning },
  model,
) {
  // The list has 0 for unknown prices; the price of other input applies then.
  const isAnthropic = /(?:^|\.)anthropic[./-]|^claude-/.test(model.id) && write !== undefined
  return [
    decimal(input),
    decimal(Math.max(output, reasoning ?? 0)),
    decimal(read || undefined),
    decimal(write || undefined),
    decimal(isAnthropic ? input * 2 : undefined),
    decimal(audio || undefined),
  ]
    .join(',')
    .replace(/,+$/, '')
}

/** Letters for what a model can do. @param {Listed} model */
function flags({ input, reasoning, tools }) {
  const inputs = ['image', 'audio', 'video', 'pdf']
    .filter((kind) => input.includes(kind))
    .map((kind) => kind[0])
  return [...inputs, ...(reasoning ? ['r'] : []), ...(tools ? ['t'] : [])].join('')
}

/** The rates of a schedule. @param {ListedRates} base @param {Listed} model */
function scheduled(base, model) {
  const schedule = schedules[model.host]
  if (schedule === undefined) return []
  const dearer = Object.fromEntries(
    Object.entries(base).map(([name, rate]) => [name, rate * schedule.factor]),
  )
  return [`@${schedule.times}=${rates(/** @type {ListedRates} */ (dearer), model)}`]
}

/** @param {Listed} model */
function line(model) {
  const { tiers = [], ...base } = model.usdPerMillionTokens
  const isFree = base.input === 0 && base.output === 0
  const price =
    isFree || unpriced.includes(model.host)
      ? ''
      : [
          rates(base, model),
          ...tiers.map(({ tier, ...rest }) => `${tier.size}:${rates(rest, model)}`),
          ...scheduled(base, model),
        ].join(';')
  const { id, name, released, context, maxOutput } = model
  return [id, name, released, context, maxOutput, flags(model), price].join('|')
}

/** Text alone, under an exact name: a suffix behind a colon chooses a host or a price, and a router chooses a model. @param {Listed} model */
function isListed({ host, id, output, context, maxOutput }) {
  const isText = output.length === 1 && output[0] === 'text'
  // On Bedrock a colon is part of the version: `-v1:0`.
  const isExact = !id.replace(host === 'amazon-bedrock' ? /:0$/ : '', '').includes(':')
  const isSold = isExact && !/^openrouter\/|[|`$\\]/.test(id) && leftOut[host]?.test(id) !== true
  return isText && context > 0 && maxOutput > 0 && isSold
}

/**
 * A model of api.json; undefined: it has no limits or no kinds of input and output. @param {string} host @param {any} model
 * @returns {Listed | undefined}
 */
function fromApi(
  host,
  { id, name, release_date: released, limit, modalities, reasoning, tool_call: tools, cost },
) {
  if (limit?.context === undefined || limit.output === undefined || modalities === undefined) return undefined
  const { context_over_200k: over200k, tiers, ...rates } = cost ?? { input: 0, output: 0 }
  const older = over200k === undefined ? undefined : [{ ...over200k, tier: { size: 200_000 } }]
  return {
    ...{ host, id, name, released, reasoning, tools },
    ...{ context: limit.context, maxOutput: limit.output, ...modalities },
    usdPerMillionTokens: { ...rates, tiers: tiers ?? older ?? [] },
  }
}

/** The models of the list, in either form. @param {string} text @returns {Listed[]} */
function readList(text) {
  if (text.includes('"models"')) {
    return Object.entries(JSON.parse(text)).flatMap(([host, { models = {} }]) =>
      Object.values(models).flatMap((model) => fromApi(host, model) ?? []),
    )
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

const [path, date, ...only] = process.argv.slice(2)
const unknown = only.filter((provider) => !Object.hasOwn(hosts, provider))
if (path === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(date ?? '') || unknown.length > 0) {
  throw new Error('node scripts/run.js scripts/host-models.js <file> <date on which it was read> [<host> …]')
}
const listed = readList(readFileSync(path, 'utf8'))

/** The source of a host's prices, and its models. @param {string} provider @param {string} host */
function rows(provider, host) {
  const lines = listed
    .filter((model) => model.host === host && isListed(model))
    .map((model) => regionallyPriced(model, listed))
    .flatMap((model) => {
      const correction = corrections[`${host} ${model.id}`]
      const later = renamed[`${host} ${model.id}`]
      const names = later === undefined ? [model.id] : [model.id, later]
      return correction === null ? [] : names.map((id) => line({ ...model, ...correction, id }))
    })
    .sort()
  return ['', sources[provider] ?? `models.dev, list price of ${date}`, ...lines, ''].join('\n')
}

const tables = Object.entries(hosts).map(([provider, host]) => {
  const isKept = only.length > 0 && !only.includes(provider)
  return `  ${provider}: \`${isKept ? hostModelRows[provider] : rows(provider, host)}\`,\n`
})
const text = `/**
 * Models of hosts with their list prices, in rows of \`model-rows.ts\` below the source of the prices; written by
 * scripts/host-models.js. Perplexity has none: it charges per request in addition to tokens.
 */
export const hostModelRows: Readonly<Record<string, string>> = {
${tables.join('')}}
`
writeFileSync('src/catalog/hosts/host-models-table.ts', text)
