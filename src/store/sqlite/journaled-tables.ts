/** The tables whose rows are changed in the journal first. Knows nothing of their meaning. */

interface JournaledTable {
  /** What identifies a row. */
  readonly key: readonly string[]
  /** Columns that the table has as they are: they never change, or are written immediately when they do. */
  readonly current: readonly string[]
  /** Its rows are added in the journal, too; those of the others are in their table as soon as they exist. */
  readonly isList: boolean
}

export const journaledTables = {
  account: { key: ['id'], current: ['suspended_ms'], isList: false },
  key_usage: { key: ['key'], current: ['account', 'shared'], isList: false },
  receipt_list: { key: ['account', 'id'], current: [], isList: true },
  usage_hour: { key: ['account', 'hour', 'key', 'model'], current: ['write_offs'], isList: false },
} as const satisfies Readonly<Record<string, JournaledTable>>

export type JournaledName = keyof typeof journaledTables

/** Where commits append changed rows. */
export const journalTable = 'row_journal'
