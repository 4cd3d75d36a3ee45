/**
 * A Messages body as its host takes it: clouds want the model in the path and the version of the format in the body. Patches
 * of the bytes, made from the data of the provider's row; every other byte stays as it was written.
 */
import type { ReadLimits } from '../format.ts'
import type { AdaptedRequest, RequestDifferences } from '../host-differences.ts'
import type { BytePatch } from '../json/byte-patch.ts'
import { readJson } from '../json/json.ts'
import { memberRemovals } from '../json/members.ts'
import { textHash } from '../translation/hash.ts'
import { stripCarriers } from './strip-carriers.ts'

/** Carriers of ours are taken out as well. */
export function adaptRequest(
  body: Uint8Array,
  limits: ReadLimits,
  differences: RequestDifferences,
): AdaptedRequest {
  const user = userPatches(body, limits, differences)
  const patches = [...hostPatches(body, limits, differences), ...user, ...stripCarriers(body, limits)]
  const field = 'metadata.user_id'
  const adjusted = user.map(() => ({ kind: 'adapted', field, why: 'hashed for the host' }) as const)
  return { patches: patches.sort((a, b) => a.start - b.start), adjusted }
}

/** An id that the host would reject is hashed: a fingerprint tells users apart as well. */
function userPatches(
  body: Uint8Array,
  limits: ReadLimits,
  { userIdMax }: RequestDifferences,
): readonly BytePatch[] {
  if (userIdMax === undefined) return []
  return readJson(body, limits, (json) => {
    const value = json.find(['metadata', 'user_id'])
    if (value === -1 || !json.isString(value)) return []
    const id = json.text(value)
    if (id.length <= userIdMax && /^[\w-]*$/.test(id)) return []
    return [{ ...json.span(value), text: JSON.stringify(textHash(id)) }]
  })
}

function hostPatches(
  body: Uint8Array,
  limits: ReadLimits,
  { modelInPath, adds = {} }: RequestDifferences,
): readonly BytePatch[] {
  return readJson(body, limits, (json) => {
    if (json.kind(json.root) !== 'object') return []
    const start = json.start(json.root) + 1
    const added = Object.entries(adds).map(([name, text]) => {
      return { start, end: start, text: `${JSON.stringify(name)}:${text},` }
    })
    const removed = [...Object.keys(adds), ...(modelInPath === true ? ['model'] : [])]
    return [...added, ...memberRemovals(json, json.root, removed)]
  })
}
