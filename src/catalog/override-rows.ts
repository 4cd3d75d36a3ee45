/** The table `model_override`: what operators changed about models on the command line and in the console. */
import { runInTurns, type Steps, type Turns } from '../base/steps.ts'
import type { Transaction } from '../store/transaction.ts'
import type { UpstreamFormatName } from '../wire/format-names.ts'
import type { ModelDefinition, OfferDefinition } from './definition.ts'
import type { Override } from './sources.ts'

/** The row of a model; an empty override if there is none. */
export async function readOverride(transaction: Transaction, name: string): Promise<Override> {
  const row = await transaction
    .selectFrom('model_override')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst()
  return row === undefined ? { name, definition: null, disabled: false } : overrideOf(row)
}

/** Making a statement takes some 20 microseconds a row. */
const rowsPerWrite = 25

/** Adds or replaces rows. */
export async function writeOverrides(
  transaction: Transaction,
  overrides: readonly Override[],
): Promise<void> {
  for (let start = 0; start < overrides.length; start += rowsPerWrite) {
    const rows = overrides.slice(start, start + rowsPerWrite).map(({ name, definition, disabled }) => {
      return {
        name,
        body: definition === null ? null : JSON.stringify(definition),
        disabled: disabled ? 1 : 0,
      }
    })
    await transaction
      .insertInto('model_override')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet((excluded) => ({
          body: excluded.ref('excluded.body'),
          disabled: excluded.ref('excluded.disabled'),
        })),
      )
      .execute()
  }
}

/** A result of more rows occupies the thread that receives it. */
const rowsPerRead = 100

/** Every row by its name, read in pieces between which requests run. */
export async function readOverrides(
  database: Pick<Transaction, 'selectFrom'>,
  turns: Turns,
): Promise<readonly Override[]> {
  const stored: Override[] = []
  for (let after = ''; ; ) {
    const rows = await database
      .selectFrom('model_override')
      .selectAll()
      .where('name', '>', after)
      .orderBy('name')
      .limit(rowsPerRead)
      .execute()
    stored.push(...(await runInTurns(overrideSteps(rows), turns)))
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerRead) return stored
    after = last.name
  }
}

/** The rows of some models, of which there may be many. */
export async function readOverridesOf(
  transaction: Transaction,
  names: readonly string[],
): Promise<readonly Override[]> {
  const found: Override[] = []
  for (let start = 0; start < names.length; start += rowsPerRead) {
    const rows = await transaction
      .selectFrom('model_override')
      .selectAll()
      .where('name', 'in', names.slice(start, start + rowsPerRead))
      .execute()
    found.push(...rows.map(overrideOf))
  }
  return found
}

interface OverrideRow {
  readonly name: string
  readonly body: string | null
  readonly disabled: bigint
}

function* overrideSteps(rows: readonly OverrideRow[]): Steps<readonly Override[]> {
  const overrides: Override[] = []
  for (const row of rows) {
    overrides.push(overrideOf(row))
    yield
  }
  return overrides
}

function overrideOf(row: OverrideRow): Override {
  const definition = row.body === null ? null : definitionOf(JSON.parse(row.body))
  return { name: row.name, definition, disabled: row.disabled !== 0n }
}

interface StoredFormats {
  /** The name of `formats` in earlier versions. */
  readonly dialects?: readonly UpstreamFormatName[]
}

interface StoredDefinition extends Omit<ModelDefinition, 'offers'>, StoredFormats {
  /** The only upstreams of the model, in earlier versions. */
  readonly upstreams?: readonly string[]
  readonly offers?: readonly (OfferDefinition & StoredFormats)[]
}

/** A stored definition, of which earlier versions had two members under other names. */
function definitionOf({ upstreams, offers, ...stored }: StoredDefinition): ModelDefinition {
  const current: StoredDefinition['offers'] = offers ?? upstreams?.map((upstream) => ({ upstream }))
  const definition = withFormats(stored)
  return current === undefined ? definition : { ...definition, offers: current.map(withFormats) }
}

function withFormats<Stored extends StoredFormats>({
  dialects,
  ...stored
}: Stored): Omit<Stored, 'dialects'> {
  return dialects === undefined ? stored : { ...stored, formats: dialects }
}
