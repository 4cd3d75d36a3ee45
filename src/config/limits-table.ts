/**
 * The limits that an operator can set: names with units, defaults and documentation. The section `limits` of `tollgate.yaml`, its
 * validation and the table in docs/operate/configuration.md are made from it. Pure data.
 */

import { fixedLimits } from './fixed-limits.ts'

export interface Share {
  readonly numerator: bigint
  readonly denominator: bigint
}

export interface Limit<Default extends number | bigint | Share | null = number | bigint | Share | null> {
  readonly default: Default
  /** The documentation, in Markdown. */
  readonly doc: string
  /** The minimum value. */
  readonly least: 0 | 1
  /** Whether `none` (null) is allowed: no limit. */
  readonly mayBeNone: boolean
}

function limit<Default extends number | bigint | Share>(value: Default, doc: string): Limit<Default> {
  return { default: value, doc, least: 1, mayBeNone: false }
}

/** A limit that may be zero. */
function limitOrZero(value: number, doc: string): Limit<number> {
  return { default: value, doc, least: 0, mayBeNone: false }
}

/** A rate limit that may be `none`. */
function rate(value: number, doc: string): Limit<number | null> {
  return { default: value, doc, least: 1, mayBeNone: true }
}

export const limitsTable = {
  // HTTP
  bodyBytesMax: limit(32 * 1024 * 1024, 'Size of a request body.'),
  bodyBudgetBytes: limit(
    512 * 1024 * 1024,
    'Memory for all request bodies of model requests; beyond it, 503. It is [shared](#shared-budgets).',
  ),
  eventBudgetBytes: limit(
    256 * 1024 * 1024,
    'Memory for all incomplete stream events; beyond it, 503. Shared in the same way.',
  ),
  shareOfKeyMax: limit(
    0.5,
    'The share of what others leave of a budget that one API key, user or management key may use; 1: all of it.',
  ),
  shareOfAccountMax: limit(0.625, 'The same per account.'),
  shareOfNetworkMax: limit(
    0.875,
    'The same for authenticated callers of one network (an IPv4 address or an IPv6 /64).',
  ),
  requestTimeoutMs: limit(300_000, 'Time for the body of a request to arrive.'),
  keepAliveTimeoutMs: limit(75_000, 'Idle time of a client connection.'),
  connectionsMax: limit(
    20_000,
    'Open client connections. One network may use a quarter of what others leave, an IPv6 /48 half; trusted proxies and loopback may use all.',
  ),

  // Streams and responses
  answerBytesMax: limit(64 * 1024 * 1024, 'Size of a JSON response of an upstream.'),
  keepAliveMs: limit(12_000, 'Idle time in a stream before a keep-alive event.'),
  slowReaderMs: limit(60_000, 'How long a client may stop reading.'),

  // Upstreams
  connectMs: limit(10_000, 'Time to connect to an upstream.'),
  silenceMs: limit(300_000, 'Time without any byte of an upstream stream.'),
  contentGapMs: limit(
    300_000,
    'Time without content from an upstream; for a response that is not streamed, without any byte.',
  ),
  contentGapReasoningMs: limit(1_200_000, 'The same for reasoning models.'),
  firstContentMs: limitOrZero(
    20_000,
    'Time without content after which a streamed request is sent to [another offer or fallback](models.md#silent-upstreams); 0: it waits.',
  ),
  firstContentReasoningMs: limitOrZero(120_000, 'The same for reasoning models.'),
  totalMs: limit(3_600_000, 'Total duration of a request.'),
  readOnMs: limit(120_000, 'How long a response is read after its client disconnected.'),
  attemptsMax: limit(3, 'Attempts per request.'),
  hopsMax: limit(
    3,
    'Gateways that may have forwarded a request before it arrives; beyond it, 508 ([loops](providers.md#gateways-behind-gateways)).',
  ),
  cooldownMsMax: limitOrZero(60_000, 'Longest cooldown of a failing upstream.'),
  failuresBeforeEjection: limit(5, 'Consecutive failures before an upstream is ejected.'),
  socketsPerOriginMax: limit(4_096, 'Connections per upstream origin.'),

  // Published price lists

  // Files at providers
  // At most bodyBytesMax: an upload is read whole before it is sent.
  fileBytesMax: limit(32 * 1024 * 1024, 'Size of a file upload including framing; at most `bodyBytesMax`.'),
  filesPerAccountMax: limit(1_000, 'Files per account at all providers.'),
  fileBytesPerAccountMax: limit(4 * 1024 * 1024 * 1024, 'Total size of the files of an account.'),

  // Background responses
  backgroundResponsesPerAccountMax: limit(100, 'Concurrent background responses per account.'),
  backgroundAgeMaxMs: limit(24 * 3_600_000, 'Age at which a response is canceled at its provider.'),

  // Money
  reserveShare: limit(
    { numerator: 1n, denominator: 2n },
    'Share of the balance that one request may reserve for its output.',
  ),
  outputFloor: limit(1_024, 'Output limit below which it is not lowered further.'),
  holdWaitMs: limitOrZero(
    2_000,
    "How long a request waits for the account's other requests to release enough balance.",
  ),
  serverToolUsesMax: limitOrZero(5, 'Uses of each server tool per request.'),
  writeOffNanoPerDayMax: limit(
    500_000_000n,
    'Write-offs per account and day before the account is restricted.',
  ),
  writeOffNanoPerDayWarn: limit(
    5_000_000_000n,
    'Write-offs per UTC day of all accounts before the system page warns.',
  ),
  signupNano: limit(5_000_000_000n, 'Starting credit of a new personal account.'),
  signupNanoPerDayMax: limit(50_000_000_000n, 'Total starting credit per UTC day.'),
  databaseLanes: limit(2, 'Connections to PostgreSQL that write requests side by side.'),
  databaseStatementMs: limit(10_000, 'One statement on PostgreSQL.'),
  databaseReportMs: limit(60_000, 'One statement of a report on PostgreSQL.'),
  databaseLeaseMs: limit(
    15_000,
    'How long a server that no longer reaches PostgreSQL owns its requests; then the other servers close them.',
  ),
  readThreadsMax: limit(2, 'Threads for long reads, such as `ledger verify`.'),

  // Payments
  topUpNanoMin: limit(5_000_000_000n, 'Smallest top-up.'),
  topUpNanoMax: limit(1_000_000_000_000n, 'Largest top-up.'),
  automaticTopUpsPerDayMax: limit(3, 'Automatic top-ups per account in 24 hours.'),

  // Large bodies
  bodyThreadsMax: limit(2, 'Number of these threads; one account uses at most one.'),
  bodyWorkMemoryBytes: limit(
    1024 * 1024 * 1024,
    'Memory that these threads use together: a translation takes up to 8 times the body, a count 12 times. A body that needs more gets 413.',
  ),

  // Counting tokens
  countRequestsPerMinute: limit(
    600,
    'Token counting requests per account and minute; each 256 KiB of a body count as one more.',
  ),

  // Rate limits per account; null = none
  requestsPerMinute: rate(
    600,
    'Requests per account in any 60 s, or `none`. Rejected requests count, unless rejected by a rate limit.',
  ),
  tokensPerMinute: rate(2_000_000, 'Tokens per account in any 60 s, or `none`.'),
  concurrent: rate(
    100,
    'Concurrent requests per account, or `none`. A request counts from the moment its key is verified, before its body has arrived.',
  ),
  requestsWithoutKeyPerMinute: limit(
    600,
    'Requests without a valid key per network in any 60 s; beyond it, 429. Requests with a valid key are not affected.',
  ),

  // Models

  // Keys
  providerKeysPerAccountMax: limit(20, 'Provider keys per account.'),
  keysPerAccountMax: limit(1_000, 'Active keys per account, for API keys and management keys each.'),

  // Usage

  // The console

  // Users
  passwordCharactersMin: limit(10, 'Shortest password.'),
  sessionDaysMax: limit(30, 'Lifetime of a session in days.'),

  // Mail

  // Limits of upstreams
  upstreamWaitMs: limitOrZero(
    10_000,
    'How long a request waits for an upstream whose `limits` are reached, where no other offer is free.',
  ),

  // Routing by speed

  // Monitoring

  // CLI to a running server

  // Shutdown
  drainMs: limitOrZero(600_000, 'How long running requests may continue after the server was asked to stop.'),
  closeMs: limit(
    6_000,
    'How long idle connections stay open after the port was closed at shutdown: longer than a load balancer keeps them (`keepalive_timeout`).',
  ),
} as const satisfies Readonly<Record<string, Limit>>

