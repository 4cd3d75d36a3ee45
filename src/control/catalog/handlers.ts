/** The operation handlers of this folder by the names of their operations. */
import { checkCatalog } from './check.ts'
import { updateCatalog } from './update.ts'

export const catalogHandlers = {
  'catalog.check': checkCatalog,
  'catalog.update': updateCatalog,
} as const
