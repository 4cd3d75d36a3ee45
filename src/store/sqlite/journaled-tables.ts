/** The tables whose rows are changed in the journal first. Knows nothing of their meaning. */

interface JournaledTable {
  /** Columns that identify a row. */
  readonly key: readonly string[]
  /** Columns that the table has as they are: they never change, or are written immediately when they do. */
  readonly current: readonly string[]
  /** Rows of a list are added in the journal too; rows of other tables are inserted directly. */
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
