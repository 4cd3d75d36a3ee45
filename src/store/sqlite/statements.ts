/**
 * Statements that arrive as text from the control plane: prepared once, cached while they are used,
 * their numbers bound as integers. Never used for holds and settlements.
 */
import type { Database, Input, Output, PreparedStatement } from './connection.ts'
import type { StatementResult } from './messages.ts'

/** Distinct texts that are cached; the least recently used one goes first. */
const preparedMax = 256

export type Execute = (sql: string, values: readonly unknown[]) => StatementResult

interface Prepared {
  readonly statement: PreparedStatement
  readonly returnsRows: boolean
}

/**
 * Runs one statement: rows as objects, or how many rows it changed. `integers` are numbers only where nothing counts
 * beyond what a number holds exactly; SQLite refuses to read a larger one.
 */
export function statementRunner(database: Database, integers: 'bigint' | 'number' = 'bigint'): Execute {
  const prepared = new Map<string, Prepared>()

  function find(sql: string): Prepared {
    const known = prepared.get(sql)
    if (known !== undefined) {
      prepared.delete(sql)
      prepared.set(sql, known)
      return known
    }
    const statement = database.prepare(sql)
    statement.setReadBigInts(integers === 'bigint')
    const made = { statement, returnsRows: statement.columns().length > 0 }
    prepared.set(sql, made)
    for (const oldest of prepared.keys()) {
      if (prepared.size <= preparedMax) break
      prepared.delete(oldest)
    }
    return made
  }

  return (sql, values) => {
    const { statement, returnsRows } = find(sql)
    const inputs = values.map(toInput)
    if (!returnsRows) {
      const { changes, lastInsertRowid } = statement.run(...inputs)
      return { rows: [], changes: BigInt(changes), lastId: BigInt(lastInsertRowid) }
    }
    const rows = (statement.all(...inputs) as Record<string, Output>[]).map((row) => ({ ...row }))
    return { rows, changes: BigInt(rows.length), lastId: 0n }
  }
}

/** node:sqlite would bind every number as REAL: whole ones become integers, truth becomes 0 and 1. */
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
