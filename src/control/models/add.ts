/** `models.add`: a model that the built-in list does not have, or other facts for one that it has. */
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from './changed.ts'
import { modelNow } from './output.ts'

export const addModel = operationHandler('models.add', async (parts, asked) => {
  const change = await parts.catalog.add({
    id: asked.model,
    provider: asked.provider,
    upstreamId: asked.upstreamModel,
    upstreams: asked.upstreams,
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
  parts.changes.publishToAll(['models'])
  return modelNow(parts, asked.model)
})
