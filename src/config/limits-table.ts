/**
 * Every limit: its name with its unit, its default and its documentation. The section `limits` of `tollgate.yaml`, its
 * validation and the table in docs/operate/configuration.md are made from it. Pure data.
 */

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
  /** The default is at most the memory of the process divided by this. */
  readonly memoryDivisor?: number
}

function limit<Default extends number | bigint | Share>(value: Default, doc: string): Limit<Default> {
  return { default: value, doc, least: 1, mayBeNone: false }
}

/** Bytes of a budget, of which a process with little memory has less. */
function budget(value: number, memoryDivisor: number, doc: string): Limit<number> {
  return { ...limit(value, doc), memoryDivisor }
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
  headerBytesMax: limit(16 * 1024, 'Total size of the request headers.'),
  headersMax: limit(100, 'Number of request headers.'),
  urlBytesMax: limit(8 * 1024, 'Length of the request target.'),
  preflightCacheMs: limitOrZero(7_200_000, 'How long browsers may cache the answer to a CORS preflight.'),
  jsonDepthMax: limit(64, 'Nesting depth of a JSON body.'),
  jsonValuesMax: limit(250_000, 'Values in a JSON body.'),
  integerMax: limit(1_000_000_000, 'Largest integer accepted in a request.'),
  bodyBudgetBytes: budget(
    512 * 1024 * 1024,
    6,
    'Memory for all request bodies of model requests; beyond it, 503. It is [shared](#shared-budgets).',
  ),
  eventBudgetBytes: budget(
    256 * 1024 * 1024,
    16,
    'Memory for all incomplete stream events; beyond it, 503. Shared in the same way.',
  ),
  // As many as there are connections fit into memory.
  unmeteredBytes: limit(
    4 * 1024,
    'The part of each body and pending response that counts against no budget, so that small requests are always served.',
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
  anonymousShareOfNetworkMax: limit(0.25, 'The same for unauthenticated callers of one network.'),
  anonymousShareOfSiteMax: limit(0.5, 'The same for an IPv6 /48.'),
  headersTimeoutMs: limit(15_000, 'Time for the headers of a request to arrive.'),
  requestTimeoutMs: limit(300_000, 'Time for the body of a request to arrive.'),
  uploadBytesPerSecondMin: limit(
    4 * 1024,
    'Minimum upload rate of a body; one that is slower for longer than the grace period gets 408.',
  ),
  uploadGraceMs: limit(20_000, 'The grace period in which an upload may be slower or pause.'),
  keepAliveTimeoutMs: limit(75_000, 'Idle time of a client connection.'),
  lingerBytesMax: limitOrZero(32 * 1024 * 1024, 'Bytes of a body that are still read after the response.'),
  lingerMs: limitOrZero(3_000, 'Time for reading them.'),
  connectionsMax: limit(
    20_000,
    'Open client connections. One network may use `anonymousShareOfNetworkMax` of what others leave, an IPv6 /48 `anonymousShareOfSiteMax`; trusted proxies and loopback may use all.',
  ),
  pipelinedMax: limit(
    128,
    'Pipelined requests that wait for an earlier response on the same connection. While one waits, little more is read from the connection.',
  ),
  restBytesMax: limit(
    64 * 1024,
    'Body size of a rejected request that is read to its end, so that the connection can be reused.',
  ),
  eventLoopDelayMsMax: limit(
    1_000,
    'Event loop delay. It never rejects requests on its own, because other programs on the machine also delay timers.',
  ),
  commitMsMax: limit(10_000, 'Duration of a database commit that also counts as overload.'),

  // Streams and responses
  eventBytesMax: limit(16 * 1024 * 1024, 'Size of one event of an upstream stream.'),
  answerBytesMax: limit(64 * 1024 * 1024, 'Size of a JSON response of an upstream.'),
  errorBytesMax: limit(1024 * 1024, 'Size of an error response of an upstream.'),
  sampleCharactersMax: limit(16 * 1024, 'Output sample per stream for estimating tokens.'),
  peekMs: limit(8_000, 'How long a response waits for its first content before it starts.'),
  keepAliveMs: limit(12_000, 'Idle time in a stream before a keep-alive event.'),
  slowReaderMs: limit(60_000, 'How long a client may stop reading.'),
  afterEndMs: limit(5_000, 'How long an upstream may take to close after its last event.'),

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
  readOnPerAccountMax: limitOrZero(8, 'Concurrent responses read that way per account.'),
  attemptsMax: limit(3, 'Attempts per request.'),
  hopsMax: limit(
    3,
    'Gateways that may have forwarded a request before it arrives; beyond it, 508 ([loops](providers.md#gateways-behind-gateways)).',
  ),
  retryShareMax: limit(
    0.2,
    'Retries at a host that the request was sent to already, or that other requests fail at, as a share of running requests.',
  ),
  retriesMin: limitOrZero(3, 'Retries that are always allowed, regardless of that share.'),
  cooldownMsMax: limitOrZero(60_000, 'Longest cooldown of a failing upstream.'),
  failuresBeforeEjection: limit(5, 'Consecutive failures before an upstream is ejected.'),
  ejectionMs: limit(30_000, 'Duration of the first ejection; it doubles with each further failure.'),
  ejectionMsMax: limit(300_000, 'Longest ejection.'),
  socketsPerOriginMax: limit(4_096, 'Connections per upstream origin.'),
  idleSocketMs: limit(30_000, 'Idle time of an upstream connection.'),
  upstreamHeaderBytesMax: limit(
    64 * 1024,
    'Size of what an upstream sends with a response in addition to its body: headers, interim responses, trailers.',
  ),
  tokenRequestMs: limit(10_000, 'Time to obtain a token for a cloud.'),
  tokenResponseBytesMax: limit(64 * 1024, 'Size of the response to a token request.'),
  tokenRefreshMs: limit(300_000, 'How long before it expires a token is replaced.'),
  hostModelsMs: limit(10_000, "Time to fetch a provider's list of models in the console."),
  hostErrorBytesMax: limit(16 * 1024, 'What is read of an error that the provider returns instead.'),
  hostModelsBytesMax: limit(4 * 1024 * 1024, 'Size of that list.'),
  hostModelsMax: limit(5_000, 'Models of that list that are shown.'),

  // Published price lists
  priceListBytesMax: limit(8 * 1024 * 1024, 'Size of a price list, downloaded or sent.'),
  priceListModelsMax: limit(50_000, 'Models in a price list, of all providers.'),
  priceListValuesMax: limit(500_000, 'Values in a price list, of all kinds.'),

  // Files at providers
  // At most bodyBytesMax: an upload is read whole before it is sent.
  fileBytesMax: limit(32 * 1024 * 1024, 'Size of a file upload including framing; at most `bodyBytesMax`.'),
  filesPerAccountMax: limit(1_000, 'Files per account at all providers.'),
  fileBytesPerAccountMax: limit(4 * 1024 * 1024 * 1024, 'Total size of the files of an account.'),
  fileObjectBytesMax: limit(16 * 1024, "Size of a provider's file object, which is stored for lists."),
  fileAnswerMs: limit(300_000, 'How long a provider may take to respond to a file request.'),
  uploadMs: limit(24 * 3_600_000, 'Duration of a resumable upload; then its quota is released.'),
  // Of closed accounts, at each upstream.
  fileDeletionsAtOnceMax: limit(4, 'Concurrent deletions of files of closed accounts per upstream.'),
  fileDeletionRetryMs: limit(
    1_000,
    'First delay before a deletion is retried; it doubles while deletions fail.',
  ),
  fileDeletionRetryMsMax: limit(3_600_000, 'Longest such delay.'),
  fileDeletionWarnMs: limit(3_600_000, 'Age of a pending deletion that is reported to administrators.'),

  // Background responses
  backgroundResponsesPerAccountMax: limit(100, 'Concurrent background responses per account.'),
  backgroundPollMsMin: limit(
    2_000,
    'Shortest polling interval of a background response; it grows to a quarter of its age.',
  ),
  backgroundPollMsMax: limit(60_000, 'Longest polling interval.'),
  // A 404 earlier than this may be a provider that does not know yet what it has begun.
  backgroundLostMs: limit(60_000, 'Age at which a response that its provider does not know is given up.'),
  backgroundAgeMaxMs: limit(24 * 3_600_000, 'Age at which a response is canceled at its provider.'),
  backgroundCancelMs: limit(
    3_600_000,
    'How long a canceled response may take to end; after that it is closed at no charge.',
  ),

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
  holdWaitersPerAccountMax: limitOrZero(64, 'Requests per account that wait that way.'),
  storeWaitMs: limit(2_000, 'How long a new request waits for the database before it is rejected.'),
  settleWaitMs: limit(5_000, 'How long the end of a response waits for its settlement.'),
  settleRetryMs: limit(1_000, 'Delay between attempts to store a settlement.'),
  settleRetriesMax: limit(86_400, 'Number of attempts to store a settlement.'),
  hiddenReasoningTokensPerSecond: limit(
    60,
    'Output assumed for an aborted response with hidden reasoning and for a canceled background response without usage. It is written off.',
  ),
  serverToolUsesMax: limitOrZero(5, 'Uses of each server tool per request.'),
  checkpointNanoMin: limit(1_000_000n, 'Unrecorded cost of a running stream that triggers a checkpoint.'),
  checkpointShareOfHold: limit(
    { numerator: 1n, denominator: 100n },
    'The same as a share of its reservation; the larger one applies.',
  ),
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
  batchOperationsMax: limit(256, 'Ledger operations in one commit.'),
  operationsQueuedMax: limit(50_000, 'Queued ledger operations.'),
  transactionMs: limit(1_000, 'Duration of a control-plane transaction.'),
  databaseLanes: limit(2, 'Connections to PostgreSQL that write requests side by side.'),
  databaseLaneOperationsMin: limit(
    64,
    'Waiting ledger operations for which another of these connections is used while one is writing.',
  ),
  databaseConnectMs: limit(2_000, 'Opening a connection to PostgreSQL.'),
  databaseStatementMs: limit(10_000, 'One statement on PostgreSQL.'),
  databaseReportMs: limit(60_000, 'One statement of a report on PostgreSQL.'),
  databaseVerifyMs: limit(3_600_000, 'One statement of a verification on PostgreSQL.'),
  moveRowsMax: limit(2_000, 'Rows that tollgate move sends to PostgreSQL together.'),
  databaseRetryMs: limit(1_000, 'Delay between attempts to reach PostgreSQL during a start.'),
  databaseLeaseMs: limit(
    15_000,
    'How long a server that no longer reaches PostgreSQL owns its requests; then the other servers close them.',
  ),
  admissionRecordMs: limit(
    25,
    'How long an admitted request that has sent nothing to its client may wait to be written to the embedded database.',
  ),
  commitProbeMs: limit(
    1_000,
    'Delay between commit attempts after a disk error; `/readyz` returns 503 until one succeeds.',
  ),
  readThreadsMax: limit(2, 'Threads for long reads, such as `ledger verify`.'),
  // A request, reading on for its bill, and a minute of grace.
  holdMsMax: limit(3_780_000, 'Age at which an open reservation is closed.'),
  driftLinesMax: limit(1_000, 'Contradictions that `ledger verify` lists.'),
  ledgerCheckMs: limit(1_000, 'Delay between steps of the continuous ledger check.'),
  ledgerCheckRoundMs: limit(300_000, 'Delay between rounds of that check.'),
  ledgerCheckAccountsMax: limit(200, 'Accounts per step.'),
  ledgerCheckReceiptsMax: limit(500, 'Receipts per step.'),
  receiptsRemovedMax: limit(200, 'Old receipts that are removed in one step.'),
  receiptRemovalMs: limit(100, 'Delay between those steps.'),
  receiptRemovalRoundMs: limit(3_600_000, 'Delay between rounds of that removal.'),
  // As long as OpenAI keeps responses: https://developers.openai.com/api/docs/guides/conversation-state.
  providerObjectRetentionMs: limit(
    30 * 24 * 3_600_000,
    'How long a stored response can be referenced: 30 days, as long as OpenAI stores it.',
  ),
  referencesMax: limit(2_048, 'Provider objects (responses and items) that one request may reference.'),

  // Payments
  topUpNanoMin: limit(5_000_000_000n, 'Smallest top-up.'),
  topUpNanoMax: limit(1_000_000_000_000n, 'Largest top-up.'),
  automaticTopUpsPerDayMax: limit(3, 'Automatic top-ups per account in 24 hours.'),
  automaticTopUpsMs: limit(
    5_000,
    'Interval between searches for balances below their automatic top-up threshold.',
  ),
  openTopUpsMax: limit(20, 'Unpaid top-ups per account.'),
  checkoutMs: limit(82_800_000, 'Lifetime of a payment page: half an hour to a day.'),
  topUpCheckMs: limit(120_000, 'Interval between status checks of a pending top-up.'),
  topUpsCheckedMax: limit(50, 'Top-ups per round of status checks.'),
  missedEventsCheckMs: limit(
    900_000,
    'Interval between searches for missed payment, refund and dispute events.',
  ),
  missedEventsMs: limit(2_592_000_000, 'How far back missed events are searched after a start.'),
  missedEventsMax: limit(1_000, 'Events per search.'),
  alertCheckMs: limit(900_000, 'Interval between searches for low balances.'),
  stripeTimeoutMs: limit(20_000, 'Timeout of a request to the payment provider.'),
  stripeRetriesMax: limit(2, 'Retries of a request to the payment provider.'),
  webhookEventsKeptMs: limit(2_678_400_000, 'How long a processed webhook event is remembered.'),
  codeTriesPerMinute: limit(10, 'Codes that an account or client address may try per minute.'),
  codeTriersMax: limit(10_000, 'Accounts and addresses whose attempts are remembered.'),
  csvRowsMax: limit(100_000, 'Rows per CSV file.'),

  // Large bodies
  bodyThreadBytesMin: limit(
    256 * 1024,
    'Request bodies larger than this are parsed, translated and counted in worker threads.',
  ),
  bodyInPlaceBytesMax: limit(
    1024 * 1024,
    'Larger ones up to this size are parsed without a thread if they are mostly text.',
  ),
  bodyInPlaceWorkMax: limit(16_384, 'JSON values of such a body; four escapes count as one.'),
  bodyThreadsMax: limit(2, 'Number of these threads; one account uses at most one.'),
  bodyWorkMemoryBytes: budget(
    1024 * 1024 * 1024,
    4,
    'Memory that these threads use together: a translation takes up to 8 times the body, a count 12 times. A body that needs more gets 413.',
  ),
  bodyWorkWaitingMax: limit(1_000, 'Bodies that wait for a thread; beyond it, 503.'),
  bodyWorkWaitingPerAccountMax: limit(32, 'The same per account; beyond it, 429.'),
  bodyWorkMs: limit(20_000, 'How long a body waits for a thread before its request gets 503.'),
  bodyWorkRunMsMax: limit(
    30_000,
    'How long a thread may work on a body; then it is replaced and the request gets 503.',
  ),

  // Counting tokens
  countRunBytesMax: limit(2_048, 'Length of text that is tokenized in one piece.'),
  countBytesMax: limit(
    16 * 1024 * 1024,
    'Largest text that is counted; a larger one is bounded by its bytes.',
  ),
  countQueueMax: limit(10_000, 'Texts waiting to be counted.'),
  countQueuedBytesMax: budget(64 * 1024 * 1024, 64, 'Total size of these texts.'),
  countQueuedBytesPerAccountMax: limit(16 * 1024 * 1024, 'The same per account.'),
  countMs: limit(
    3_000,
    'Time for one count, including waiting. Text that is not counted in time is bounded by its bytes; the request is not rejected.',
  ),
  countAskMs: limit(10_000, 'How long upstreams may take to count tokens before they are estimated.'),
  holdCountMs: limit(
    5_000,
    "How long a request with a document waits for the provider's token count when the balance may not cover its upper bound.",
  ),
  pdfReadMs: limit(5_000, 'Time for counting the pages of a PDF, including waiting.'),
  pdfsQueuedMax: limit(64, 'PDFs waiting to be counted; one beyond it is bounded by its size.'),
  pdfsQueuedPerAccountMax: limit(8, 'The same per account.'),
  pdfInflatedBytesMax: limit(
    16 * 1024 * 1024,
    'Total size of decompressed objects when counting the pages of a PDF.',
  ),
  countRequestsPerMinute: limit(
    600,
    'Token counting requests per account and minute; each 256 KiB of a body count as one more.',
  ),
  countsPerAccountMax: limit(8, 'Concurrent token counting requests per account.'),

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
  ratesKeptMax: limit(20_000, 'Accounts, keys and networks whose recent request rates are kept in memory.'),

  // Models
  modelsPageDefault: limit(20, 'Default page size of the model lists in the Messages and Gemini formats.'),
  modelListsPerMinute: limit(
    600,
    'Lists of models per account in any 60 s. One that is not in memory counts as one more for each 100 models.',
  ),
  writtenListsMax: limit(16, 'Written lists of models that are kept for the next request.'),
  modelsPageMax: limit(1_000, 'Largest page size of these lists.'),

  // Keys
  unknownKeysCachedMax: limit(10_000, 'Unknown keys cached to avoid repeated look-ups.'),
  keysCachedMax: limit(100_000, 'Keys cached in memory.'),
  providerKeysPerAccountMax: limit(20, 'Provider keys per account.'),
  providerKeyTestsPerMinute: limit(
    5,
    'Tests of provider keys per account and minute, including those before one is saved.',
  ),
  providerKeyStatesMax: limit(
    10_000,
    'Provider keys whose failures are remembered; the least recent are evicted first.',
  ),
  keysPerAccountMax: limit(1_000, 'Active keys per account, for API keys and management keys each.'),
  lastUsedStepMs: limit(60_000, 'Precision of the time a management key was last used.'),

  // Usage
  refusalsKeptPerKey: limit(100, 'Latest rejected requests stored per key.'),
  refusalsQueuedMax: limit(
    10_000,
    'Rejected requests queued for writing; more are dropped and counted in `tollgate_refusals_dropped_total`.',
  ),
  refusalsFlushMs: limit(1_000, 'Interval at which rejected requests are written.'),
  usageStepsMax: limit(1_000, 'Hours, days or months per usage query.'),
  usageRowsMax: limit(20_000, 'Rows per usage query.'),
  usageSliceRowsMax: limit(2_000, 'Rows that are read before other queries get a turn.'),
  receiptsScannedMax: limit(200_000, 'Receipts scanned per list of requests.'),
  csvReceiptsScannedMax: limit(2_000_000, 'The same per CSV file.'),
  csvAtOnceMax: limit(4, 'Concurrent exports of requests, ledger entries and user data.'),
  csvPerAccountMax: limit(1, 'The same per account.'),

  // The console
  recentLoginMs: limit(900_000, 'How long a sign-in counts as recent.'),
  changesGatherMs: limit(100, 'How long changes of an account are batched before consoles are notified.'),
  authBodyBytesMax: limit(64 * 1024, 'The same below `/api/auth` and for unauthenticated operations.'),
  webhookBodyBytesMax: limit(1024 * 1024, 'Size of a webhook of the payment provider.'),
  controlBodyBudgetBytes: budget(
    64 * 1024 * 1024,
    16,
    'Memory for all bodies of authenticated management API requests. It is shared.',
  ),
  anonymousBodyBudgetBytes: budget(
    32 * 1024 * 1024,
    32,
    'The same for unauthenticated requests, such as sign-ins.',
  ),
  webhookBodyBudgetBytes: budget(32 * 1024 * 1024, 32, 'The same for webhooks of the payment provider.'),
  controlBodyMs: limit(30_000, 'Time for such a body to arrive.'),
  changesPerMinute: limit(300, 'Changes per minute by one user or management key.'),
  changersKeptMax: limit(10_000, 'Users and keys whose change rate is remembered.'),
  eventStreamsMax: limit(5_000, 'Open event streams.'),
  eventStreamsPerWatcherMax: limit(24, 'The same per user or management key.'),
  eventStreamsPerNetworkMax: limit(1_000, 'The same per network.'),
  eventsKeepAliveMs: limit(15_000, 'Idle time in an event stream before a keep-alive comment.'),
  eventsRecheckMs: limit(5_000, 'Interval at which the permissions of an event stream are rechecked.'),

  // Users
  passwordCharactersMin: limit(10, 'Shortest password.'),
  passwordCharactersMax: limit(200, 'Longest password.'),
  passwordHashesMax: limit(2, 'Concurrent password hashes.'),
  passwordHashesQueuedMax: limit(
    64,
    'Queued password hashes of known browsers, and as many of others; further sign-ins are asked to retry.',
  ),
  attemptsWindowMs: limit(900_000, 'Window in which sign-in attempts are counted.'),
  guessesPerPersonMax: limit(10, 'Wrong passwords or codes per email address and network in that window.'),
  guessesPerNetworkMax: limit(
    100,
    'Wrong passwords or codes per network (an IPv4 address or an IPv6 /64) in that window.',
  ),
  guessesFromStrangersMax: limit(
    50,
    'Wrong passwords per email address in that window, from all browsers that have not signed in with it before.',
  ),
  signUpsPerNetworkMax: limit(2_000, 'Sign-ups per network in that window.'),
  challengesPerNetworkMax: limit(2_000, 'Passkey and provider sign-ins started per network in that window.'),
  emailsPerAddressMax: limit(5, 'Emails per address and requesting network in that window.'),
  emailsPerNetworkMax: limit(100, 'Emails per requesting network in that window.'),
  attemptsKeptMax: limit(
    50_000,
    'Networks and addresses whose attempts are remembered; the least recent are evicted first.',
  ),
  uniformAnswerMs: limit(
    250,
    'Step to which response times are rounded up where they could reveal whether an account exists.',
  ),
  sessionDaysMax: limit(30, 'Lifetime of a session in days.'),
  sessionsPerPersonMax: limit(100, 'Sessions per user; the oldest are ended.'),
  sessionCachedMs: limit(5_000, 'How long a session is cached before the database is read again.'),
  invitationDaysMax: limit(7, 'Lifetime of an invitation in days.'),
  openInvitationsMax: limit(100, 'Open invitations per organization.'),
  organizationsPerPersonMax: limit(20, 'Organizations per user.'),
  membersPerOrganizationMax: limit(1_000, 'Members per organization.'),
  issuerMs: limit(5_000, 'Timeout of an OpenID Connect discovery request.'),
  issuerRetryMs: limit(60_000, 'Interval at which discovery is retried.'),

  // Mail
  mailRetryMs: limit(30_000, 'Delay after the first attempt; it grows with each.'),
  mailMs: limit(20_000, 'Timeout of the mail server.'),

  // Limits of upstreams
  upstreamWaitMs: limitOrZero(
    10_000,
    'How long a request waits for an upstream whose `limits` are reached, where no other offer is free.',
  ),
  upstreamWaitersMax: limitOrZero(1_000, 'Requests that wait for one upstream.'),
  limitedUpstreamsMax: limit(10_000, 'Upstreams whose requests and tokens per minute are counted.'),

  // Routing by speed
  speedsForgottenMs: limit(
    600_000,
    'After how long without a response the speed of an offer counts as unknown.',
  ),
  speedsMax: limit(10_000, 'Offers whose speed is remembered.'),
  offerStatisticsMax: limit(
    1_000,
    'Offers whose statistics wait to be written; what exceeds this is not counted.',
  ),
  offerStatisticsFlushMs: limit(10_000, 'Interval at which statistics of offers are written.'),

  // Monitoring
  metricPairsMax: limit(
    2_000,
    'Pairs of a model and an upstream with their own metrics; others count together as `other`.',
  ),

  // CLI to a running server
  adminBytesMax: limit(
    16 * 1024 * 1024,
    'Size of a request or response between the CLI and a running server.',
  ),
  adminTimeoutMs: limit(600_000, 'Timeout of a CLI command in a running server.'),
  adminConnectionsMax: limit(32, 'Concurrent CLI commands in a running server.'),

  // Shutdown
  drainMs: limitOrZero(600_000, 'How long running requests may continue after the server was asked to stop.'),
  spansQueuedMax: limit(
    10_000,
    'Spans that wait for the OpenTelemetry collector; more are dropped and counted.',
  ),
  spansPerExportMax: limit(512, 'Spans of one export.'),
  spanExportMs: limit(5_000, 'How long spans wait for others to be exported with.'),
  metricExportMs: limit(60_000, 'The interval in which metrics are exported.'),
  closeMs: limit(
    6_000,
    'How long idle connections stay open after the port was closed at shutdown: longer than a load balancer keeps them (`keepalive_timeout`).',
  ),
} as const satisfies Readonly<Record<string, Limit>>

export type LimitName = keyof typeof limitsTable

export type Limits = { readonly [Name in LimitName]: Widened<(typeof limitsTable)[Name]['default']> }

type Widened<Value> = Value extends number
  ? number
  : Value extends bigint
    ? bigint
    : Value extends null
      ? null
      : Share

/** The defaults of a process that has this much memory, where they differ from those of the table. */
export function limitsWithin(memoryBytes: number): Partial<Limits> {
  return Object.fromEntries(
    Object.entries<Limit>(limitsTable).flatMap(([name, { default: value, memoryDivisor }]) => {
      const most = Math.floor(memoryBytes / (memoryDivisor ?? 0))
      return typeof value === 'number' && value > most ? [[name, most]] : []
    }),
  )
}

/** Every default by its name. */
export const limitDefaults = Object.fromEntries(
  Object.entries<Limit>(limitsTable).map(([name, row]) => [name, row.default]),
) as unknown as Limits
