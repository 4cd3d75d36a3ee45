/** `models.upstreams`: the only upstreams that serve a model. */
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const nameUpstreams = operationHandler('models.upstreams', async (deps, { model, upstreams }) => {
  assertChanged(await deps.catalog.nameUpstreams(model, upstreams), model)
  deps.changes.publishToAll(['models', 'upstreams'])
  return modelNow(deps, model)
})
