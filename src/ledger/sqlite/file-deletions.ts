/**
 * Which files must be deleted at their providers: those of closed accounts. The mark is in the row of the file, so
 * that it outlives a crash and an upload that ends later.
 */
import type { Store } from '../../store/store.ts'
import type { FileDeletions } from '../provider-file-types.ts'

/** `notify`: to be called when the upload of a marked file has ended. */
export function openFileDeletions(database: Store['database']): {
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
