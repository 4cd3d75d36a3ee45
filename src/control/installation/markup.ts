/** `markup.*`: what customers pay above the list prices. */
import type { OperationOutput } from '../../../contract/operations.ts'
import type { ControlDeps } from '../control-deps.ts'
import { operationHandler } from '../handle-operation.ts'

export const showMarkup = operationHandler('markup.show', async (deps) => markupOutput(deps))

export const setMarkup = operationHandler('markup.set', async (deps, { markup }) => {
  await deps.catalog.setMarkup(markup)
  deps.changes.publishToAll(['models'])
  return markupOutput(deps)
})

function markupOutput({ catalog }: Pick<ControlDeps, 'catalog'>): OperationOutput<'markup.show'> {
  return { ...catalog.markup }
}
