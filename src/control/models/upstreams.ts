/** `models.upstreams`: the only upstreams that serve a model. */
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const nameUpstreams = operationHandler('models.upstreams', async (parts, { model, upstreams }) => {
  assertChanged(await parts.catalog.nameUpstreams(model, upstreams), model)
  parts.changes.publishToAll(['models', 'upstreams'])
  return modelNow(parts, model)
})
