/**
 * Who changed what through the control plane. A row is written before a change begins and closed when it has ended,
 * so that a change which the process did not survive stays visible. Holds no secret.
 */
import type { Store } from '../store/store.ts'

export interface NewAuditEntry {
  readonly id: bigint
  readonly atMs: number
  /** `local`, a person's e-mail address, or a management key's label. */
  readonly actor: string
  readonly operation: string
  readonly account: bigint | null
  readonly input: unknown
  /** Where it came from; null: the machine itself. */
  readonly address: string | null
}

export interface AuditEntry extends NewAuditEntry {
  /** `started`, `done` or a code of the error table. */
  readonly outcome: string
}

export interface AuditFilter {
  readonly limit: number
  readonly before: bigint | null
  readonly account: bigint | null
  readonly operation: string | null
  /** The actor as in the row: an e-mail address, a management key's label, `local`. */
  readonly actor: string | null
}

export interface Audit {
  begin(ask: NewAuditEntry): Promise<void>
  end(id: bigint, outcome: string): Promise<void>
  /** The latest first. */
  list(filter: AuditFilter): Promise<readonly AuditEntry[]>
}

export function openAudit({ database }: Pick<Store, 'database'>): Audit {
  return {
    async begin({ id, atMs, actor, operation, account, input, address }) {
      await database
        .insertInto('audit')
        .values({
          id,
          at_ms: atMs,
          actor,
          operation,
          account,
          input: JSON.stringify(input),
          outcome: 'started',
          address,
        })
        .execute()
    },
    async end(id, outcome) {
      await database.updateTable('audit').set({ outcome }).where('id', '=', id).execute()
    },
    async list({ limit, before, account, operation, actor }) {
      let query = database.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit)
      if (before !== null) query = query.where('id', '<', before)
      if (account !== null) query = query.where('account', '=', account)
      if (actor !== null) query = query.where('actor', '=', actor)
      if (operation !== null) query = query.where('operation', '=', operation)
      const rows = await query.execute()
      return rows.map((row) => ({
        id: row.id,
        atMs: Number(row.at_ms),
        actor: row.actor,
        operation: row.operation,
        account: row.account,
        input: JSON.parse(row.input) as unknown,
        outcome: row.outcome,
        address: row.address,
      }))
    },
  }
}
