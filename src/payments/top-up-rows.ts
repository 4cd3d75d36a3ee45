/**
 * The rows of top-ups, as payments read and write them. Columns that follow from money (paid, refunded, disputed) are written only by
 * the ledger's operations, together with the entries.
 */
import { type Selectable, sql } from 'kysely'
import type { Store } from '../store/store.ts'
import type { TopUpTable } from '../store/tables.ts'
import type { TopUp, TopUpFilter, TopUpState } from './types.ts'

/** A row with its provider ids in addition to the public fields. */
export interface TopUpRow extends TopUp {
  readonly disputed: bigint
  readonly currency: string
  readonly mode: string
  readonly provider: string
  readonly session: string | null
  readonly paymentIntent: string | null
  readonly saveMethod: boolean
}

export interface TopUpDraft {
  readonly id: bigint
  readonly account: bigint
  readonly amount: bigint
  readonly mode: 'test' | 'live'
  readonly provider: string
  readonly automatic: boolean
  readonly saveMethod: boolean
  readonly nowMs: number
}

/** The provider's news of a top-up that is not paid; absent fields stay. */
export interface TopUpNews {
  readonly state?: TopUpState
  readonly problem?: string | null
  readonly payUrl?: string | null
  readonly session?: string
  readonly paymentIntent?: string
}

export type AutomaticInsert =
  | { readonly kind: 'begun' | 'under_way' }
  | { readonly kind: 'full'; readonly untilMs: number }

export interface TopUpRows {
  /** Inserts a top-up that awaits payment. Returns false if `openMax` of the account already do. */
  insertOpen(draft: TopUpDraft, openMax: number): Promise<boolean>
  /** Inserts a top-up that this payment paid, unless either of them has a row. */
  insertRecovered(draft: TopUpDraft, paymentIntent: string): Promise<void>
  /**
   * The same, unless the account has a pending automatic one of the same mode, or a failed one that was not reported
   * yet, or has had `perDayMax` in the last 24 hours: then it returns until when.
   */
  insertAutomatic(draft: TopUpDraft, perDayMax: number): Promise<AutomaticInsert>
  find(id: bigint): Promise<TopUpRow | undefined>
  findByPayment(paymentIntent: string): Promise<TopUpRow | undefined>
  list(filter: TopUpFilter): Promise<readonly TopUpRow[]>
  /** Writes the new state, unless the top-up was paid in the meantime. */
  note(id: bigint, news: TopUpNews, nowMs: number): Promise<void>
  /** Pending top-ups not checked since then, oldest check first; `disputedMs` applies to disputes. */
  unsettled(
    askedBefore: { readonly openMs: number; readonly disputedMs: number },
    limit: number,
  ): Promise<readonly bigint[]>
  /** Automatic ones that may never have reached the provider. */
  unsent(limit: number): Promise<readonly TopUpRow[]>
  /** Automatic ones that failed and have no page where their owner can pay; not those just tried. */
  pageless(
    when: { readonly mode: string; readonly nowMs: number; readonly triedMs: number },
    limit: number,
  ): Promise<readonly TopUpRow[]>
}

const dayMs = 86_400_000
const underWay = ['open', 'processing'] as const
const unpaid = ['failed', 'action_required'] as const
/** Banks report a failed debit within weeks; after this time no notice is sent. */
const tellingMs = 30 * dayMs

export function topUpRows({ database }: Pick<Store, 'database'>): TopUpRows {
  const rows = () => database.selectFrom('top_up').selectAll()
  return {
    insertOpen: (draft, openMax) => insertOpen(database, draft, openMax),
    async insertRecovered(draft, paymentIntent) {
      await database
        .insertInto('top_up')
        .values({ ...valuesOf(draft), payment_intent: paymentIntent })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },
    insertAutomatic: (draft, perDayMax) =>
      database.transaction().execute(async (transaction) => {
        const earlier = transaction
          .selectFrom('top_up')
          .select('id')
          .where('account', '=', draft.account)
          .where('automatic', '=', 1n)
          .where('mode', '=', draft.mode)
        const unfinished = await earlier
          .where((where) =>
            where.or([
              where('state', 'in', underWay),
              where.and([
                where('state', 'in', unpaid),
                where('session', 'is', null),
                where('created_ms', '>', BigInt(draft.nowMs - tellingMs)),
              ]),
            ]),
          )
          .executeTakeFirst()
        if (unfinished !== undefined) return { kind: 'under_way' }
        const ofToday = await earlier
          .select('created_ms')
          .where('created_ms', '>', BigInt(draft.nowMs - dayMs))
          .orderBy('created_ms', 'desc')
          .limit(perDayMax)
          .execute()
        const oldest = ofToday[perDayMax - 1]
        if (oldest !== undefined) return { kind: 'full', untilMs: Number(oldest.created_ms) + dayMs }
        await transaction.insertInto('top_up').values(valuesOf(draft)).execute()
        return { kind: 'begun' }
      }),
    async find(id) {
      const row = await rows().where('id', '=', id).executeTakeFirst()
      return row === undefined ? undefined : toRow(row)
    },
    async findByPayment(paymentIntent) {
      const row = await rows().where('payment_intent', '=', paymentIntent).executeTakeFirst()
      return row === undefined ? undefined : toRow(row)
    },
    async list({ account, limit, before }) {
      let query = rows().orderBy('id', 'desc').limit(limit)
      if (account !== null) query = query.where('account', '=', account)
      if (before !== null) query = query.where('id', '<', before)
      return (await query.execute()).map(toRow)
    },
    async note(id, news, nowMs) {
      await database
        .updateTable('top_up')
        .set({ ...columnsOf(news), checked_ms: nowMs })
        .where('id', '=', id)
        .where((where) =>
          // Only the time of the check may change on a paid top-up.
          Object.keys(news).length === 0 ? where.lit(true) : where('paid_ms', 'is', null),
        )
        .execute()
    },
    ...waitingRows({ database }),
  }
}

