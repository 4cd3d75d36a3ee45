/** `models.add`: a model that the built-in list does not have, or different facts for one that it has. */
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const addModel = operationHandler('models.add', async (deps, asked) => {
  const change = await deps.catalog.add({
    id: asked.model,
    provider: asked.provider,
    upstreamId: asked.upstreamModel,
    offers: asked.upstreams?.map((upstream) => ({ upstream })),
    dialects: asked.dialects,
    displayName: asked.displayName,
    context: asked.contextTokens,
    maxOutput: asked.outputTokensMax,
    inputs: asked.inputs,
    outputs: asked.outputs,
    reasoning: asked.reasons,
    tools: asked.takesTools,
    prices: asked.price === undefined ? undefined : [asked.price],
  })
  assertChanged(change, asked.model)
  deps.changes.publishToAll(['models'])
  return modelNow(deps, asked.model)
})
