/**
 * The first part of `npm run cluster`: two gateways behind PgBouncer, in session and in transaction mode. Money is exact over both,
 * what one changes the other knows, and a pooler that is killed under load costs no receipt. Needs Debian's package `pgbouncer`.
 */
import { startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { makeInstallation } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'
import { Sent } from '../support/paying-client.ts'
import { runSql, startPostgres } from '../support/postgres-server.ts'
import { check, compare, configuration, credit, failures, print, someFrom } from './checks.ts'
import { startLoad } from './load.ts'
import { type PoolMode, pgBouncerIsMissing, startPgBouncer } from './pgbouncer.ts'

const secret = 'root secret of two gateways behind a pooler'
/** A request costs at most a third of a cent, so ten of fifty may run. */
const asked = 50
const many = 200

if (pgBouncerIsMissing()) {
  process.stderr.write('install pgbouncer to run the cluster\n')
  process.exit(1)
}
const database = await startPostgres()
const sandbox = await startSandbox({ clock: systemClock })
try {
  await behind('session')
  await behind('transaction')
} finally {
  await sandbox.close()
  await database.stop()
}
print(failures.length === 0 ? 'ok' : `${failures.length} failed`)
process.exit(failures.length === 0 ? 0 : 1)

async function behind(mode: PoolMode): Promise<void> {
  const direct = await database.createDatabase()
  const pooler = await startPgBouncer(direct, mode)
  const environment = {
    TOLLGATE_SECRET: secret,
    ...(mode === 'session'
      ? { DATABASE_URL: pooler.url }
      : { DATABASE_URL: `${pooler.url}?prepare=false`, DATABASE_DIRECT_URL: direct }),
  }
  const installations = [1, 2].map(() => makeInstallation(configuration(sandbox.origin)))
  try {
    const gateways = await Promise.all(installations.map((each) => each.start({ environment })))
    const origins = gateways.map(({ origin }) => origin)
    const [first, other] = installations
    if (first === undefined || other === undefined) throw new Error('there are two gateways')
    print(`PgBouncer in ${mode} mode`)

    const poor = await first.ask('account.create', { email: 'poor@example.org', credit: '0.01' } as never)
    const answers = await Promise.all(
      Array.from({ length: many }, (_, at) => echo(origins[at % origins.length] ?? '', poor.key)),
    )
    const { posted } = await other.ask('account.show', { account: poor.account })
    const served = answers.filter((status) => status === 200).length
    check(
      !posted.startsWith('-') && answers.every((status) => status === 200 || status === 402) && served > 0,
      `${many} requests at once for the money of few: ${served} served, the others 402, ${posted} USD left`,
    )
    await first.ask('account.suspend', { account: poor.account } as never)
    const suspended = systemClock.monoMs()
    await eventually(
      'the other gateway knows of the suspension',
      () => echo(origins[1] ?? '', poor.key),
      (status) => status === 403,
    )
    const tookMs = systemClock.monoMs() - suspended
    check(true, `an account that one suspends is rejected by the other after ${tookMs.toFixed(0)} ms`)

    const { account, key } = await first.ask('account.create', { email: 'load@example.org', credit } as never)
    const load = startLoad(origins, key)
    await someFrom(load, systemClock.monoMs())
    await pooler.kill()
    const killedMs = systemClock.monoMs()
    await eventually(
      'requests are rejected',
      () => load.others.get('503') ?? 0,
      (count) => count > 0,
    )
    await pooler.start()
    const startedMs = systemClock.monoMs()
    const back = await someFrom(load, killedMs, startedMs)
    check(
      true,
      `a killed pooler: both serve ${back.map((ms) => `${(ms - startedMs).toFixed(0)} ms`).join(' and ')} after its start`,
    )
    await load.stop()
    await compare(first, load, account)

    const name = new URL(direct).pathname.slice(1)
    await runSql(direct, `ALTER DATABASE ${name} SET synchronous_commit = off`)
    // Pooled connections keep the setting with which they began.
    await pooler.kill()
    await pooler.start()
    const third = makeInstallation(configuration(sandbox.origin))
    installations.push(third)
    const { code, stdout, stderr } = await third.attempt({ environment })
    const isRejected = code === 1 && (stdout + stderr).includes('synchronous_commit is off')
    check(isRejected, 'a database that may lose commits is rejected')
  } finally {
    for (const each of installations) await each.remove()
    await pooler.stop()
  }
}

async function echo(origin: string, key: string): Promise<number> {
  const body = { model: 'chat-echo', max_tokens: asked, messages: [{ role: 'user', content: 'hello' }] }
  return (await new Sent(origin, { key, format: 'chat', body }).whole()).status
}
