/**
 * The only reader of the environment and of `tollgate.yaml`. One frozen value that holds every setting
 * and every limit; whoever needs one gets it as a parameter.
 */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { UpstreamDefinition } from './catalog/definition.ts'
import { canonicalAddress } from './catalog/upstream-address.ts'
import { didYouMean, fields, readSettings, type Settings } from './config-file.ts'
import {
  isLoopbackOnly,
  type MailSetting,
  type mailNames,
  mailOf,
  type SignInSetting,
  type SignUp,
  signInOf,
  signUpOf,
} from './config-identity.ts'
import { limitDefaults } from './config-limits-table.ts'
import { type paymentNames, type StripeSetting, stripeOf } from './config-payments.ts'

export { limitDefaults }

export type Limits = { readonly [Name in keyof typeof limitDefaults]: Widened<(typeof limitDefaults)[Name]> }

type Widened<Value> = Value extends null
  ? null
  : Value extends number
    ? number
    : Value extends bigint
      ? bigint
      : Value extends { numerator: bigint; denominator: bigint }
        ? { readonly numerator: bigint; readonly denominator: bigint }
        : never

/** Environment variables of Tollgate; anything else that begins like them is a mistake. */
export const variableNames = [
  'TOLLGATE_CONFIG',
  'TOLLGATE_HOST',
  'TOLLGATE_PORT',
  'TOLLGATE_DATA',
  'TOLLGATE_PUBLIC_URL',
  'TOLLGATE_TRUSTED_PROXIES',
  'TOLLGATE_LOG_LEVEL',
  'TOLLGATE_FORCED_TOOLS',
  'TOLLGATE_METRICS_TOKEN',
  'TOLLGATE_SECRET',
  'TOLLGATE_SECRET_FILE',
  'TOLLGATE_OPENAI_URL',
  'TOLLGATE_ANTHROPIC_URL',
  'TOLLGATE_GOOGLE_URL',
  'TOLLGATE_FAILPOINT',
] as const

/** A library below reads such variables by itself, and would believe what no setting of ours says. */
const foreignPrefix = 'BETTER_AUTH_'

/** Where people keep a key of ours for their clients: in the same shell, and not read here. */
export const clientNames = ['TOLLGATE_KEY', 'TOLLGATE_API_KEY', 'TOLLGATE_MANAGEMENT_KEY'] as const

/** The clients', and those that the launcher and the test runner set for their own ends. */
const otherNames: readonly string[] = [...clientNames, 'TOLLGATE_TETHERED', 'TOLLGATE_SKIPPED_CASES_FILE']

/** A credential in the environment is an upstream of its provider, after those of the file. */
const environmentUpstreams = [
  { provider: 'openai', credential: 'OPENAI_API_KEY', url: 'TOLLGATE_OPENAI_URL' },
  { provider: 'anthropic', credential: 'ANTHROPIC_API_KEY', url: 'TOLLGATE_ANTHROPIC_URL' },
  { provider: 'google', credential: 'GEMINI_API_KEY', url: 'TOLLGATE_GOOGLE_URL' },
] as const

const defaultPort = 8080
const fileBytesMax = 4 * 1024 * 1024
const secretCharactersMin = 32
const secretDistinctMin = 10

export interface Config {
  readonly host: string
  /** `chosen`: the operator named it, so no other one is tried when it is taken. */
  readonly port: { readonly number: number; readonly chosen: boolean }
  /** Absolute. */
  readonly dataFolder: string
  /** Origin under which clients reach this installation; null: its own address. */
  readonly publicUrl: string | null
  /** Addresses and networks whose forwarding headers are believed. */
  readonly trustedProxies: readonly string[]
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  readonly metricsToken: string | null
  /** The root secret, when the operator provides it; null: the file in the data folder. */
  readonly secret: string | null
  readonly upstreams: readonly UpstreamSetting[]
  readonly models: NonNullable<Settings['models']>
  /** Alias → model name. */
  readonly aliases: Readonly<Record<string, string>>
  /** Names that are not sold. */
  readonly disabled: readonly string[]
  /** For every model without a markup of its own: `5%`; null: none. */
  readonly markup: string | null
  /** What becomes of a tool choice that a model cannot be forced to. */
  readonly forcedTools: 'adapt' | 'refuse'
  /** Addresses that upstreams may have that are added in the console, although they are plain HTTP. */
  readonly plainOrigins: readonly string[]
  readonly sandbox: 'on' | 'off'
  /** Who runs the installation, as people are told, and how to reach them; null: not said. */
  readonly operator: { readonly name: string; readonly contact: string | null }
  /** null: credit is the operator's own business. */
  readonly stripe: StripeSetting | null
  /** Who may sign up. */
  readonly signup: SignUp
  /** Providers of sign-in beside passwords. */
  readonly signIn: readonly SignInSetting[]
  /** null: this installation sends no mail. */
  readonly mail: MailSetting | null
  /** Where a test makes the process fail; null outside tests. */
  readonly failpoint: string | null
  readonly limits: Limits
}

