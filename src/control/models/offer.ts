/** `models.offer`: a model at an upstream, with limits and a price where they are not known. */
import { TollgateError } from '../../base/errors.ts'
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const offerModel = operationHandler('models.offer', async (deps, asked) => {
  const { model, upstream, upstreamModel } = asked
  const change = await deps.catalog.offer({
    ...{ model, upstream, upstreamModel, priority: asked.priority, weight: asked.weight, cost: asked.cost },
    definition: {
      dialects: asked.dialects,
      context: asked.contextTokens,
      maxOutput: asked.outputTokensMax,
      outputs: asked.outputs,
      markup: asked.markup,
      prices: asked.price === undefined ? undefined : [asked.price],
    },
  })
  if (change.kind === 'unknown_upstream') {
    throw new TollgateError('upstream_not_found', {
      message: `No upstream has the name ${upstream}.`,
      param: 'upstream',
    })
  }
  assertChanged(change, model)
  deps.changes.publishToAll(['models', 'upstreams'])
  return modelNow(deps, model)
})
