/**
 * Redeeming a code: its use and its credit in one step on the writer, so that concurrent attempts
 * get no more than the code allows, and no account gets it twice.
 */
import { assert } from '../../base/assert.ts'
import { formatId } from '../../base/ids.ts'
import { flag, integer, numberOrNull, rowOf } from '../../store/sqlite/columns.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import { prepareRows } from '../../store/sqlite/row-statement.ts'
import type { CodeInput, CodeResult } from '../payment-types.ts'
import type { CreditInput, CreditResult } from '../types.ts'

const codeRow = rowOf({
  id: integer('id'),
  amount: integer('amount'),
  hasUsesLeft: flag('uses < uses_max'),
  expiresMs: numberOrNull('expires_ms'),
  revokedMs: numberOrNull('revoked_ms'),
})

export function redeemOperation(database: Database, credit: (input: CreditInput) => CreditResult) {
  const find = prepareRows(database, codeRow, `SELECT ${codeRow.names} FROM redeem_code WHERE hash = ?`)
  const findUse = prepare(database, 'SELECT 1 FROM code_use WHERE code = ? AND account = ?')
  const use = prepare(database, 'UPDATE redeem_code SET uses = uses + 1 WHERE id = ? AND uses < uses_max')
  const insert = prepare(database, 'INSERT INTO code_use (code, account, entry) VALUES (?, ?, ?)')
  return ({ entryId, hash, account, nowMs }: CodeInput): CodeResult => {
    const code = find.one(hash)
    if (code === undefined) return { kind: 'refused', reason: 'unknown' }
    const { id, amount, hasUsesLeft, expiresMs, revokedMs } = code
    if (revokedMs !== null) return { kind: 'refused', reason: 'revoked' }
    if (expiresMs !== null && expiresMs <= nowMs) return { kind: 'refused', reason: 'expired' }
    if (findUse.row(id, account) !== undefined) return { kind: 'refused', reason: 'used_before' }
    if (!hasUsesLeft) return { kind: 'refused', reason: 'used_up' }
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
