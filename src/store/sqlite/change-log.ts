/**
 * Changes to tables that threads have in memory, as triggers on the embedded database's only writing connection report them. Does not
 * decide which threads get them.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { SharedChange } from '../postgres/shared-changes.ts'
import type { Committer } from './batch.ts'

interface Reported {
  readonly on: readonly ('INSERT' | 'UPDATE' | 'DELETE')[]
  /** The column that identifies the row; null: the entire table. */
  readonly id: string | null
  /** The only column whose changes are reported. */
  readonly column?: string
}

const anyChange = ['INSERT', 'UPDATE', 'DELETE'] as const

/** By table. On PostgreSQL, `change-triggers.ts` reports the same. */
const reported: Readonly<Record<string, Reported>> = {
  model_override: { on: anyChange, id: null },
  price_version: { on: anyChange, id: null },
  upstream: { on: anyChange, id: null },
  setting: { on: anyChange, id: null },
  api_key: { on: ['UPDATE', 'DELETE'], id: 'id' },
  provider_key: { on: anyChange, id: 'account' },
  account: { on: ['UPDATE'], id: 'id', column: 'suspended_ms' },
}

/**
 * Adds the triggers to the connection. `publish` is called after each commit of the returned committer that has changed
 * something.
 */
export function reportChanges(
  database: DatabaseSync,
  commits: Committer,
  publish: (changes: readonly SharedChange[]) => void,
): Committer {
  const changed = new Map<string, SharedChange>()
  database.function('note_change', { useBigIntArguments: true }, (table, id) => {
    changed.set(`${table} ${id}`, { table: String(table), id: typeof id === 'bigint' ? id : null })
    return null
  })
  for (const [table, row] of Object.entries(reported))
    for (const event of row.on) database.exec(triggerOf(table, event, row))
  return {
    begin(durability) {
      changed.clear()
      commits.begin(durability)
    },
    commit() {
      commits.commit()
      if (changed.size > 0) publish([...changed.values()])
    },
    rollback: commits.rollback,
  }
}

function triggerOf(table: string, event: Reported['on'][number], { id, column }: Reported): string {
  const row = event === 'DELETE' ? 'OLD' : 'NEW'
  // Statements write all columns, so that a column is written does not mean that it has changed.
  const when = column === undefined ? '' : `WHEN OLD.${column} IS NOT NEW.${column}`
  return `CREATE TEMP TRIGGER ${table}_${event.toLowerCase()} AFTER ${event} ON main.${table} ${when}
    BEGIN SELECT note_change('${table}', ${id === null ? 'NULL' : `${row}.${id}`}); END`
}
