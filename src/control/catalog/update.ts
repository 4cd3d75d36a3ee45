/** `catalog.update`: rows of a price list become prices from a moment on; what was priced before stays as it was. */
import type { OperationInput } from '../../../contract/operations.ts'
import type { ModelDefinition } from '../../catalog/definition.ts'
import { operationHandler } from '../handle-operation.ts'
import { assertChanged } from '../models/changed.ts'
import { soldOutput } from '../models/output.ts'

type Asked = OperationInput<'catalog.update'>

export const updateCatalog = operationHandler('catalog.update', async (deps, asked) => {
  const change = await deps.catalog.addAll(asked.models.map((row) => definitionOf(asked, row)))
  assertChanged(change, 'of the list')
  deps.changes.publishToAll(['models'])
  const { snapshot } = deps.catalog
  return { models: asked.models.map(({ model }) => soldOutput(snapshot, model)) }
})

function definitionOf(
  { source, effectiveFrom }: Pick<Asked, 'source' | 'effectiveFrom'>,
  { model, price, facts }: Asked['models'][number],
): ModelDefinition {
  const prices = [{ ...price, source, effectiveFrom }]
  if (facts === null) return { id: model, prices }
  return {
    id: model,
    provider: facts.provider,
    displayName: facts.displayName,
    released: facts.released,
    context: facts.contextTokens,
    maxInput: facts.inputTokensMax,
    maxOutput: facts.outputTokensMax,
    inputs: facts.inputs,
    reasoning: facts.reasons,
    tools: facts.takesTools,
    deprecated: facts.deprecated,
    prices,
  }
}
