/**
 * Files at the provider that a request references instead of sending them. Must not judge who owns them. Pure except for
 * its collected results.
 */
import { type Media, type MediaKind, type Reference, WireError } from './dialect.ts'
import type { Json } from './json/json.ts'
import { notOwned } from './price-fields.ts'

/** What every provider's file ids look like; anything else is no file of this gateway's. */
const idPattern = /^[\w-]{1,200}$/
/** Each is looked up, and finding its place in the body takes time. */
const namedFilesMax = 64

/** Gathers the files that one body names; a file may be named again and again. */
export class NamedFiles {
  private readonly json: Json
  private readonly byId = new Map<string, Reference>()

  constructor(json: Json) {
    this.json = json
  }

  get list(): readonly Reference[] {
    return [...this.byId.values()]
  }

  /**
   * Notes that `value` names a file: with the string itself, or with the part of it that is the id. Throws WireError
   * `reference_not_owned` for what cannot be one, `invalid_value` for too many.
   */
  add(value: number, id: string | undefined = this.text(value)): string {
    const { json, byId } = this
    if (id === undefined || !idPattern.test(id)) throw notOwned(json, value)
    if (byId.has(id)) return id
    const pointer = json.pointer(value)
    if (byId.size === namedFilesMax) {
      throw new WireError(
        'invalid_value',
        `${pointer}: a request can reference at most ${namedFilesMax} files.`,
        pointer,
      )
    }
    byId.set(id, { id, kind: 'file', pointer })
    return id
  }

  /** The same for a file that the model reads as `kind`. */
  media(value: number, kind: MediaKind): Media {
    return { kind, span: null, mediaType: '', fileId: this.add(value) }
  }

  private text(value: number): string | undefined {
    return this.json.isString(value) ? this.json.text(value) : undefined
  }
}
