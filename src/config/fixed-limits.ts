/**
 * Limits that no operator changes: names with units, each with a comment. A constant that one part uses and no test
 * changes is defined where it is used. Pure data.
 */
export const fixedLimits = {
  // HTTP
  // Total size of the request headers.
  headerBytesMax: 16 * 1024,
  // Number of request headers.
  headersMax: 100,
  // Length of the request target.
  urlBytesMax: 8 * 1024,
  // Nesting depth of a JSON body.
  jsonDepthMax: 64,
  // Values in a JSON body.
  jsonValuesMax: 250_000,
  // Largest integer accepted in a request.
  integerMax: 1_000_000_000,
  // The part of each body and pending response that counts against no budget, so that small requests are
  // always served. As many as there are connections fit into memory.
  unmeteredBytes: 4 * 1024,
  // The same for unauthenticated callers of one network.
  anonymousShareOfNetworkMax: 0.25,
  // The same for an IPv6 /48.
  anonymousShareOfSiteMax: 0.5,
  // Time for the headers of a request to arrive.
  headersTimeoutMs: 15_000,
  // Minimum upload rate of a body; one that is slower for longer than the grace period gets 408.
  uploadBytesPerSecondMin: 4 * 1024,
  // The grace period in which an upload may be slower or pause.
  uploadGraceMs: 20_000,
  // Bytes of a body that are still read after the response.
  lingerBytesMax: 32 * 1024 * 1024,
  // Time for reading them.
  lingerMs: 3_000,
  // Pipelined requests that wait for an earlier response on the same connection. While one waits, little more
  // is read from the connection.
  pipelinedMax: 128,
  // Body size of a rejected request that is read to its end, so that the connection can be reused.
  restBytesMax: 64 * 1024,
  // Event loop delay. It never rejects requests on its own, because other programs on the machine also delay
  // timers.
  eventLoopDelayMsMax: 1_000,
  // Duration of a database commit that also counts as overload.
  commitMsMax: 10_000,

  // Streams and responses
  // Size of one event of an upstream stream.
  eventBytesMax: 16 * 1024 * 1024,
  // Output sample per stream for estimating tokens.
  sampleCharactersMax: 16 * 1024,
  // How long a response waits for its first content before it starts.
  peekMs: 8_000,
  // How long an upstream may take to close after its last event.
  afterEndMs: 5_000,
  // Concurrent responses read that way per account.
  readOnPerAccountMax: 8,
  // Retries at a host that the request was sent to already, or that other requests fail at, as a share of
  // running requests.
  retryShareMax: 0.2,
  // Retries that are always allowed, regardless of that share.
  retriesMin: 3,
  // Duration of the first ejection; it doubles with each further failure.
  ejectionMs: 30_000,
  // Longest ejection.
  ejectionMsMax: 300_000,
  // Idle time of an upstream connection.
  idleSocketMs: 30_000,
  // Size of what an upstream sends with a response in addition to its body: headers, interim responses,
  // trailers.
  upstreamHeaderBytesMax: 64 * 1024,
  // Time to obtain a token for a cloud.
  tokenRequestMs: 10_000,
  // Size of the response to a token request.
  tokenResponseBytesMax: 64 * 1024,
  // How long before it expires a token is replaced.
  tokenRefreshMs: 300_000,
  // Time to fetch a provider's list of models in the console.
  hostModelsMs: 10_000,
  // Bytes read of a provider's error response instead.
  hostErrorBytesMax: 16 * 1024,
  // Size of that list.
  hostModelsBytesMax: 4 * 1024 * 1024,
  // Models of that list that are shown.
  hostModelsMax: 5_000,

  // Published price lists
  // Size of a price list, downloaded or sent.
  priceListBytesMax: 8 * 1024 * 1024,
  // Models in a price list, of all providers.
  priceListModelsMax: 50_000,
  // Values in a price list, of all kinds.
  priceListValuesMax: 500_000,
  // Size of a provider's file object, which is stored for lists.
  fileObjectBytesMax: 16 * 1024,
  // How long a provider may take to respond to a file request.
  fileAnswerMs: 300_000,
  // Concurrent deletions of files of closed accounts per upstream. Of closed accounts, at each upstream.
  fileDeletionsAtOnceMax: 4,
  // First delay before a deletion is retried; it doubles while deletions fail.
  fileDeletionRetryMs: 1_000,
  // Longest such delay.
  fileDeletionRetryMsMax: 3_600_000,
  // Age of a pending deletion that is reported to administrators.
  fileDeletionWarnMs: 3_600_000,
  // Shortest polling interval of a background response; it grows to a quarter of its age.
  backgroundPollMsMin: 2_000,
  // Longest polling interval.
  backgroundPollMsMax: 60_000,
  // Age at which a response that its provider does not know is given up. A 404 earlier than this may be a
  // provider that does not know yet what it has begun.
  backgroundLostMs: 60_000,
  // How long a canceled response may take to end; after that it is closed at no charge.
  backgroundCancelMs: 3_600_000,
  // Requests per account that wait that way.
  holdWaitersPerAccountMax: 64,
  // How long a new request waits for the database before it is rejected.
  storeWaitMs: 2_000,
  // How long the end of a response waits for its settlement.
  settleWaitMs: 5_000,
  // Delay between attempts to store a settlement.
  settleRetryMs: 1_000,
  // Number of attempts to store a settlement.
  settleRetriesMax: 86_400,
  // Output assumed for an aborted response with hidden reasoning and for a canceled background response
  // without usage. It is written off.
  hiddenReasoningTokensPerSecond: 60,
  // Unrecorded cost of a running stream that triggers a checkpoint.
  checkpointNanoMin: 1_000_000n,
  // The same as a share of its reservation; the larger one applies.
  checkpointShareOfHold: { numerator: 1n, denominator: 100n },
  // Ledger operations in one commit.
  batchOperationsMax: 256,
  // Queued ledger operations.
  operationsQueuedMax: 50_000,
  // Duration of a control-plane transaction.
  transactionMs: 1_000,
  // Waiting ledger operations for which another of these connections is used while one is writing.
  databaseLaneOperationsMin: 64,
  // Opening a connection to PostgreSQL.
  databaseConnectMs: 2_000,
  // Time limit of a verification statement on PostgreSQL.
  databaseVerifyMs: 3_600_000,
  // Rows that tollgate move sends to PostgreSQL together.
  moveRowsMax: 2_000,
  // Delay between attempts to reach PostgreSQL during a start.
  databaseRetryMs: 1_000,
  // How long an admitted request that has sent nothing to its client may wait to be written to the embedded
  // database.
  admissionRecordMs: 25,
  // Delay between commit attempts after a disk error; `/readyz` returns 503 until one succeeds.
  commitProbeMs: 1_000,
  // Age at which an open reservation is closed. A request, reading on for its bill, and a minute of grace.
  holdMsMax: 3_780_000,
  // Contradictions that `ledger verify` lists.
  driftLinesMax: 1_000,
  // Delay between steps of the continuous ledger check.
  ledgerCheckMs: 1_000,
  // Delay between rounds of that check.
  ledgerCheckRoundMs: 300_000,
  // Accounts per step.
  ledgerCheckAccountsMax: 200,
  // Receipts per step.
  ledgerCheckReceiptsMax: 500,
  // Old receipts that are removed in one step.
  receiptsRemovedMax: 200,
  // Delay between those steps.
  receiptRemovalMs: 100,
  // Delay between rounds of that removal.
  receiptRemovalRoundMs: 3_600_000,
  // How long a stored response can be referenced: 30 days, as long as OpenAI stores it. As long as OpenAI
  // keeps responses: https://developers.openai.com/api/docs/guides/conversation-state.
  providerObjectRetentionMs: 30 * 24 * 3_600_000,
  // Provider objects (responses and items) that one request may reference.
  referencesMax: 2_048,
  // Interval between searches for balances below their automatic top-up threshold.
  automaticTopUpsMs: 5_000,
  // Unpaid top-ups per account.
  openTopUpsMax: 20,
  // Lifetime of a payment page: half an hour to a day.
  checkoutMs: 82_800_000,
  // Interval between status checks of a pending top-up.
  topUpCheckMs: 120_000,
  // Top-ups per round of status checks.
  topUpsCheckedMax: 50,
  // Interval between searches for missed payment, refund and dispute events.
  missedEventsCheckMs: 900_000,
  // How far back missed events are searched after a start.
  missedEventsMs: 2_592_000_000,
  // Events per search.
  missedEventsMax: 1_000,
  // Interval between searches for low balances.
  alertCheckMs: 900_000,
  // Timeout of a request to the payment provider.
  stripeTimeoutMs: 20_000,
  // Retries of a request to the payment provider.
  stripeRetriesMax: 2,
  // How long a processed webhook event is remembered.
  webhookEventsKeptMs: 2_678_400_000,
  // Codes that an account or client address may try per minute.
  codeTriesPerMinute: 10,
  // Rows per CSV file.
  csvRowsMax: 100_000,

  // Large bodies
  // Request bodies larger than this are parsed, translated and counted in worker threads.
  bodyThreadBytesMin: 256 * 1024,
  // Larger ones up to this size are parsed without a thread if they are mostly text.
  bodyInPlaceBytesMax: 1024 * 1024,
  // JSON values of such a body; four escapes count as one.
  bodyInPlaceWorkMax: 16_384,
  // Bodies that wait for a thread; beyond it, 503.
  bodyWorkWaitingMax: 1_000,
  // The same per account; beyond it, 429.
  bodyWorkWaitingPerAccountMax: 32,
  // How long a body waits for a thread before its request gets 503.
  bodyWorkMs: 20_000,
  // How long a thread may work on a body; then it is replaced and the request gets 503.
  bodyWorkRunMsMax: 30_000,

  // Counting tokens
  // Largest text that is counted; a larger one is bounded by its bytes.
  countBytesMax: 16 * 1024 * 1024,
  // Texts waiting to be counted.
  countQueueMax: 10_000,
  // Total size of these texts.
  countQueuedBytesMax: 64 * 1024 * 1024,
  // The same per account.
  countQueuedBytesPerAccountMax: 16 * 1024 * 1024,
  // Time for one count, including waiting. Text that is not counted in time is bounded by its bytes; the
  // request is not rejected.
  countMs: 3_000,
  // How long upstreams may take to count tokens before they are estimated.
  countAskMs: 10_000,
  // How long a request with a document waits for the provider's token count when the balance may not cover its
  // upper bound.
  holdCountMs: 5_000,
  // Time for counting the pages of a PDF, including waiting.
  pdfReadMs: 5_000,
  // The same per account.
  pdfsQueuedPerAccountMax: 8,
  // Total size of decompressed objects when counting the pages of a PDF.
  pdfInflatedBytesMax: 16 * 1024 * 1024,
  // Concurrent token counting requests per account.
  countsPerAccountMax: 8,

  // Models
  // Default page size of the model lists in the Messages and Gemini formats.
  modelsPageDefault: 20,
  // Lists of models per account in any 60 s. One that is not in memory counts as one more for each 100 models.
  modelListsPerMinute: 600,
  // Serialized lists of models in memory for the next request.
  writtenListsMax: 16,
  // Largest page size of these lists.
  modelsPageMax: 1_000,

  // Keys
  // Unknown keys cached to avoid repeated lookups.
  unknownKeysCachedMax: 10_000,
  // Keys cached in memory.
  keysCachedMax: 100_000,
  // Tests of provider keys per account and minute, including those before one is saved.
  providerKeyTestsPerMinute: 5,
  // Provider keys whose failures are remembered; the least recent are evicted first.
  providerKeyStatesMax: 10_000,
  // Precision of the time a management key was last used.
  lastUsedStepMs: 60_000,

  // Usage
  // Latest rejected requests stored per key.
  rejectionsKeptPerKey: 100,
  // Rejected requests queued for writing; more are dropped and counted in `tollgate_rejections_dropped_total`.
  rejectionsQueuedMax: 10_000,
  // Interval at which rejected requests are written.
  rejectionsFlushMs: 1_000,
  // Hours, days or months per usage query.
  usageStepsMax: 1_000,
  // Rows per usage query.
  usageRowsMax: 20_000,
  // Rows that are read before other queries get a turn.
  usageSliceRowsMax: 2_000,
  // Receipts scanned per list of requests.
  receiptsScannedMax: 200_000,
  // The same per CSV file.
  csvReceiptsScannedMax: 2_000_000,
  // Concurrent exports of requests, ledger entries and user data.
  csvAtOnceMax: 4,
  // The same per account.
  csvPerAccountMax: 1,

  // The console
  // How long a sign-in counts as recent.
  recentLoginMs: 900_000,
  // How long changes of an account are batched before consoles are notified.
  changesGatherMs: 100,
  // The same below `/api/auth` and for unauthenticated operations.
  authBodyBytesMax: 64 * 1024,
  // Size of a webhook of the payment provider.
  webhookBodyBytesMax: 1024 * 1024,
  // Memory for all bodies of authenticated management API requests. It is shared.
  controlBodyBudgetBytes: 64 * 1024 * 1024,
  // The same for unauthenticated requests, such as sign-ins.
  anonymousBodyBudgetBytes: 32 * 1024 * 1024,
  // The same for webhooks of the payment provider.
  webhookBodyBudgetBytes: 32 * 1024 * 1024,
  // Time for such a body to arrive.
  controlBodyMs: 30_000,
  // Changes per minute by one user or management key.
  changesPerMinute: 300,
  // Users and keys whose change rate is remembered.
  // Open event streams.
  eventStreamsMax: 5_000,
  // The same per user or management key.
  eventStreamsPerWatcherMax: 24,
  // The same per network.
  eventStreamsPerNetworkMax: 1_000,
  // Idle time in an event stream before a keep-alive comment.
  eventsKeepAliveMs: 15_000,
  // Interval at which the permissions of an event stream are rechecked.
  eventsRecheckMs: 5_000,
  // Concurrent password hashes.
  passwordHashesMax: 2,
  // Queued password hashes of known browsers, and as many of others; further sign-ins are asked to retry.
  passwordHashesQueuedMax: 64,
  // Window in which sign-in attempts are counted.
  attemptsWindowMs: 900_000,
  // Wrong passwords or codes per email address and network in that window.
  guessesPerPersonMax: 10,
  // Wrong passwords or codes per network (an IPv4 address or an IPv6 /64) in that window.
  guessesPerNetworkMax: 100,
  // Wrong passwords per email address in that window, from all browsers that have not signed in with it before.
  guessesFromStrangersMax: 50,
  // Sign-ups per network in that window.
  signUpsPerNetworkMax: 2_000,
  // Passkey and provider sign-ins started per network in that window.
  challengesPerNetworkMax: 2_000,
  // Emails per address and requesting network in that window.
  emailsPerAddressMax: 5,
  // Emails per requesting network in that window.
  emailsPerNetworkMax: 100,
  // Networks and addresses whose attempts are remembered; the least recent are evicted first.
  attemptsKeptMax: 50_000,
  // Step to which response times are rounded up where they could reveal whether an account exists.
  uniformAnswerMs: 250,
  // Sessions per user; the oldest are ended.
  sessionsPerPersonMax: 100,
  // How long a session is cached before the database is read again.
  sessionCachedMs: 5_000,
  // Lifetime of an invitation in days.
  invitationDaysMax: 7,
  // Open invitations per organization.
  openInvitationsMax: 100,
  // Organizations per user.
  organizationsPerPersonMax: 20,
  // Timeout of an OpenID Connect discovery request.
  issuerMs: 5_000,
  // Interval at which discovery is retried.
  issuerRetryMs: 60_000,

  // Mail
  // Delay after the first attempt; it grows with each.
  mailRetryMs: 30_000,
  // Timeout of the mail server.
  mailMs: 20_000,
  // Requests that wait for one upstream.
  upstreamWaitersMax: 1_000,
  // Upstreams whose requests and tokens per minute are counted.
  limitedUpstreamsMax: 10_000,

  // Routing by speed
  // After how long without a response the speed of an offer counts as unknown.
  speedsForgottenMs: 600_000,
  // Offers whose speed is remembered.
  speedsMax: 10_000,
  // Offers whose statistics wait to be written; what exceeds this is not counted.
  offerStatisticsMax: 1_000,
  // Interval at which statistics of offers are written.
  offerStatisticsFlushMs: 10_000,

  // Monitoring
  // Pairs of a model and an upstream with their own metrics; others count together as `other`.
  metricPairsMax: 2_000,

  // CLI to a running server
  // Size of a request or response between the CLI and a running server.
  adminBytesMax: 16 * 1024 * 1024,
  // Timeout of a CLI command in a running server.
  adminTimeoutMs: 600_000,
  // Concurrent CLI commands in a running server.
  adminConnectionsMax: 32,
  // Spans that wait for the OpenTelemetry collector; more are dropped and counted.
  spansQueuedMax: 10_000,
  // Spans of one export.
  spansPerExportMax: 512,
  // How long spans wait for others to be exported with.
  spanExportMs: 5_000,
  // The interval in which metrics are exported.
  metricExportMs: 60_000,
}
