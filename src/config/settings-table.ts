/**
 * Every setting except the limits: its environment variable, its path in `tollgate.yaml`, its schema, its default and its
 * documentation. The reader, `doctor` and docs/operate/configuration.md use this table.
 */
import { z } from 'zod'
import { type HostName, hostVariables } from '../../contract/hosts.ts'
import { upstreamViews } from '../catalog/customer-view.ts'
import { cloudKeys } from './cloud-keys.ts'
import { model, upstream } from './file-lists.ts'
import { signInProviders } from './identity.ts'
import {
  apiOrigin,
  browserOrigin,
  browserOrigins,
  credential,
  databaseUrl,
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
import {
  otlpEndpoint,
  otlpHeaderMap,
  otlpHeaders,
  otlpProtocols,
  ratio,
  resourceAttributeMap,
  resourceAttributes,
} from './telemetry.ts'

interface HostKeySetting {
  readonly variable: string
  readonly schema: typeof credential
  readonly secret: true
  readonly doc: string
}

type HostKeys = { readonly [Name in HostName as `${Name}Key`]: HostKeySetting }

/** Every host with the name of its setting. */
export const hostKeyNames = (Object.keys(hostVariables) as HostName[]).map(
  (provider) => ({ provider, setting: `${provider}Key` }) as const,
)

const hostKeys = Object.fromEntries(
  hostKeyNames.map(({ provider, setting }): [string, HostKeySetting] => {
    const { displayName, variable } = hostVariables[provider]
    const doc = `The API key for ${displayName}; enables its built-in models as \`${provider}/…\` ([providers](providers.md)).`
    return [setting, { variable, secret: true, schema: credential, doc }]
  }),
) as unknown as HostKeys

export interface Setting {
  /** The environment variable; absent: only in the file. */
  readonly variable?: string
  /** The path in the file, `section` or `section.name`; absent: only in the environment. */
  readonly path?: string
  readonly schema: z.ZodType
  /** The schema of the variable where it differs from the file's. */
  readonly variableSchema?: z.ZodType
  /** Absent: no default, or the one that `defaultText` describes. */
  readonly default?: unknown
  /** The default for the documentation, in Markdown, where the value is not enough. */
  readonly defaultText?: string
  /** The documentation, in Markdown. */
  readonly doc: string
  /** The documentation in the table of the file, where it differs. */
  readonly fileDoc?: string
  /** The text may also be in the file that a variable of this name with `_FILE` names. */
  readonly secret?: true
  /** A variable that must also be set, and why. */
  readonly needs?: { readonly variable: string; readonly why: string }
  /** A variable without which this one has no effect. */
  readonly onlyWith?: string
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const ownAddress = "the provider's own address"

export const settingsTable = {
  configFile: {
    variable: 'TOLLGATE_CONFIG',
    schema: z.string(),
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
    doc: 'The port to listen on; 0 lets the system choose. Only this port is tried if you set it. Otherwise, the first start uses the next free port, and later starts use the same one.',
  },
  threads: {
    variable: 'TOLLGATE_THREADS',
    path: 'server.threads',
    schema: whole(1, 64),
    default: 1,
    doc: 'Threads that serve requests to models; more than 1 on Linux only. `tollgate serve --threads 2` sets it too. See [Threads](running.md#threads).',
  },
  drainNoticeMs: {
    variable: 'TOLLGATE_DRAIN_NOTICE_MS',
    path: 'server.drainNoticeMs',
    schema: whole(0, 600_000),
    default: 10_000,
    doc: 'How long a server that was asked to stop serves as before while `/readyz` is 503, so that a load balancer that asks chooses another. In a terminal it is 0. See [stop and drain](running.md#stop-and-drain).',
  },
  dataFolder: {
    variable: 'TOLLGATE_DATA',
    path: 'server.dataFolder',
    schema: words,
    defaultText: '`data` in the checkout, or in the working directory when installed as a package',
    doc: 'The data folder: databases, root secret and the CLI socket.',
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    secret: true,
    schema: databaseUrl,
    defaultText: 'SQLite databases in the data folder',
    doc: 'The address of a PostgreSQL database, such as `postgres://user:password@host/database`, that several servers may share ([PostgreSQL](postgresql.md)).',
  },
  databaseDirectUrl: {
    variable: 'DATABASE_DIRECT_URL',
    secret: true,
    schema: databaseUrl,
    defaultText: '`DATABASE_URL`',
    doc: 'The address of the same database without a pooler, where `DATABASE_URL` leads to one in transaction mode ([poolers](postgresql.md#poolers)).',
  },
  publicUrl: {
    variable: 'TOLLGATE_PUBLIC_URL',
    path: 'server.publicUrl',
    schema: origin,
    doc: 'The public URL of the server, such as `https://gate.example`.',
  },
  trustedProxies: {
    variable: 'TOLLGATE_TRUSTED_PROXIES',
    path: 'server.trustedProxies',
    schema: z.array(network).max(100),
    variableSchema: networks,
    default: [],
    doc: 'Comma-separated addresses and networks of proxies whose forwarding headers (`X-Forwarded-For`, `Forwarded`) are trusted. The client is the last address in them that is not a trusted proxy. By default the peer of the connection is the client.',
  },
  browserOrigins: {
    variable: 'TOLLGATE_BROWSER_ORIGINS',
    path: 'server.browserOrigins',
    schema: z.array(browserOrigin).max(100),
    variableSchema: browserOrigins,
    default: [],
    doc: 'Comma-separated origins, such as `https://app.example`, whose pages may call the model APIs from a browser ([browsers](running.md#browsers)). By default none may. The management API never allows other origins.',
  },
  logLevel: {
    variable: 'TOLLGATE_LOG_LEVEL',
    path: 'server.logLevel',
    schema: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`),
    default: 'info',
    doc: 'The log level: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
  },
  forcedTools: {
    variable: 'TOLLGATE_FORCED_TOOLS',
    path: 'forcedTools',
    schema: z.enum(['adapt', 'reject'], 'must be adapt or reject'),
    default: 'adapt',
    doc: '`adapt` or `reject`: how to handle a `tool_choice` that a model does not support ([forced tools](../concepts/formats.md#forced-tools)).',
    fileDoc: '`adapt` or `reject`, like `TOLLGATE_FORCED_TOOLS`.',
  },
  showUpstreams: {
    variable: 'TOLLGATE_SHOW_UPSTREAMS',
    path: 'showUpstreams',
    schema: z.enum(upstreamViews, 'must be names, providers or none'),
    default: 'names',
    doc: '`names`, `providers` or `none`: what customers see of the upstreams that serve them ([what customers see](providers.md#what-customers-see)).',
    fileDoc: '`names`, `providers` or `none`, like `TOLLGATE_SHOW_UPSTREAMS`.',
  },
  receiptMonths: {
    variable: 'TOLLGATE_RECEIPT_MONTHS',
    path: 'server.receiptMonths',
    schema: whole(1, 1_200),
    defaultText: 'all receipts are kept',
    doc: 'Receipts of requests that began more than this many full months before the present one (UTC) are permanently removed ([retention](running.md#retention-of-receipts)).',
  },
  metricsToken: {
    variable: 'TOLLGATE_METRICS_TOKEN',
    secret: true,
    path: 'server.metricsToken',
    schema: token,
    doc: 'The bearer token that enables `/metrics`; 16 to 200 visible ASCII characters.',
  },
  otlpEndpoint: {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    path: 'telemetry.endpoint',
    schema: otlpEndpoint,
    doc: 'The base URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`, which enables traces and metrics ([OpenTelemetry](running.md#opentelemetry)).',
  },
  otlpHeaders: {
    variable: 'OTEL_EXPORTER_OTLP_HEADERS',
    secret: true,
    path: 'telemetry.headers',
    schema: otlpHeaderMap,
    variableSchema: otlpHeaders,
    default: {},
    doc: 'Headers for the collector, as `name=value` pairs separated by commas, with percent-encoded values.',
    fileDoc: 'Headers for the collector, as a mapping.',
    onlyWith: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  otlpProtocol: {
    variable: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    path: 'telemetry.protocol',
    schema: z.enum(otlpProtocols, `must be ${otlpProtocols.join(' or ')}`),
    default: 'http/protobuf',
    doc: 'How spans and metrics are sent: `http/protobuf` or `http/json`.',
    onlyWith: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  serviceName: {
    variable: 'OTEL_SERVICE_NAME',
    path: 'telemetry.serviceName',
    schema: words,
    default: 'tollgate',
    doc: 'The `service.name` of spans and metrics.',
  },
  resourceAttributes: {
    variable: 'OTEL_RESOURCE_ATTRIBUTES',
    path: 'telemetry.resourceAttributes',
    schema: resourceAttributeMap,
    variableSchema: resourceAttributes,
    default: {},
    doc: 'More attributes of spans and metrics, as `name=value` pairs separated by commas.',
    fileDoc: 'More attributes of spans and metrics, as a mapping.',
  },
  traceRatio: {
    variable: 'OTEL_TRACES_SAMPLER_ARG',
    path: 'telemetry.traceRatio',
    schema: z.number().min(0).max(1),
    variableSchema: ratio,
    default: 1,
    doc: 'The share of requests that is traced, from 0 to 1. A client with a valid key that sends `traceparent` decides for its own requests.',
  },
  secret: {
    variable: 'TOLLGATE_SECRET',
    secret: true,
    schema: rootSecret,
    defaultText: 'a file in the data folder',
    doc: 'The root secret, at least 32 random characters. A different secret would invalidate every key, so the server refuses to start if it changes.',
  },
  openaiKey: {
    variable: 'OPENAI_API_KEY',
    secret: true,
    schema: credential,
    doc: 'An OpenAI API key; enables its models.',
  },
  anthropicKey: {
    variable: 'ANTHROPIC_API_KEY',
    secret: true,
    schema: credential,
    doc: 'An Anthropic API key; enables its models.',
  },
  geminiKey: {
    variable: 'GEMINI_API_KEY',
    secret: true,
    schema: credential,
    doc: 'A Gemini API key; enables its models.',
  },
  ...hostKeys,
  ...cloudKeys,
  openaiUrl: {
    variable: 'TOLLGATE_OPENAI_URL',
    schema: upstreamUrl,
    defaultText: ownAddress,
    doc: "Another base URL for `OPENAI_API_KEY`: a mirror or proxy that serves OpenAI's own models ([upstreams](models.md#upstreams)).",
    onlyWith: 'OPENAI_API_KEY',
  },
  anthropicUrl: {
    variable: 'TOLLGATE_ANTHROPIC_URL',
    schema: upstreamUrl,
    defaultText: ownAddress,
    doc: 'The same for `ANTHROPIC_API_KEY`.',
    onlyWith: 'ANTHROPIC_API_KEY',
  },
  googleUrl: {
    variable: 'TOLLGATE_GOOGLE_URL',
    schema: upstreamUrl,
    defaultText: ownAddress,
    doc: 'The same for `GEMINI_API_KEY`.',
    onlyWith: 'GEMINI_API_KEY',
  },
  stripeKey: {
    variable: 'STRIPE_SECRET_KEY',
    secret: true,
    schema: stripeKey,
    doc: 'A secret or restricted Stripe key; enables top-ups ([payments](payments.md)). Requires `STRIPE_WEBHOOK_SECRET`.',
    needs: {
      variable: 'STRIPE_WEBHOOK_SECRET',
      why: 'without it the server is not notified of payments',
    },
  },
  stripeWebhookSecret: {
    variable: 'STRIPE_WEBHOOK_SECRET',
    secret: true,
    schema: stripeWebhookSecret,
    doc: 'The signing secret of the webhook endpoint `/api/stripe/webhook`.',
    needs: { variable: 'STRIPE_SECRET_KEY', why: 'without it no payment can be started' },
  },
  stripeUrl: {
    variable: 'STRIPE_API_URL',
    schema: apiOrigin,
    defaultText: "Stripe's own address",
    doc: 'Another Stripe API origin, for tests. Plain HTTP is allowed on loopback only.',
    onlyWith: 'STRIPE_SECRET_KEY',
  },
  mailServer: {
    variable: 'SMTP_URL',
    secret: true,
    schema: mailServer,
    doc: 'The mail server, such as `smtps://user:password@mail.example`; enables email verification and password resets ([people](people.md)). Requires `MAIL_FROM`.',
    needs: { variable: 'MAIL_FROM', why: 'emails need a sender' },
  },
  mailSender: {
    variable: 'MAIL_FROM',
    schema: mailSender,
    doc: 'The sender of all emails: an address, or `Name <address>`.',
    needs: { variable: 'SMTP_URL', why: 'without it no email can be sent' },
  },
  failpoint: {
    variable: 'TOLLGATE_FAILPOINT',
    schema: z.string(),
    doc: 'For tests: the point at which the process fails.',
  },
  upstreams: {
    path: 'upstreams',
    schema: z.array(upstream).max(100),
    default: [],
    doc: 'A list of provider endpoints with their API keys.',
  },
  models: {
    path: 'models',
    schema: z.array(model).max(5_000),
    default: [],
    doc: 'A list of models to add, or built-in models to override.',
  },
  aliases: {
    path: 'aliases',
    schema: z.record(modelName, modelName),
    default: {},
    doc: 'Alternative model names: a mapping from alias to model. An alias of an alias is not allowed.',
  },
  disabled: {
    path: 'disabled',
    schema: z.array(modelName).max(5_000),
    default: [],
    doc: 'A list of models to disable.',
  },
  markup: {
    path: 'markup',
    schema: percent,
    doc: 'The markup on list prices, such as `5%`, for models without their own markup.',
  },
  sandbox: {
    path: 'sandbox',
    schema: z.enum(['on', 'off', 'auto'], 'must be on, off or auto'),
    default: 'auto',
    doc: '`on`, `off` or `auto`: whether the built-in test models are available. `auto` is on while the server listens on loopback only and has no public URL.',
  },
  plainOrigins: {
    path: 'plainOrigins',
    schema: z.array(origin).max(100),
    default: [],
    doc: 'Plain HTTP origins, such as `http://10.0.0.5:8000`, that upstreams added in the console may use. By default they may use HTTPS anywhere and plain HTTP on loopback only.',
  },
  providerKeyAccounts: {
    variable: 'TOLLGATE_PROVIDER_KEYS',
    path: 'providerKeys.accounts',
    schema: z.enum(['none', 'organizations', 'all'], 'must be none, organizations or all'),
    default: 'none',
    doc: '`none`, `organizations` or `all`: which accounts may use their own [provider keys](provider-keys.md).',
    fileDoc: '`none`, `organizations` or `all`, like `TOLLGATE_PROVIDER_KEYS`.',
  },
  providerKeyFee: {
    path: 'providerKeys.fee',
    schema: percent,
    default: '0%',
    doc: 'The charge for requests on provider keys, as a percentage of their cost at list price.',
  },
  providerKeyUrls: {
    path: 'providerKeys.urls',
    schema: z.record(z.string().max(100), upstreamUrl),
    default: {},
    doc: "Other base URLs for provider keys, such as an egress proxy: a mapping from provider to URL. By default the provider's own URL is used.",
  },
  operatorName: {
    path: 'operator.name',
    schema: words,
    default: 'Tollgate',
    doc: 'The name of the operator, shown on invoices and in emails.',
  },
  operatorContact: {
    path: 'operator.contact',
    schema: words,
    doc: 'How to ask for credit when payments are not configured, such as an email address.',
  },
  signup: {
    path: 'signup',
    schema: z.enum(['open', 'invite', 'closed'], 'must be open, invite or closed'),
    doc: 'Who may sign up: `open`, `invite` or `closed` ([people](people.md)). Defaults to `open` if email is configured or the server is reachable from this machine only, otherwise `invite`.',
  },
  signIn: {
    path: 'signIn',
    schema: signInProviders,
    default: [],
    doc: 'A list of sign-in providers in addition to passwords.',
  },
} as const satisfies Readonly<Record<string, Setting>>

export type SettingName = keyof typeof settingsTable

/** The sections of the file that are mappings of settings. */
export const mappingSections: Readonly<Record<string, string>> = {
  server: 'Network, data folder and logging; a mapping.',
  providerKeys: 'Provider keys of accounts; a mapping.',
  telemetry: 'OpenTelemetry; a mapping.',
  operator: 'The operator as shown to users; a mapping.',
  limits: 'Overrides of [limits](#limits); a mapping.',
}

/** All environment variables; any other that begins with `TOLLGATE_` is an error. */
export const variableNames: readonly string[] = Object.values<Setting>(settingsTable).flatMap(
  ({ variable }) => variable ?? [],
)

/** The variables whose text a file may have. */
export const secretNames: readonly string[] = Object.values<Setting>(settingsTable).flatMap(
  ({ variable, secret }) => (secret === true ? (variable ?? []) : []),
)
