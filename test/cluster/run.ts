/**
 * `npm run cluster`: two gateways on three PostgreSQL servers under Patroni and etcd. The primary is killed again and again while
 * clients send requests: its server alone, or its whole machine. Needs Debian's packages `patroni`, `etcd-server` and
 * `postgresql`. Exits with 1 when something acknowledged is missing, a request is charged twice, a client got another error
 * than 503, or a gateway was back later than the cluster and two seconds.
 *
 * `--rounds N` (4)
 */
import { parseArgs } from 'node:util'
import type { OperationOutput } from '../../contract/operations.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { formatId, parseId } from '../../src/base/ids.ts'
import { parseUsd } from '../../src/ledger/rules/money.ts'
import { type Installation, makeInstallation } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type Load, startLoad } from './load.ts'
import { missingPackages, type PatroniCluster, startCluster } from './patroni-cluster.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '4' } } })
const rounds = Number(values.rounds)
const missing = missingPackages()
if (missing.length > 0) {
  process.stderr.write(`install ${missing.join(', ')} to run the cluster\n`)
  process.exit(1)
}

const lateMsMax = 2_000
const secret = 'root secret of two gateways on a cluster'
const credit = '1000'
const print = (text: string): void => void process.stdout.write(`${text}\n`)
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
const failures: string[] = []
function check(isRight: boolean, text: string): void {
  print(`${isRight ? 'ok  ' : 'FAIL'} ${text}`)
  if (!isRight) failures.push(text)
}

const configuration = (origin: string): string =>
  [
    'sandbox: off',
    'limits: { requestsPerMinute: 100000, tokensPerMinute: 1000000000, concurrent: 1000 }',
    'upstreams:',
    `  - { name: openai, provider: openai, url: '${origin}', credential: any }`,
    'models:',
    ...['echo', 'stream'].map(
      (name) =>
        `  - { id: chat-${name}, provider: openai, upstreams: [openai], upstreamId: sandbox-${name}, dialects: [openai-chat], context: 200000, maxOutput: 10000, prices: [{ input: 3, output: 15 }] }`,
    ),
    '',
  ].join('\n')

const sandbox = await startSandbox({ clock: systemClock })
const cluster = await startCluster()
const installations = [1, 2].map(() => makeInstallation(configuration(sandbox.origin)))
try {
  await cluster.healthy()
  print('three servers under Patroni, one of them a synchronous standby')
  const environment = { DATABASE_URL: cluster.url, TOLLGATE_SECRET: secret }
  const gateways = await Promise.all(installations.map((each) => each.start({ environment })))
  const [first] = installations
  if (first === undefined) throw new Error('there are two gateways')
  const { account, key } = await first.ask('account.create', { email: 'load@example.org', credit } as never)
  const load = startLoad(
    gateways.map(({ origin }) => origin),
    key,
  )
  await someFrom(load, systemClock.monoMs())
  for (let round = 1; round <= rounds; round += 1) await failover(cluster, load, round)
  await load.stop()
  await compare(first, load, account)
} finally {
  for (const each of installations) await each.remove()
  await cluster.stop()
  await sandbox.close()
}
print(failures.length === 0 ? 'ok' : `${failures.length} failed`)
process.exit(failures.length === 0 ? 0 : 1)

/** When each gateway has completed a response to a request sent after `sinceMs`, at `fromMs` or later. */
function someFrom(load: Load, sinceMs: number, fromMs = sinceMs): Promise<readonly number[]> {
  return eventually(
    'both gateways serve',
    () =>
      [0, 1].flatMap((gateway) => {
        const found = load.acknowledged.find(
          (each) => each.gateway === gateway && each.sentMs >= sinceMs && each.endedMs >= fromMs,
        )
        return found === undefined ? [] : [found.endedMs]
      }),
    (ends) => ends.length === 2,
  )
}

async function failover(on: PatroniCluster, load: Load, round: number): Promise<void> {
  await on.healthy()
  const primary = await on.primary()
  const what = round % 2 === 1 ? 'server' : 'machine'
  const killedMs = systemClock.monoMs()
  on.kill(primary, what)
  await eventually(
    'a new primary commits',
    () =>
      on.committed().then(
        () => true,
        () => false,
      ),
    Boolean,
  )
  const writableMs = systemClock.monoMs()
  const served = await someFrom(load, killedMs, writableMs)
  on.revive(primary)
  const after = served.map((ms) => seconds(ms - killedMs)).join(' and ')
  check(
    served.every((ms) => ms - writableMs <= lateMsMax),
    `round ${round}: the primary's ${what} was killed; the cluster committed after ${seconds(writableMs - killedMs)}, the gateways served after ${after}`,
  )
}

/** The responses of clients, against the ledger and the upstream. */
async function compare(installation: Installation, load: Load, account: string): Promise<void> {
  const { drift, openHolds } = await eventually(
    'no hold is open',
    () => installation.ask('ledger.verify', {}),
    (report) => report.openHolds === 0,
  ).catch(() => installation.ask('ledger.verify', {}))
  check(
    openHolds === 0 && drift.length === 0,
    `the ledger verifies: ${drift.length} drift, ${openHolds} open holds`,
  )
  const pages: OperationOutput<'requests.list'>[] = []
  for (let before: string | undefined; ; before = pages.at(-1)?.at(-1)?.id) {
    const asked = { account, limit: 500, ...(before === undefined ? {} : { before }) }
    const page = await installation.ask('requests.list', asked)
    // A page may be shorter than it could be; only an empty one is the end.
    if (page.length === 0) break
    pages.push(page)
  }
  const rows = pages.flat()
  const receipts = new Map(rows.map((row) => [parseId('req', row.id), row]))
  check(receipts.size === rows.length, `${rows.length} receipts, one for each request`)
  const lost = load.acknowledged.filter(({ id }) => receipts.get(id)?.endReason !== 'complete')
  check(
    lost.length === 0,
    `${load.acknowledged.length} complete responses, ${lost.length} of them without a receipt${lost
      .slice(0, 5)
      .map(({ id }) => ` ${formatId('req', id)}`)
      .join('')}`,
  )
  const charged = rows.reduce((sum, row) => sum + (parseUsd(row.charged) ?? 0n), 0n)
  const shown = await installation.ask('account.show', { account })
  const posted = parseUsd(shown.posted) ?? 0n
  check(charged + posted === parseUsd(credit), 'the charges and the balance are the credit')
  const told = [...load.others].map(([name, count]) => `${name}: ${count}`).join(', ')
  const isExpected = [...load.others.keys()].every(
    (name) => name === '503' || name === 'a stream that was cut',
  )
  check(isExpected, `other responses: ${told === '' ? 'none' : told}`)
}
