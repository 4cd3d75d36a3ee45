/** The members of an object of a body, and the patches that take some of them out. */
import type { BytePatch } from './byte-patch.ts'
import type { Json } from './json.ts'

/** Values by name; of two with one name the last. */
export function membersOf(json: Json, object: number): ReadonlyMap<string, number> {
  const members = new Map<string, number>()
  if (json.kind(object) !== 'object') return members
  const end = json.next(object)
  for (let name = object + 1; name < end; name = json.next(name + 1)) members.set(json.text(name), name + 1)
  return members
}

/** Patches that remove members, each with one comma. */
export function memberRemovals(json: Json, object: number, names: readonly string[]): readonly BytePatch[] {
  const patches: BytePatch[] = []
  const end = json.next(object)
  let remainingEnd: number | null = null
  for (let name = object + 1; name < end; name = json.next(name + 1)) {
    const value = name + 1
    const next = json.next(value)
    if (!names.includes(json.text(name))) remainingEnd = json.end(value)
    else if (remainingEnd === null) {
      const after = next < end ? json.start(next) : json.end(value)
      patches.push({ start: json.start(name), end: after, text: '' })
    } else {
      patches.push({ start: remainingEnd, end: json.end(value), text: '' })
      remainingEnd = json.end(value)
    }
  }
  return patches
}
