/** The handlers of control-plane operations, and what they need. Types only; the root of the program composes it. */

import type { CustomHost } from '../../contract/custom-hosts.ts'
import type { OperationInput, OperationName, OperationOutput, operations } from '../../contract/operations.ts'
import type { BuiltInKeys } from '../access/built-in-keys.ts'
import type { Access, ManagementKeys } from '../access/types.ts'
import type { Audit } from '../audit/audit.ts'
import type { Changes } from '../base/changes.ts'
import type { Clock } from '../base/clock.ts'
import type { NextId, RandomBytes } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { CustomerView } from '../catalog/customer-view.ts'
import type { Limits } from '../config/config.ts'
import type { Identity } from '../identity/types.ts'
import type { ProviderFiles } from '../ledger/provider-file-types.ts'
import type { Ledger } from '../ledger/types.ts'
import type { WatchReport } from '../ledger/verify/ledger-watch.ts'
import type { RateMeter } from '../limits/rate-meter.ts'
import type { Payments } from '../payments/types.ts'
import type { ProviderKeys } from '../provider-keys/types.ts'
import type { Health } from '../providers/health.ts'
import type { Settings } from '../store/settings.ts'
import type { OfferStatistics } from '../usage/offer-statistics.ts'
import type { UsageReport } from '../usage/types.ts'
import type { Callers } from './actor.ts'

/** A host, as it is asked for the names of its models. */
export interface AskedHost {
  readonly provider: string
  /** null: the provider's own address. */
  readonly url: string | null
  readonly credential: string
  readonly custom?: CustomHost | undefined
}

export interface HostAnswer {
  readonly names: readonly string[]
  readonly problem: string | null
  readonly credential: 'accepted' | 'rejected' | 'untested' | 'unreachable'
  readonly hostMessage: string | null
}

export type CheckedHostPath = OperationOutput<'upstreams.check'>['paths'][number]

/** The answers of an upstream's host when the upstream was reviewed. */
export interface CheckedHost {
  /** null: the credential was not tested. */
  readonly credential: HostAnswer | null
  readonly paths: readonly CheckedHostPath[]
}

/** Keeps the last review alone, for the save that follows. */
export interface CheckedHostMemory {
  keep(host: AskedHost, checked: CheckedHost): void
  /** undefined: another host, or none, was reviewed last. */
  take(host: AskedHost): CheckedHost | undefined
}

export type DownloadedText =
  | { readonly kind: 'text'; readonly text: string }
  /** `message`: a sentence. */
  | { readonly kind: 'failed'; readonly message: string }

/** The server that the operations run in; on the command line without one, nothing runs. */
export interface ServerStatus {
  readonly startedMs: number
  readonly version: string
  /** How many requests run in this process. */
  running(): Promise<number>
  /** Ends a request; false: it does not run in this process. */
  stop(request: bigint): Promise<boolean>
  draining(): boolean
  /** Reads the configuration again. */
  reload(): Promise<
    | { readonly kind: 'reloaded'; readonly changed: readonly string[]; readonly restart: readonly string[] }
    | { readonly kind: 'rejected'; readonly mistakes: readonly string[] }
  >
  memoryBytes(): number
  eventLoopDelayMs(): number
  /** The names of a host's models; `problem`: why there are none. */
  listHostModels(host: AskedHost): Promise<HostAnswer>
  /** Whether the provider accepts the credential, by a real call. */
  testCredential(host: AskedHost): Promise<HostAnswer>
  /** Fetches a text, without a credential and without following redirects. */
  downloadText(url: URL): Promise<DownloadedText>
  /** Where requests of an upstream would go; asks nothing. */
  pathsOf(host: Omit<AskedHost, 'credential'>): readonly CheckedHostPath[]
  /** The same, and which of them exist. */
  findPaths(host: AskedHost): Promise<readonly CheckedHostPath[]>
  readonly checkedHost: CheckedHostMemory
  /** The findings of the ledger's background check. */
  ledgerReport(): WatchReport
}

export interface ControlDeps {
  readonly access: Access
  readonly builtInKeys: BuiltInKeys
  readonly managementKeys: ManagementKeys
  readonly audit: Audit
  readonly catalog: Catalog
  readonly changes: Changes
  /** How customers see upstreams. */
  readonly customerView: CustomerView
  readonly files: Pick<ProviderFiles, 'deleteAll' | 'pendingDeletions'>
  readonly identity: Identity
  readonly ledger: Ledger
  readonly payments: Payments
  readonly usage: UsageReport
  /** Credentials of accounts for providers. */
  readonly providerKeys: ProviderKeys
  /** Limits how often an account tests one. */
  readonly providerKeyTests: RateMeter
  readonly server: ServerStatus
  readonly settings: Settings
  /** How the upstreams do. */
  readonly health: Health
  readonly offerStatistics: OfferStatistics
  /** Where upstreams may be reached without TLS, apart from this machine itself. */
  readonly plainOrigins: readonly string[]
  /** The database, and what it takes on this machine's disk; null where it is not here. */
  readonly databaseUse: () => OperationOutput<'system.show'>['database']
  readonly clock: Clock
  readonly nextId: NextId
  readonly random: RandomBytes
  readonly log: Log
  readonly limits: Limits
  /** Tells one folded e-mail address from another without keeping it. */
  readonly addressHash: (folded: string) => Uint8Array
  /** Who runs the installation, as shown to users. */
  readonly operator: { readonly name: string; readonly contact: string | null }
  /** Whether models without a provider are there to try. */
  readonly hasSandbox: boolean
  /** The starting credit of a new personal account. */
  readonly signupNano: bigint
  /** Where people reach the server, without a slash at the end. */
  readonly address: string
}

/** A handler contains the work of its operation alone, and throws TollgateError to reject it. */
export type OperationHandlers = {
  readonly [Name in OperationName]: (
    deps: ControlDeps,
    input: OperationInput<Name>,
    caller: Callers[(typeof operations)[Name]['policy']['kind']],
  ) => Promise<OperationOutput<Name>>
}

/** The operations of a command that runs without a server, or why they could not be opened. */
export type CommandServices =
  | { readonly kind: 'open'; readonly control: ControlDeps; close(): Promise<void> }
  | { readonly kind: 'rejected'; readonly message: string }
