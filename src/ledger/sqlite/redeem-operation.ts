/**
 * Redeeming a code: its use and its credit in one step on the writer, so that however many try at once, no more get
 * it than it allows, and nobody twice.
 */
import { assert } from '../../base/assert.ts'
import { formatId } from '../../base/ids.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import type { CodeAsk, CodeResult } from '../payment-types.ts'
import type { CreditAsk, CreditResult } from '../types.ts'

export function redeemOperation(database: Database, credit: (ask: CreditAsk) => CreditResult) {
  const find = prepare(
    database,
    'SELECT id, amount, uses < uses_max, expires_ms, revoked_ms FROM redeem_code WHERE hash = ?',
  )
  const findUse = prepare(database, 'SELECT 1 FROM code_use WHERE code = ? AND account = ?')
  const use = prepare(database, 'UPDATE redeem_code SET uses = uses + 1 WHERE id = ? AND uses < uses_max')
  const insert = prepare(database, 'INSERT INTO code_use (code, account, entry) VALUES (?, ?, ?)')
  return ({ entryId, hash, account, nowMs }: CodeAsk): CodeResult => {
    const row = find.row(hash)
    if (row === undefined) return { kind: 'refused', reason: 'unknown' }
    const [id, amount, isLeft, expiresMs, revokedMs] = row as [
      bigint,
      bigint,
      bigint,
      bigint | null,
      bigint | null,
    ]
    if (revokedMs !== null) return { kind: 'refused', reason: 'revoked' }
    if (expiresMs !== null && expiresMs <= BigInt(nowMs)) return { kind: 'refused', reason: 'expired' }
    if (findUse.row(id, account) !== undefined) return { kind: 'refused', reason: 'used_before' }
    if (isLeft === 0n) return { kind: 'refused', reason: 'used_up' }
    const credited = credit({
      entryId,
      account,
      amount,
      source: 'code',
      reference: codeReference(id, account),
      nowMs,
      note: null,
    })
    assert(credited.kind === 'credited' && credited.created, 'a code that was not used gives credit')
    assert(use.run(id) === 1, 'a code that has a use left is used')
    insert.run(id, account, entryId)
    return { kind: 'credited', amount, posted: credited.posted }
  }
}

const codeReference = (code: bigint, account: bigint): string =>
  `${formatId('code', code)}:${formatId('acct', account)}`
