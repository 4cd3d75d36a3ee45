/** The rates that are checked before anything is read of a request, composed. Decides nothing. */
import { RateMeter } from './rate-meter.ts'
import { RequestGate } from './request-gate.ts'

/** Accounts, keys and networks whose recent request rates are in memory. */
export const takersMax = 20_000

/** Immediate 429 responses per account, or per network without a valid key, in any 60 s; further ones are delayed. */
const promptRejectionsPerMinute = 60

export interface FrontRates {
  /** Rate and concurrency of accounts and keys, checked before request bodies are read. */
  readonly gate: RequestGate
  /** Rate limit errors that are sent without delay, per account or network. */
  readonly promptRejections: RateMeter<bigint | string>
  /** Requests without a valid key, per network. */
  readonly withoutKey: RateMeter<string>
}

export interface FrontRateLimits {
  readonly requestsWithoutKeyPerMinute: number
}

export function openFrontRates(limits: FrontRateLimits): FrontRates {
  return {
    gate: new RequestGate(takersMax),
    promptRejections: new RateMeter({ perMinute: promptRejectionsPerMinute, takersMax }),
    withoutKey: new RateMeter({ perMinute: limits.requestsWithoutKeyPerMinute, takersMax }),
  }
}
