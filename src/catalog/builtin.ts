/**
 * The models that are known without configuration: the rows of each provider together with the options and fees that apply
 * to each. Later changes of a provider are configured in tollgate.yaml or with `models price`. Pure.
 */
import { builtinModelRows } from './builtin-models-table.ts'
import { builtinFees, builtinOptions } from './builtin-options-table.ts'
import type { ModelDefinition, PriceDefinition } from './definition.ts'
import { modelsOfRows } from './model-rows.ts'

export const builtinModels: readonly ModelDefinition[] = Object.entries(builtinModelRows)
  .flatMap(([provider, rows]) => modelsOfRows(provider, rows))
  .map((row) => ({
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
  return { ...price, options, fees }
}
