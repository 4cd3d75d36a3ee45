/** An account's billing settings and saved method: their rows, without any consequences. */
import type { Insertable, Selectable } from 'kysely'
import type { Store } from '../store/store.ts'
import type { BillingSettingTable } from '../store/tables.ts'
import type { SavedMethod } from './provider.ts'
import type { BillingChange, BillingSetting } from './types.ts'

/** Whom the provider knows an account as. */
export interface BillingCustomer {
  readonly customer: string
  readonly method: string | null
}

/** An account whose balance is below what it set, and what it wants then. */
export interface ShortAccount {
  readonly account: bigint
  readonly amount: bigint
  readonly payer: BillingCustomer & { readonly method: string }
}

export interface AlertSetting {
  readonly account: bigint
  readonly days: number
  readonly isSent: boolean
}

export interface BillingRows {
  setting(account: bigint): Promise<BillingSetting>
  change(account: bigint, change: BillingChange): Promise<void>
  /** Automatic top-ups are paused until the account resumes them or pays manually; null: they are active. */
  rest(account: bigint, problem: string | null): Promise<void>
  /** None is begun before `untilMs`. */
  wait(account: bigint, untilMs: number): Promise<void>
  payer(account: bigint, mode: string): Promise<BillingCustomer | undefined>
  /** The customer after the call: the one of an earlier call, if there is one. */
  keepCustomer(account: bigint, mode: string, customer: string): Promise<string>
  dropCustomer(account: bigint): Promise<void>
  keepMethod(account: bigint, mode: string, saved: SavedMethod): Promise<void>
  forgetMethod(account: bigint): Promise<void>
  /** Not those that wait for a later moment. */
  short(
    when: { readonly mode: string; readonly nowMs: number },
    limit: number,
  ): Promise<readonly ShortAccount[]>
  /** Accounts with an alert after the account `after`, in order. */
  alerts(after: bigint, limit: number): Promise<readonly AlertSetting[]>
  /** null: armed again. */
  alerted(account: bigint, sentMs: number | null): Promise<void>
}

export function billingRows(store: Pick<Store, 'database'>): BillingRows {
  return { ...settingRows(store), ...payerRows(store), ...watchedRows(store) }
}

function settingRows({
  database,
}: Pick<Store, 'database'>): Pick<BillingRows, 'setting' | 'change' | 'rest' | 'wait' | 'alerted'> {
  const upsert = async (account: bigint, set: Omit<Insertable<BillingSettingTable>, 'account'>) => {
    if (Object.keys(set).length === 0) return
    await database
      .insertInto('billing_setting')
      .values({ ...none, account, ...set })
      .onConflict((conflict) => conflict.column('account').doUpdateSet(set))
      .execute()
  }
  return {
    async setting(account) {
      const [row, payer] = await Promise.all([
        database.selectFrom('billing_setting').selectAll().where('account', '=', account).executeTakeFirst(),
        database.selectFrom('payment_method').selectAll().where('account', '=', account).executeTakeFirst(),
      ])
      const { auto_below: below = null, auto_amount: amount = null } = row ?? {}
      return {
        autoTopUp: below === null || amount === null ? null : { below, amount },
        autoTopUpProblem: row?.auto_problem ?? null,
        autoTopUpWaitsMs: row === undefined || row.auto_waits_ms === null ? null : Number(row.auto_waits_ms),
        savedMethod: payer?.words ?? null,
        alertDays: alertDaysOf(row),
        invoiceTo: row?.invoice_to ?? '',
        frozen: row?.frozen ?? null,
      }
    },
    change: (account, { autoTopUp, alertDays, invoiceTo }) =>
      upsert(account, {
        ...(autoTopUp === undefined
          ? {}
          : {
              auto_below: autoTopUp?.below ?? null,
              auto_amount: autoTopUp?.amount ?? null,
              auto_problem: null,
              auto_waits_ms: null,
            }),
        ...(alertDays === undefined
          ? {}
          : {
              alert_days: alertDays === 0 ? null : alertDays,
              alert_off: alertDays === 0 ? 1 : 0,
              alert_sent_ms: null,
            }),
        ...(invoiceTo === undefined ? {} : { invoice_to: invoiceTo }),
      }),
    rest: (account, problem) => upsert(account, { auto_problem: problem }),
    wait: (account, untilMs) => upsert(account, { auto_waits_ms: untilMs }),
    alerted: (account, sentMs) => upsert(account, { alert_sent_ms: sentMs }),
  }
}

