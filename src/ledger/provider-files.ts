/**
 * Files that accounts keep at providers: who owns which, and at which upstream it is. A row is written before an upload is
 * sent, so that limits hold for uploads at the same time and a crash leaves no file that counts for nobody. Holds no
 * content and moves no money.
 */
import type { Selectable } from 'kysely'
import type { Store } from '../store/store.ts'
import type { ProviderFileTable } from '../store/tables.ts'
import { inTransaction } from '../store/transaction.ts'

export interface NewFile {
  readonly id: bigint
  readonly account: bigint
  readonly key: bigint
  readonly provider: string
  readonly upstream: string
  readonly bytes: number
  readonly nowMs: number
}

/** What the provider says of a file. */
export interface FileFacts {
  readonly fileId: string
  readonly bytes: number | null
  readonly purpose: string | null
  readonly expiresMs: number | null
  /** The provider's file object as JSON text. */
  readonly object: string
}

export interface FileRow extends Omit<NewFile, 'nowMs'> {
  readonly fileId: string
  readonly object: string
}

/** An upload that was begun and not finished. */
export type UnfinishedFile = Pick<FileRow, 'id' | 'account' | 'provider' | 'upstream'>

export interface FileQuery {
  readonly account: bigint
  readonly provider: string
  readonly nowMs: number
  /** The provider's id after which the page begins; null: at the beginning. */
  readonly after: string | null
  readonly order: 'asc' | 'desc'
  readonly purpose: string | null
  readonly limit: number
}

export interface FileLimits {
  readonly filesPerAccountMax: number
  readonly fileBytesPerAccountMax: number
}

export interface ProviderFiles {
  /** Takes the place of a file that is to be uploaded; `full`: the account has as much as it may. */
  reserve(file: NewFile, limits: FileLimits): Promise<'reserved' | 'full'>
  /** The provider has it. */
  finish(id: bigint, facts: FileFacts): Promise<void>
  /** What the provider says of it now. */
  update(id: bigint, facts: FileFacts): Promise<void>
  remove(id: bigint): Promise<void>
  /** The account's own files among these ids; all others are not there. */
  find(
    of: Pick<FileQuery, 'account' | 'provider' | 'nowMs'>,
    fileIds: readonly string[],
  ): Promise<readonly FileRow[]>
  /** One page, and one file more where there is another page. */
  page(query: FileQuery): Promise<readonly FileRow[]>
  ofAccount(account: bigint): Promise<readonly FileRow[]>
  /** Removes what earlier processes began and did not finish, and returns it. */
  removeUnfinished(): Promise<readonly UnfinishedFile[]>
}

/** `const files = openProviderFiles(store)` */
export function openProviderFiles(store: Pick<Store, 'database'>): ProviderFiles {
  const { database } = store
  const finished = (account: bigint) =>
    database
      .selectFrom('provider_file')
      .selectAll()
      .where('account', '=', account)
      .where('file_id', 'is not', null)
  const live = ({ account, provider, nowMs }: Pick<FileQuery, 'account' | 'provider' | 'nowMs'>) =>
    finished(account)
      .where('provider', '=', provider)
      .where((where) => where.or([where('expires_ms', 'is', null), where('expires_ms', '>', BigInt(nowMs))]))
  const write = async (id: bigint, facts: FileFacts): Promise<void> => {
    const { fileId, bytes, purpose, expiresMs, object } = facts
    await database
      .updateTable('provider_file')
      .set({
        file_id: fileId,
        purpose,
        object,
        expires_ms: expiresMs,
        ...(bytes === null ? {} : { bytes }),
      })
      .where('id', '=', id)
      .execute()
  }
  return {
    reserve: (file, limits) => reserved(store, file, limits),
    finish: write,
    update: write,
    async remove(id) {
      await database.deleteFrom('provider_file').where('id', '=', id).execute()
    },
    async find(of, fileIds) {
      if (fileIds.length === 0) return []
      const rows = await live(of)
        .where('file_id', 'in', [...fileIds])
        .execute()
      return rows.map(toFileRow)
    },
    async page(query) {
      const { after, order, purpose, limit } = query
      let asked = live(query)
      if (purpose !== null) asked = asked.where('purpose', '=', purpose)
      if (after !== null) {
        const start = await live(query).where('file_id', '=', after).executeTakeFirst()
        if (start === undefined) return []
        asked = asked.where('id', order === 'asc' ? '>' : '<', start.id)
      }
      const rows = await asked
        .orderBy('id', order)
        .limit(limit + 1)
        .execute()
      return rows.map(toFileRow)
    },
    async ofAccount(account) {
      return (await finished(account).execute()).map(toFileRow)
    },
    removeUnfinished: () =>
      database
        .deleteFrom('provider_file')
        .where('file_id', 'is', null)
        .returning(['id', 'account', 'provider', 'upstream'])
        .execute(),
  }
}

/** Counted and written in one transaction: uploads at the same time pass no limit together. */
function reserved(
  store: Pick<Store, 'database'>,
  { id, account, key, provider, upstream, bytes, nowMs }: NewFile,
  { filesPerAccountMax, fileBytesPerAccountMax }: FileLimits,
): Promise<'reserved' | 'full'> {
  return inTransaction(store, async (transaction) => {
    // What has expired the provider has deleted.
    await transaction
      .deleteFrom('provider_file')
      .where('account', '=', account)
      .where('expires_ms', '<=', BigInt(nowMs))
      .execute()
    const kept = await transaction
      .selectFrom('provider_file')
      .select((select) => [
        select.fn.countAll<bigint>().as('files'),
        select.fn.sum<bigint>('bytes').as('bytes'),
      ])
      .where('account', '=', account)
      .executeTakeFirstOrThrow()
    const bytesAfter = Number(kept.bytes ?? 0) + bytes
    if (Number(kept.files) >= filesPerAccountMax || bytesAfter > fileBytesPerAccountMax) return 'full'
    await transaction
      .insertInto('provider_file')
      .values({ id, account, key, provider, upstream, bytes, created_ms: nowMs })
      .execute()
    return 'reserved'
  })
}

function toFileRow(row: Selectable<ProviderFileTable>): FileRow {
  return {
    id: row.id,
    account: row.account,
    key: row.key,
    provider: row.provider,
    upstream: row.upstream,
    bytes: Number(row.bytes),
    fileId: row.file_id ?? '',
    object: row.object ?? '{}',
  }
}
