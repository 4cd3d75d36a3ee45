/**
 * The only reader of the environment and of `tollgate.yaml`: returns one frozen value with every setting and limit. The
 * settings are defined in `settings-table.ts` and `limits-table.ts`.
 */

import { totalmem } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { UpstreamView } from '../catalog/customer-view.ts'
import type { ModelDefinition, UpstreamDefinition } from '../catalog/definition.ts'
import { canonicalAddress } from '../catalog/upstreams/upstream-address.ts'
import { cloudVariables } from './cloud-keys.ts'
import { upstreamHost } from './custom-upstreams.ts'
import { type FileResult, readFileText } from './file.ts'
import {
  isLoopbackOnly,
  type MailSetting,
  type SignInSetting,
  type SignUp,
  signInOf,
  signUpOf,
} from './identity.ts'
import { type Limits, limitDefaults, limitsWithin } from './limits-table.ts'
import { type ReadText, secretReader, textOf, withSecretFiles } from './secret-files.ts'
import { hostKeyNames, secretNames } from './settings-table.ts'
import { type TelemetrySettings, telemetryOf } from './telemetry.ts'
import {
  type Environment,
  readSettings,
  type SettingValues,
  unknownVariables,
  variableText,
} from './values.ts'

export type { Environment, Limits, TelemetrySettings }
export { limitDefaults }

export interface Config {
  readonly host: string
  /** `chosen`: set by the operator, so no other port is tried when it is in use. */
  readonly port: { readonly number: number; readonly chosen: boolean }
  /** Threads that serve requests to models. */
  readonly threads: number
  /** How long a server that was asked to stop serves as before. */
  readonly drainNoticeMs: number
  /** Absolute. */
  readonly dataFolder: string
  /** The address of PostgreSQL, with its password; null: the embedded databases in the data folder. */
  readonly databaseUrl: string | null
  /** The same past a pooler; null: `databaseUrl` leads to the database itself. */
  readonly databaseDirectUrl: string | null
  /** Full months for which receipts are stored; null: permanently. */
  readonly receiptMonths: number | null
  /** The public URL; null: the listening address. */
  readonly publicUrl: string | null
  /** Addresses and networks whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[]
  /** Origins whose pages may call the data plane. */
  readonly browserOrigins: readonly string[]
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  readonly metricsToken: string | null
  /** OpenTelemetry; null: not configured. */
  readonly telemetry: TelemetrySettings | null
  /** The configured root secret; null: the file in the data folder. */
  readonly secret: string | null
  readonly upstreams: readonly UpstreamSetting[]
  readonly models: readonly ModelDefinition[]
  /** Alias → model name. */
  readonly aliases: Readonly<Record<string, string>>
  readonly disabled: readonly string[]
  /** The default markup, such as `5%`; null: none. */
  readonly markup: string | null
  /** How to handle a tool choice that a model does not support. */
  readonly forcedTools: 'adapt' | 'reject'
  /** Upstream details that customers see. */
  readonly showUpstreams: UpstreamView
  /** Plain HTTP origins that upstreams added in the console may use. */
  readonly plainOrigins: readonly string[]
  readonly sandbox: 'on' | 'off'
  /** Provider keys of accounts: who may use them, the fee such as `5%`, and other base URLs by provider. */
  readonly providerKeys: {
    readonly accounts: 'none' | 'organizations' | 'all'
    readonly fee: string
    readonly urls: Readonly<Record<string, string>>
  }
  /** The operator as shown to users. */
  readonly operator: { readonly name: string; readonly contact: string | null }
  /** null: payments are not configured. */
  readonly stripe: StripeSetting | null
  /** Who may sign up. */
  readonly signup: SignUp
  /** Sign-in providers in addition to passwords. */
  readonly signIn: readonly SignInSetting[]
  /** null: mail is not configured. */
  readonly mail: MailSetting | null
  /** The point at which a test makes the process fail; null outside tests. */
  readonly failpoint: string | null
  readonly limits: Limits
}

export interface StripeSetting {
  readonly secretKey: string
  readonly webhookSecret: string
  /** The mode of the Stripe key. */
  readonly mode: 'test' | 'live'
  /** Another API origin for tests; null: Stripe's own. */
  readonly apiOrigin: string | null
}

export type UpstreamSetting = UpstreamDefinition

export type ConfigResult =
  | {
      readonly kind: 'config'
      readonly config: Config
      /** The settings that were set, by variable or path: `TOLLGATE_PORT`, `server.port`. */
      readonly set: readonly string[]
    }
  | {
      readonly kind: 'mistakes'
      readonly mistakes: readonly string[]
      /** The data folder as far as it can be read: a server with another configuration may run there. */
      readonly dataFolder: string
      readonly limits: Limits
    }

