/**
 * What a Responses request names instead of sending it, because the provider keeps it from an earlier answer. Must
 * not judge whose it is.
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
   * again would cost the square of its length. Absent and null are none. Throws WireError `invalid_value` for an id
   * that was there before: the provider refuses it too, and what is read twice would have to be paid twice.
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
