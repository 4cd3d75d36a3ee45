/**
 * What a server and a command both need: store, ledger, keys, catalog and token counter, opened in
 * order and closed in the opposite one. Listens nowhere and starts nothing on its own.
 */

import { createHmac } from 'node:crypto'
import { behaviors } from '../../sandbox/scenarios/behaviors-table.ts'
import { openAccess } from '../access/access.ts'
import { type BuiltInKeys, openBuiltInKeys } from '../access/built-in-keys.ts'
import { openManagementKeys } from '../access/management-keys.ts'
import { createSealer, type SecretSealer } from '../access/sealing.ts'
import { openSecret, type RootSecret } from '../access/secret.ts'
import type { Access, ManagementKeys } from '../access/types.ts'
import { type Audit, openAudit } from '../audit/audit.ts'
import { Changes } from '../base/changes.ts'
import type { Clock } from '../base/clock.ts'
import { formatId, type NextId, type RandomBytes } from '../base/ids.ts'
import { createLog, type Log } from '../base/log.ts'
import { builtinModels } from '../catalog/builtin.ts'
import { type Catalog, type GivenSources, openCatalog } from '../catalog/catalog.ts'
import { type CustomerView, customerViewOf } from '../catalog/customer-view.ts'
import { hostModels } from '../catalog/hosts/host-models.ts'
import { catalogMistakes } from '../catalog/mistakes.ts'
import { sandboxModels } from '../catalog/sandbox-models.ts'
import type { Config } from '../config/config.ts'
import type { CommandServices, ControlDeps, ServerStatus } from '../control/control-deps.ts'
import { localAccountSetting } from '../control/find-account.ts'
import { shownHost } from '../http/shown-host.ts'
import { type OpenLedger, openLedger } from '../ledger/ledger.ts'
import type { ProviderFiles } from '../ledger/provider-file-types.ts'
import { openProviderFiles } from '../ledger/sqlite/provider-files.ts'
import type { Ledger } from '../ledger/types.ts'
import { RateMeter } from '../limits/rate-meter.ts'
import type { RateLimits } from '../limits/types.ts'
import { type OpenPayments, openPayments } from '../payments/payments.ts'
import type { Payments } from '../payments/types.ts'
import { keyUrlMistakes } from '../provider-keys/key-providers.ts'
import { openProviderKeys, type ProviderKeysDeps } from '../provider-keys/provider-keys.ts'
import type { ProviderKeys } from '../provider-keys/types.ts'
import type { Connector } from '../providers/connector.ts'
import { type Health, openHealth } from '../providers/health.ts'
import { connectors, openConnectors } from '../providers/registry.ts'
import { databaseBytes } from '../store/database-bytes.ts'
import { type Settings, settingsOf } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { type BodyThreads, openBodyThreads } from '../tokens/body-threads.ts'
import { type Counter, openCounter } from '../tokens/count.ts'
import { openPdfReader, type PdfReader } from '../tokens/pdf-reader.ts'
import { type OfferStatistics, openOfferStatistics } from '../usage/offer-statistics.ts'
import type { Usage } from '../usage/types.ts'
import { openUsage } from '../usage/usage.ts'
import { refusalOfMoved } from './moved.ts'
import { openServerStore } from './open-store.ts'
import { type OpenPeople, openPeopleServices, type PeopleServices } from './people-services.ts'
import { commandStatus } from './server-status.ts'
import { applySharedChanges } from './shared-changes.ts'
import { threadEntries } from './thread-entries.ts'

export interface ServicesOptions {
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
  /** Where the sandbox listens; null: nowhere in this process, so its models can be listed and not used. */
  readonly sandboxOrigin: string | null
  /** The store can do nothing any more: the process should end. */
  readonly onLost: (error: Error) => void
}

export interface Services extends PeopleServices {
  readonly store: Store
  readonly settings: Settings
  readonly ledger: Ledger
  readonly nextId: NextId
  /** How many requests of processes that died were closed on opening. */
  readonly recovered: number
  readonly access: Access
  readonly builtInKeys: BuiltInKeys
  readonly managementKeys: ManagementKeys
  readonly addressHash: (folded: string) => Uint8Array
  readonly audit: Audit
  readonly changes: Changes
  readonly payments: Payments
  /** The same with the background jobs. */
  readonly openPayments: OpenPayments
  readonly catalog: Catalog
  /** Finds the connector of a provider, custom hosts included. */
  readonly connectorOf: (provider: string) => Connector
  readonly counters: {
    readonly counter: Counter
    readonly pdfs: PdfReader
    readonly bodyThreads: BodyThreads
  }
  /** What customers see of upstreams. */
  readonly customerView: CustomerView
  readonly files: ProviderFiles
  /** For the addresses at which uploads are continued. */
  readonly uploads: SecretSealer
  readonly health: Health
  readonly offerStatistics: OfferStatistics
  readonly providerKeys: ProviderKeys
  readonly usage: Usage
  /** What control-plane operations work with; `address`: where people reach the server. */
  control(address: string, server: ServerStatus): ControlDeps
  close(): Promise<void>
}

