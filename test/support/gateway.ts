/**
 * A running gateway in this process for tests: a temporary data folder, models and limits chosen by the test, providers
 * pointed at upstreams on loopback, one account with a key. The parts are the real ones.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeyPolicy } from '../../src/access/types.ts'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { systemRandom } from '../../src/base/ids.ts'
import { createLog, type Log } from '../../src/base/log.ts'
import { familyOf } from '../../src/catalog/offers/offers.ts'
import { type Config, type Limits, limitDefaults, readConfig } from '../../src/config/config.ts'
import { defaultPolicy } from '../../src/control/key-policy.ts'
import { parseUsd } from '../../src/ledger/rules/money.ts'
import { connectors } from '../../src/providers/registry.ts'
import { type Gateway, startGateway } from '../../src/server/server.ts'
import { isManualClock } from './manual-clock.ts'
import { databaseVariables } from './test-database.ts'

export interface TestGatewayOptions {
  /** Origins that receive the providers' requests. */
  readonly openai?: string
  readonly anthropic?: string
  readonly google?: string
  readonly models?: Config['models']
  /** `everywhere` when omitted: a model without upstreams is served by all upstreams of its provider. */
  readonly offers?: 'everywhere' | 'as configured'
  /** In addition to those of `openai` and `anthropic`. */
  readonly upstreams?: Config['upstreams']
  readonly signIn?: Config['signIn']
  readonly limits?: Partial<Limits>
  readonly clock?: Clock
  readonly failpoint?: string
  readonly metricsToken?: string
  readonly log?: Log
  /** Reuses the folder of an earlier gateway. */
  readonly dataFolder?: string
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface TestAccount {
  readonly id: bigint
  readonly key: string
  readonly keyId: bigint
}

export interface TestGateway {
  readonly gateway: Gateway
  readonly origin: string
  readonly dataFolder: string
  /** A new account with this credit (decimal USD) and one key. */
  account(usd: string, policy?: Partial<KeyPolicy>): Promise<TestAccount>
  /** posted, held and available, in nano-USD. */
  balance(account: bigint): Promise<{ posted: bigint; held: bigint; openHolds: number }>
  /** Drains and closes; the data folder is removed unless it was given. */
  close(): Promise<void>
}

export async function testGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const dataFolder = options.dataFolder ?? mkdtempSync(join(tmpdir(), 'tollgate-test-'))
  const clock = options.clock ?? systemClock
  const config = testConfig(
    {
      ...options,
      // A test that names its database has it.
      environment: { ...(await databaseVariables(dataFolder)), ...options.environment },
    },
    dataFolder,
  )
  const log = options.log ?? createLog({ level: 'silent' })
  const started = await startGateway({ config, clock, random: systemRandom, log })
  if (started.kind !== 'started') throw new Error(started.kind === 'rejected' ? started.message : 'stopped')
  const { gateway } = started
  // Another server on the same database waits for the end of a first start.
  if (options.environment?.DATABASE_URL !== undefined)
    await new Promise<void>((ready) => gateway.finishStart(ready))
  const { ledger, nextId, access } = gateway.services
  return {
    gateway,
    origin: gateway.origin,
    dataFolder,
    async account(usd, policy = {}) {
      const id = nextId()
      const nowMs = clock.wallMs()
      await ledger.createAccount({ id, kind: 'personal', email: `${id}@example.org`, name: 'test', nowMs })
      const amount = parseUsd(usd)
      if (amount !== undefined && amount > 0n) {
        await ledger.credit({
          entryId: nextId(),
          account: id,
          amount,
          source: 'manual',
          reference: `test-${id}`,
          nowMs,
          note: null,
        })
      }
      const key = await access.create({
        account: id,
        name: 'test',
        expiresMs: null,
        policy: { ...defaultPolicy('personal'), ...policy },
      })
      return { id, key: key.secret, keyId: key.id }
    },
    async balance(account) {
      const row = await ledger.account(account)
      if (row === undefined) throw new Error('no such account')
      return { posted: row.posted, held: row.held, openHolds: row.openHolds }
    },
    async close() {
      gateway.stopRequests()
      await gateway.drain()
      await gateway.close()
      if (options.dataFolder === undefined) rmSync(dataFolder, { recursive: true, force: true })
    },
  }
}

