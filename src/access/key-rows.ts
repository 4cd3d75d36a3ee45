/** The table of API keys: whole rows in and out. Knows no secret but its hash, and judges nothing. */
import type { Insertable, Selectable } from 'kysely'
import type { Store } from '../store/store.ts'
import type { ApiKeyTable } from '../store/tables.ts'
import type { Transaction } from '../store/transaction.ts'
import { policyFromText, policyToText } from './policy.ts'
import type { KeyRow } from './types.ts'

type AccessDatabase = Pick<Store, 'database'>

/** A stored key: the columns to find it, and its permissions. */
export interface StoredKey {
  readonly hash: Uint8Array
  readonly row: KeyRow
}

function stored(row: Selectable<ApiKeyTable>): StoredKey {
  return {
    hash: row.hash,
    row: {
      id: row.id,
      account: row.account,
      name: row.name,
      label: row.label,
      createdMs: Number(row.created_ms),
      expiresMs: row.expires_ms === null ? null : Number(row.expires_ms),
      revokedMs: row.revoked_ms === null ? null : Number(row.revoked_ms),
      disabled: row.disabled !== 0n,
      policy: policyFromText(row.policy),
      createdBy: row.created_by,
      replacedBy: row.replaced_by,
    },
  }
}

function values({ row, hash }: StoredKey): Insertable<ApiKeyTable> {
  return {
    id: row.id,
    account: row.account,
    name: row.name,
    label: row.label,
    hash,
    created_ms: row.createdMs,
    expires_ms: row.expiresMs,
    revoked_ms: row.revokedMs,
    disabled: row.disabled ? 1 : 0,
    policy: policyToText(row.policy),
    created_by: row.createdBy,
    replaced_by: row.replacedBy,
  }
}

export async function keyByHash({ database }: AccessDatabase, hash: Uint8Array): Promise<KeyRow | undefined> {
  const row = await database.selectFrom('api_key').selectAll().where('hash', '=', hash).executeTakeFirst()
  return row === undefined ? undefined : stored(row).row
}

export async function keyById(
  database: AccessDatabase['database'] | Transaction,
  id: bigint,
): Promise<StoredKey | undefined> {
  const row = await database.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : stored(row)
}

export async function keysOf({ database }: AccessDatabase, account: bigint): Promise<readonly KeyRow[]> {
  const rows = await database
    .selectFrom('api_key')
    .selectAll()
    .where('account', '=', account)
    .orderBy('id')
    .execute()
  return rows.map((row) => stored(row).row)
}

export async function insertKey(
  database: AccessDatabase['database'] | Transaction,
  key: StoredKey,
): Promise<void> {
  await database.insertInto('api_key').values(values(key)).execute()
}

/** Overwrites the whole row. */
export async function saveKey(transaction: Transaction, key: StoredKey): Promise<void> {
  await transaction.updateTable('api_key').set(values(key)).where('id', '=', key.row.id).execute()
}
