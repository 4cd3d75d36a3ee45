/** The provider's events that were processed, for as long as it may repeat them. */
import type { Store } from '../store/store.ts'

export interface EventRows {
  has(id: string): Promise<boolean>
  add(event: { readonly id: string; readonly type: string; readonly atMs: number }): Promise<void>
  /** Forgets those from before `atMs`, at most `limit`. */
  forget(atMs: number, limit: number): Promise<void>
}

export function eventRows({ database }: Pick<Store, 'database'>): EventRows {
  return {
    async has(id) {
      const found = await database
        .selectFrom('webhook_event')
        .select('id')
        .where('id', '=', id)
        .executeTakeFirst()
      return found !== undefined
    },
    async add({ id, type, atMs }) {
      await database
        .insertInto('webhook_event')
        .values({ id, type, at_ms: atMs })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute()
    },
    async forget(atMs, limit) {
      await database
        .deleteFrom('webhook_event')
        .where('id', 'in', (select) =>
          select
            .selectFrom('webhook_event')
            .select('id')
            .where('at_ms', '<', BigInt(atMs))
            .orderBy('at_ms')
            .limit(limit),
        )
        .execute()
    },
  }
}
