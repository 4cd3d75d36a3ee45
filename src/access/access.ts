/**
 * Keys as the data plane meets them: found in memory by their keyed hash, looked up in the store once when
 * they are not there, judged by the clock at every use. The whole key is never stored and never logged.
 */
import { createHmac, createSecretKey } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Clock } from '../base/clock.ts'
import type { NextId, RandomBytes } from '../base/ids.ts'
import type { RateLimits } from '../limits/types.ts'
import type { Store } from '../store/store.ts'
import type { ApiKeyTable } from '../store/tables.ts'
import { inTransaction } from '../store/transaction.ts'
import { foreignProvider } from './foreign-keys.ts'
import { judge } from './judge.ts'
import { makeKey, readKey } from './key-form.ts'
import { Lru } from './lru.ts'
import { policyFromText, policyToText } from './policy-text.ts'
import type { Access, KeyRow } from './types.ts'

export interface AccessParts {
  readonly store: Pick<Store, 'database'>
  readonly clock: Clock
  readonly nextId: NextId
  readonly random: RandomBytes
  /** Derived for hashing API keys and for nothing else. */
  readonly hashKey: Uint8Array
  /** What an account as a whole may take. */
  readonly accountRates: (account: bigint) => RateLimits
  readonly limits: { readonly keysCachedMax: number; readonly unknownKeysCachedMax: number }
}

export function openAccess(parts: AccessParts): Access {
  const { store, clock, nextId, random, hashKey, accountRates } = parts
  const memory = keyMemory(parts)
  const listeners = new Set<(key: bigint) => void>()

  // Made once: importing the key costs more than the hash itself.
  const hashKeyObject = createSecretKey(hashKey)

  function hashOf(key: string): Buffer {
    return createHmac('sha256', hashKeyObject).update(key).digest()
  }

  return {
    async identify(credential) {
      if (readKey(credential) === undefined) {
        const provider = foreignProvider(credential)
        return provider === undefined ? { kind: 'invalid' } : { kind: 'foreign', provider }
      }
      const row = await memory.find(hashOf(credential))
      return row === undefined ? { kind: 'invalid' } : judge(row, clock.wallMs(), accountRates)
    },

    async create(asked) {
      const id = nextId()
      const { key, label } = makeKey(asked.account, id, random)
      const hash = hashOf(key)
      const row: KeyRow = {
        id,
        ...asked,
        label,
        createdMs: clock.wallMs(),
        revokedMs: null,
        disabled: false,
      }
      await insert(store, row, hash)
      memory.put(hash, row)
      return { id, secret: key, label }
    },

    async list(account) {
      const rows = await store.database
        .selectFrom('api_key')
        .selectAll()
        .where('account', '=', account)
        .orderBy('id')
        .execute()
      return rows.map(keyRow)
    },

    async key(id) {
      const row = await store.database
        .selectFrom('api_key')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst()
      return row === undefined ? undefined : keyRow(row)
    },

    async revoke(id) {
      const revoked = await revokeRow(store, id, clock.wallMs())
      if (revoked.kind !== 'revoked') return revoked.kind
      memory.put(revoked.hash, revoked.row)
      for (const listener of listeners) listener(id)
      return 'revoked'
    },

    onRevoked(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

interface KeyMemory {
  /** From memory, else from the store. */
  find(hash: Uint8Array): Promise<KeyRow | undefined>
  /** What is newest of a key. */
  put(hash: Uint8Array, row: KeyRow): void
}

function keyMemory({ store, limits }: Pick<AccessParts, 'store' | 'limits'>): KeyMemory {
  const known = new Lru<string, KeyRow>(limits.keysCachedMax)
  // Apart from the known ones, so that a flood of made-up keys cannot push out real ones.
  const unknown = new Lru<string, true>(limits.unknownKeysCachedMax)
  const underWay = new Map<string, Promise<KeyRow | undefined>>()

  async function ask(name: string, hash: Uint8Array): Promise<KeyRow | undefined> {
    const row = await readByHash(store, hash)
    // What a revocation put here meanwhile is newer than what was read.
    const newer = known.get(name)
    if (newer !== undefined) return newer
    if (row === undefined) unknown.set(name, true)
    else known.set(name, row)
    return row
  }

  return {
    async find(hash) {
      const name = nameOf(hash)
      if (unknown.get(name) !== undefined) return undefined
      const found = known.get(name)
      if (found !== undefined) return found
      // Requests with the same key that come at once share one question.
      const asked = underWay.get(name) ?? ask(name, hash).finally(() => underWay.delete(name))
      underWay.set(name, asked)
      return await asked
    },
    put: (hash, row) => known.set(nameOf(hash), row),
  }
}

function nameOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString('base64')
}

function keyRow(row: Selectable<ApiKeyTable>): KeyRow {
  return {
    id: row.id,
    account: row.account,
    name: row.name,
    label: row.label,
    createdMs: Number(row.created_ms),
    expiresMs: row.expires_ms === null ? null : Number(row.expires_ms),
    revokedMs: row.revoked_ms === null ? null : Number(row.revoked_ms),
    disabled: row.disabled !== 0n,
    policy: policyFromText(row.policy),
  }
}

async function readByHash(
  { database }: Pick<Store, 'database'>,
  hash: Uint8Array,
): Promise<KeyRow | undefined> {
  const row = await database.selectFrom('api_key').selectAll().where('hash', '=', hash).executeTakeFirst()
  return row === undefined ? undefined : keyRow(row)
}

async function insert({ database }: Pick<Store, 'database'>, row: KeyRow, hash: Uint8Array): Promise<void> {
  await database
    .insertInto('api_key')
    .values({
      id: row.id,
      account: row.account,
      name: row.name,
      label: row.label,
      hash,
      created_ms: row.createdMs,
      expires_ms: row.expiresMs,
      revoked_ms: null,
      disabled: 0,
      policy: policyToText(row.policy),
    })
    .execute()
}

type Revocation =
  | { readonly kind: 'revoked'; readonly hash: Uint8Array; readonly row: KeyRow }
  | { readonly kind: 'already_revoked' }
  | { readonly kind: 'not_found' }

function revokeRow(store: Pick<Store, 'database'>, id: bigint, nowMs: number): Promise<Revocation> {
  return inTransaction(store, async (transaction): Promise<Revocation> => {
    const row = await transaction.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirst()
    if (row === undefined) return { kind: 'not_found' }
    if (row.revoked_ms !== null) return { kind: 'already_revoked' }
    await transaction.updateTable('api_key').set({ revoked_ms: nowMs }).where('id', '=', id).execute()
    return { kind: 'revoked', hash: row.hash, row: { ...keyRow(row), revokedMs: nowMs } }
  })
}
