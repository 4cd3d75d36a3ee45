/** Applies changes of other threads, and of other processes on the database, to a thread. */
import type { Access } from '../access/types.ts'
import type { Changes } from '../base/changes.ts'
import type { Log } from '../base/log.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { OpenIdentity } from '../identity/identity.ts'
import type { Ledger } from '../ledger/types.ts'
import type { ProviderKeys } from '../provider-keys/types.ts'
import type { SharedChange } from '../store/postgres/shared-changes.ts'

export interface SharedParts {
  readonly access: Pick<Access, 'changedElsewhere'>
  readonly catalog: Pick<Catalog, 'reload'>
  readonly providerKeys: Pick<ProviderKeys, 'reload'>
  readonly ledger: Pick<Ledger, 'changedElsewhere'>
  readonly identity: Pick<OpenIdentity['identity'], 'forgetSessions'>
  readonly changes: Pick<Changes, 'publishToAll'>
}

type Apply = (parts: SharedParts, id: bigint | null) => Promise<void>

const reloadCatalog: Apply = async ({ catalog, changes }) => {
  await catalog.reload()
  changes.publishToAll(['models'])
}
const forgetSessions: Apply = async ({ identity }) => identity.forgetSessions()

/** Effects by table; other tables are read from the database each time. */
const effects: Readonly<Record<string, Apply>> = {
  api_key: ({ access }, id) => access.changedElsewhere(id),
  provider_key: ({ providerKeys }, id) => providerKeys.reload(id),
  account: ({ ledger }, id) => ledger.changedElsewhere(id),
  model_override: reloadCatalog,
  price_version: reloadCatalog,
  upstream: reloadCatalog,
  setting: reloadCatalog,
  auth_session: forgetSessions,
  auth_user: forgetSessions,
  auth_member: forgetSessions,
}

/** Applies changes in order; changes of one table that have not begun are merged. */
export function applySharedChanges(parts: SharedParts, log: Log): (change: SharedChange) => void {
  const onFailure = (error: unknown): void =>
    log.error({ err: error }, 'a change made by another thread or process could not be read')
  const waiting = new Map<string, () => Promise<void>>()
  let isRunning = false
  async function run(): Promise<void> {
    isRunning = true
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const [name, apply] = next
      waiting.delete(name)
      await apply().catch(onFailure)
    }
    isRunning = false
  }
  return ({ table, id }) => {
    const tables = table === 'everything' ? Object.keys(effects) : [table]
    for (const each of tables) {
      const effect = effects[each]
      // The catalog's tables have one effect, which is run once for all of them.
      const name = effect === reloadCatalog ? 'catalog' : `${each} ${id}`
      if (effect !== undefined) waiting.set(name, () => effect(parts, id))
    }
    if (!isRunning) run().catch(onFailure)
  }
}
