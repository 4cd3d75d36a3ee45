/** `models.price`: another price from a moment on; what was priced before stays as it was. */
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const priceModel = operationHandler('models.price', async (parts, { model, price }) => {
  assertChanged(await parts.catalog.price(model, price), model)
  parts.changes.publishToAll(['models'])
  return modelNow(parts, model)
})
