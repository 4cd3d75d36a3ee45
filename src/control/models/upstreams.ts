/** `models.upstreams`: the only upstreams that serve a model. */
import { verb } from '../verb.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const nameUpstreams = verb('models.upstreams', async (parts, { model, upstreams }) => {
  assertChanged(await parts.catalog.nameUpstreams(model, upstreams), model)
  parts.changes.publishToAll(['models', 'upstreams'])
  return modelNow(parts, model)
})
