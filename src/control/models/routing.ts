/** `models.routing`: how the offers of a model share its requests, and which models serve in its place. */
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const setRouting = operationHandler('models.routing', async (deps, { model, ...asked }) => {
  assertChanged(await deps.catalog.setRouting(model, asked), model)
  deps.changes.publishToAll(['models'])
  return modelNow(deps, model)
})
