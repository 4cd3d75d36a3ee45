/** `models.prices`: all prices of a model: past, current and future ones. */
import type { OperationOutput } from '../../../contract/operations.ts'
import { priceOut } from '../../catalog/listing.ts'
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from './changed.ts'

type Price = OperationOutput<'models.prices'>[number]

export const listPrices = operationHandler('models.prices', async ({ catalog }, { model }) => {
  const { models, unsold } = catalog.snapshot
  const rows = await catalog.prices(model)
  if (rows.length === 0 && !models.has(model) && !unsold.has(model)) {
    assertChanged({ kind: 'unknown_model', nearest: [] }, model)
  }
  return rows.map((row) => priceOut(row) as Price)
})
