/**
 * Collects the objects of a Responses response that its provider stores, by the ids that later requests can use. Bounded,
 * however many items a response has; nothing if the response does not say that it is stored.
 */
import type { ProviderObject } from '../format.ts'
import { type JsonRecord, recordsIn, textIn } from '../json/parsed.ts'

/** Items of one answer that are recorded; a client that refers to more must send them. */
const itemsMax = 256
/** Ids of this and other providers as they are known; anything longer or of another form is not recorded. */
const idPattern = /^[\w.:=+/-]{1,256}$/

/** Items that the model wrote, so that they read as no more than the answer's output. */
const written = [
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
  'tool_search_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'computer_call',
]
/** Searches, whose results count as input of the answer. */
const found = ['web_search_call']

/** Collects while a response is read; the final event is the response object. */
export class ProviderObjectCollector {
  private readonly items = new Map<string, ProviderObject>()
  private response: ProviderObject | null = null

  get list(): readonly ProviderObject[] {
    return this.response === null ? [] : [this.response, ...this.items.values()]
  }

  readItem(item: JsonRecord): void {
    const id = textIn(item, 'id')
    if (!idPattern.test(id) || (this.items.size === itemsMax && !this.items.has(id))) return
    this.items.set(id, { id, referencedScope: scopeOf(textIn(item, 'type')) })
  }

  /** The response object of an answer that came to its end. */
  readResponse(response: JsonRecord): void {
    const id = textIn(response, 'id')
    if (response.store !== true || !idPattern.test(id)) return
    for (const item of recordsIn(response, 'output')) this.readItem(item)
    // Input that was truncated at the front is stored too, and its length is unknown.
    const isCut = ![undefined, null, 'disabled'].includes(response.truncation as never)
    const isBounded = !isCut && [...this.items.values()].every((item) => item.referencedScope !== 'window')
    this.response = { id, referencedScope: isBounded ? 'all' : 'window' }
    this.items.delete(id)
  }
}

/** null: the object has no ID that can be in a URL. */
export function responseId(response: JsonRecord): string | null {
  const id = textIn(response, 'id')
  return /^\w[\w.:=+-]{0,255}$/.test(id) ? id : null
}

function scopeOf(type: string): ProviderObject['referencedScope'] {
  if (written.includes(type)) return 'output'
  return found.includes(type) ? 'all' : 'window'
}
