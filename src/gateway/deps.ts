/**
 * The dependencies of serving a request, composed once per process. Each phase declares the part that it uses. Only
 * `snapshot`, `draining` and `load` change while a request runs.
 */
import type { IncomingMessage } from 'node:http'
import type { SecretSealer } from '../access/sealing.ts'
import type { Access } from '../access/types.ts'
import type { Background } from '../base/background.ts'
import type { Clock } from '../base/clock.ts'
import type { Failpoints } from '../base/failpoint.ts'
import type { NextId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { KeyedSemaphore } from '../base/mutex.ts'
import type { BodyThreads } from '../bodies/body-threads.ts'
import type { CustomerView } from '../catalog/customer-view.ts'
import type { Snapshot } from '../catalog/types.ts'
import type { Limits } from '../config/config.ts'
import type { LoadLevel } from '../http/load-shedding.ts'
import type { SharedMemory } from '../http/shared-memory.ts'
import type { ProviderFiles } from '../ledger/provider-file-types.ts'
import type { Ledger, Settlement } from '../ledger/types.ts'
import type { FrontRates } from '../limits/front-rates.ts'
import type { RateMeter } from '../limits/rate-meter.ts'
import type { ProviderKeys } from '../provider-keys/types.ts'
import type { Connector } from '../providers/connector.ts'
import type { FirstContents } from '../providers/first-contents.ts'
import type { Health } from '../providers/health.ts'
import type { Sender } from '../providers/send.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { Counter } from '../tokens/count.ts'
import type { PdfReader } from '../tokens/pdf-reader.ts'
import type { OfferStatistics } from '../usage/offer-statistics.ts'
import type { RejectionLog } from '../usage/rejection-log.ts'
import type { ReadLimits } from '../wire/format.ts'
import type { UpstreamCapacity } from './attempts/upstream-capacity.ts'
import type { ResponsePolls } from './background-responses/polls.ts'
import type { ModelLists } from './endpoints/model-lists.ts'
import type { InFlightRequests } from './observation/in-flight-requests.ts'
import type { Metrics } from './observation/metrics.ts'
import type { UnknownMembers } from './observation/unknown-members.ts'
import type { RouteDeps } from './phases/route.ts'
import type { ObserveSettlement } from './phases/settle/observers.ts'
import type { SettlementResult } from './request.ts'
import type { UnrequestedTiers } from './targets/routing.ts'

export interface GatewayDeps extends FrontRates {
  /** The public base URL of this server. */
  readonly address: string
  readonly access: Access
  readonly background: Background
  /** Workers that read and translate bodies. */
  readonly bodyThreads: Pick<BodyThreads, 'run'>
  readonly bodies: SharedMemory['bodies']
  readonly decompressor: SharedMemory['decompressor']
  /** The client network of a request, behind trusted proxies. */
  readonly clientNetwork: (request: IncomingMessage) => string
  readonly clock: Clock
  /** Which upstream details customers may see. */
  readonly customerView: CustomerView
  readonly connectorOf: (provider: string) => Connector
  readonly counter: Counter
  /** Limits of free token counting, per account: its rate, and concurrency slots. */
  readonly modelLists: ModelLists
  readonly counting: { readonly rates: RateMeter; readonly places: KeyedSemaphore }
  /** `begun`: no balancer should choose this server any more. `rejects`: its time is over. */
  readonly draining: { readonly begun: boolean; readonly rejects: boolean }
  /** Default for a tool choice that a model cannot be forced to. */
  readonly forcedTools: 'adapt' | 'reject'
  /** Memory for buffered response bytes: incomplete events, terminal events, whole responses. */
  readonly events: SharedMemory['events']
  readonly failpoints: Failpoints
  readonly files: ProviderFiles
  /** Seals upload URLs. */
  readonly uploads: SecretSealer
  readonly health: Health
  readonly offerStatistics: OfferStatistics
  /** Accounts' own credentials for providers. */
  readonly providerKeys: ProviderKeys
  readonly ledger: Ledger
  readonly limits: Limits
  readonly log: Log
  readonly metrics: Metrics
  /** null: not configured. */
  readonly telemetry: Telemetry | null
  readonly observeSettlement: ObserveSettlement
  readonly unrequestedTiers: UnrequestedTiers
  readonly firstContents: FirstContents
  readonly capacity: UpstreamCapacity
  readonly nextId: NextId
  /** Counts the pages of documents that no provider counts. */
  readonly pdfs: PdfReader
  readonly order: RouteDeps['order']
  /** Schedules polls of background responses. */
  readonly polls: ResponsePolls
  readonly load: { level(): LoadLevel }
  readonly read: ReadLimits
  /** Slots for reading a response to its end after its client disconnected, per account. */
  readonly readOnSlots: KeyedSemaphore
  /** The log of rejected requests, shown to the owners of the keys. */
  readonly unknownMembers: UnknownMembers
  readonly rejections: Pick<RejectionLog, 'note' | 'flush'>
  readonly inFlight: InFlightRequests
  readonly sender: Sender
  /** Settles a background response, `model` by its public name: durable when it resolves as settled; tried once. */
  readonly settleResponse: (settlement: Settlement, model: string) => Promise<SettlementResult>
  /** The current catalog. */
  readonly snapshot: Snapshot
  /** Slots for requests that wait for balance, per account. */
  readonly balanceWaits: KeyedSemaphore
}
