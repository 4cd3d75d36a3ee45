/**
 * Services of a server or a command: store, ledger, keys, catalog and token counter, opened in
 * order and closed in reverse. Listens nowhere and starts nothing on its own.
 */

import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type BuiltInKeys, openBuiltInKeys } from '../access/built-in-keys.ts'
import { openManagementKeys } from '../access/management-keys.ts'
import { openSecret, type RootSecret } from '../access/secret.ts'
import type { ManagementKeys } from '../access/types.ts'
import { type Audit, openAudit } from '../audit/audit.ts'
import type { Clock } from '../base/clock.ts'
import { asTollgateError } from '../base/errors.ts'
import type { RandomBytes } from '../base/ids.ts'
import { createLog, type Log } from '../base/log.ts'
import type { GivenSources } from '../catalog/catalog.ts'
import type { Config } from '../config/config.ts'
import type { CommandServices, ControlDeps, ServerStatus } from '../control/control-deps.ts'
import { provisionAccount } from '../control/open-accounts.ts'
import { countsMemory } from '../gateway/attempts/upstream-counts.ts'
import { arrivalOf, clientAddressOf } from '../http/client-address.ts'
import { shownHost } from '../http/shown-host.ts'
import type { CoreDeps } from '../identity/core.ts'
import { type OpenIdentity, openIdentity } from '../identity/identity.ts'
import type { Person } from '../identity/types.ts'
import { openIdentityWorker } from '../identity/worker.ts'
import { RateMeter } from '../limits/rate-meter.ts'
import { type Mail, openMail } from '../mail/mail.ts'
import { type OpenPayments, openPayments } from '../payments/payments.ts'
import type { Payments } from '../payments/types.ts'
import { settingsOf } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { databaseBytes } from '../store/store.ts'
import { rejectionOfMoved } from './moved.ts'
import { openServerStore } from './open-store.ts'
import { configurationMistakes } from './reload.ts'
import { commandStatus } from './server-status.ts'
import { catalogSources, type DataPlaneServices, openDataPlane } from './serving-services.ts'
import { applySharedChanges } from './shared-changes.ts'
import { postgresThreads, threadEntries } from './thread-entries.ts'

export interface ServicesOptions {
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
  /** Where the sandbox listens; null: nowhere in this process, so its models can be listed and not used. */
  readonly sandboxOrigin: string | null
  /** Threads that will serve requests to models; left out: this one. */
  readonly threads?: number
  /** The store can do nothing any more: the process should end. */
  readonly onLost: (error: Error) => void
}

export interface Services extends PeopleServices, DataPlaneServices {
  /** How many requests of processes that died were closed on opening. */
  readonly recovered: number
  readonly builtInKeys: BuiltInKeys
  readonly managementKeys: ManagementKeys
  readonly addressHash: (folded: string) => Uint8Array
  readonly audit: Audit
  readonly payments: Payments
  /** The same with the background jobs. */
  readonly openPayments: OpenPayments
  /** Dependencies of control-plane operations; `address`: the server's public URL. */
  control(address: string, server: ServerStatus): ControlDeps
  close(): Promise<void>
}

export type ServicesResult =
  | { readonly kind: 'open'; readonly services: Services }
  /** Sentences for the operator; nothing stays open. */
  | { readonly kind: 'rejected'; readonly messages: readonly string[] }
  /** The same, where the database may be reached later. */
  | { readonly kind: 'away'; readonly messages: readonly string[] }