export type ServicesResult =
  | { readonly kind: 'open'; readonly services: Services }
  /** Sentences for the operator; nothing stays open. */
  | { readonly kind: 'refused'; readonly messages: readonly string[] }

/** Takes the data folder for this process alone, makes what is missing there, and brings its database up to date. */
export async function openServices(config: Config, options: ServicesOptions): Promise<ServicesResult> {
  const sources = catalogSources(config, options.sandboxOrigin)
  const hosted = await hostModels(sources.upstreams.map(({ provider }) => provider))
  const mistakes = [
    ...catalogMistakes({ ...sources, builtin: [...sources.builtin, ...hosted] }),
    ...keyUrlMistakes(connectors, config.providerKeys.urls),
  ]
  if (mistakes.length > 0) return { kind: 'refused', messages: mistakes }
  const opened = await openServerStore(config, options)
  if (opened.kind === 'refused') return { kind: 'refused', messages: [opened.message] }
  const { store } = opened
  try {
    const result = await openOnStore(store, { config, options, sources })
    if (result.kind === 'refused') await store.close()
    return result
  } catch (error) {
    await store.close()
    throw error
  }
}

interface ServicesPlan {
  readonly config: Config
  readonly options: ServicesOptions
  readonly sources: GivenSources
}

async function openOnStore(store: Store, plan: ServicesPlan): Promise<ServicesResult> {
  const { config, options } = plan
  const { dataFolder } = config
  const settings = settingsOf(store)
  const moved = config.databaseUrl === null ? await refusalOfMoved(settings) : null
  if (moved !== null) return { kind: 'refused', messages: [moved] }
  const { random } = options
  const secret = await openSecret({ dataFolder, configured: config.secret, random, settings })
  if (secret.kind === 'refused') return { kind: 'refused', messages: [secret.message] }
  const opened = await openPeopleServices(config, {
    ...options,
    key: secret.secret.keyFor('identity'),
    address: addressFromConfig(config),
  })
  if (opened.kind === 'refused') return { kind: 'refused', messages: [opened.message] }
  const { people } = opened
  try {
    const services = await composeServices({ store, settings, people, secret: secret.secret }, plan)
    store.listen(applySharedChanges(services, options.log))
    return { kind: 'open', services }
  } catch (error) {
    await people.close()
    throw error
  }
}

interface ServicesBase {
  readonly store: Store
  readonly settings: Settings
  readonly people: OpenPeople
  readonly secret: RootSecret
}

async function composeServices(
  base: ServicesBase,
  { config, options, sources }: ServicesPlan,
): Promise<Services> {
  const { store, settings, people, secret } = base
  const { clock, random, log } = options
  const { limits } = config
  const audit = openAudit(store)
  const changes = new Changes(clock, limits)
  const opened = await openAccountLedger(store, changes, { clock, limits, log })
  const { ledger, nextId } = opened
  const rates = await openAccountRates(settings, nextId, limits)
  const hashKey = secret.keyFor('api-key-hash')
  const access = openAccess({ store, clock, nextId, random, hashKey, accountRates: rates, limits })
  const builtInKeys = openBuiltInKeys({ store, access, clock, nextId, random, accountRates: rates })
  const managementKeys = openManagementKeys({
    store,
    clock,
    nextId,
    random,
    hashKey: secret.keyFor('management-key-hash'),
    limits,
    onTrouble: (error) => log.error({ err: error }, 'failed to record the last use of a management key'),
  })
  const sealer = createSealer(secret.keyFor('upstream-credentials'), random)
  const catalog = await openCatalog({ store, clock, nextId, settings, sealer, sources })
  const keySealer = createSealer(secret.keyFor('provider-keys'), random)
  const providerKeys = await openKeys(store, { ...config, sealer: keySealer, clock })
  const bodyThreads = openBodyThreads({ clock, limits, log, entry: threadEntries.bodies })
  const counter = openCounter({ clock, limits, entry: threadEntries.counter })
  const pdfs = openPdfReader({ clock, limits, entry: threadEntries.pdfs })
  const usage = openUsage(store, { clock, limits })
  const foldKey = secret.keyFor('address-fold')
  const addressHash = (folded: string): Uint8Array => createHmac('sha256', foldKey).update(folded).digest()
  const files = await openFileStore(store, log)
  const keys = { access, builtInKeys, managementKeys }
  const paying = openPayments({
    ...{ store, ledger, clock, nextId, random, changes, log, limits },
    stripe: config.stripe,
    operator: config.operator,
    codeKey: secret.keyFor('redeem-code'),
  })
  const parts = {
    store,
    settings,
    ledger,
    nextId,
    ...keys,
    addressHash,
    audit,
    catalog,
    connectorOf: openConnectors(() => catalog.snapshot.upstreams),
    ...{ changes, customerView: customerViewOf(config.showUpstreams, connectors, catalog) },
    payments: paying.payments,
    openPayments: paying,
    ...{ files, uploads: createSealer(secret.keyFor('uploads'), random) },
    counters: { counter, pdfs, bodyThreads },
    health: openHealth({ clock, limits }),
    offerStatistics: openOfferStatistics({ clock, limits }),
    providerKeys,
    usage,
    ...people.parts,
  }
  return {
    ...parts,
    recovered: opened.recovered,
    control(address, server) {
      const control = controlDeps(parts, { ...options, config, address, server })
      people.serve(control)
      return control
    },
    async close() {
      await people.close()
      await bodyThreads.close()
      await counter.close()
      await pdfs.close()
      await opened.close()
      await store.close()
    },
  }
}

