/** The table `model_override`: what operators changed about models on the command line and in the console. */
import type { Transaction } from '../store/transaction.ts'
import type { ModelDefinition } from './definition.ts'
import type { Override } from './sources.ts'

/** The row of a model; one that changes nothing where there is none. */
export async function readOverride(transaction: Transaction, name: string): Promise<Override> {
  const row = await transaction
    .selectFrom('model_override')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst()
  return row === undefined ? { name, definition: null, disabled: false } : overrideOf(row)
}

/** Well below the number of values that one statement may bind. */
const rowsPerWrite = 100

/** Adds rows, or replaces those of the same names. */
export async function writeOverrides(
  transaction: Transaction,
  overrides: readonly Override[],
): Promise<void> {
  const rows = overrides.map(({ name, definition, disabled }) => {
    return { name, body: definition === null ? null : JSON.stringify(definition), disabled: disabled ? 1 : 0 }
  })
  for (let start = 0; start < rows.length; start += rowsPerWrite) {
    await transaction
      .insertInto('model_override')
      .values(rows.slice(start, start + rowsPerWrite))
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet((excluded) => ({
          body: excluded.ref('excluded.body'),
          disabled: excluded.ref('excluded.disabled'),
        })),
      )
      .execute()
  }
}

/** Every row. */
export async function readOverrides(database: Pick<Transaction, 'selectFrom'>): Promise<readonly Override[]> {
  return (await database.selectFrom('model_override').selectAll().execute()).map(overrideOf)
}

function overrideOf(row: { name: string; body: string | null; disabled: bigint }): Override {
  const definition = row.body === null ? null : (JSON.parse(row.body) as ModelDefinition)
  return { name: row.name, definition, disabled: row.disabled !== 0n }
}