/** The value of a variable that a command names, as the user of the command says. */
export function variableNamed(name: string, environment: Environment = process.env): string | undefined {
  return variableText(environment, name)
}

/** The names of all variables that are not empty; never their values. */
export function setVariables(environment: Environment = process.env): readonly string[] {
  return Object.keys(environment).filter((variable) => variableText(environment, variable) !== undefined)
}

/**
 * Reads `environment` and the file that TOLLGATE_CONFIG names, else `tollgate.yaml` in `workingFolder`
 * if there is one. The environment wins. All mistakes are reported together, by path.
 */
export function readConfig(
  environment: Environment = process.env,
  workingFolder: string = process.cwd(),
  memoryBytes: number = processMemoryBytes(),
): ConfigResult {
  const readSecret = secretReader(workingFolder)
  const secrets = withSecretFiles(environment, secretNames, readSecret)
  const file = readFile(secrets.environment, { workingFolder, readSecret })
  const tree = file.kind === 'tree' ? file.tree : {}
  const { values, set, mistakes } = readSettings(secrets.environment, tree, environment)
  const upstreams = upstreamsOf(values)
  const all = [
    ...(file.kind === 'mistakes' ? file.mistakes : []),
    ...unknownVariables(environment),
    ...secrets.mistakes,
    ...mistakes,
    ...cloudVariablesOf(values).mistakes,
    ...namesUsedTwice(upstreams),
    ...threadsMistakes(values.threads),
  ]
  if (all.length > 0)
    return {
      ...{ kind: 'mistakes', mistakes: all },
      ...{ dataFolder: dataFolder(values.dataFolder, workingFolder), limits: limitDefaults },
    }
  const isPortChosen = set.some((name) => name === 'TOLLGATE_PORT' || name === 'server.port')
  const limits = (tree['limits'] ?? {}) as Partial<Limits>
  const config: Config = {
    ...assembled(values, workingFolder),
    port: { number: values.port, chosen: isPortChosen },
    upstreams,
    // Each thread that serves requests has these budgets.
    limits: { ...limitDefaults, ...limitsWithin(memoryBytes / values.threads), ...limits },
  }
  const limitsSet = Object.keys(limits).map((name) => `limits.${name}`)
  return { kind: 'config', config: frozen(config), set: [...set, ...limitsSet] }
}

/** The configuration with these variables instead of the environment's, as options of a command set them. */
export function readConfigWith(variables: Environment): ConfigResult {
  return readConfig({ ...process.env, ...variables })
}

function readFile(
  environment: Environment,
  { workingFolder, readSecret }: { readonly workingFolder: string; readonly readSecret: ReadText },
): FileResult {
  const named = variableText(environment, 'TOLLGATE_CONFIG')
  const fileName = named ?? 'tollgate.yaml'
  const path = resolve(workingFolder, fileName)
  const read = textOf(path)
  if (read.kind === 'text') return readFileText({ text: read.text, fileName, environment, readSecret })
  if (read.reason !== 'ENOENT')
    return { kind: 'mistakes', mistakes: [`${path}: cannot be read (${read.reason})`] }
  if (named !== undefined) return { kind: 'mistakes', mistakes: [`TOLLGATE_CONFIG: no such file: ${path}`] }
  return { kind: 'tree', tree: {} }
}

/** The settings that are derived from the values alone. */
function assembled(
  values: SettingValues,
  workingFolder: string,
): Omit<Config, 'port' | 'upstreams' | 'limits'> {
  const { host, publicUrl } = values
  const { mailServer: url, mailSender: from } = values
  const mail = url === null || from === null ? null : { url, from }
  return {
    host,
    threads: values.threads,
    drainNoticeMs: values.drainNoticeMs,
    dataFolder: dataFolder(values.dataFolder, workingFolder),
    databaseUrl: values.databaseUrl,
    databaseDirectUrl: values.databaseDirectUrl,
    publicUrl: publicUrl === null ? null : originOf(publicUrl),
    trustedProxies: values.trustedProxies,
    browserOrigins: values.browserOrigins,
    logLevel: values.logLevel,
    receiptMonths: values.receiptMonths,
    metricsToken: values.metricsToken,
    telemetry: telemetryOf(values),
    models: values.models,
    aliases: values.aliases,
    disabled: values.disabled,
    markup: values.markup,
    forcedTools: values.forcedTools,
    showUpstreams: values.showUpstreams,
    operator: { name: values.operatorName, contact: values.operatorContact },
    plainOrigins: values.plainOrigins.map(originOf),
    providerKeys: {
      accounts: values.providerKeyAccounts,
      fee: values.providerKeyFee,
      urls: values.providerKeyUrls,
    },
    sandbox: sandboxOf(values.sandbox, host, publicUrl !== null),
    stripe: stripeOf(values),
    signup: signUpOf(values.signup, {
      hasMail: mail !== null,
      isLoopback: isLoopbackOnly(host, publicUrl),
    }),
    signIn: signInOf(values.signIn),
    mail,
    secret: values.secret,
    failpoint: values.failpoint,
  }
}

