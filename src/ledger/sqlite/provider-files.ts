/**
 * Files that accounts keep at providers: who owns which, and at which upstream it is. A row is written before an upload is
 * sent, so that limits hold for concurrent uploads and a crash leaves no file without an account. Holds no
 * content and moves no money.
 */
import type { Selectable } from 'kysely'
import { TollgateError } from '../../base/errors.ts'
import type { Store } from '../../store/store.ts'
import type { ProviderFileTable } from '../../store/tables.ts'
import { inTransaction } from '../../store/transaction.ts'
import type {
  FileDeletions,
  FileFacts,
  FileLimits,
  FileQuery,
  FileRow,
  NewFile,
  ProviderFiles,
  UnfinishedFile,
} from '../provider-file-types.ts'

/** `const files = openProviderFiles(store)` */
export function openProviderFiles(store: Pick<Store, 'database'>): ProviderFiles {
  const { database } = store
  const { deletions, notify } = openFileDeletions(database)
  const write = async (id: bigint, facts: FileFacts): Promise<boolean> => {
    const { fileId, bytes, purpose, expiresMs, object } = facts
    const written = await database
      .updateTable('provider_file')
      .set({
        file_id: fileId,
        purpose,
        object,
        expires_ms: expiresMs,
        ...(bytes === null ? {} : { bytes }),
      })
      .where('id', '=', id)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('provider_file as other')
              .select('other.id')
              .whereRef('other.upstream', '=', 'provider_file.upstream')
              .where('other.file_id', '=', fileId)
              .where('other.id', '!=', id),
          ),
        ),
      )
      .returning('deletion_ms')
      .executeTakeFirst()
    if (written === undefined) return false
    if (written.deletion_ms !== null) notify()
    return true
  }
  return {
    ...deletions,
    reserve: (file, limits) => reserved(store, file, limits),
    finish: write,
    update: async (id, facts) => void (await write(id, facts)),
    async remove(id) {
      await database.deleteFrom('provider_file').where('id', '=', id).execute()
    },
    async find(of, fileIds) {
      if (fileIds.length === 0) return []
      const rows = await live(database, of)
        .where('file_id', 'in', [...fileIds])
        .execute()
      return rows.map(toFileRow)
    },
    page: (query) => pageOf(database, query),
    unfinished: (id, nowMs) => unfinished(database, id, nowMs),
    async removeUnfinished() {
      const rows = await database
        .deleteFrom('provider_file')
        .where('file_id', 'is', null)
        .returningAll()
        .execute()
      return rows.map(toFileRow)
    },
  }
}

/** The account's own files that it can use. */
function live(
  database: Store['database'],
  { account, provider, nowMs }: Pick<FileQuery, 'account' | 'provider' | 'nowMs'>,
) {
  return database
    .selectFrom('provider_file')
    .selectAll()
    .where('account', '=', account)
    .where('provider', '=', provider)
    .where('file_id', 'is not', null)
    .where('deletion_ms', 'is', null)
    .where((where) => where.or([where('expires_ms', 'is', null), where('expires_ms', '>', BigInt(nowMs))]))
}

async function pageOf(database: Store['database'], query: FileQuery): Promise<readonly FileRow[]> {
  const { after, order, purpose, limit } = query
  let asked = live(database, query)
  if (purpose !== null) asked = asked.where('purpose', '=', purpose)
  if (after !== null) {
    const start = await live(database, query).where('file_id', '=', after).executeTakeFirst()
    if (start === undefined) return []
    asked = asked.where('id', order === 'asc' ? '>' : '<', start.id)
  }
  const rows = await asked
    .orderBy('id', order)
    .limit(limit + 1)
    .execute()
  return rows.map(toFileRow)
}

async function unfinished(
  database: Store['database'],
  id: bigint,
  nowMs: number,
): Promise<UnfinishedFile | undefined> {
  const row = await database
    .selectFrom('provider_file')
    .selectAll()
    .where('id', '=', id)
    .where('file_id', 'is', null)
    .where('expires_ms', '>', BigInt(nowMs))
    .executeTakeFirst()
  return row === undefined ? undefined : toFileRow(row)
}

/** Counts and writes in one transaction, so that concurrent uploads cannot exceed the limit. */
function reserved(
  store: Pick<Store, 'database'>,
  { id, account, key, provider, upstream, bytes, expiresMs, nowMs }: NewFile,
  { filesPerAccountMax, fileBytesPerAccountMax }: FileLimits,
): Promise<'reserved' | 'full'> {
  return inTransaction(store, async (transaction) => {
    const payer = await transaction
      .selectFrom('account')
      .select('suspended_ms')
      .where('id', '=', account)
      .executeTakeFirstOrThrow()
    if (payer.suspended_ms !== null) {
      throw new TollgateError('account_suspended', {
        message: 'The account was suspended before the upload was sent.',
      })
    }
    // The provider deletes expired files itself.
    await transaction
      .deleteFrom('provider_file')
      .where('account', '=', account)
      .where('expires_ms', '<=', BigInt(nowMs))
      .execute()
    const stored = await transaction
      .selectFrom('provider_file')
      .select((select) => [
        select.fn.countAll<bigint>().as('files'),
        select.fn.sum<bigint>('bytes').as('bytes'),
      ])
      .where('account', '=', account)
      .executeTakeFirstOrThrow()
    const bytesAfter = Number(stored.bytes ?? 0) + bytes
    if (Number(stored.files) >= filesPerAccountMax || bytesAfter > fileBytesPerAccountMax) return 'full'
    await transaction
      .insertInto('provider_file')
      .values({ id, account, key, provider, upstream, bytes, created_ms: nowMs, expires_ms: expiresMs })
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

/**
 * Which files must be deleted at their providers: those of closed accounts. The mark is in the row of the file, so
 * that it outlives a crash and an upload that ends later. `notify`: to be called when the upload of a marked file has ended.
 */
function openFileDeletions(database: Store['database']): {
  readonly deletions: FileDeletions
  readonly notify: () => void
} {
  const listeners = new Set<() => void>()
  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  const deletions: FileDeletions = {
    async deleteAll(account, nowMs) {
      const marked = await database
        .updateTable('provider_file')
        .set({ deletion_ms: nowMs })
        .where('account', '=', account)
        .where('deletion_ms', 'is', null)
        .executeTakeFirstOrThrow()
      if (marked.numUpdatedRows > 0n) notify()
    },
    async pendingDeletions() {
      const rows = await database
        .selectFrom('provider_file')
        .select((select) => [
          'provider',
          'upstream',
          select.fn.countAll<bigint>().as('files'),
          select.fn.min<bigint>('deletion_ms').as('since'),
        ])
        .where('deletion_ms', 'is not', null)
        .groupBy(['provider', 'upstream'])
        .execute()
      return rows.map(({ provider, upstream, files, since }) => ({
        ...{ provider, upstream },
        files: Number(files),
        sinceMs: Number(since),
      }))
    },
    async toDelete({ provider, upstream }, afterId, limit) {
      const rows = await database
        .selectFrom('provider_file')
        .select(['id', 'file_id'])
        .where('provider', '=', provider)
        .where('upstream', '=', upstream)
        .where('deletion_ms', 'is not', null)
        .where('file_id', 'is not', null)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(({ id, file_id: fileId }) => ({ id, fileId: fileId ?? '' }))
    },
    onDeletable: (listener) => void listeners.add(listener),
  }
  return { deletions, notify }
}
