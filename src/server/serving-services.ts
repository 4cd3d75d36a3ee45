/**
 * Data plane services of each thread that serves requests: ledger, keys, catalog, counters and upstream
 * observations, opened on a store. Listens nowhere and starts nothing on its own.
 */
import { behaviors } from '../../sandbox/scenarios/behaviors-table.ts'
import { openAccess } from '../access/access.ts'
import { createSealer, type SecretSealer } from '../access/sealing.ts'
import type { RootSecret } from '../access/secret.ts'
import type { Access } from '../access/types.ts'
import { Changes } from '../base/changes.ts'
import type { Clock } from '../base/clock.ts'
import { formatId, type NextId, type RandomBytes } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { within } from '../base/within.ts'
import { type BodyThreads, openBodyThreads } from '../bodies/body-threads.ts'
import { builtinModels, sandboxModels } from '../catalog/builtin/builtin.ts'
import { type Catalog, type GivenSources, openCatalog } from '../catalog/catalog.ts'
import { type CustomerView, customerViewOf } from '../catalog/customer-view.ts'
import type { Config } from '../config/config.ts'
import { localAccountSetting } from '../control/authorize.ts'
import { type OpenLedger, openLedger } from '../ledger/ledger.ts'
import type { ProviderFiles } from '../ledger/provider-file-types.ts'
import { openProviderFiles } from '../ledger/sqlite/provider-files.ts'
import type { Ledger } from '../ledger/types.ts'
import type { RateLimits } from '../limits/types.ts'
import { openProviderKeys, type ProviderKeysDeps } from '../provider-keys/provider-keys.ts'
import type { ProviderKeys } from '../provider-keys/types.ts'
import type { Connector } from '../providers/connector.ts'
import { type Health, openHealth } from '../providers/health.ts'
import { connectors, openConnectors } from '../providers/registry.ts'
import { openSpeeds, type Speeds } from '../providers/speeds.ts'
import { type Settings, settingsOf } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { type Counter, openCounter } from '../tokens/count.ts'
import { openPdfReader, type PdfReader } from '../tokens/pdf-reader.ts'
import { type OfferStatistics, openOfferStatistics } from '../usage/offer-statistics.ts'
import type { UsageReport } from '../usage/types.ts'
import { openUsage } from '../usage/usage.ts'
import { threadEntries } from './thread-entries.ts'

export interface DataPlaneServices {
  readonly store: Store
  readonly settings: Settings
  readonly ledger: Ledger
  readonly nextId: NextId
  readonly access: Access
  readonly changes: Changes
  readonly catalog: Catalog
  /** Finds the connector of a provider, custom hosts included. */
  readonly connectorOf: (provider: string) => Connector
  readonly counters: {
    readonly counter: Counter
    readonly pdfs: PdfReader
    readonly bodyThreads: BodyThreads
  }
  /** Upstream details that customers see. */
  readonly customerView: CustomerView
  readonly files: ProviderFiles
  /** For the addresses at which uploads are continued. */
  readonly uploads: SecretSealer
  readonly health: Health
  readonly offerStatistics: OfferStatistics
  readonly speeds: Speeds
  readonly providerKeys: ProviderKeys
  readonly usage: UsageReport
  /** Where all threads count the requests of upstreams. */
  readonly upstreamMemory: SharedArrayBuffer
}

export interface OpenDataPlane {
  readonly parts: DataPlaneServices
  readonly accountRates: (account: bigint) => RateLimits
  /** How many requests of processes that died were closed on opening. */
  readonly recovered: number
  /** The store is closed by its owner, afterwards. */
  close(): Promise<void>
}

export interface ServingServicesOptions {
  readonly config: Config
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
  readonly store: Store
  readonly secret: RootSecret
  readonly sources: GivenSources
  /** `thread`: one more in a process that has opened it. */
  readonly as: 'process' | 'thread'
  /** The memory shared with the other threads. */
  readonly upstreamMemory: SharedArrayBuffer
}

