/** `markup.*`: what customers pay above the list prices. */
import type { OperationOutput } from '../../../contract/operations.ts'
import { operationHandler } from '../handle-operation.ts'
import type { ControlParts } from '../parts.ts'

export const showMarkup = operationHandler('markup.show', async (parts) => markupOutput(parts))

export const setMarkup = operationHandler('markup.set', async (parts, { markup }) => {
  await parts.catalog.setMarkup(markup)
  parts.changes.publishToAll(['models'])
  return markupOutput(parts)
})

function markupOutput({ catalog }: Pick<ControlParts, 'catalog'>): OperationOutput<'markup.show'> {
  return { ...catalog.markup }
}
