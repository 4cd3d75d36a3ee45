/**
 * The key under which the console itself makes an account's requests: created with the first one, judged like every
 * other key, and without a secret: its row's hash matches no key, so no client can send it.
 */
import type { Clock } from '../base/clock.ts'
import type { NextId, RandomBytes } from '../base/ids.ts'
import type { RateLimits } from '../limits/types.ts'
import type { Store } from '../store/store.ts'
import { inTransaction, type Transaction } from '../store/transaction.ts'
import { judge } from './access.ts'
import { policyToText } from './policy.ts'
import type { Access, Identified, KeyPolicy } from './types.ts'

export interface BuiltInKeysDeps {
  readonly store: Pick<Store, 'database'>
  readonly access: Pick<Access, 'key'>
  readonly clock: Clock
  readonly nextId: NextId
  readonly random: RandomBytes
  readonly accountRates: (account: bigint) => RateLimits
}

export interface BuiltInKeys {
  /** Judges the account's built-in key; the first ask makes it, with `policy`. */
  identify(account: bigint, policy: KeyPolicy): Promise<Identified>
  /** The account's built-in key; undefined while it has none. */
  of(account: bigint): Promise<bigint | undefined>
  isBuiltIn(key: bigint): Promise<boolean>
}

const builtInName = 'Playground'
const hashBytes = 32

export function openBuiltInKeys(deps: BuiltInKeysDeps): BuiltInKeys {
  const { store, access, clock, accountRates } = deps

  async function keyOf(account: bigint): Promise<bigint | undefined> {
    const row = await store.database
      .selectFrom('built_in_key')
      .select('key')
      .where('account', '=', account)
      .executeTakeFirst()
    return row?.key
  }

  return {
    of: keyOf,

    async identify(account, policy) {
      const id = (await keyOf(account)) ?? (await make(deps, account, policy))
      const row = await access.key(id)
      return row === undefined ? { kind: 'invalid' } : judge(row, clock.wallMs(), accountRates)
    },

    async isBuiltIn(key) {
      const row = await store.database
        .selectFrom('built_in_key')
        .select('key')
        .where('key', '=', key)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

/** Creates a key unless the account has one: of two concurrent calls, the second finds the first one's row. */
function make(deps: BuiltInKeysDeps, account: bigint, policy: KeyPolicy): Promise<bigint> {
  return inTransaction(deps.store, async (transaction) => {
    const made = await transaction
      .selectFrom('built_in_key')
      .select('key')
      .where('account', '=', account)
      .executeTakeFirst()
    if (made !== undefined) return made.key
    const key = deps.nextId()
    await insert(transaction, { parts: deps, key, account, policy })
    return key
  })
}

interface NewBuiltIn {
  readonly parts: Pick<BuiltInKeysDeps, 'random' | 'clock'>
  readonly key: bigint
  readonly account: bigint
  readonly policy: KeyPolicy
}

async function insert(transaction: Transaction, { parts, key, account, policy }: NewBuiltIn): Promise<void> {
  await transaction
    .insertInto('api_key')
    .values({
      id: key,
      account,
      name: builtInName,
      label: 'built in',
      hash: parts.random(hashBytes),
      created_ms: parts.clock.wallMs(),
      expires_ms: null,
      revoked_ms: null,
      disabled: 0,
      policy: policyToText(policy),
    })
    .execute()
  await transaction.insertInto('built_in_key').values({ account, key }).execute()
}
