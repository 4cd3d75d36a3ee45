/**
 * A Messages body as its host takes it: clouds want the model in the path and the version of the format in the body. Patches
 * of the bytes, made from the data of the provider's row; every other byte stays as it was written.
 */
import type { ReadLimits } from '../dialect.ts'
import type { AdaptedRequest, RequestDifferences } from '../host-differences.ts'
import type { BytePatch } from '../json/byte-patch.ts'
import { readJson } from '../json/json.ts'
import { memberRemovals } from '../json/members.ts'
import { stripCarriers } from './strip-carriers.ts'

/** Carriers of ours are taken out as well. */
export function adaptRequest(
  body: Uint8Array,
  limits: ReadLimits,
  differences: RequestDifferences,
): AdaptedRequest {
  const patches = [...hostPatches(body, limits, differences), ...stripCarriers(body, limits)]
  return { patches: patches.sort((a, b) => a.start - b.start), adjusted: [] }
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
