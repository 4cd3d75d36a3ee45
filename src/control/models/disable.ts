/** `models.disable`: disables a model. */
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const disableModel = operationHandler('models.disable', async (deps, { model }) => {
  assertChanged(await deps.catalog.disable(model), model)
  deps.changes.publishToAll(['models'])
  return modelNow(deps, model)
})