export async function openDataPlane(options: ServingServicesOptions): Promise<OpenDataPlane> {
  const { config, clock, random, log, store, secret, sources } = options
  const { limits } = config
  const settings = settingsOf(store)
  const changes = new Changes(clock, limits)
  const opened = await openAccountLedger(changes, options)
  const { ledger, nextId } = opened
  const accountRates = await openAccountRates(settings, nextId, limits)
  const hashKey = secret.keyFor('api-key-hash')
  const access = openAccess({ store, clock, nextId, random, hashKey, accountRates, limits })
  const sealer = createSealer(secret.keyFor('upstream-credentials'), random)
  const catalog = await openCatalog({ store, clock, nextId, settings, sealer, sources })
  const keySealer = createSealer(secret.keyFor('provider-keys'), random)
  const providerKeys = await openKeys(store, { ...config, sealer: keySealer, clock })
  const bodyThreads = openBodyThreads({ clock, limits, log, entry: threadEntries.bodies })
  const counter = openCounter({ clock, limits, entry: threadEntries.counter })
  const pdfs = openPdfReader({ clock, limits, entry: threadEntries.pdfs })
  const parts: DataPlaneServices = {
    ...{ store, settings, ledger, nextId, access, changes, catalog, providerKeys },
    connectorOf: openConnectors(() => catalog.snapshot.upstreams),
    customerView: customerViewOf(config.showUpstreams, connectors, catalog),
    counters: { counter, pdfs, bodyThreads },
    files: await openFileStore(options),
    uploads: createSealer(secret.keyFor('uploads'), random),
    ...openObservations(store, { clock, limits, log }),
    usage: openUsage(store, { clock, limits }),
    upstreamMemory: options.upstreamMemory,
  }
  return {
    parts,
    accountRates,
    recovered: opened.recovered,
    async close() {
      await within(clock, limits.closeMs, parts.offerStatistics.close())
      await bodyThreads.close()
      await counter.close()
      await pdfs.close()
      await opened.close()
    },
  }
}

function openKeys(
  store: Store,
  options: Pick<Config, 'limits' | 'providerKeys'> & Pick<ProviderKeysDeps, 'sealer' | 'clock'>,
): Promise<ProviderKeys> {
  const { limits, sealer, clock, providerKeys: settings } = options
  return openProviderKeys({ store, limits, sealer, clock, settings, connectors })
}

/**
 * Uploads that an earlier process left unfinished belong to no account and cannot be used. Their IDs are not
 * known, so they cannot be deleted either.
 */
async function openFileStore({
  store,
  log,
  as,
}: Pick<ServingServicesOptions, 'store' | 'log' | 'as'>): Promise<ProviderFiles> {
  const files = openProviderFiles(store)
  if (as === 'thread') return files
  for (const { upstream, account } of await files.removeUnfinished()) {
    const facts = { upstream, account: formatId('acct', account) }
    log.warn(
      facts,
      'an upload was cut short: the upstream may keep a file of unknown id that no account owns',
    )
  }
  return files
}

async function openAccountLedger(
  changes: Changes,
  { store, clock, config, log, as }: ServingServicesOptions,
): Promise<OpenLedger> {
  const opened = await openLedger(store, {
    ...{ clock, changes, as },
    limits: config.limits,
    onTrouble: (error) => log.error({ err: error }, 'failed to close expired holds'),
  })
  for (const { id, account } of opened.unrecorded) {
    const facts = { request: formatId('req', id), account: formatId('acct', account) }
    log.warn(
      facts,
      'a background request was cut short: its upstream may run a response that no account owns',
    )
  }
  return opened
}

const unlimitedRates: RateLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }

/** Only its balance limits the account that the first start creates: its keys belong to the operator. */
async function openAccountRates(
  settings: Settings,
  nextId: NextId,
  usual: RateLimits,
): Promise<(account: bigint) => RateLimits> {
  const local = await settings.claim(localAccountSetting, formatId('acct', nextId()))
  return (account) => (formatId('acct', account) === local ? unlimitedRates : usual)
}

/** Configured models and upstreams. `sandboxOrigin`: null: the sandbox does not run here. */
export function catalogSources(config: Config, sandboxOrigin: string | null): GivenSources {
  const { models, aliases, disabled, markup, upstreams } = config
  const isSandboxOn = config.sandbox === 'on'
  const sandboxUpstream = {
    name: 'sandbox',
    provider: 'sandbox',
    url: sandboxOrigin,
    credential: 'sandbox',
    weight: 1,
    models: 'all' as const,
  }
  return {
    builtin: isSandboxOn ? [...builtinModels, ...sandboxModels(behaviors)] : builtinModels,
    configured: models,
    aliases,
    disabled,
    markup,
    upstreams: isSandboxOn ? [...upstreams, sandboxUpstream] : upstreams,
    providers: connectors,
  }
}

interface Observations {
  readonly health: Health
  readonly speeds: Speeds
  readonly offerStatistics: OfferStatistics
}

/** Observations of upstreams and offers. */
function openObservations(
  store: Store,
  { clock, limits, log }: { readonly clock: Clock; readonly limits: Config['limits']; readonly log: Log },
): Observations {
  const onTrouble = (error: unknown) => log.warn({ err: error }, 'failed to store the statistics of offers')
  return {
    health: openHealth({ clock, limits }),
    speeds: openSpeeds({ clock, limits }),
    offerStatistics: openOfferStatistics({ store, clock, limits, onTrouble }),
  }
}
