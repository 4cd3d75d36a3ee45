/** How fast an offer streamed a response, noted for routing. */
import { type Clock, steadyClock } from '../../../base/clock.ts'
import type { ReceiptDraft } from '../../../ledger/types.ts'
import type { Speeds } from '../../../providers/speeds.ts'
import type { RequestContext, UpstreamResponse } from '../../request.ts'

export interface SpeedDeps {
  readonly speeds: Pick<Speeds, 'note'>
  readonly clock: Clock
}

/** Fewer tokens than this say nothing of an upstream's speed. */
const speedTokensMin = 16

/** Notes how fast the offer streamed a complete response. */
export function noteSpeed(
  { speeds, clock }: SpeedDeps,
  context: RequestContext,
  { body, candidate, attempts, firstContentMs }: UpstreamResponse,
  { endReason, output }: Pick<ReceiptDraft, 'endReason' | 'output'>,
): void {
  const attempt = attempts.at(-1)
  if (body.kind !== 'stream' || candidate === null || endReason !== 'complete') return
  if (attempt === undefined || attempt.firstByteMs === null) return
  const streamedMs = firstContentMs === null ? 0 : steadyClock(clock, context).wallMs() - firstContentMs
  speeds.note(candidate.upstream.name, candidate.offer.upstreamModel, {
    firstByteMs: attempt.firstByteMs - attempt.startedMs,
    tokensPerSecond: output < speedTokensMin || streamedMs <= 0 ? null : (output * 1_000) / streamedMs,
  })
}