/** For tests of what one account alone can do to a budget. */
export const undividedBudgets: Partial<Limits> = {
  unmeteredBytes: 0,
  shareOfKeyMax: 1,
  shareOfAccountMax: 1,
  shareOfNetworkMax: 1,
}

/** A model without offers is assigned to all upstreams that the test has for its provider. */
function servedByAll(
  model: Config['models'][number],
  upstreams: Config['upstreams'],
): Config['models'][number] {
  const own = model.provider ?? familyOf(model.id, connectors)
  const names = upstreams.filter(({ provider }) => provider === own).map(({ name }) => name)
  if (names.length === 0 || model.offers !== undefined) return model
  return { ...model, offers: names.map((upstream) => ({ upstream })) }
}

/** Eleven days; a timer takes no more than 24. */
const longMs = 1_000_000_000

/**
 * Limits that must not run out while a test works, however busy the machine is; a test of one of them sets it. Not for a
 * clock of which each moment is a test's: nothing runs out there by itself.
 */
export const patientLimits: Partial<Limits> = {
  ...{ headersTimeoutMs: longMs, requestTimeoutMs: longMs, uploadGraceMs: longMs },
  ...{ controlBodyMs: longMs, lingerMs: longMs },
  // A request whose answer is late gets headers and keep-alives that are not the upstream's.
  ...{ peekMs: longMs, keepAliveMs: longMs, connectMs: longMs },
  ...{ bodyWorkMs: longMs, bodyWorkRunMsMax: longMs },
  ...{ countMs: longMs, countAskMs: longMs, holdCountMs: longMs, pdfReadMs: longMs },
  ...{ holdWaitMs: longMs, storeWaitMs: longMs, settleWaitMs: longMs, transactionMs: longMs },
  ...{
    mailMs: longMs,
    issuerMs: longMs,
    stripeTimeoutMs: longMs,
    hostModelsMs: longMs,
  },
  // The loop that the test, its clients and its upstreams share with the gateway is late for all of them.
  ...{ eventLoopDelayMsMax: longMs, commitMsMax: longMs },
}

/** A test does in a second what people do in an hour. */
const hurried: Partial<Limits> = {
  changesPerMinute: 1_000_000,
  requestsWithoutKeyPerMinute: 1_000_000,
}

function testConfig(options: TestGatewayOptions, dataFolder: string): Config {
  const providers = {
    ...(options.openai === undefined
      ? {}
      : { OPENAI_API_KEY: 'upstream-credential', TOLLGATE_OPENAI_URL: options.openai }),
    ...(options.anthropic === undefined
      ? {}
      : { ANTHROPIC_API_KEY: 'upstream-credential', TOLLGATE_ANTHROPIC_URL: options.anthropic }),
    ...(options.google === undefined
      ? {}
      : { GEMINI_API_KEY: 'upstream-credential', TOLLGATE_GOOGLE_URL: options.google }),
    ...(options.failpoint === undefined ? {} : { TOLLGATE_FAILPOINT: options.failpoint }),
    ...(options.metricsToken === undefined ? {} : { TOLLGATE_METRICS_TOKEN: options.metricsToken }),
    ...options.environment,
  }
  const read = readConfig({ TOLLGATE_DATA: dataFolder, TOLLGATE_PORT: '0', ...providers }, dataFolder)
  if (read.kind === 'mistakes') throw new Error(read.mistakes.join('\n'))
  const upstreams = [...read.config.upstreams, ...(options.upstreams ?? [])]
  return {
    ...read.config,
    models: (options.models ?? []).map((model) =>
      options.offers === 'as configured' ? model : servedByAll(model, upstreams),
    ),
    signIn: options.signIn ?? [],
    upstreams,
    limits: {
      ...limitDefaults,
      ...read.config.limits,
      ...hurried,
      ...(options.clock !== undefined && isManualClock(options.clock) ? {} : patientLimits),
      ...options.limits,
    },
  }
}
