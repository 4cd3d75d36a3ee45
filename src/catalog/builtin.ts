/**
 * The models that are known without configuration: the rows of each provider together with the options and fees that apply
 * to each. Later changes of a provider are configured in tollgate.yaml or with `models price`. Pure.
 */
import { builtinAnthropicModels } from './builtin-anthropic-models.ts'
import { builtinGoogleModels } from './builtin-google-models.ts'
import { builtinOpenaiModels } from './builtin-openai-models.ts'
import { builtinFees, builtinOptions } from './builtin-options-table.ts'
import type { ModelDefinition, PriceDefinition } from './definition.ts'

/** Source and date of the rows without a `source`. */
const builtinSource = 'models.dev, list price of 2026-07-01'

export const builtinModels: readonly ModelDefinition[] = [
  ...builtinAnthropicModels,
  ...builtinGoogleModels,
  ...builtinOpenaiModels,
].map((row) => ({
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
