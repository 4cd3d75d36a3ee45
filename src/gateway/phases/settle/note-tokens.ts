/** What a response used, noted for the upstream's limit of tokens per minute. */
import { inputTokens, outputTokens } from '../../../../contract/meters.ts'
import type { ReceiptDraft } from '../../../ledger/types.ts'
import type { UpstreamResponse } from '../../request.ts'

/** Without a response it is unknown what the upstream counts, so that what was expected stays until the minute is over. */
export function noteUsedTokens(
  { body, tokensUsed }: Pick<UpstreamResponse, 'body' | 'tokensUsed'>,
  receipt: ReceiptDraft,
): void {
  if (body.kind !== 'stream' && body.kind !== 'answer') return
  tokensUsed({ input: inputTokens(receipt), output: outputTokens(receipt) })
}
