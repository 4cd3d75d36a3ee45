/**
 * The schema of `tollgate.yaml`, and how its text becomes settings or a list of mistakes, each named by
 * its path. Every scalar is read as text, so that `0.10` stays exactly that. Reads no file and no environment.
 */
import { isIP } from 'node:net'
import { parseDocument } from 'yaml'
import { z } from 'zod'
import { usdPattern } from '../contract/usd.ts'
import { visibleText, visibleTextMessage } from '../contract/visible-text.ts'
import { nearest } from './base/nearest.ts'
import { addressMistake } from './catalog/upstream-address.ts'
import { peopleSections } from './config-identity.ts'

type LimitDefault = number | bigint | null | { readonly numerator: bigint; readonly denominator: bigint }
type LimitDefaults = Readonly<Record<string, LimitDefault>>

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be letters, digits, dots, dashes or underscores, at most 64',
  )
const modelName = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be a name of at most 200 visible ASCII characters')
const words = z
  .string()
  .min(1, 'must not be empty')
  .max(500, 'must be at most 500 characters')
  .regex(visibleText, visibleTextMessage)
const usd = z
  .string()
  .regex(usdPattern, 'must be an amount in USD with at most 9 decimal places, such as 0.15')
const factor = z
  .string()
  .regex(/^(\d{1,4}(\.\d{1,9})?|\d{1,6}\/\d{1,6})$/, 'must be a factor such as 0.5, 2 or 5/3')
  .refine((text) => !/^[0.]+$/.test(text) && !/^0+\/|\/0+$/.test(text), 'must be above zero')
const percent = z.string().regex(/^\d{1,4}(\.\d{1,6})?%$/, 'must be a percentage such as 5% or 2.5%')
const date = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/,
    'must be a date such as 2026-07-01 or 2026-07-01T12:00:00Z',
  )
  .refine(isRealDate, 'is no date of the calendar')
const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true')
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const modalities = z.enum(
  ['text', 'image', 'audio', 'video', 'pdf'],
  'must be text, image, audio, video or pdf',
)
const outputs = z.enum(
  ['text', 'image', 'audio', 'video', 'embeddings'],
  'must be text, image, audio, video or embeddings',
)