function insertOpen(database: Store['database'], draft: TopUpDraft, openMax: number): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const open = await transaction
      .selectFrom('top_up')
      .select('id')
      .where('account', '=', draft.account)
      .where('state', '=', 'open')
      .limit(openMax)
      .execute()
    if (open.length >= openMax) return false
    await transaction.insertInto('top_up').values(valuesOf(draft)).execute()
    return true
  })
}

/** With the sign its index is not taken, which is a unique one and passes for short, and is long with rows of nothing. */
const isNothing = (column: 'payment_intent' | 'session') => sql<boolean>`+${sql.ref(column)} is null`

/** Queries for top-ups that must be checked with the provider again. */
function waitingRows({
  database,
}: Pick<Store, 'database'>): Pick<TopUpRows, 'unsettled' | 'unsent' | 'pageless'> {
  return {
    async unsettled({ openMs, disputedMs }, limit) {
      const found = await database
        .selectFrom('top_up')
        .select('id')
        .where((where) =>
          where.or([
            where.and([
              where('state', 'in', ['open', 'processing', 'action_required']),
              where('checked_ms', '<=', BigInt(openMs)),
            ]),
            // An automatic one that failed and can still be paid by hand.
            where.and([where('pay_url', 'is not', null), where('checked_ms', '<=', BigInt(openMs))]),
            where.and([where('state', '=', 'disputed'), where('checked_ms', '<=', BigInt(disputedMs))]),
          ]),
        )
        .orderBy('checked_ms')
        .limit(limit)
        .execute()
      return found.map(({ id }) => id)
    },
    async unsent(limit) {
      const found = await database
        .selectFrom('top_up')
        .selectAll()
        .where('state', '=', 'open')
        .where('automatic', '=', 1n)
        .where(isNothing('payment_intent'))
        .where(isNothing('session'))
        .orderBy('id')
        .limit(limit)
        .execute()
      return found.map(toRow)
    },
    async pageless({ mode, nowMs, triedMs }, limit) {
      const found = await database
        .selectFrom('top_up')
        .selectAll()
        .where('automatic', '=', 1n)
        .where('mode', '=', mode)
        .where('state', 'in', unpaid)
        .where(isNothing('session'))
        .where('created_ms', '>', BigInt(nowMs - tellingMs))
        // Old failed top-ups were all checked long ago, so the creation time is the selective column.
        .where(sql<boolean>`+checked_ms <= ${BigInt(triedMs)}`)
        .orderBy('checked_ms')
        .limit(limit)
        .execute()
      return found.map(toRow)
    },
  }
}

function valuesOf({ id, account, amount, mode, provider, automatic, saveMethod, nowMs }: TopUpDraft) {
  return {
    id,
    account,
    amount,
    currency: 'usd',
    mode,
    provider,
    session: null,
    payment_intent: null,
    state: 'open',
    automatic,
    save_method: saveMethod,
    problem: null,
    pay_url: null,
    created_ms: nowMs,
    paid_ms: null,
    checked_ms: nowMs,
  }
}

function columnsOf({ state, problem, payUrl, session, paymentIntent }: TopUpNews) {
  return {
    ...(state === undefined ? {} : { state }),
    ...(problem === undefined ? {} : { problem }),
    ...(payUrl === undefined ? {} : { pay_url: payUrl }),
    ...(session === undefined ? {} : { session }),
    ...(paymentIntent === undefined ? {} : { payment_intent: paymentIntent }),
  }
}

function toRow(row: Selectable<TopUpTable>): TopUpRow {
  return {
    id: row.id,
    account: row.account,
    amount: row.amount,
    refunded: row.refunded,
    disputed: row.disputed,
    currency: row.currency,
    mode: row.mode,
    provider: row.provider,
    session: row.session,
    paymentIntent: row.payment_intent,
    state: row.state as TopUpState,
    automatic: row.automatic !== 0n,
    saveMethod: row.save_method !== 0n,
    problem: row.problem,
    payUrl: row.pay_url,
    createdMs: Number(row.created_ms),
    paidMs: row.paid_ms === null ? null : Number(row.paid_ms),
  }
}
