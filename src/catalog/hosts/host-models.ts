/**
 * The models that hosts are known to serve, as definitions. The table is loaded with the first upstream of a host: an
 * installation without one needs neither time nor memory for it.
 */
import { cloudHosts, hostVariables } from '../../../contract/hosts.ts'
import { modelsOfRows } from '../builtin/model-rows.ts'
import type { ModelDefinition } from '../definition.ts'

const known = new Map<string, readonly ModelDefinition[]>()

/** The models of these providers, as far as they are hosts with a table; each host's are the same objects every time. */
export async function hostModels(providers: Iterable<string>): Promise<readonly ModelDefinition[]> {
  const hosts = [...new Set(providers)].filter(
    (provider) => Object.hasOwn(hostVariables, provider) || Object.hasOwn(cloudHosts, provider),
  )
  if (hosts.every((host) => known.has(host))) return hosts.flatMap((host) => known.get(host) ?? [])
  const { hostModelRows } = await import('./host-models-table.ts')
  return hosts.flatMap((host) => {
    // The host's name for a model follows from the ID.
    const models = known.get(host) ?? modelsOfRows(host, hostModelRows[host] ?? '', `${host}/`)
    known.set(host, models)
    return models
  })
}