export const fields = {
  host: z.string().regex(/^[A-Za-z0-9.:_-]{1,253}$/, 'must be a host name or an address'),
  port: whole(0, 65_535),
  dataFolder: words,
  origin: z
    .string()
    .refine(isOrigin, 'must be a scheme, a host and a port, without a path: https://host:443'),
  upstreamUrl: z.string().superRefine((text, context) => {
    const message = addressMistake(text)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  }),
  proxy: z.string().refine(isNetwork, 'must be an address or a network such as 10.0.0.0/8'),
  forcedTools: z.enum(['adapt', 'refuse'], 'must be adapt or refuse'),
  logLevel: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`),
  token: z.string().regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 visible ASCII characters'),
  credential: z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'must be visible ASCII characters without spaces'),
}

const server = z.strictObject({
  host: fields.host.optional(),
  port: fields.port.optional(),
  dataFolder: fields.dataFolder.optional(),
  publicUrl: fields.origin.optional(),
  trustedProxies: z.array(fields.proxy).max(100).optional(),
  logLevel: fields.logLevel.optional(),
  metricsToken: fields.token.optional(),
})

/** A public name, or one with the name there: both are the same to whoever reads the list. */
const listedModel = z
  .union(
    [z.string(), z.strictObject({ id: modelName, upstreamId: modelName.optional() })],
    'must be a name, or { id, upstreamId }',
  )
  .transform((item) => (typeof item === 'string' ? { id: item } : item))
  .refine(
    ({ id }) => modelName.safeParse(id).success,
    'must be a name of at most 200 visible ASCII characters',
  )

const servedModels = z.union(
  [z.literal('all'), z.array(listedModel).min(1).max(5_000)],
  'must be a list of model names, or all',
)

const upstream = z.strictObject({
  name,
  provider: name,
  url: fields.upstreamUrl.optional(),
  credential: fields.credential,
  weight: whole(1, 1_000).optional(),
  models: servedModels.optional(),
})

const rates = {
  input: usd,
  output: usd,
  cacheRead: usd.optional(),
  cacheWrite5m: usd.optional(),
  cacheWrite1h: usd.optional(),
  inputAudio: usd.optional(),
  outputAudio: usd.optional(),
}

const tier = z.strictObject({ ...rates, aboveInputTokens: whole(1, 1_000_000_000), output: usd.optional() })

const price = z.strictObject({
  ...rates,
  effectiveFrom: date.optional(),
  tiers: z.array(tier).max(10).optional(),
  options: z.record(z.string(), factor).optional(),
  fees: z.record(z.string(), usd).optional(),
  source: words.optional(),
})

const tokens = whole(1, 1_000_000_000)

const dialect = z.enum(
  ['openai-chat', 'openai-responses', 'anthropic', 'gemini'],
  'must be openai-chat, openai-responses, anthropic or gemini',
)

const model = z.strictObject({
  id: modelName,
  provider: name.optional(),
  upstreamId: modelName.optional(),
  upstreams: z.array(name).min(1, 'must hold at least one upstream').max(100).optional(),
  api: z
    .enum(
      ['chat', 'responses', 'embeddings', 'messages', 'generateContent'],
      'must be chat, responses, embeddings, messages or generateContent',
    )
    .optional(),
  dialects: z.array(dialect).min(1, 'must hold at least one format').max(4).optional(),
  displayName: words.optional(),
  released: date.optional(),
  context: tokens.optional(),
  maxInput: tokens.optional(),
  maxOutput: tokens.optional(),
  inputs: z.array(modalities).max(5).optional(),
  outputs: z.array(outputs).max(5).optional(),
  reasoning: flag.optional(),
  tools: flag.optional(),
  deprecated: flag.optional(),
  prices: z.array(price).min(1, 'must hold at least one price').max(100).optional(),
  markup: percent.optional(),
})

/** The whole file; `limits` has one name for each of `defaults`. */
export function settingsSchema(defaults: LimitDefaults) {
  const limits: Record<string, z.ZodType<LimitDefault | undefined>> = {}
  for (const [limit, value] of Object.entries(defaults)) limits[limit] = limitSchema(limit, value).optional()
  return z.strictObject({
    server: server.optional(),
    limits: z.strictObject(limits).optional(),
    upstreams: z.array(upstream).max(100).optional(),
    models: z.array(model).max(5_000).optional(),
    aliases: z.record(modelName, modelName).optional(),
    disabled: z.array(modelName).max(5_000).optional(),
    markup: percent.optional(),
    forcedTools: fields.forcedTools.optional(),
    plainOrigins: z.array(fields.origin).max(100).optional(),
    sandbox: z.enum(['on', 'off', 'auto'], 'must be on, off or auto').optional(),
    operator: z.strictObject({ name: words.optional(), contact: words.optional() }).optional(),
    ...peopleSections,
  })
}

export type Settings = z.infer<ReturnType<typeof settingsSchema>>

export type SettingsResult =
  | { readonly kind: 'settings'; readonly settings: Settings }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly string[] }

export interface SettingsSource {
  readonly text: string
  /** As mistakes name it. */
  readonly fileName: string
  /** For `${NAME}`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly limits: LimitDefaults
}

/** Parses, fills in `${NAME}`, and checks; all mistakes at once. */
export function readSettings(source: SettingsSource): SettingsResult {
  const parsed = parseText(source)
  if (parsed.kind === 'mistakes') return parsed
  const mistakes: string[] = []
  const tree = filled(parsed.tree, '', source, mistakes)
  if (mistakes.length > 0) return { kind: 'mistakes', mistakes }
  const schema = settingsSchema(source.limits)
  const result = schema.safeParse(withoutEmpty(tree))
  if (result.success) return { kind: 'settings', settings: result.data }
  const known = knownNames(schema)
  return {
    kind: 'mistakes',
    mistakes: result.error.issues
      .flatMap((issue) => told(issue, tree, known))
      .map((mistake) => `${source.fileName}: ${mistake}`),
  }
}

function parseText(
  source: SettingsSource,
):
  | { readonly kind: 'tree'; readonly tree: unknown }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly string[] } {
  try {
    const document = parseDocument(source.text, { schema: 'failsafe', uniqueKeys: true })
    const problems = [...document.errors, ...document.warnings]
    // Only the first line: the rest quotes the file, where credentials may stand.
    const mistakes = problems.map(
      ({ message }) => `${source.fileName}: ${message.split('\n')[0]?.replace(/:$/, '')}`,
    )
    if (mistakes.length > 0) return { kind: 'mistakes', mistakes }
    return { kind: 'tree', tree: document.toJS({ maxAliasCount: 100 }) ?? '' }
  } catch {
    return {
      kind: 'mistakes',
      mistakes: [`${source.fileName}: is nested too deeply or repeats itself too often`],
    }
  }
}

/** A copy with every `${NAME}` replaced; `$${` stands for a literal `${`. */
function filled(value: unknown, path: string, source: SettingsSource, mistakes: string[]): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$(\$\{|\{([^}]*)\})/g, (whole, _rest, variable: string | undefined) => {
      if (variable === undefined) return '${'
      const found = source.environment[variable]
      if (found === undefined || found === '') {
        mistakes.push(`${source.fileName}: ${path}: the environment variable ${variable} is not set`)
        return whole
      }
      return found
    })
  }
  if (Array.isArray(value))
    return value.map((item, index) => filled(item, `${path}[${index}]`, source, mistakes))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, filled(item, joined(path, key), source, mistakes)]),
  )
}

/** A section whose lines are all commented out is the empty text in YAML, and means absent. */
function withoutEmpty(tree: unknown): unknown {
  if (tree === '') return {}
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) return tree
  return Object.fromEntries(Object.entries(tree).filter(([, value]) => value !== ''))
}

function told(issue: z.core.$ZodIssue, tree: unknown, known: readonly string[]): readonly string[] {
  const path = issue.path.reduce<string>((text, part) => joined(text, part), '')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${joined(path, key)}: there is no such name${didYouMean(key, known)}`)
  }
  const prefix = path === '' ? '' : `${path}: `
  if (issue.code === 'invalid_key') return [`${prefix}${issue.issues[0]?.message ?? issue.message}`]
  if (issue.code !== 'invalid_type') return [`${prefix}${issue.message}`]
  if (valueAt(tree, issue.path) === undefined) return [`${prefix}is missing`]
  return [
    `${prefix}must be ${issue.expected === 'string' ? 'one value' : issue.expected === 'array' ? 'a list' : 'a mapping'}`,
  ]
}