function alertDaysOf(
  row: Pick<Selectable<BillingSettingTable>, 'alert_days' | 'alert_off'> | undefined,
): number | null {
  if (row?.alert_off === 1n) return 0
  return row === undefined || row.alert_days === null ? null : Number(row.alert_days)
}

const none = {
  auto_below: null,
  auto_amount: null,
  auto_problem: null,
  auto_waits_ms: null,
  alert_days: null,
  alert_sent_ms: null,
  frozen: null,
  frozen_ms: null,
}

type PayerPart = 'payer' | 'keepCustomer' | 'dropCustomer' | 'keepMethod' | 'forgetMethod'

function payerRows({ database }: Pick<Store, 'database'>): Pick<BillingRows, PayerPart> {
  const payer: BillingRows['payer'] = (account, mode) =>
    database
      .selectFrom('payment_method')
      .select(['customer', 'method'])
      .where('account', '=', account)
      .where('mode', '=', mode)
      .executeTakeFirst()
  return {
    payer,
    async keepCustomer(account, mode, customer) {
      const words = { mode, customer, method: null, words: null }
      await database
        .insertInto('payment_method')
        .values({ account, ...words })
        // A customer of the other mode is of no use here, one of this mode stays.
        .onConflict((conflict) =>
          conflict.column('account').doUpdateSet(words).where('payment_method.mode', '<>', mode),
        )
        .execute()
      return (await payer(account, mode))?.customer ?? customer
    },
    async dropCustomer(account) {
      await database.deleteFrom('payment_method').where('account', '=', account).execute()
    },
    async keepMethod(account, mode, { customer, method, words }) {
      const values = { mode, customer, method, words }
      await database
        .insertInto('payment_method')
        .values({ account, ...values })
        .onConflict((conflict) => conflict.column('account').doUpdateSet(values))
        .execute()
    },
    async forgetMethod(account) {
      await database
        .updateTable('payment_method')
        .set({ method: null, words: null })
        .where('account', '=', account)
        .execute()
    },
  }
}

function watchedRows({ database }: Pick<Store, 'database'>): Pick<BillingRows, 'short' | 'alerts'> {
  return {
    async short({ mode, nowMs }, limit) {
      const found = await database
        .selectFrom('billing_setting as setting')
        .innerJoin('account', 'account.id', 'setting.account')
        .innerJoin('payment_method as payer', 'payer.account', 'setting.account')
        .select(['setting.account', 'setting.auto_amount', 'payer.customer', 'payer.method'])
        .where('setting.auto_below', 'is not', null)
        .where('setting.auto_problem', 'is', null)
        .where((where) =>
          where.or([
            where('setting.auto_waits_ms', 'is', null),
            where('setting.auto_waits_ms', '<=', BigInt(nowMs)),
          ]),
        )
        .where('account.suspended_ms', 'is', null)
        .where('payer.mode', '=', mode)
        .where('payer.method', 'is not', null)
        .where((where) =>
          where(where('posted', '-', where.ref('held')), '<', where.ref('setting.auto_below')),
        )
        .orderBy('setting.account')
        .limit(limit)
        .execute()
      return found.flatMap(({ account, auto_amount: amount, customer, method }) =>
        amount === null || method === null ? [] : [{ account, amount, payer: { customer, method } }],
      )
    },
    async alerts(after, limit) {
      const found = await database
        .selectFrom('billing_setting')
        .select(['account', 'alert_days', 'alert_sent_ms'])
        .where('alert_days', 'is not', null)
        .where('account', '>', after)
        .orderBy('account')
        .limit(limit)
        .execute()
      return found.map(({ account, alert_days: days, alert_sent_ms: sentMs }) => ({
        account,
        days: Number(days),
        isSent: sentMs !== null,
      }))
    },
  }
}