export type { StripeSetting }

export type UpstreamSetting = UpstreamDefinition

export type ConfigResult =
  | { readonly kind: 'config'; readonly config: Config }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly string[] }

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads `environment` and the file that TOLLGATE_CONFIG names, else `tollgate.yaml` in `workingFolder`
 * if there is one. The environment wins. Every mistake is told at once, by its path.
 */
export function readConfig(
  environment: Environment = process.env,
  workingFolder: string = process.cwd(),
): ConfigResult {
  const reader = variableReader(environment)
  const file = readFile(reader, environment, workingFolder)
  const settings = file.kind === 'settings' ? file.settings : {}
  const config = assembled(reader, settings, workingFolder)
  const mistakes = [...(file.kind === 'mistakes' ? file.mistakes : []), ...reader.mistakes]
  return mistakes.length > 0 ? { kind: 'mistakes', mistakes } : { kind: 'config', config: frozen(config) }
}

type Variable =
  | (typeof variableNames)[number]
  | (typeof environmentUpstreams)[number]['credential']
  | (typeof paymentNames)[number]
  | (typeof mailNames)[number]

interface Field<Value> {
  safeParse(
    text: string,
  ): { success: true; data: Value } | { success: false; error: { issues: { message: string }[] } }
}

interface VariableReader {
  readonly mistakes: string[]
  /** undefined when not set or empty. */
  text(variable: Variable): string | undefined
  /** The checked value; undefined when not set, or wrong and told so. */
  value<Value>(variable: Variable, field: Field<Value>): Value | undefined
}

function variableReader(environment: Environment): VariableReader {
  const mistakes: string[] = []
  const text = (variable: Variable) => (environment[variable] === '' ? undefined : environment[variable])
  for (const variable of Object.keys(environment)) {
    if (variable.startsWith(foreignPrefix))
      mistakes.push(`${variable}: would change who is trusted; unset it`)
    if (!variable.startsWith('TOLLGATE_') || otherNames.includes(variable)) continue
    if ((variableNames as readonly string[]).includes(variable)) continue
    mistakes.push(`${variable}: there is no such variable${didYouMean(variable, variableNames)}`)
  }
  return {
    mistakes,
    text,
    value(variable, field) {
      const found = text(variable)
      if (found === undefined) return undefined
      const result = field.safeParse(found)
      if (result.success) return result.data
      mistakes.push(...result.error.issues.map(({ message }) => `${variable}: ${message}`))
      return undefined
    },
  }
}

function readFile(reader: VariableReader, environment: Environment, workingFolder: string) {
  const named = reader.text('TOLLGATE_CONFIG')
  const path = resolve(workingFolder, named ?? 'tollgate.yaml')
  const text = textOf(path)
  if (text.kind === 'text') {
    const fileName = named ?? 'tollgate.yaml'
    return readSettings({ text: text.text, fileName, environment, limits: limitDefaults })
  }
  if (text.reason !== 'ENOENT') reader.mistakes.push(`${path}: cannot be read (${text.reason})`)
  else if (named !== undefined) reader.mistakes.push(`TOLLGATE_CONFIG: there is no file ${path}`)
  return { kind: 'settings', settings: {} as Settings } as const
}

type TextResult =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly reason: string }

function textOf(path: string): TextResult {
  try {
    if (statSync(path).size > fileBytesMax) return { kind: 'unreadable', reason: 'larger than 4 MiB' }
    return { kind: 'text', text: readFileSync(path, 'utf8') }
  } catch (error) {
    return { kind: 'unreadable', reason: (error as NodeJS.ErrnoException).code ?? 'unknown' }
  }
}

function assembled(reader: VariableReader, settings: Settings, workingFolder: string): Config {
  const server = settings.server ?? {}
  const host = reader.value('TOLLGATE_HOST', fields.host) ?? server.host ?? '127.0.0.1'
  const port = reader.value('TOLLGATE_PORT', fields.port) ?? server.port
  const publicUrl = reader.value('TOLLGATE_PUBLIC_URL', fields.origin) ?? server.publicUrl
  const mail = mailOf(reader)
  return {
    host,
    port: { number: port ?? defaultPort, chosen: port !== undefined },
    dataFolder: dataFolder(reader.text('TOLLGATE_DATA') ?? server.dataFolder, workingFolder),
    publicUrl: publicUrl === undefined ? null : originOf(publicUrl),
    trustedProxies: proxies(reader) ?? server.trustedProxies ?? [],
    logLevel: reader.value('TOLLGATE_LOG_LEVEL', fields.logLevel) ?? server.logLevel ?? 'info',
    metricsToken: reader.value('TOLLGATE_METRICS_TOKEN', fields.token) ?? server.metricsToken ?? null,
    secret: secretOf(reader, workingFolder),
    upstreams: upstreamsOf(reader, settings),
    models: settings.models ?? [],
    aliases: settings.aliases ?? {},
    disabled: settings.disabled ?? [],
    markup: settings.markup ?? null,
    forcedTools: reader.value('TOLLGATE_FORCED_TOOLS', fields.forcedTools) ?? settings.forcedTools ?? 'adapt',
    operator: { name: settings.operator?.name ?? 'Tollgate', contact: settings.operator?.contact ?? null },
    plainOrigins: (settings.plainOrigins ?? []).map(originOf),
    sandbox: sandboxOf(settings.sandbox ?? 'auto', host, publicUrl !== undefined),
    stripe: stripeOf(reader),
    signup: signUpOf(settings.signup, {
      hasMail: mail !== null,
      isLoopback: isLoopbackOnly(host, publicUrl ?? null),
    }),
    signIn: signInOf(settings.signIn),
    mail,
    failpoint: reader.text('TOLLGATE_FAILPOINT') ?? null,
    limits: { ...limitDefaults, ...(settings.limits as Partial<Limits> | undefined) },
  }
}

