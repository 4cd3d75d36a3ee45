/** The built-in models: the table's rows together with the options and fees that apply to each. Pure. */
import { builtinRows, builtinSource } from './builtin-models.ts'
import { builtinFees, builtinOptions } from './builtin-options-table.ts'
import type { ModelDefinition, PriceDefinition } from './definition.ts'

export const builtinModels: readonly ModelDefinition[] = builtinRows.map((row) => ({
  ...row,
  prices: row.prices?.map((price) => complete(row, price)),
}))

function complete(row: ModelDefinition, price: PriceDefinition): PriceDefinition {
  const options: Record<string, string> = { ...price.options }
  for (const optionRow of builtinOptions) {
    if (optionRow.models.includes(row.id)) Object.assign(options, optionRow.options)
  }
  const feeRow = builtinFees.find(({ provider, models }) => provider === row.provider && models.test(row.id))
  const fees = { ...feeRow?.fees, ...price.fees }
  return { ...price, options, fees, source: price.source ?? builtinSource }
}
