/**
 * `npm run cluster`: two gateways on three PostgreSQL servers under Patroni and etcd. The primary is killed again and again while
 * clients send requests: its server alone, or its whole machine. Needs Debian's packages `patroni`, `etcd-server` and
 * `postgresql`. Exits with 1 when something acknowledged is missing, a request is charged twice, a client got another error
 * than 503, or a gateway was back later than the cluster and two seconds.
 *
 * `--rounds N` (4)
 */
import { parseArgs } from 'node:util'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { makeInstallation } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'
import { check, compare, configuration, credit, failures, print, someFrom } from './checks.ts'
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
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
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