/** Locks the data folder for this process, creates missing files, and migrates its database. */
export async function openServices(config: Config, options: ServicesOptions): Promise<ServicesResult> {
  const sources = catalogSources(config, options.sandboxOrigin)
  const mistakes = await configurationMistakes(config, options.sandboxOrigin)
  if (mistakes.length > 0) return { kind: 'rejected', messages: mistakes }
  const opened = await openServerStore(config, { ...options, clients: (options.threads ?? 1) - 1 })
  if (opened.kind === 'rejected')
    return { kind: opened.reason === 'away' ? 'away' : 'rejected', messages: [opened.message] }
  const { store } = opened
  try {
    const result = await openOnStore(store, { config, options, sources })
    if (result.kind !== 'open') await store.close()
    return result
  } catch (error) {
    await store.close()
    if (config.databaseUrl === null || asTollgateError(error).code !== 'store_unavailable') throw error
    return { kind: 'away', messages: ['The database was lost during the start.'] }
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
  const moved = config.databaseUrl === null ? await rejectionOfMoved(settings) : null
  if (moved !== null) return { kind: 'rejected', messages: [moved] }
  const { random } = options
  const secret = await openSecret({ dataFolder, configured: config.secret, random, settings })
  if (secret.kind === 'rejected') return { kind: 'rejected', messages: [secret.message] }
  const opened = await openPeopleServices(config, {
    ...options,
    key: secret.secret.keyFor('identity'),
    address: addressFromConfig(config),
  })
  if (opened.kind === 'rejected') return { kind: 'rejected', messages: [opened.message] }
  const { people } = opened
  try {
    const services = await composeServices({ store, people, secret: secret.secret }, plan)
    store.listen(applySharedChanges(services, options.log))
    return { kind: 'open', services }
  } catch (error) {
    await people.close()
    throw error
  }
}

interface ServicesBase {
  readonly store: Store
  readonly people: OpenPeople
  readonly secret: RootSecret
}

async function composeServices(
  base: ServicesBase,
  { config, options, sources }: ServicesPlan,
): Promise<Services> {
  const { store, people, secret } = base
  const { clock, random, log } = options
  const { limits } = config
  const dataPlane = await openDataPlane({
    ...options,
    ...{ config, store, secret, sources, as: 'process' },
    upstreamMemory: countsMemory(config.limits.limitedUpstreamsMax),
  })
  const { access, nextId, ledger, changes } = dataPlane.parts
  const { accountRates } = dataPlane
  const foldKey = secret.keyFor('address-fold')
  const addressHash = (folded: string): Uint8Array => createHmac('sha256', foldKey).update(folded).digest()
  const paying = openPayments({
    ...{ store, ledger, clock, nextId, random, changes, log, limits },
    stripe: config.stripe,
    operator: config.operator,
    codeKey: secret.keyFor('redeem-code'),
  })
  const parts = {
    ...dataPlane.parts,
    builtInKeys: openBuiltInKeys({ store, access, clock, nextId, random, accountRates }),
    managementKeys: openManagementKeys({
      ...{ store, clock, nextId, random, limits },
      hashKey: secret.keyFor('management-key-hash'),
      onTrouble: (error) => log.error({ err: error }, 'failed to record the last use of a management key'),
    }),
    addressHash,
    audit: openAudit(store),
    payments: paying.payments,
    openPayments: paying,
    ...people.parts,
  }
  return {
    ...parts,
    recovered: dataPlane.recovered,
    control(address, server) {
      const control = controlDeps(parts, { ...options, config, address, server })
      people.serve(control)
      return control
    },
    async close() {
      await people.close()
      await dataPlane.close()
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
    get signupNano() {
      return limits.signupNano
    },
    address,
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
  if (opened.kind !== 'open') return { kind: 'rejected', message: opened.messages.join(' ') }
  const { services } = opened
  const control = services.control(addressFromConfig(config), commandStatus(clock, config.limits))
  return { kind: 'open', control, close: () => services.close() }
}

/** Where a server of this configuration is reached. */
function addressFromConfig({ publicUrl, host, port }: Config): string {
  return publicUrl ?? `http://${shownHost(host)}:${port.number}`
}

interface PeopleServices {
  readonly identity: OpenIdentity['identity']
  /** null: this installation sends no mail. */
  readonly mail: Mail | null
  /** The handler of `/api/auth`. */
  readonly handleAuth: OpenIdentity['handle']
  /** The client's address behind trusted proxies. */
  readonly clientAddress: (request: IncomingMessage) => string
}

interface OpenPeople {
  readonly parts: PeopleServices
  /** From here on every sign-up gets an account, and links use the public URL of `control`. */
  serve(control: ControlDeps): void
  close(): Promise<void>
}

type PeopleResult =
  | { readonly kind: 'open'; readonly people: OpenPeople }
  | { readonly kind: 'rejected'; readonly message: string }

interface PeopleOptions {
  readonly clock: Clock
  readonly log: Log
  readonly onLost: (error: Error) => void
  readonly key: Uint8Array
  /** The public URL until `serve` sets it. */
  readonly address: string
}

async function openPeopleServices(config: Config, options: PeopleOptions): Promise<PeopleResult> {
  const addressRef = { address: options.address }
  const mail = openMail(config.mail, { ...options, limits: config.limits })
  const result = await openIdentity({
    ...options,
    config,
    mail,
    address: () => addressRef.address,
    openCore: (needs) =>
      openIdentityWorker(threadEntries.identity, { ...needs, postgres: identityConnection(config) }),
  })
  if (result.kind === 'rejected') {
    await mail?.close()
    return result
  }
  const { opened } = result
  const addressBehind = clientAddressOf(config.trustedProxies)
  const people: OpenPeople = {
    parts: {
      identity: opened.identity,
      mail,
      handleAuth: opened.handle,
      clientAddress: (request) => addressBehind(arrivalOf(request)),
    },
    serve(control) {
      addressRef.address = control.address
      opened.onSignUp((person) => provisionOrLog(control, person))
      opened.onVerified((person) => provisionOrLog(control, person))
    },
    async close() {
      await mail?.close()
      await opened.close()
    },
  }
  return { kind: 'open', people }
}

function identityConnection({ databaseUrl: url, limits }: Config): CoreDeps['postgres'] {
  if (url === null) return undefined
  return {
    url,
    name: 'tollgate identity',
    entry: postgresThreads.statements,
    connectMsMax: limits.databaseConnectMs,
    statementMsMax: limits.databaseStatementMs,
  }
}

/** Creates account and credit; a failure is retried when the user next opens the console. */
async function provisionOrLog(control: ControlDeps, person: Person): Promise<void> {
  try {
    await provisionAccount(control, person)
  } catch (error) {
    control.log.error({ err: error }, 'the account of a new user will be created later')
  }
}
