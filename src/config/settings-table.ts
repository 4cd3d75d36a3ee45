/**
 * Every setting beside the limits: its name in the environment, its path in `tollgate.yaml`, its schema, its default and
 * what it is. Reading, `doctor` and docs/operate/configuration.md are made from this table.
 */
import { z } from 'zod'
import { model, upstream } from './file-lists.ts'
import { hostKeys } from './host-keys.ts'
import { signInProviders } from './identity.ts'
import {
  apiOrigin,
  credential,
  host,
  mailSender,
  mailServer,
  modelName,
  network,
  networks,
  origin,
  percent,
  rootSecret,
  stripeKey,
  stripeWebhookSecret,
  token,
  upstreamUrl,
  whole,
  words,
} from './schemas.ts'

export interface Setting {
  /** In the environment; absent: the file alone has it. */
  readonly variable?: string
  /** In the file, `section` or `section.name`; absent: the environment alone has it. */
  readonly path?: string
  readonly schema: z.ZodType
  /** How the variable is read where its text is not what the file holds. */
  readonly variableSchema?: z.ZodType
  /** What holds when neither sets it; null: nothing, or what `defaultText` says. */
  readonly default: unknown
  /** The default as the page shows it, in Markdown, where the value does not say it. */
  readonly defaultText?: string
  /** What it is, in Markdown, as the page says it. */
  readonly doc: string
  /** What it is in the file's own table, where that is not `doc`. */
  readonly fileDoc?: string
  /** A variable without which this one cannot do its work, and why. */
  readonly needs?: { readonly variable: string; readonly why: string }
  /** A variable without which this one means nothing. */
  readonly onlyWith?: string
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const ownAddress = "the provider's own address"

export const settingsTable = {
  configFile: {
    variable: 'TOLLGATE_CONFIG',
    schema: z.string(),
    default: null,
    defaultText: '`tollgate.yaml` if present',
    doc: 'The configuration file.',
  },
  host: {
    variable: 'TOLLGATE_HOST',
    path: 'server.host',
    schema: host,
    default: '127.0.0.1',
    doc: 'The address to listen on.',
  },
  port: {
    variable: 'TOLLGATE_PORT',
    path: 'server.port',
    schema: whole(0, 65_535),
    default: 8080,
    doc: 'The port to listen on; 0 lets the system choose. A port that you name is the only one tried; without one, a first start takes the next free port, and later starts take the same.',
  },
  dataFolder: {
    variable: 'TOLLGATE_DATA',
    path: 'server.dataFolder',
    schema: words,
    default: null,
    defaultText: '`data` in the checkout, or in the working directory when installed as a package',
    doc: 'The data folder: database, root secret, socket of the command line.',
  },
  publicUrl: {
    variable: 'TOLLGATE_PUBLIC_URL',
    path: 'server.publicUrl',
    schema: origin,
    default: null,
    doc: 'The origin under which clients reach the installation, such as `https://gate.example`.',
  },
  trustedProxies: {
    variable: 'TOLLGATE_TRUSTED_PROXIES',
    path: 'server.trustedProxies',
    schema: z.array(network).max(100),
    variableSchema: networks,
    default: [],
    doc: 'Addresses and networks, separated by commas, whose forwarding headers (`X-Forwarded-For`, `Forwarded`) are believed: the client is the last address in them that is none of these. Without any, whatever connects is the client.',
  },
  logLevel: {
    variable: 'TOLLGATE_LOG_LEVEL',
    path: 'server.logLevel',
    schema: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`),
    default: 'info',
    doc: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
  },
  forcedTools: {
    variable: 'TOLLGATE_FORCED_TOOLS',
    path: 'forcedTools',
    schema: z.enum(['adapt', 'refuse'], 'must be adapt or refuse'),
    default: 'adapt',
    doc: '`adapt` or `refuse`: what becomes of a `tool_choice` that a model cannot be forced to ([forced tools](../concepts/formats.md#forced-tools)).',
    fileDoc: '`adapt` or `refuse`, as the variable `TOLLGATE_FORCED_TOOLS`.',
  },
  metricsToken: {
    variable: 'TOLLGATE_METRICS_TOKEN',
    path: 'server.metricsToken',
    schema: token,
    default: null,
    doc: 'What a scraper of `/metrics` sends as its bearer token; 16 to 200 visible ASCII characters.',
  },
  secret: {
    variable: 'TOLLGATE_SECRET',
    schema: rootSecret,
    default: null,
    defaultText: 'a file in the data folder',
    doc: 'The root secret, at least 32 characters of randomness. Changing it makes every key invalid, so a server that finds another secret than before refuses to start.',
  },
  secretFile: {
    variable: 'TOLLGATE_SECRET_FILE',
    schema: z.string(),
    default: null,
    doc: 'A file that holds the root secret, instead of `TOLLGATE_SECRET`.',
  },
  openaiKey: {
    variable: 'OPENAI_API_KEY',
    schema: credential,
    default: null,
    doc: 'A credential of OpenAI: enables its models.',
  },
  anthropicKey: {
    variable: 'ANTHROPIC_API_KEY',
    schema: credential,
    default: null,
    doc: 'A credential of Anthropic: enables its models.',
  },
  geminiKey: {
    variable: 'GEMINI_API_KEY',
    schema: credential,
    default: null,
    doc: "A credential of Google's Gemini API: enables its models.",
  },
  ...hostKeys,
  openaiUrl: {
    variable: 'TOLLGATE_OPENAI_URL',
    schema: upstreamUrl,
    default: null,
    defaultText: ownAddress,
    doc: "Another address for `OPENAI_API_KEY`: a mirror or proxy of OpenAI, with a path where it has one. It serves OpenAI's own models ([upstreams](models.md#upstreams)).",
    onlyWith: 'OPENAI_API_KEY',
  },
  anthropicUrl: {
    variable: 'TOLLGATE_ANTHROPIC_URL',
    schema: upstreamUrl,
    default: null,
    defaultText: ownAddress,
    doc: 'The same for `ANTHROPIC_API_KEY`.',
    onlyWith: 'ANTHROPIC_API_KEY',
  },
  googleUrl: {
    variable: 'TOLLGATE_GOOGLE_URL',
    schema: upstreamUrl,
    default: null,
    defaultText: ownAddress,
    doc: 'The same for `GEMINI_API_KEY`.',
    onlyWith: 'GEMINI_API_KEY',
  },
  stripeKey: {
    variable: 'STRIPE_SECRET_KEY',
    schema: stripeKey,
    default: null,
    doc: 'A key of Stripe, secret or restricted: people top their balance up by themselves ([payments](payments.md)). Needs `STRIPE_WEBHOOK_SECRET` too.',
    needs: {
      variable: 'STRIPE_WEBHOOK_SECRET',
      why: 'without it this server does not learn of payments',
    },
  },
  stripeWebhookSecret: {
    variable: 'STRIPE_WEBHOOK_SECRET',
    schema: stripeWebhookSecret,
    default: null,
    doc: 'The signing secret of the webhook endpoint `/api/stripe/webhook`.',
    needs: { variable: 'STRIPE_SECRET_KEY', why: 'without it no payment can be begun' },
  },
  stripeUrl: {
    variable: 'STRIPE_API_URL',
    schema: apiOrigin,
    default: null,
    defaultText: "Stripe's own address",
    doc: 'Another origin for tests; without encryption on this machine only.',
    onlyWith: 'STRIPE_SECRET_KEY',
  },
  mailServer: {
    variable: 'SMTP_URL',
    schema: mailServer,
    default: null,
    doc: 'The mail server, such as `smtps://user:password@mail.example`: people verify their addresses and set new passwords by mail ([people](people.md)). Needs `MAIL_FROM` too.',
    needs: { variable: 'MAIL_FROM', why: 'e-mails need a sender' },
  },
  mailSender: {
    variable: 'MAIL_FROM',
    schema: mailSender,
    default: null,
    doc: 'The sender of all e-mails: an address, or `Name <address>`.',
    needs: { variable: 'SMTP_URL', why: 'without it no mail can be sent' },
  },
  failpoint: {
    variable: 'TOLLGATE_FAILPOINT',
    schema: z.string(),
    default: null,
    doc: 'For tests: where the process is to fail.',
  },
  upstreams: {
    path: 'upstreams',
    schema: z.array(upstream).max(100),
    default: [],
    doc: 'Endpoints of providers with their credentials; a list.',
  },
  models: {
    path: 'models',
    schema: z.array(model).max(5_000),
    default: [],
    doc: 'Models that are added, or built-in ones that are changed; a list.',
  },
  aliases: {
    path: 'aliases',
    schema: z.record(modelName, modelName),
    default: {},
    doc: 'Further names: a mapping from the alias to the model it stands for. An alias of an alias is a mistake.',
  },
  disabled: {
    path: 'disabled',
    schema: z.array(modelName).max(5_000),
    default: [],
    doc: 'Names that are not sold; a list.',
  },
  markup: {
    path: 'markup',
    schema: percent,
    default: null,
    doc: 'What customers pay above the list price, such as `5%`, for every model without a markup of its own.',
  },
  sandbox: {
    path: 'sandbox',
    schema: z.enum(['on', 'off', 'auto'], 'must be on, off or auto'),
    default: 'auto',
    doc: '`on`, `off` or `auto`. `auto` is on while the server listens on this machine alone and has no public address.',
  },
  plainOrigins: {
    path: 'plainOrigins',
    schema: z.array(origin).max(100),
    default: [],
    doc: 'Addresses, such as `http://10.0.0.5:8000`, that upstreams may have that are added in the console although they are plain HTTP. Without it: https anywhere, plain HTTP on this machine alone.',
  },
  operatorName: {
    path: 'operator.name',
    schema: words,
    default: 'Tollgate',
    doc: 'Who runs the installation, on invoices and in mails; `Tollgate` when left out.',
  },
  operatorContact: {
    path: 'operator.contact',
    schema: words,
    default: null,
    doc: 'How people get credit where no payments are set up, such as a mail address.',
  },
  signup: {
    path: 'signup',
    schema: z.enum(['open', 'invite', 'closed'], 'must be open, invite or closed'),
    default: null,
    doc: '`open`, `invite` or `closed`: who may sign up ([people](people.md)). Left out: `open` where mail can be sent or only this machine can come, else `invite`.',
  },
  signIn: {
    path: 'signIn',
    schema: signInProviders,
    default: [],
    doc: 'Providers that people may sign in with besides passwords; a list.',
  },
} as const satisfies Readonly<Record<string, Setting>>

export type SettingName = keyof typeof settingsTable

/** The sections of the file that are mappings of settings. */
export const mappingSections: Readonly<Record<string, string>> = {
  server: 'Where the server listens and what it believes; a mapping.',
  operator: 'Who runs the installation, as its people see it; a mapping.',
  limits: 'Every limit of the program; a mapping.',
}

/** Environment variables that are read; anything else that begins with `TOLLGATE_` is a mistake. */
export const variableNames: readonly string[] = Object.values<Setting>(settingsTable).flatMap(
  ({ variable }) => variable ?? [],
)