export function didYouMean(wanted: string, known: readonly string[]): string {
  const [name] = nearest(wanted, known, 1)
  return name === undefined ? '' : `; did you mean ${name}?`
}

function valueAt(tree: unknown, path: readonly PropertyKey[]): unknown {
  let value = tree
  for (const part of path) value = (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[part]
  return value
}

function joined(path: string, part: PropertyKey): string {
  if (typeof part === 'number') return `${path}[${part}]`
  const key = String(part)
  const plain = /^[A-Za-z0-9_-]+$/.test(key)
  if (!plain) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

/** Every name that the file may hold, at whatever depth. */
export function knownNames(schema: z.ZodType): readonly string[] {
  if (schema instanceof z.ZodOptional) return knownNames(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodArray) return knownNames(schema.element as z.ZodType)
  if (!(schema instanceof z.ZodObject)) return []
  const entries = Object.entries(schema.shape as Record<string, z.ZodType>)
  return [...new Set(entries.flatMap(([key, value]) => [key, ...knownNames(value)]))]
}

function whole(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`)
}

/** Node's timers take 31 bits of milliseconds. */
const timerMsMax = 2_147_483_647
const countMax = 1_000_000_000_000
/** Limits where nothing at all is a sensible choice. */
const mayBeZero =
  /^(retriesMin|holdWaitMs|holdWaitersPerAccountMax|readOnPerAccountMax|serverToolUsesMax|lingerMs|lingerBytesMax|cooldownMsMax|drainMs)$/

function limitSchema(limit: string, value: LimitDefault): z.ZodType<LimitDefault> {
  if (typeof value === 'bigint') {
    return z
      .string()
      .regex(/^\d{1,18}$/, 'must be a whole number of nano-USD')
      .transform(BigInt)
  }
  if (typeof value === 'object' && value !== null) return share
  if (value !== null && !Number.isInteger(value))
    return share.transform(({ numerator, denominator }) => Number(numerator) / Number(denominator))
  const number = whole(mayBeZero.test(limit) ? 0 : 1, limit.endsWith('Ms') ? timerMsMax : countMax)
  if (!ratesWithoutLimit.includes(limit)) return number
  return z.union(
    [z.literal('none').transform(() => null), number],
    'must be a whole number above zero, or none',
  )
}

const ratesWithoutLimit = ['requestsPerMinute', 'tokensPerMinute', 'concurrent']

const share = z
  .string()
  .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'must be a share from 0 to 1, such as 0.5')
  .transform((text) => {
    const [units = '0', decimals = ''] = text.split('.')
    return { numerator: BigInt(units + decimals), denominator: 10n ** BigInt(decimals.length) }
  })

function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return false
  return url.pathname === '/' && url.search === '' && url.hash === '' && !/[?#]/.test(text)
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

/** 31 February is read as 3 March by the engine; comparing the day tells. */
function isRealDate(text: string): boolean {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 10))
}
