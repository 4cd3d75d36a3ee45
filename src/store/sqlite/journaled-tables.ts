/**
 * The tables whose rows are changed in the journal first. A row is inserted into its table immediately, unless it consists of
 * its key. Knows nothing of their meaning.
 */

interface JournaledTable {
  /** What identifies a row. */
  readonly key: readonly string[]
  /** Columns that the table has as they are: they never change, or are written immediately when they do. */
  readonly current: readonly string[]
}

export const journaledTables = {
  account: { key: ['id'], current: ['suspended_ms'] },
  key_usage: { key: ['key'], current: ['account', 'shared'] },
  receipt_list: { key: ['account', 'id'], current: [] },
  usage_hour: { key: ['account', 'hour', 'key', 'model'], current: ['write_offs'] },
} as const satisfies Readonly<Record<string, JournaledTable>>

export type JournaledName = keyof typeof journaledTables

/** Where commits append changed rows. */
export const journalTable = 'row_journal'