/** On other systems all connections of a port go to one of its listeners, or listeners cannot share it. */
function threadsMistakes(threads: number, platform: NodeJS.Platform = process.platform): readonly string[] {
  return threads === 1 || platform === 'linux' ? [] : ['TOLLGATE_THREADS: more than 1 needs Linux']
}

/** In the checkout, or in the working directory when installed as a package. */
function dataFolder(chosen: string | null, workingFolder: string): string {
  if (chosen !== null) return resolve(workingFolder, chosen)
  const inCheckout = import.meta.url.endsWith('/src/config/config.ts')
  return inCheckout ? fileURLToPath(new URL('../../data', import.meta.url)) : resolve(workingFolder, 'data')
}

/** null: payments are not configured. */
function stripeOf({ stripeKey, stripeWebhookSecret, stripeUrl }: SettingValues): StripeSetting | null {
  if (stripeKey === null || stripeWebhookSecret === null) return null
  return {
    secretKey: stripeKey,
    webhookSecret: stripeWebhookSecret,
    mode: stripeKey.slice(3).startsWith('live_') ? 'live' : 'test',
    apiOrigin: stripeUrl,
  }
}

/** Upstreams for the credentials in the environment, after the file's upstreams. */
function upstreamsOf(values: SettingValues): readonly UpstreamSetting[] {
  const fromEnvironment = [
    { provider: 'openai', credential: values.openaiKey, url: values.openaiUrl },
    { provider: 'anthropic', credential: values.anthropicKey, url: values.anthropicUrl },
    { provider: 'google', credential: values.geminiKey, url: values.googleUrl },
    ...hostKeyNames
      .filter(({ provider }) => !isInFile(values, provider))
      .map(({ provider, setting }) => ({ provider, credential: values[setting], url: null })),
    ...cloudVariablesOf(values).upstreams,
  ]
  return [
    ...values.upstreams.map((upstream) => ({
      ...upstreamHost(upstream),
      weight: upstream.weight ?? 1,
      ...(upstream.tags === undefined ? {} : { tags: upstream.tags }),
      ...(upstream.models === undefined ? {} : { models: upstream.models }),
      ...(upstream.limits === undefined ? {} : { limits: limitsOf(upstream.limits) }),
    })),
    ...fromEnvironment.flatMap(({ provider, credential, url }) =>
      credential === null
        ? []
        : {
            name: provider,
            provider,
            url: url === null ? null : canonicalAddress(url),
            credential,
            weight: 1,
            // Setting the variable states that this address is the provider's: a mirror or proxy serves all of its models.
            models: 'all' as const,
          },
    ),
  ]
}

function limitsOf(
  written: NonNullable<SettingValues['upstreams'][number]['limits']>,
): NonNullable<UpstreamSetting['limits']> {
  const { concurrent = null, requestsPerMinute = null, tokensPerMinute = null } = written
  return { concurrent, requestsPerMinute, tokensPerMinute }
}

function cloudVariablesOf(values: SettingValues): ReturnType<typeof cloudVariables> {
  return cloudVariables(values, (provider) => isInFile(values, provider))
}

/** Whether the file has an upstream of the host or with its name, which then decides how the variable is used. */
function isInFile({ upstreams }: SettingValues, host: string): boolean {
  return upstreams.some(({ name, provider }) => name === host || provider === host)
}

function namesUsedTwice(upstreams: readonly UpstreamSetting[]): readonly string[] {
  const names = upstreams.map(({ name }) => name)
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  return [...twice].map((name) => `upstreams: duplicate name ${name}`)
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

/** The limit of its container, where there is one, else all of the machine's. Node reports 0 or 2^64 for no limit. */
export function processMemoryBytes(limit = process.constrainedMemory(), machine = totalmem()): number {
  return limit > 0 ? Math.min(limit, machine) : machine
}
