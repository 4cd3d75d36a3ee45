/** Nothing of a client's goes upstream in this format as it is, so that no body has carriers. */
import type { BytePatch } from '../json/byte-patch.ts'

export function stripCarriers(): readonly BytePatch[] {
  return []
}
