/** `models.enable`: enables a disabled model again. */
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const enableModel = operationHandler('models.enable', async (deps, { model }) => {
  assertChanged(await deps.catalog.enable(model), model)
  deps.changes.publishToAll(['models'])
  return modelNow(deps, model)
})
