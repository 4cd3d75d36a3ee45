/** `models.enable`: a disabled model is sold again. */
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const enableModel = operationHandler('models.enable', async (parts, { model }) => {
  assertChanged(await parts.catalog.enable(model), model)
  parts.changes.publishToAll(['models'])
  return modelNow(parts, model)
})
