/**
 * Every limit of the program: its name with its unit, its default and what it bounds. One table, from which the `limits`
 * of `tollgate.yaml`, their checks and their rows in docs/operate/configuration.md are made. Pure data.
 */

export interface Share {
  readonly numerator: bigint
  readonly denominator: bigint
}

export interface Limit<Default extends number | bigint | Share | null = number | bigint | Share | null> {
  readonly default: Default
  /** What it bounds, as the page says it. */
  readonly doc: string
  /** The least value that makes sense. */
  readonly least: 0 | 1
  /** `none` in the file is null: no limit. */
  readonly mayBeNone: boolean
}

function limit<Default extends number | bigint | Share>(value: Default, doc: string): Limit<Default> {
  return { default: value, doc, least: 1, mayBeNone: false }
}

/** A limit where nothing at all is a sensible choice. */
function limitOrZero(value: number, doc: string): Limit<number> {
  return { default: value, doc, least: 0, mayBeNone: false }
}

/** A rate of an account that an operator may lift. */
function rate(value: number, doc: string): Limit<number | null> {
  return { default: value, doc, least: 1, mayBeNone: true }
}

export const limitsTable = {
  // The edge
  bodyBytesMax: limit(32 * 1024 * 1024, 'One request body.'),
  headerBytesMax: limit(16 * 1024, 'All headers of a request together.'),
  headersMax: limit(100, 'The number of headers.'),
  urlBytesMax: limit(8 * 1024, 'The request target.'),
  jsonDepthMax: limit(64, 'Nesting of a JSON body.'),
  jsonValuesMax: limit(250_000, 'Values in a JSON body.'),
  jsonOtherValuesMax: limit(
    20_000,
    'Names and values in a JSON body outside its messages, instructions and tools.',
  ),
  jsonObjectsMax: limit(
    50_000,
    'Messages, their parts, tools and what is in them that is read of one body; of a small body 1,000 and one for every 8 bytes.',
  ),
  jsonNamesMax: limit(
    256,
    'Names in one of these objects, and names in all of them that are not plain ASCII.',
  ),
  integerMax: limit(1_000_000_000, 'The largest count in a request that is taken seriously.'),
  bodyBudgetBytes: limit(
    512 * 1024 * 1024,
    'All request bodies of models in memory together; beyond it 503. It is [shared](#who-may-take-how-much).',
  ),
  eventBudgetBytes: limit(
    256 * 1024 * 1024,
    'All unfinished stream events in memory together; beyond it 503. It is shared in the same way.',
  ),
  // As many as there are connections fit into memory.
  unmeteredBytes: limit(
    4 * 1024,
    'What of each body, and of each answer that waits, counts in no budget, so that small requests are served however much large ones hold.',
  ),
  shareOfKeyMax: limit(
    0.5,
    'The part of what others leave of a budget that the requests of one key, person or management key may hold; 1: all of it.',
  ),
  shareOfAccountMax: limit(0.625, 'The same for one account.'),
  shareOfNetworkMax: limit(
    0.875,
    'The same for callers who are known and come from one network (an IPv4 address, a /64 of IPv6).',
  ),
  anonymousShareOfNetworkMax: limit(0.25, 'The same for callers who are not known.'),
  anonymousShareOfSiteMax: limit(0.5, 'The same for a whole /48 of IPv6.'),
  headersTimeoutMs: limit(15_000, 'Until the headers of a request are complete.'),
  requestTimeoutMs: limit(300_000, 'Until its body is complete.'),
  uploadBytesPerSecondMin: limit(
    4 * 1024,
    'The least rate at which a body may arrive; one that is slower for longer than the grace is answered with 408.',
  ),
  uploadGraceMs: limit(20_000, 'For how long it may be slower, or not come at all.'),
  keepAliveTimeoutMs: limit(75_000, 'An idle client connection.'),
  lingerBytesMax: limitOrZero(32 * 1024 * 1024, 'What is still read of a body after the answer.'),
  lingerMs: limitOrZero(3_000, 'How long that is done.'),
  connectionsMax: limit(
    20_000,
    'Open client connections. One network may have `anonymousShareOfNetworkMax` of what others leave, a /48 of IPv6 `anonymousShareOfSiteMax`; trusted proxies and this machine may have all.',
  ),
  pipelinedMax: limit(
    128,
    'Requests on one connection that wait for the answer to an earlier one. While one waits, little more is read from that connection.',
  ),
  restBytesMax: limit(
    64 * 1024,
    'The body of a refused request that is read to its end, so that its connection can be used again.',
  ),
  eventLoopShareMax: limit(
    0.95,
    'Share of the time in which the event loop has work. Beyond this and `eventLoopDelayMsMax` together, accounts that have an equal share of the running requests, or more, get 503 for new ones.',
  ),
  eventLoopDelayMsMax: limit(
    1_000,
    'Lag of the event loop. On its own it refuses nothing: timers are late too when other programs use the machine.',
  ),
  commitMsMax: limit(
    10_000,
    'A commit of the store that has not ended after this long counts as saturation, too.',
  ),
  heapShareMax: limit(
    0.9,
    'Share of the heap in use; beyond it new requests get 503. A request that comes while no other runs is served always.',
  ),

  // The wire
  eventBytesMax: limit(16 * 1024 * 1024, "One event of an upstream's stream."),
  answerBytesMax: limit(64 * 1024 * 1024, 'A whole JSON answer of an upstream.'),
  errorBytesMax: limit(1024 * 1024, 'An error answer of an upstream.'),
  sampleCharactersMax: limit(16 * 1024, 'Output kept per stream to count tokens from.'),
  peekMs: limit(8_000, 'How long an answer waits for its first content before it is begun.'),
  keepAliveMs: limit(12_000, 'Silence in a stream before a keep-alive event is sent.'),
  slowReaderMs: limit(60_000, 'How long a client may take nothing.'),
  afterEndMs: limit(5_000, 'How long an upstream may take to close after the end of its answer.'),
  inputSampleBytesMax: limit(32 * 1024, 'Input kept per stream to count tokens from.'),

  // Upstreams
  connectMs: limit(10_000, 'Connecting to an upstream.'),
  silenceMs: limit(300_000, 'An upstream that sends no byte of a stream.'),
  contentGapMs: limit(
    300_000,
    'An upstream that sends no content; for an answer that is not streamed, one that sends nothing at all.',
  ),
  contentGapReasoningMs: limit(1_200_000, 'The same for models that reason.'),
  totalMs: limit(3_600_000, 'One request from end to end.'),
  readOnMs: limit(120_000, 'Reading an answer to its end after its client left.'),
  readOnPerAccountMax: limitOrZero(8, 'Answers read on at once for one account.'),
  attemptsMax: limit(3, 'Upstreams tried for one request.'),
  retryShareMax: limit(0.2, 'Retries as a share of running requests.'),
  retriesMin: limitOrZero(3, 'Retries that are allowed whatever that share is.'),
  cooldownMsMax: limitOrZero(60_000, 'How long a failing upstream is left alone.'),
  failuresBeforeEjection: limit(5, 'Failures in a row before an upstream is set aside.'),
  ejectionMs: limit(30_000, 'How long it is set aside at first; twice as long with each further failure.'),
  ejectionMsMax: limit(300_000, 'The longest that it is set aside.'),
  socketsPerOriginMax: limit(4_096, 'Connections to one upstream.'),
  idleSocketMs: limit(30_000, 'An idle connection to an upstream.'),
  upstreamHeaderBytesMax: limit(64 * 1024, "Headers of an upstream's answer."),
  hostModelsMs: limit(10_000, 'Asking a host for the names of its models, for the form of upstreams.'),
  hostModelsBytesMax: limit(4 * 1024 * 1024, 'The answer to that.'),
  hostModelsMax: limit(5_000, 'Names of that answer that are shown.'),

  // Files that accounts keep at providers
  // At most bodyBytesMax: an upload is read whole before it is sent.
  fileBytesMax: limit(
    32 * 1024 * 1024,
    'One upload of a file, framing included; never more than `bodyBytesMax`.',
  ),
  filesPerAccountMax: limit(1_000, 'Files of one account at all providers.'),
  fileBytesPerAccountMax: limit(4 * 1024 * 1024 * 1024, 'Their bytes together.'),
  fileObjectBytesMax: limit(16 * 1024, 'What a provider says of one file; kept for lists.'),
  fileAnswerMs: limit(300_000, 'How long a provider may take to answer a request about files.'),
  uploadMs: limit(24 * 3_600_000, 'How long an upload in parts may go on; then its place is free again.'),
  // Of closed accounts, at each upstream.
  fileDeletionsAtOnceMax: limit(4, 'Files of closed accounts that are deleted at once at each upstream.'),
  fileDeletionMs: limit(30_000, 'How long a provider may take to delete one of them.'),
  fileDeletionRetryMs: limit(
    1_000,
    'The first wait before deleting is retried; it doubles while nothing is deleted.',
  ),
  fileDeletionRetryMsMax: limit(3_600_000, 'The longest wait.'),
  fileDeletionWarnMs: limit(
    3_600_000,
    'A file that is still not deleted after this long is a warning to administrators.',
  ),

  // Responses that run in the background at providers
  backgroundResponsesPerAccountMax: limit(
    100,
    'Responses of one account that run in the background at once.',
  ),
  backgroundPollMsMin: limit(
    2_000,
    'How soon this server polls a response in the background; it polls again each time a quarter of its age has passed.',
  ),
  backgroundPollMsMax: limit(60_000, 'The longest time between two polls.'),
  backgroundPollsMax: limit(16, 'Responses in the background that are polled in parallel.'),
  // A 404 earlier than this may be a provider that does not know yet what it has begun.
  backgroundLostMs: limit(
    60_000,
    'A response that its provider does not know is given up once it is as old as this.',
  ),
  backgroundAgeMaxMs: limit(24 * 3_600_000, 'A response that runs for longer is cancelled at its provider.'),
  backgroundCancelMs: limit(
    3_600_000,
    'One that does not end for as long after that is closed and costs nothing.',
  ),
  responseAnswerMs: limit(60_000, 'How long a provider may take to give the status of a response.'),

  // Money
  reserveShare: limit(
    { numerator: 1n, denominator: 2n },
    'Share of the balance that one request may hold for its output.',
  ),
  outputFloor: limit(1_024, 'Output tokens below which a limit is not lowered.'),
  outputFloorReasoning: limit(8_192, 'The same for models that reason.'),
  holdWaitMs: limitOrZero(
    2_000,
    'How long a request waits for others of its account to give back what it needs.',
  ),
  holdWaitersPerAccountMax: limitOrZero(64, 'Requests of one account that wait so.'),
  settleWaitMs: limit(5_000, 'How long the end of an answer waits for its settlement.'),
  settleRetryMs: limit(1_000, 'Between two tries to store a settlement.'),
  settleRetriesMax: limit(86_400, 'How often that is tried.'),
  hiddenReasoningTokensPerSecond: limit(
    60,
    'The output that is assumed of an aborted answer that reasoned unseen, and of a canceled background response without usage. It is written off.',
  ),
  serverToolUsesMax: limitOrZero(5, 'Uses of each server tool in one request.'),
  checkpointNanoMin: limit(1_000_000n, 'Unrecorded cost of a running stream before it is recorded.'),
  checkpointShareOfHold: limit(
    { numerator: 1n, denominator: 100n },
    'The same as a share of its hold; the larger one counts.',
  ),
  surplusNanoMin: limit(
    10_000_000n,
    'Part of a hold that is given back at once when the upstream reports less input than was held for; a quarter of the hold at least.',
  ),
  writeOffNanoPerDayMax: limit(
    500_000_000n,
    'What is written off for one account and day before that account is restricted.',
  ),
  writeOffNanoPerDayWarn: limit(
    5_000_000_000n,
    'What is written off for all accounts on a UTC day before the state of the system warns of it.',
  ),
  signupNano: limit(5_000_000_000n, 'Credit for a new personal account.'),
  signupNanoPerDayMax: limit(50_000_000_000n, 'What all new accounts together are given on one UTC day.'),
  batchOperationsMax: limit(256, 'Ledger operations in one commit.'),
  operationsQueuedMax: limit(50_000, 'Ledger operations that wait.'),
  transactionMs: limit(1_000, 'One transaction of the control plane.'),
  commitProbeMs: limit(
    1_000,
    'Between two tries to commit, after a commit that failed for want of the machine; `/readyz` answers 503 until one works.',
  ),
  readThreadsMax: limit(2, "Threads for long reads, such as the ledger's check, at once."),
  // A request, reading on for its bill, and a minute of grace.
  holdMsMax: limit(3_780_000, 'A hold that is still open after this long is closed.'),
  driftLinesMax: limit(1_000, "Contradictions that the ledger's check lists one by one."),
  ledgerCheckMs: limit(1_000, 'Between two steps of the check that runs while requests are served.'),
  ledgerCheckRoundMs: limit(300_000, 'Between the end of a round of that check and the next one.'),
  ledgerCheckAccountsMax: limit(200, 'Accounts of one step.'),
  ledgerCheckReceiptsMax: limit(500, 'Receipts of one step.'),
  // As long as OpenAI keeps responses: https://developers.openai.com/api/docs/guides/conversation-state.
  providerObjectRetentionMs: limit(
    30 * 24 * 3_600_000,
    'How long an answer that its provider keeps can be referred to: 30 days, as OpenAI keeps them.',
  ),
  referencesMax: limit(2_048, 'Provider objects (responses and items) that one request refers to.'),

  // Payments
  topUpNanoMin: limit(5_000_000_000n, 'The least that one top-up may be.'),
  topUpNanoMax: limit(1_000_000_000_000n, 'The most that one top-up may be.'),
  automaticTopUpsPerDayMax: limit(3, 'Automatic top-ups of one account in 24 hours.'),
  automaticTopUpsMs: limit(
    5_000,
    'Between two searches for balances that fell below what their accounts set.',
  ),
  automaticTopUpsAtOnceMax: limit(8, 'Automatic top-ups that are under way at once.'),
  openTopUpsMax: limit(20, 'Top-ups of one account that wait for their payment.'),
  checkoutMs: limit(82_800_000, 'How long a payment page can be used: half an hour to a day.'),
  topUpCheckMs: limit(
    120_000,
    'Between two questions to the payment provider about a top-up that is under way.',
  ),
  topUpsCheckedMax: limit(50, 'Top-ups that are asked about in one go.'),
  missedEventsCheckMs: limit(
    900_000,
    "Between two searches for the payment provider's events of refunds and disputes that did not reach this server.",
  ),
  missedEventsMs: limit(1_209_600_000, 'How far back these are looked for.'),
  missedEventsMax: limit(1_000, 'Events that one search reads.'),
  alertCheckMs: limit(900_000, 'Between two searches for balances that will not last.'),
  alertsCheckedMax: limit(1_000, 'Accounts that one search reads.'),
  stripeTimeoutMs: limit(20_000, 'One question to the payment provider.'),
  stripeRetriesMax: limit(2, 'How often a question that got no answer is repeated.'),
  webhookToleranceMs: limit(300_000, "How far the time of a webhook's signature may be from ours."),
  webhookEventsKeptMs: limit(1_296_000_000, 'How long an event that was carried out is remembered.'),
  webhookEventsRemovedMax: limit(10_000, 'Events that are forgotten in one go.'),
  codeTriesPerMinute: limit(10, 'Codes that one account, or one address, may try per minute.'),
  codeTriersMax: limit(10_000, 'Accounts and addresses whose tries are remembered.'),
  csvRowsMax: limit(100_000, 'Rows of one CSV file.'),

  // Large bodies
  bodyThreadBytesMin: limit(
    256 * 1024,
    'Larger request bodies are read, translated and counted in threads of their own.',
  ),
  bodyThreadsMax: limit(2, 'These threads; one account has one of them at once.'),
  bodyWorkWaitingMax: limit(1_000, 'Bodies that wait for a thread; beyond it 503.'),
  bodyWorkWaitingPerAccountMax: limit(32, 'Those of one account; beyond it 429 for this account.'),
  bodyWorkMs: limit(20_000, 'How long one waits for a thread before its request gets 503.'),
  bodyWorkRunMsMax: limit(
    30_000,
    'How long a thread works on one before it is stopped and replaced, and the request gets 503.',
  ),

  // Counting tokens
  countRunBytesMax: limit(2_048, 'A run of text that is counted in one piece.'),
  countBytesMax: limit(
    16 * 1024 * 1024,
    'The most text that is counted; a longer one is bounded by its bytes.',
  ),
  countQueueMax: limit(10_000, 'Texts that wait to be counted.'),
  countQueuedBytesMax: limit(64 * 1024 * 1024, 'All of these together.'),
  countQueuedBytesPerAccountMax: limit(16 * 1024 * 1024, 'Those of one account.'),
  countMs: limit(
    3_000,
    'One count, waiting included. What is not counted by then is bounded by its bytes; nothing is refused for it.',
  ),
  countAskMs: limit(
    10_000,
    'How long upstreams are asked for the tokens of a request before they are estimated.',
  ),
  holdCountMs: limit(
    5_000,
    "How long a request with a document that the balance may not pay waits for the provider's count of its tokens.",
  ),
  pdfReadMs: limit(5_000, 'Counting the pages of one PDF, waiting included.'),
  pdfsQueuedMax: limit(
    64,
    'PDFs that wait for their pages to be counted; one beyond it is bounded by its size.',
  ),
  pdfsQueuedPerAccountMax: limit(8, 'The same of one account.'),
  pdfInflatedBytesMax: limit(16 * 1024 * 1024, 'Compressed objects of one PDF, unpacked to count its pages.'),
  countRequestsPerMinute: limit(
    600,
    'How often one account may have tokens counted per minute, besides its paid requests; each 256 kB of a body count as one more time.',
  ),
  countsPerAccountMax: limit(8, 'How many of these at once.'),
  countAccountsMax: limit(10_000, 'Accounts whose rate of counting is remembered.'),

  // Rates per account; null = none
  requestsPerMinute: rate(
    600,
    'Requests of one account within any 60 s, or `none`. Those that are refused count, except for a rate.',
  ),
  tokensPerMinute: rate(2_000_000, 'Tokens of one account within any 60 s, or `none`.'),
  concurrent: rate(
    100,
    'Requests of one account at once, or `none`; from the moment its key is known, so that a body on its way counts.',
  ),
  requestsWithoutKeyPerMinute: limit(
    600,
    'Requests without a valid key that one network may send within any 60 s before they get 429. Requests with a valid key are served whatever else their network sends.',
  ),
  promptRefusalsPerMinute: limit(
    60,
    'Answers with 429 that one account, or a network without a valid key, gets at once within any 60 s.',
  ),
  refusalPauseMs: limit(500, 'The pause before each further one.'),
  ratesKeptMax: limit(
    20_000,
    'Accounts, keys, and networks, whose requests of the last minute are remembered before the ledger sees them.',
  ),
  standingsMax: limit(
    100_000,
    'Accounts that are known to have a balance, so that no balance is read before their bodies are.',
  ),

  // Models
  modelsPageDefault: limit(20, 'Models on one page of the Messages-style and the Gemini-style list.'),
  modelsPageMax: limit(1_000, 'The most that a client may ask for.'),

  // Keys
  unknownKeysCachedMax: limit(10_000, 'Unknown keys remembered, so that they are not looked up again.'),
  keysCachedMax: limit(100_000, 'Keys kept in memory.'),
  keysPerAccountMax: limit(
    1_000,
    'Keys of an account that are neither revoked nor expired, API keys and management keys each.',
  ),
  lastUsedStepMs: limit(60_000, 'How exactly it is remembered when a management key was last used.'),

  // Usage
  refusalsKeptPerKey: limit(100, 'The latest refused requests of each key that stay readable one by one.'),
  refusalsQueuedMax: limit(
    10_000,
    'Kinds of refusals that wait to be written; more are counted in `tollgate_refusals_dropped_total` and forgotten.',
  ),
  refusalsFlushMs: limit(1_000, 'How often refusals are written.'),
  refusalsShownDays: limit(30, 'How far back refusals are counted for people.'),
  usageStepsMax: limit(1_000, 'Hours, days or months of one answer about usage.'),
  usageRowsMax: limit(20_000, 'Rows of one answer about usage.'),
  usageSliceRowsMax: limit(2_000, 'Rows that are read before others get their turn.'),
  receiptsScannedMax: limit(200_000, 'Receipts that are read for one list of requests.'),
  csvReceiptsScannedMax: limit(2_000_000, 'The same for a CSV file.'),
  csvAtOnceMax: limit(
    4,
    'Files of requests, of ledger entries and of all that is kept of a person that are made at once.',
  ),
  csvPerAccountMax: limit(1, 'The same for one account.'),
  runningShownMax: limit(1_000, 'Running requests of one list.'),

  // The console
  recentLoginMs: limit(900_000, 'How long after a login what asks for a recent one is allowed.'),
  exportReceiptsMax: limit(20_000, 'Receipts in the export of what is kept of a person; the latest ones.'),
  changesGatherMs: limit(
    100,
    'How long changes of an account are gathered before a console that watches it is notified.',
  ),
  controlBodyBytesMax: limit(1024 * 1024, 'The body of a request to the control plane.'),
  authBodyBytesMax: limit(
    64 * 1024,
    'The same below `/api/auth`, and wherever the caller need not be known.',
  ),
  webhookBodyBytesMax: limit(1024 * 1024, 'A message of the payment provider.'),
  controlBodyBudgetBytes: limit(
    64 * 1024 * 1024,
    'All bodies that are on their way to the control plane from people who are signed in and from management keys. It is shared.',
  ),
  anonymousBodyBudgetBytes: limit(
    32 * 1024 * 1024,
    'The same from callers who are not known, such as sign-ins.',
  ),
  webhookBodyBudgetBytes: limit(32 * 1024 * 1024, 'The same for messages of the payment provider.'),
  controlBodyMs: limit(30_000, 'How long such a body may take to arrive.'),
  changesPerMinute: limit(300, 'Changes that one person or management key may make by the control plane.'),
  changersKeptMax: limit(10_000, 'People and keys whose rate of changes is remembered.'),
  eventStreamsMax: limit(5_000, 'Open streams of events.'),
  eventStreamsPerWatcherMax: limit(24, 'The same of one person or management key.'),
  eventStreamsPerNetworkMax: limit(1_000, 'The same from one network.'),
  eventsKeepAliveMs: limit(15_000, 'Silence in such a stream before a keep-alive event is sent.'),
  eventsRecheckMs: limit(5_000, 'How often it is checked whether its reader may still see the account.'),
  eventsUnsentBytesMax: limit(64 * 1024, 'What waits for a reader before they are cut off.'),

  // People
  passwordCharactersMin: limit(10, 'The shortest password.'),
  passwordCharactersMax: limit(200, 'The longest password.'),
  passwordHashesMax: limit(2, 'Passwords that are hashed at once.'),
  passwordHashesQueuedMax: limit(64, 'Passwords that wait for that; more people are asked to try again.'),
  attemptsWindowMs: limit(900_000, 'For how long attempts at signing in are counted.'),
  guessesPerPersonMax: limit(10, 'Wrong passwords or codes for one address from one network in that time.'),
  guessesPerNetworkMax: limit(
    100,
    'Wrong passwords or codes from one network (an IPv4 address, a /64 of IPv6) in that time.',
  ),
  guessesFromStrangersMax: limit(
    50,
    'Wrong passwords for one address in that time, from all networks together, in browsers that have not signed in with it before.',
  ),
  signUpsPerNetworkMax: limit(2_000, 'Sign-ups from one network in that time.'),
  challengesPerNetworkMax: limit(
    2_000,
    'Sign-ins by passkey or provider that one network may begin in that time.',
  ),
  emailsPerAddressMax: limit(5, 'E-mails that one network may cause to one address in that time.'),
  emailsPerNetworkMax: limit(100, 'E-mails that one network may cause in that time.'),
  attemptsPerSiteFactor: limit(4, 'How many times as much as one of its /64 a whole /48 of IPv6 may do.'),
  attemptsKeptMax: limit(
    50_000,
    'Networks and addresses whose attempts are remembered; those that are quiet go first.',
  ),
  uniformAnswerMs: limit(
    250,
    'Answers whose timing could show whether an account exists come in steps of this.',
  ),
  sessionDaysMax: limit(30, 'Days after which a session ends, used or not.'),
  sessionsPerPersonMax: limit(100, 'Sessions of one person; the oldest end.'),
  knownDeviceDaysMax: limit(180, 'Days for which it is remembered in a browser who signed in there.'),
  sessionCachedMs: limit(
    5_000,
    'How long a session is believed without asking the database, when another process ended it.',
  ),
  sessionsCachedMax: limit(10_000, 'Sessions that are remembered that way.'),
  lastSeenStepMs: limit(600_000, 'How exactly it is known when a person was last here.'),
  invitationDaysMax: limit(7, 'Days for which an invitation is good.'),
  resetLinkMs: limit(
    86_400_000,
    'For how long a link is good that an administrator makes for a new password.',
  ),
  openInvitationsMax: limit(100, 'Open invitations of one organization.'),
  organizationsPerPersonMax: limit(20, 'Organizations that one person may make.'),
  membersPerOrganizationMax: limit(1_000, 'Members of one organization.'),
  issuerMs: limit(5_000, 'How long an OpenID provider may take to describe itself.'),
  issuerRetryMs: limit(60_000, 'How soon one that did not answer is asked again.'),

  // Mail
  mailConnectionsMax: limit(3, 'Connections to the mail server.'),
  mailQueueMax: limit(1_000, 'E-mails that wait for the mail server; more are not sent.'),
  mailTriesMax: limit(4, 'Tries for one e-mail.'),
  mailRetryMs: limit(30_000, 'The pause after the first try; it grows with each.'),
  mailMs: limit(20_000, 'How long the mail server may be silent.'),

  // The command line's way to a running server
  adminBytesMax: limit(
    16 * 1024 * 1024,
    'One question or answer between the command line and a running server.',
  ),
  adminTimeoutMs: limit(600_000, 'How long a command of the command line may take in a running server.'),
  adminConnectionsMax: limit(32, 'Commands at once in a running server.'),

  // Ending
  drainMs: limitOrZero(600_000, 'How long running streams may go on after the server was asked to stop.'),
  closeMs: limit(5_000, 'How long connections that serve no request may take to close at the end.'),
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

/** Every default by its name. */
export const limitDefaults = Object.fromEntries(
  Object.entries<Limit>(limitsTable).map(([name, row]) => [name, row.default]),
) as unknown as Limits
