/** Default asks, drafts and settlements for tests of the ledger: whole values to override fields of. */
import { noTokens } from '../../contract/meters.ts'
import type { AdmissionRequest, ReceiptDraft } from '../../src/ledger/types.ts'
import type { RateLimits } from '../../src/limits/types.ts'

export const unlimited: RateLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }

/** Asks for exactly `inputAmount`: no output, no limits, no budget. */
export const plainAsk: AdmissionRequest = {
  id: 0n,
  account: 0n,
  key: 0n,
  nowMs: Date.UTC(2026, 0, 1),
  inputAmount: 0n,
  inputTokens: 0,
  outputTokenAmount: 0n,
  outputWanted: 0,
  outputFloor: 0,
  onShortBalance: 'lower',
  patience: 'none',
  needsUnrestrictedAccount: false,
  accountLimits: unlimited,
  keyLimits: unlimited,
  keyBudget: null,
  priceVersion: 1n,
  model: 'a-model',
  format: 'openai-chat',
  streamed: false,
}

export const plainDraft: ReceiptDraft = {
  provider: 'a-provider',
  upstream: 'an-upstream',
  upstreamModel: 'a-model',
  upstreamRequestId: null,
  status: 200,
  endReason: 'complete',
  usageSource: 'reported',
  errorCode: null,
  ...noTokens,
  fees: {},
  ranAt: [],
  unpricedUsage: false,
  implausible: null,
  inputBound: 'bytes',
  background: false,
  upstreamCost: 0n,
  outputLimit: 0,
  outputLowered: false,
  settledLate: false,
  startedMs: Date.UTC(2026, 0, 1),
  firstByteMs: null,
  attempts: [],
  person: null,
  ownKey: false,
  ownKeyFee: null,
  offerCost: null,
}
