/** `models.disable`: a model is sold no more. */
import { verb } from '../verb.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const disableModel = verb('models.disable', async (parts, { model }) => {
  assertChanged(await parts.catalog.disable(model), model)
  parts.changes.publishToAll(['models'])
  return modelNow(parts, model)
})
