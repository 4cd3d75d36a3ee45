/** The result of a change to the catalog, as a row of the error table if it was rejected. */
import { TollgateError } from '../../base/errors.ts'
import type { CatalogChange } from '../../catalog/catalog.ts'

/** Throws unless the catalog took the change. */
export function assertChanged(change: CatalogChange, model: string): void {
  switch (change.kind) {
    case 'changed':
      return
    case 'unknown_model':
      throw modelNotFound(model, change.nearest)
    case 'mistake':
      throw new TollgateError('invalid_value', { message: `${change.message}.` })
  }
}

export function modelNotFound(model: string, nearest: readonly string[]): TollgateError {
  return new TollgateError('model_not_found', {
    message: `Unknown model ${JSON.stringify(model)}.${hint(nearest)}`,
    param: 'model',
    facts: { nearest },
  })
}

function hint(nearest: readonly string[]): string {
  return nearest.length === 0 ? '' : ` Did you mean ${nearest.join(', ')}?`
}
