/**
 * Statements that arrive as text from the control plane: prepared once, cached while they are used,
 * their numbers bound as integers. Never used for holds and settlements.
 */
import type { Database, Input, Output, PreparedStatement } from './connection.ts'
import type { StatementResult } from './messages.ts'
import type { StatementUse } from './statement-use.ts'

/** Distinct texts that are cached; the least recently used one goes first. */
const preparedMax = 256

export type Execute = (sql: string, values: readonly unknown[]) => StatementResult

export interface Statements {
  readonly execute: Execute
  /** See `StatementUse`. */
  needsTables(sql: string): boolean
}

interface Prepared {
  readonly statement: PreparedStatement
  readonly returnsRows: boolean
  readonly needsTables: boolean
}

const unknownUse: StatementUse = (prepare) => ({ prepared: prepare(), needsTables: true })

/**
 * Runs one statement: rows as objects, or how many rows it changed. `integers` are numbers only where nothing counts
 * beyond what a number holds exactly; SQLite refuses to read a larger one.
 */
export function statementRunner(database: Database, integers: 'bigint' | 'number' = 'bigint'): Execute {
  return statementsOn(database, integers, unknownUse).execute
}

/** The same, and what each statement uses. */
export function statementsOn(
  database: Database,
  integers: 'bigint' | 'number',
  use: StatementUse = unknownUse,
): Statements {
  const prepared = new Map<string, Prepared>()

  function find(sql: string): Prepared {
    const known = prepared.get(sql)
    if (known !== undefined) {
      prepared.delete(sql)
      prepared.set(sql, known)
      return known
    }
    const { prepared: statement, needsTables } = use(() => database.prepare(sql))
    statement.setReadBigInts(integers === 'bigint')
    const made = { statement, returnsRows: statement.columns().length > 0, needsTables }
    prepared.set(sql, made)
    for (const oldest of prepared.keys()) {
      if (prepared.size <= preparedMax) break
      prepared.delete(oldest)
    }
    return made
  }

  function execute(sql: string, values: readonly unknown[]): StatementResult {
    const { statement, returnsRows } = find(sql)
    const inputs = values.map(toInput)
    if (!returnsRows) {
      const { changes, lastInsertRowid } = statement.run(...inputs)
      return { rows: [], changes: BigInt(changes), lastId: BigInt(lastInsertRowid) }
    }
    const rows = (statement.all(...inputs) as Record<string, Output>[]).map((row) => ({ ...row }))
    return { rows, changes: BigInt(rows.length), lastId: 0n }
  }

  return { execute, needsTables: (sql) => find(sql).needsTables }
}

/** node:sqlite would bind every number as REAL: integers become bigint, booleans 0 and 1. */
function toInput(value: unknown): Input {
  switch (typeof value) {
    case 'number':
      return Number.isSafeInteger(value) ? BigInt(value) : value
    case 'boolean':
      return value ? 1n : 0n
    case 'bigint':
    case 'string':
      return value
    case 'undefined':
      return null
    default:
      if (value === null || value instanceof Uint8Array) return value
      throw new TypeError(`cannot bind a ${typeof value} to a statement`)
  }
}
