/** `models.disable`: a model is sold no more. */
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const disableModel = operationHandler('models.disable', async (parts, { model }) => {
  assertChanged(await parts.catalog.disable(model), model)
  parts.changes.publishToAll(['models'])
  return modelNow(parts, model)
})
