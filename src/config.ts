/**
 * The only reader of the environment. One frozen value that holds every setting and every limit;
 * whoever needs one gets it as a parameter.
 */

/** Every limit has a name, a unit and a default here. */
export const limitDefaults = {
  // The edge
  bodyBytesMax: 32 * 1024 * 1024,
  headerBytesMax: 16 * 1024,
  headersMax: 100,
  urlBytesMax: 8 * 1024,
  jsonDepthMax: 64,
  jsonValuesMax: 250_000,
  integerMax: 1_000_000_000,
  bodyBudgetBytes: 512 * 1024 * 1024,
  eventBudgetBytes: 256 * 1024 * 1024,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 300_000,
  keepAliveTimeoutMs: 75_000,
  lingerBytesMax: 32 * 1024 * 1024,
  lingerMs: 3_000,
  connectionsMax: 20_000,
  eventLoopDelayMsMax: 1_000,
  heapShareMax: 0.9,

  // The wire
  eventBytesMax: 16 * 1024 * 1024,
  unsentBytesMax: 1024 * 1024,
  answerBytesMax: 64 * 1024 * 1024,
  errorBytesMax: 1024 * 1024,
  sampleCharactersMax: 16 * 1024,
  peekMs: 8_000,
  keepAliveMs: 12_000,
  slowReaderMs: 60_000,

  // Upstreams
  connectMs: 10_000,
  silenceMs: 300_000,
  contentGapMs: 300_000,
  contentGapReasoningMs: 1_200_000,
  totalMs: 3_600_000,
  readOnMs: 120_000,
  readOnPerAccountMax: 8,
  attemptsMax: 3,
  retryShareMax: 0.2,
  retriesMin: 3,
  cooldownMsMax: 60_000,
  socketsPerOriginMax: 4_096,

  // Money
  reserveShare: { numerator: 1n, denominator: 2n },
  outputFloor: 1_024,
  outputFloorReasoning: 8_192,
  holdWaitMs: 2_000,
  holdWaitersPerAccountMax: 64,
  settleWaitMs: 5_000,
  serverToolUsesMax: 5,
  checkpointNanoMin: 1_000_000n,
  checkpointShareOfHold: { numerator: 1n, denominator: 100n },
  absorbedNanoPerDayMax: 500_000_000n,
  signupNano: 5_000_000_000n,
  batchOperationsMax: 256,
  operationsQueuedMax: 50_000,
  transactionMs: 1_000,

  // Counting tokens
  countRunBytesMax: 2_048,
  countBytesMax: 16 * 1024 * 1024,
  countQueueMax: 256,
  countMs: 10_000,

  // Rates per account; null = none
  requestsPerMinute: 600,
  tokensPerMinute: 2_000_000,
  concurrent: 100,

  // Keys
  unknownKeysCachedMax: 10_000,
  keysCachedMax: 100_000,

  // Ending
  drainMs: 600_000,
} as const

export type Limits = { readonly [Name in keyof typeof limitDefaults]: Widened<(typeof limitDefaults)[Name]> }

type Widened<Value> = Value extends number
  ? number
  : Value extends bigint
    ? bigint
    : Value extends { numerator: bigint; denominator: bigint }
      ? { readonly numerator: bigint; readonly denominator: bigint }
      : never
