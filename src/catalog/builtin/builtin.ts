/**
 * The models that are known without configuration: the rows of each provider together with the options and fees that apply
 * to each. Later changes of a provider are configured in tollgate.yaml or with `models price`. Pure.
 */

import type { UpstreamFormatName } from '../../wire/format-names.ts'
import type { ModelDefinition, PriceDefinition } from '../definition.ts'
import type { TestModel } from '../types.ts'
import { builtinModelRows } from './builtin-models-table.ts'
import { builtinFees, builtinOptions } from './builtin-options-table.ts'
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

/** The parts of a behavior that the catalog reads. */
interface SandboxModel {
  readonly name: string
  /** Formats of its answers; left out: all conversation formats. */
  readonly formats?: readonly UpstreamFormatName[]
  readonly testModel: TestModel
}

const price: PriceDefinition = {
  input: '0.1',
  cacheRead: '0.01',
  cacheWrite5m: '0.125',
  cacheWrite1h: '0.2',
  output: '0.4',
  options: {
    'inference_geo:us': '1.1',
    'service_tier:fast': '2',
    'service_tier:flex': '0.5',
    'service_tier:priority': '2',
    'speed:fast': '2',
  },
  fees: { web_search: '0.01', web_fetch: '0' },
  source: 'sandbox (test data)',
}

/** `behaviors`: the names that the sandbox answers to. */
export function sandboxModels(behaviors: readonly SandboxModel[]): readonly ModelDefinition[] {
  return behaviors.map(({ name, formats, testModel }) => ({
    id: name,
    provider: 'sandbox',
    formats,
    testModel,
    displayName: name,
    released: '2026-01-01',
    context: 1_000_000,
    maxOutput: 200_000,
    inputs: ['text', 'image', 'pdf'],
    outputs: ['text'],
    tools: true,
    prices: [price],
  }))
}