type SettingLimits = {
  readonly [Name in keyof typeof limitsTable]: Widened<(typeof limitsTable)[Name]['default']>
}

/** Every limit by name: settings in `limits` of `tollgate.yaml`, and fixed limits. */
export type Limits = SettingLimits & {
  readonly [Name in keyof typeof fixedLimits]: Widened<(typeof fixedLimits)[Name]>
}

type Widened<Value> = Value extends number
  ? number
  : Value extends bigint
    ? bigint
    : Value extends null
      ? null
      : Share

/** Limits that a server reads only at startup, not on a reload. A test compares the list with the code. */
export const limitsAtStart: ReadonlySet<string> = new Set<keyof typeof limitsTable>([
  'requestTimeoutMs',
  'keepAliveTimeoutMs',
  'slowReaderMs',
  'connectionsMax',
  'bodyBudgetBytes',
  'eventBudgetBytes',
  'shareOfKeyMax',
  'shareOfAccountMax',
  'shareOfNetworkMax',
  'requestsWithoutKeyPerMinute',
  'countRequestsPerMinute',
  'reserveShare',
  'topUpNanoMin',
  'topUpNanoMax',
  'databaseLanes',
  'databaseStatementMs',
  'databaseReportMs',
  'databaseLeaseMs',
  'passwordCharactersMin',
  'sessionDaysMax',
])

/** Budgets whose default is at most the memory of the process divided by this. */
export const memoryDivisors = {
  bodyBudgetBytes: 6,
  eventBudgetBytes: 16,
  bodyWorkMemoryBytes: 4,
  countQueuedBytesMax: 64,
  controlBodyBudgetBytes: 16,
  anonymousBodyBudgetBytes: 32,
  webhookBodyBudgetBytes: 32,
} as const satisfies Partial<Record<keyof Limits, number>>

/** Defaults for a process with this much memory, where they differ from the table. */
export function limitsWithin(memoryBytes: number): Partial<Limits> {
  const names = Object.keys(memoryDivisors) as (keyof typeof memoryDivisors)[]
  return Object.fromEntries(
    names.flatMap((name) => {
      const most = Math.floor(memoryBytes / memoryDivisors[name])
      return limitDefaults[name] > most ? [[name, most]] : []
    }),
  )
}

/** Every default by its name. */
export const limitDefaults: Limits = {
  ...(Object.fromEntries(
    Object.entries<Limit>(limitsTable).map(([name, row]) => [name, row.default]),
  ) as SettingLimits),
  ...fixedLimits,
}
