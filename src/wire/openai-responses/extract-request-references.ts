/**
 * What a Responses request references instead of sending it, because the provider stores it from an earlier response. Must
 * not judge who owns it.
 */
import { type Reference, WireError } from '../dialect.ts'
import { isGiven, string } from '../json/fields.ts'
import type { Json } from '../json/json.ts'

/** Gathers the references of one body. */
export class References {
  private readonly json: Json
  private readonly byId = new Map<string, Reference>()

  constructor(json: Json) {
    this.json = json
  }

  get list(): readonly Reference[] {
    return [...this.byId.values()]
  }

  /**
   * Records that `value` is the id of a stored object, and its position: a body may have so many that finding it
   * again would take quadratic time. Absent and null are none. Throws WireError `invalid_value` for a repeated
   * ID: the provider rejects it too, and reading it twice would have to be charged twice.
   */
  add(kind: Reference['kind'], value: number, pointer: string): void {
    const { json, byId } = this
    if (!isGiven(json, value)) return
    const id = string(json, value)
    if (byId.has(id)) {
      throw new WireError('invalid_value', `${pointer}: duplicate ID.`, pointer)
    }
    byId.set(id, { id, kind, pointer })
  }
}