function controlDeps(
  parts: Omit<Services, 'recovered' | 'control' | 'close'>,
  options: Pick<ServicesOptions, 'clock' | 'random' | 'log'> & {
    readonly config: Config
    readonly address: string
    readonly server: ServerStatus
  },
): ControlDeps {
  const { clock, random, log, config, address, server } = options
  const { limits, operator } = config
  return {
    ...parts,
    clock,
    random,
    log,
    limits,
    server,
    operator,
    hasSandbox: config.sandbox === 'on',
    providerKeyTests: new RateMeter({
      perMinute: limits.providerKeyTestsPerMinute,
      takersMax: limits.providerKeyStatesMax,
    }),
    plainOrigins: config.plainOrigins,
    databaseUse: () =>
      config.databaseUrl === null
        ? { kind: 'sqlite', bytes: databaseBytes(config.dataFolder) }
        : { kind: 'postgresql', bytes: null },
    signupNano: limits.signupNano,
    address,
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
 * What an earlier process began to upload and did not finish belongs to no account: it can be used by none. Its id is not
 * known, so it cannot be deleted either.
 */
async function openFileStore(store: Store, log: Log): Promise<ProviderFiles> {
  const files = openProviderFiles(store)
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
  store: Store,
  changes: Changes,
  { clock, limits, log }: Pick<ServicesOptions, 'clock' | 'log'> & Pick<Config, 'limits'>,
): Promise<OpenLedger> {
  const opened = await openLedger(store, {
    clock,
    limits,
    changes,
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
  { requestsPerMinute, tokensPerMinute, concurrent }: RateLimits,
): Promise<(account: bigint) => RateLimits> {
  const local = await settings.claim(localAccountSetting, formatId('acct', nextId()))
  const usual: RateLimits = { requestsPerMinute, tokensPerMinute, concurrent }
  return (account) => (formatId('acct', account) === local ? unlimitedRates : usual)
}

function catalogSources(config: Config, sandboxOrigin: string | null): GivenSources {
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

/** The parts for one command, when no server runs. */
export async function openCommandServices(
  config: Config,
  { clock, random }: Pick<ServicesOptions, 'clock' | 'random'>,
): Promise<CommandServices> {
  // To stderr: stdout belongs to the command's result.
  const destination = { write: (line: string) => void process.stderr.write(line) }
  const log = createLog({ level: config.logLevel, destination })
  const opened = await openServices(config, {
    clock,
    random,
    log,
    sandboxOrigin: null,
    onLost: (error) => log.fatal({ err: error }, 'the store is lost'),
  })
  if (opened.kind === 'refused') return { kind: 'refused', message: opened.messages.join(' ') }
  const { services } = opened
  const control = services.control(addressFromConfig(config), commandStatus(clock, config.limits))
  return { kind: 'open', control, close: () => services.close() }
}

/** Where a server of this configuration is reached. */
function addressFromConfig({ publicUrl, host, port }: Config): string {
  return publicUrl ?? `http://${shownHost(host)}:${port.number}`
}
