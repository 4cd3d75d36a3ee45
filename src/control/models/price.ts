/** `models.price`: a new price from a given time on; earlier requests keep theirs. */
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const priceModel = operationHandler('models.price', async (deps, { model, price }) => {
  assertChanged(await deps.catalog.price(model, price), model)
  deps.changes.publishToAll(['models'])
  return modelNow(deps, model)
})
