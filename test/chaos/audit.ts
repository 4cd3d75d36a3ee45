/**
 * Invariants after chaos: each request that reached the upstream has one receipt, none is open, and no receipt charges more than the
 * upstream metered. Reads the database with its own statements.
 */
import type { LoggedRequest } from '../../sandbox/request-log.ts'
import { formatId } from '../../src/base/ids.ts'
import { runSql } from '../support/postgres-server.ts'

/** Nano-USD per token. */
export const rates = { input: 3_000n, output: 15_000n }

export interface AuditedReceipt {
  readonly id: string
  readonly account: bigint
  readonly endReason: string
  readonly charged: bigint
  readonly writtenOff: bigint
  readonly hold: bigint
}

interface EndSums {
  requests: number
  metered: bigint
  charged: bigint
  writtenOff: bigint
}

export interface Audit {
  readonly dispatched: number
  readonly receipts: number
  readonly byEnd: ReadonlyMap<string, EndSums>
  /** Each is a sentence. */
  readonly mistakes: readonly string[]
}

export async function receiptsIn(url: string): Promise<ReadonlyMap<string, AuditedReceipt>> {
  const rows = await runSql(url, 'SELECT id, account, end_reason, charged, written_off, hold FROM receipt')
  const receipts = rows.map(
    (row): AuditedReceipt => ({
      id: formatId('req', BigInt(row.id as string)),
      account: BigInt(row.account as string),
      endReason: row.end_reason as string,
      charged: BigInt(row.charged as string),
      writtenOff: BigInt(row.written_off as string),
      hold: BigInt(row.hold as string),
    }),
  )
  return new Map(receipts.map((receipt) => [receipt.id, receipt]))
}

/**
 * @param completed requests whose client saw the mark of a complete response
 */
export function audit(
  receipts: ReadonlyMap<string, AuditedReceipt>,
  log: readonly LoggedRequest[],
  completed: ReadonlySet<string>,
): Audit {
  const metered = Map.groupBy(log, ({ requestId }) => requestId)
  const mistakes: string[] = []
  const byEnd = new Map<string, EndSums>()
  for (const id of metered.keys())
    if (!receipts.has(id)) mistakes.push(`${id} was dispatched and has no receipt`)
  for (const id of completed) {
    const end = receipts.get(id)?.endReason ?? 'without a receipt'
    if (end !== 'complete') mistakes.push(`${id} was complete for its client and is ${end}`)
  }
  for (const receipt of receipts.values()) {
    const tries = metered.get(receipt.id) ?? []
    const worth = tries.reduce((sum, made) => sum + worthOf(made), 0n)
    const sums = byEnd.get(receipt.endReason) ?? { requests: 0, metered: 0n, charged: 0n, writtenOff: 0n }
    byEnd.set(receipt.endReason, sums)
    sums.requests += 1
    sums.metered += worth
    sums.charged += receipt.charged
    sums.writtenOff += receipt.writtenOff
    mistakes.push(...mistakesOf(receipt, worth))
  }
  return { dispatched: metered.size, receipts: receipts.size, byEnd, mistakes }
}

function worthOf({ inputTokens, outputTokens }: LoggedRequest): bigint {
  return BigInt(inputTokens) * rates.input + BigInt(outputTokens) * rates.output
}

/** The most tokens by which the gateway's count of a small request may exceed the upstream's, if the upstream reported no input. */
const countedTokensMost = 60n

/**
 * A complete response is charged what the upstream metered, to the nano-dollar. One that ended otherwise is charged at most
 * that: what its checkpoints or its relayed part say.
 */
function mistakesOf({ id, endReason, charged, writtenOff, hold }: AuditedReceipt, worth: bigint): string[] {
  const stated = `${id} (${endReason}) charges ${charged} and writes off ${writtenOff}, the upstream metered ${worth}`
  if (charged > hold) return [`${stated}, and its hold was ${hold}`]
  if (endReason === 'complete') return charged + writtenOff === worth ? [] : [stated]
  return charged <= worth + countedTokensMost * rates.input ? [] : [stated]
}
