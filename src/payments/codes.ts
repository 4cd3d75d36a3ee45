/**
 * Codes that grant credit. Only a keyed hash of a code is stored, so that neither the database nor its backups contain
 * redeemable codes; attempts are throttled per account and per address.
 */
import { createHash, createHmac } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import type { NextId, RandomBytes } from '../base/ids.ts'
import type { CodeResult, PaymentLedger } from '../ledger/payment-types.ts'
import { RateMeter } from '../limits/rate-meter.ts'
import type { Store } from '../store/store.ts'
import type { RedeemCodeTable } from '../store/tables.ts'
import type { Code, NewCode, Payments, RedeemInput } from './types.ts'

/** Accounts and addresses whose attempts are remembered. */
const triersMax = 10_000

export interface CodeDeps {
  readonly store: Pick<Store, 'database'>
  readonly ledger: Pick<PaymentLedger, 'redeem'>
  readonly clock: Clock
  readonly nextId: NextId
  readonly random: RandomBytes
  readonly hashKey: Uint8Array
  readonly limits: { readonly codeTriesPerMinute: number }
}

type Codes = Pick<Payments, 'createCode' | 'codes' | 'revokeCode' | 'redeem'>

/** 80 random bits: without letters that are taken for one another. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeBytes = 10
const groupLength = 4
/** Maximum length of a list, latest first. */
const listedMax = 1_000

export function openCodes({ store, ledger, clock, nextId, random, hashKey, limits }: CodeDeps): Codes {
  const { database } = store
  const tries = new RateMeter({ perMinute: limits.codeTriesPerMinute, takersMax: triersMax })
  const hashOf = (code: string): Uint8Array => createHmac('sha256', hashKey).update(folded(code)).digest()
  const find = async (id: bigint): Promise<Code | undefined> => {
    const row = await database.selectFrom('redeem_code').selectAll().where('id', '=', id).executeTakeFirst()
    return row === undefined ? undefined : toCode(row)
  }
  return {
    async createCode({ amount, usesMax, expiresMs, note }: NewCode) {
      const code = newCode(random)
      const id = nextId()
      await database
        .insertInto('redeem_code')
        .values({
          id,
          hash: hashOf(code),
          label: code.slice(0, groupLength),
          amount,
          uses_max: usesMax,
          expires_ms: expiresMs,
          revoked_ms: null,
          note,
          created_ms: clock.wallMs(),
        })
        .execute()
      return { id, code }
    },
    async codes() {
      const rows = await database
        .selectFrom('redeem_code')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(listedMax)
        .execute()
      return rows.map(toCode)
    },
    async revokeCode(id) {
      await database
        .updateTable('redeem_code')
        .set({ revoked_ms: clock.wallMs() })
        .where('id', '=', id)
        .where('revoked_ms', 'is', null)
        .execute()
      return find(id)
    },
    async redeem({ account, code, address }: RedeemInput) {
      const nowMs = clock.wallMs()
      for (const taker of takers(account, address)) slowDown(tries, taker, nowMs)
      const result = await ledger.redeem({ entryId: nextId(), hash: hashOf(code), account, nowMs })
      if (result.kind === 'credited') return { amount: result.amount, posted: result.posted }
      throw new TollgateError('code_not_valid', { message: rejections[result.reason], param: 'code' })
    },
  }
}

const rejections: Readonly<Record<Extract<CodeResult, { kind: 'rejected' }>['reason'], string>> = {
  unknown: 'Code not found. Check the spelling.',
  revoked: 'This code was revoked.',
  expired: 'This code has expired.',
  used_up: 'This code has reached its redemption limit.',
  used_before: 'This account has already redeemed this code.',
}

/** Normalizes typed input: upper or lower case, with or without dashes, and letters that look like digits. */
function folded(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
}

function newCode(random: RandomBytes): string {
  let bits = BigInt(`0x${Buffer.from(random(codeBytes)).toString('hex')}`)
  let letters = ''
  for (let place = 0; place < (codeBytes * 8) / 5; place += 1, bits >>= 5n) {
    letters += alphabet[Number(bits & 31n)]
  }
  return letters.match(new RegExp(`.{${groupLength}}`, 'g'))?.join('-') ?? letters
}

/** The account and the address it came from, as takers of one meter; ids of accounts are positive, these are not. */
function takers(account: bigint, address: string | null): readonly bigint[] {
  if (address === null) return [account]
  const digest = createHash('sha256').update(address).digest()
  return [account, -1n - digest.readBigUInt64BE()]
}

function slowDown(tries: RateMeter, taker: bigint, nowMs: number): void {
  const taken = tries.take(taker, nowMs)
  if (taken.kind === 'taken') return
  const { retryAfterMs } = taken
  throw new TollgateError('too_many_attempts', {
    message: 'Too many codes were entered. Try again in a minute.',
    retryAfterMs,
  })
}

function toCode(row: Selectable<RedeemCodeTable>): Code {
  const timeOrNull = (ms: bigint | null): number | null => (ms === null ? null : Number(ms))
  return {
    id: row.id,
    label: row.label,
    amount: row.amount,
    usesMax: Number(row.uses_max),
    uses: Number(row.uses),
    expiresMs: timeOrNull(row.expires_ms),
    note: row.note,
    createdMs: Number(row.created_ms),
    revokedMs: timeOrNull(row.revoked_ms),
  }
}
