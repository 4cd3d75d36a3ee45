/**
 * Keys of the control plane: found by a hash under a separate key, checked for expiry at every use, and never valid
 * for requests to models. The whole key is never stored and never logged.
 */
import { createHmac, createSecretKey } from 'node:crypto'
import type { Insertable, Selectable } from 'kysely'
import type { Scope } from '../../contract/operation.ts'
import type { Clock } from '../base/clock.ts'
import type { NextId, RandomBytes } from '../base/ids.ts'
import type { Store } from '../store/store.ts'
import type { ManagementKeyTable } from '../store/tables.ts'
import { isManagementKey, makeManagementKey } from './key-form.ts'
import { type KeyMemoryLimits, keyMemory } from './key-memory.ts'
import type { ManagementKeyRow, ManagementKeys } from './types.ts'

export interface ManagementKeysDeps {
  readonly store: Pick<Store, 'database'>
  readonly clock: Clock
  readonly nextId: NextId
  readonly random: RandomBytes
  /** Derived for hashing management keys and for nothing else. */
  readonly hashKey: Uint8Array
  readonly limits: KeyMemoryLimits & {
    /** How exactly it is remembered when a key was last used. */
    readonly lastUsedStepMs: number
  }
  /** Called when a last use could not be stored. */
  readonly onTrouble: (error: unknown) => void
}

export function openManagementKeys(deps: ManagementKeysDeps): ManagementKeys {
  const { clock, nextId, random, limits } = deps
  const { database } = deps.store
  const hashKey = createSecretKey(deps.hashKey)
  const hashOf = (credential: string): Buffer => createHmac('sha256', hashKey).update(credential).digest()
  const select = () => database.selectFrom('management_key').selectAll()
  const memory = keyMemory(async (hash) => {
    const row = await select().where('hash', '=', hash).executeTakeFirst()
    return row === undefined ? undefined : toRow(row)
  }, limits)

  /** Updates memory immediately and the store in the background. */
  function noteUse(hash: Buffer, row: ManagementKeyRow, nowMs: number): ManagementKeyRow {
    if (row.lastUsedMs !== null && nowMs - row.lastUsedMs < limits.lastUsedStepMs) return row
    const used = { ...row, lastUsedMs: nowMs }
    memory.put(hash, used)
    const update = database.updateTable('management_key').set({ last_used_ms: nowMs })
    update.where('id', '=', row.id).execute().catch(deps.onTrouble)
    return used
  }

  return {
    async identify(credential) {
      if (!isManagementKey(credential)) return undefined
      const hash = hashOf(credential)
      const found = await memory.find(hash)
      const row = memory.newest(hash) ?? found
      const nowMs = clock.wallMs()
      if (row === undefined || row.revokedMs !== null) return undefined
      if (row.expiresMs !== null && row.expiresMs <= nowMs) return undefined
      return noteUse(hash, row, nowMs)
    },
    async key(id) {
      const row = await select().where('id', '=', id).executeTakeFirst()
      return row === undefined ? undefined : toRow(row)
    },
    async list(account) {
      const rows = await select().where('account', '=', account).orderBy('id').execute()
      return rows.map(toRow)
    },
    async create(asked) {
      const id = nextId()
      const { key, label } = makeManagementKey(id, random)
      const values = newValues({ ...asked, id, label, createdMs: clock.wallMs() }, hashOf(key))
      await database.insertInto('management_key').values(values).execute()
      return { id, secret: key }
    },
    async revoke(id) {
      const update = database.updateTable('management_key').set({ revoked_ms: clock.wallMs() })
      const row = await update
        .where('id', '=', id)
        .where('revoked_ms', 'is', null)
        .returningAll()
        .executeTakeFirst()
      if (row !== undefined) memory.put(row.hash, toRow(row))
    },
  }
}

function newValues(
  row: Omit<ManagementKeyRow, 'revokedMs' | 'lastUsedMs'>,
  hash: Uint8Array,
): Insertable<ManagementKeyTable> {
  return {
    id: row.id,
    account: row.account,
    name: row.name,
    label: row.label,
    hash,
    scopes: JSON.stringify(row.scopes),
    created_ms: row.createdMs,
    expires_ms: row.expiresMs,
    revoked_ms: null,
    last_used_ms: null,
  }
}

function toRow(row: Selectable<ManagementKeyTable>): ManagementKeyRow {
  return {
    id: row.id,
    account: row.account,
    name: row.name,
    label: row.label,
    scopes: JSON.parse(row.scopes) as readonly Scope[],
    createdMs: Number(row.created_ms),
    expiresMs: row.expires_ms === null ? null : Number(row.expires_ms),
    lastUsedMs: row.last_used_ms === null ? null : Number(row.last_used_ms),
    revokedMs: row.revoked_ms === null ? null : Number(row.revoked_ms),
  }
}
