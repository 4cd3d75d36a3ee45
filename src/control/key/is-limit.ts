/** Whether a field of a key, as it was asked for, limits anything. */
import type { OperationInput } from '../../../contract/operations.ts'
import type { ManagedField } from '../../access/types.ts'

/** Null, false and limits that are all null limit nothing. */
export function isLimit(value: OperationInput<'key.update'>[ManagedField]): boolean {
  if (value === null || value === undefined || value === false) return false
  if (typeof value !== 'object' || Array.isArray(value)) return true
  return Object.values(value).some((part) => part !== null && part !== undefined)
}
