/**
 * Writes JSON text, in the order in which members are given. Text that a caller or a model wrote goes in
 * as it stands (`RawJson`), so that no big number, order of names or escape in it changes.
 */

/** JSON text that stands for itself. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What can be written; a member that is undefined is left out. */
export type JsonOut =
  | null
  | boolean
  | number
  | string
  | RawJson
  | readonly JsonOut[]
  | { readonly [name: string]: JsonOut | undefined }

/** The JSON text of `value`; numbers must be finite. */
export function jsonText(value: JsonOut): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (value instanceof RawJson) return value.text
  if (isList(value)) {
    let text = '['
    for (const [index, element] of value.entries()) text += (index === 0 ? '' : ',') + jsonText(element)
    return `${text}]`
  }
  let text = ''
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${jsonText(member)}`
  }
  return `{${text}}`
}

/** One server-sent event. Line breaks, which only text from elsewhere has, would end its line: between values a space means the same. */
export function sseEvent(name: string | null, data: JsonOut): string {
  return `${name === null ? '' : `event: ${name}\n`}data: ${jsonText(data).replace(/[\r\n]/g, ' ')}\n\n`
}

function isList(value: JsonOut): value is readonly JsonOut[] {
  return Array.isArray(value)
}
