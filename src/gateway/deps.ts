/**
 * Everything that serving a request needs, composed once per process. Each phase names the part of it
 * that it uses; nothing in it changes while a request runs but what is meant to (snapshot, draining).
 */
import type { IncomingMessage } from 'node:http'
import type { SecretSealer } from '../access/sealing.ts'
import type { Access } from '../access/types.ts'
import type { Background } from '../base/background.ts'
import type { Clock } from '../base/clock.ts'
import type { Failpoints } from '../base/failpoint.ts'
import type { NextId } from '../base/ids.ts'
import type { KeyedSemaphore } from '../base/keyed-semaphore.ts'
import type { Log } from '../base/log.ts'
import type { Snapshot } from '../catalog/types.ts'
import type { Limits } from '../config/config.ts'
import type { LoadLevel } from '../http/load-shedding.ts'
import type { SharedMemory } from '../http/shared-memory.ts'
import type { ProviderFiles } from '../ledger/provider-file-types.ts'
import type { Ledger, Settlement } from '../ledger/types.ts'
import type { FrontRates } from '../limits/front-rates.ts'
import type { RateMeter } from '../limits/rate-meter.ts'
import type { Connector } from '../providers/connector.ts'
import type { Health } from '../providers/health.ts'
import type { Sender } from '../providers/send.ts'
import type { BodyThreads } from '../tokens/body-threads.ts'
import type { Counter } from '../tokens/count.ts'
import type { PdfReader } from '../tokens/pdf-reader.ts'
import type { RefusalLog } from '../usage/refusal-log.ts'
import type { ReadLimits } from '../wire/dialect.ts'
import type { ResponsePolls } from './background-responses/polls.ts'
import type { InFlightRequests } from './in-flight-requests.ts'
import type { Metrics } from './metrics.ts'
import type { RouteDeps } from './phases/route.ts'
import type { SettlementResult } from './request.ts'

export interface GatewayDeps extends FrontRates {
  /** Where callers reach this server. */
  readonly address: string
  readonly access: Access
  readonly background: Background
  /** Where bodies are read and translated. */
  readonly bodyThreads: Pick<BodyThreads, 'run'>
  readonly bodies: SharedMemory['bodies']
  /** The network that a request comes from, behind trusted proxies. */
  readonly clientNetwork: (request: IncomingMessage) => string
  readonly clock: Clock
  readonly connectorOf: (provider: string) => Connector
  readonly counter: Counter
  /** Counting tokens for nothing, per account: its rate, and places for what is counted at once. */
  readonly counting: { readonly rates: RateMeter; readonly places: KeyedSemaphore }
  readonly draining: { readonly begun: boolean }
  /** What becomes of a tool choice that a model cannot be forced to, unless the request says. */
  readonly forcedTools: 'adapt' | 'refuse'
  /** Memory for what of answers waits here: unfinished events, last words, whole answers. */
  readonly events: SharedMemory['events']
  readonly failpoints: Failpoints
  /** Files that accounts keep at providers. */
  readonly files: ProviderFiles
  /** For the addresses at which uploads are continued. */
  readonly uploads: SecretSealer
  readonly health: Health
  readonly ledger: Ledger
  readonly limits: Limits
  readonly log: Log
  readonly metrics: Metrics
  readonly nextId: NextId
  /** Counts the pages of documents whose tokens no provider counts. */
  readonly pdfs: PdfReader
  readonly order: RouteDeps['order']
  /** When responses in the background are looked at. */
  readonly polls: ResponsePolls
  readonly load: { level(): LoadLevel }
  readonly read: ReadLimits
  /** Places for reading on after a client left, per account. */
  readonly readOnSlots: KeyedSemaphore
  /** Refused requests, for the people whose keys they came with. */
  readonly refusals: Pick<RefusalLog, 'note' | 'flush'>
  readonly inFlight: InFlightRequests
  readonly sender: Sender
  /** Settles a response in the background: durable when it resolves as settled; tried once. */
  readonly settleResponse: (settlement: Settlement) => Promise<SettlementResult>
  /** The catalog of this moment; a request reads it once. */
  readonly snapshot: Snapshot
  /** Places for waiting for money, per account. */
  readonly balanceWaits: KeyedSemaphore
}