/** Beside the sources in a checkout, in the working folder when installed as a package. */
function dataFolder(chosen: string | undefined, workingFolder: string): string {
  if (chosen !== undefined) return resolve(workingFolder, chosen)
  const inCheckout = import.meta.url.endsWith('/src/config.ts')
  return inCheckout ? fileURLToPath(new URL('../data', import.meta.url)) : resolve(workingFolder, 'data')
}

function proxies(reader: VariableReader): readonly string[] | undefined {
  const text = reader.text('TOLLGATE_TRUSTED_PROXIES')
  if (text === undefined) return undefined
  const networks = text.split(',').map((part) => part.trim())
  for (const network of networks) {
    if (fields.proxy.safeParse(network).success) continue
    reader.mistakes.push(`TOLLGATE_TRUSTED_PROXIES: ${network} is no address or network such as 10.0.0.0/8`)
  }
  return networks
}

/** Never repeats what it read: a mistake says only what is wrong with it. */
function secretOf(reader: VariableReader, workingFolder: string): string | null {
  const direct = reader.text('TOLLGATE_SECRET')
  const file = reader.text('TOLLGATE_SECRET_FILE')
  if (direct !== undefined && file !== undefined) {
    reader.mistakes.push('TOLLGATE_SECRET: TOLLGATE_SECRET_FILE is set too; one of them must go')
  }
  if (direct !== undefined) return checkedSecret(reader, 'TOLLGATE_SECRET', direct)
  if (file === undefined) return null
  const read = textOf(resolve(workingFolder, file))
  if (read.kind === 'text') return checkedSecret(reader, 'TOLLGATE_SECRET_FILE', read.text.trim())
  reader.mistakes.push(`TOLLGATE_SECRET_FILE: ${file} cannot be read (${read.reason})`)
  return null
}

function checkedSecret(reader: VariableReader, variable: Variable, secret: string): string {
  if (secret.length < secretCharactersMin || new Set(secret).size < secretDistinctMin) {
    reader.mistakes.push(
      `${variable}: must be at least ${secretCharactersMin} characters of randomness, such as openssl rand -hex 32 prints`,
    )
  }
  return secret
}

function upstreamsOf(reader: VariableReader, settings: Settings): readonly UpstreamSetting[] {
  const upstreams: UpstreamSetting[] = (settings.upstreams ?? []).map((upstream) => ({
    name: upstream.name,
    provider: upstream.provider,
    url: upstream.url === undefined ? null : canonicalAddress(upstream.url),
    credential: upstream.credential,
    weight: upstream.weight ?? 1,
    ...(upstream.models === undefined ? {} : { models: upstream.models }),
  }))
  for (const { provider, credential, url } of environmentUpstreams) {
    const secret = reader.value(credential, fields.credential)
    const address = reader.value(url, fields.upstreamUrl)
    if (address !== undefined && reader.text(credential) === undefined) {
      reader.mistakes.push(`${url}: is set, but ${credential} is not`)
    }
    if (secret === undefined) continue
    // Whoever sets the variable says that the provider is reached there: a mirror or proxy serves what it does.
    upstreams.push({
      name: provider,
      provider,
      url: address === undefined ? null : canonicalAddress(address),
      credential: secret,
      weight: 1,
      models: 'all',
    })
  }
  const names = upstreams.map(({ name }) => name)
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  for (const name of twice) reader.mistakes.push(`upstreams: the name ${name} is used twice`)
  return upstreams
}

function sandboxOf(wanted: 'on' | 'off' | 'auto', host: string, isPublic: boolean): 'on' | 'off' {
  if (wanted !== 'auto') return wanted
  const loopback = host === 'localhost' || host === '::1' || /^127\./.test(host)
  return loopback && !isPublic ? 'on' : 'off'
}

function originOf(url: string): string {
  return new URL(url).origin
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}
