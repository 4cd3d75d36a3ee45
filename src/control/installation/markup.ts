/** `markup.*`: what customers pay above the list prices. */
import type { OperationOutput } from '../../../contract/operations.ts'
import type { ControlParts } from '../parts.ts'
import { verb } from '../verb.ts'

export const showMarkup = verb('markup.show', async (parts) => markupOutput(parts))

export const setMarkup = verb('markup.set', async (parts, { markup }) => {
  await parts.catalog.setMarkup(markup)
  parts.changes.publishToAll(['models'])
  return markupOutput(parts)
})

function markupOutput({ catalog }: Pick<ControlParts, 'catalog'>): OperationOutput<'markup.show'> {
  return { ...catalog.markup }
}
